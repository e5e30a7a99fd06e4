//! Who one is.

/// Who one is for the API server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Who {
    /// The user.
    pub user: String,
    /// The groups.
    pub groups: Vec<String>,
}
