//! What drives a scheduler from the outside as time passes.

use config::Config;
use model::Time;
use scheduler::{Command, Event};

/// A source of commands over time: a scenario's steps, or the demo. The same scheduler and the same workload give the same
/// history.
pub trait Workload: Send {
    /// When it needs to act next; `None` when it has ended.
    fn next(&self) -> Option<Time>;

    /// What it does at `now`, which is when it wanted to act.
    fn act(&mut self, now: Time) -> Vec<Command>;

    /// Takes the events of its commands, and of all other commands.
    fn observe(&mut self, now: Time, events: &[Event]);

    /// Whether it says itself when cycles run, by commands; then no one else runs one until it has ended.
    fn runs_cycles(&self) -> bool {
        false
    }

    /// How far it has been played, for [`Workload::resume`] in another process; `None` for one that cannot say.
    fn save(&self) -> Option<Vec<u8>> {
        None
    }

    /// Continues from where another one of its kind was.
    ///
    /// # Errors
    /// Why it cannot: that was another workload.
    fn resume(&mut self, _played: &[u8]) -> Result<(), String> {
        Ok(())
    }

    /// The text of a configuration that it gave out with [`Command::Configure`], where it knows it.
    fn text_of(&self, _config: &Config) -> Option<&str> {
        None
    }
}
