//! Workloads: they drive a scheduler as time passes.

use config::Config;
use model::Time;
use scheduler::{Command, Event};

/// A source of commands over time: the steps of a scenario, or the demo. Deterministic for the same scheduler.
pub trait Workload: Send {
    /// `None` at its end.
    fn next(&self) -> Option<Time>;

    /// Acts at `now`, the time from [`Workload::next`].
    fn act(&mut self, now: Time) -> Vec<Command>;

    /// Receives the events of all commands.
    fn observe(&mut self, now: Time, events: &[Event]);

    /// Whether it runs cycles by commands; then no other cycles run until its end.
    fn runs_cycles(&self) -> bool {
        false
    }

    /// Its progress, for [`Workload::resume`]; `None` if unsupported.
    fn save(&self) -> Option<Vec<u8>> {
        None
    }

    /// Fails for another workload's progress.
    fn resume(&mut self, _played: &[u8]) -> Result<(), String> {
        Ok(())
    }

    /// The text of a configuration from its [`Command::Configure`], if known.
    fn text_of(&self, _config: &Config) -> Option<&str> {
        None
    }
}
