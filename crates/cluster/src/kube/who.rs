//! Who one is.

/// The user at the API server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Who {
    /// User name.
    pub user: String,
    /// Groups.
    pub groups: Vec<String>,
}
