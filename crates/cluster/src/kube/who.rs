//! Who one is.

/// The user at the API server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Who {
    /// The user name, as the API server knows it.
    pub user: String,
    /// The groups that come with it.
    pub groups: Vec<String>,
}
