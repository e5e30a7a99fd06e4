//! How a scheduler elsewhere is asked.

use std::time::Duration;

use client::Limits;

/// How a remote is examined.
#[derive(Clone, Debug)]
pub struct RemoteOptions {
    /// How often what is on the screen is requested.
    pub every: Duration,
    /// Limits of time and size.
    pub limits: Limits,
    /// No action is taken, even if the token allows it.
    pub read_only: bool,
    /// Chance of the pauses between tries; the same seed pauses alike.
    pub seed: u64,
    /// What a newcomer should know of how it is asked.
    pub notes: Vec<String>,
    /// The name under which the person requested it; of a context. `None`: by its address.
    pub name: Option<String>,
}

impl Default for RemoteOptions {
    fn default() -> Self {
        let limits = Limits::default();
        Self { every: Duration::from_secs(2), limits, read_only: false, seed: 0, notes: Vec::new(), name: None }
    }
}
