//! The options of a remote connection.

use std::time::Duration;

use client::Limits;

/// The options of a remote connection.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// The refresh interval of the screen.
    pub every: Duration,
    /// The limits of time and size.
    pub limits: Limits,
    /// No operations, even if the token allows them.
    pub read_only: bool,
    /// The seed for the pauses between tries.
    pub seed: u64,
    /// Hints about the connection, shown once.
    pub notes: Vec<String>,
    /// The name of the context that the user specified; `None` for an address.
    pub name: Option<String>,
}

impl Default for RemoteOptions {
    fn default() -> Self {
        let limits = Limits::default();
        Self { every: Duration::from_secs(2), limits, read_only: false, seed: 0, notes: Vec::new(), name: None }
    }
}
