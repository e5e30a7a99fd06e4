//! Arrivals that happen in both runs.

use std::collections::BTreeMap;
use std::time::Duration;

use model::{AppId, Time};
use scheduler::{AskSpec, PartitionCommand, Submission};

/// Something that arrives.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// Time after the start.
    pub after: Duration,
    /// The submission, or a later command.
    pub command: PartitionCommand,
}

/// All arrivals in order, and their origin.
#[derive(Clone, Debug)]
pub struct Arrivals {
    /// In the order of time.
    pub list: Vec<Arrival>,
    /// Origin, in a sentence.
    pub text: String,
}

impl Default for Arrivals {
    fn default() -> Self {
        Self { list: Vec::new(), text: "arrivals: none".to_owned() }
    }
}

impl Arrivals {
    /// Repeats submissions and their requests, at the same offset from the start as from `from`. Uses new names,
    /// because the original applications may still exist.
    pub fn recorded(commands: Vec<(Time, PartitionCommand)>, from: Time, to: Time) -> Self {
        let mut names: BTreeMap<AppId, AppId> = BTreeMap::new();
        let (mut list, mut asks) = (Vec::new(), 0);
        for (at, command) in commands {
            let command = match command {
                PartitionCommand::Submit(submission) => {
                    let name = AppId::from(format!("{}-again", submission.app));
                    names.insert(submission.app.clone(), name.clone());
                    PartitionCommand::Submit(Submission { app: name, ..submission })
                }
                PartitionCommand::Ask(ask) => {
                    // Requests of earlier applications are not repeated.
                    let Some(app) = names.get(&ask.app).cloned() else { continue };
                    asks += u64::from(ask.count.max(1));
                    PartitionCommand::Ask(AskSpec { app, ..ask })
                }
                _ => continue,
            };
            list.push(Arrival { after: at.since(from), command });
        }
        let counted = |count: u64, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        let (apps, asks) = (counted(names.len() as u64, "application"), counted(asks, "request"));
        let text = format!("arrivals: {apps} with {asks}, as recorded from {from} to {to}");
        Self { list, text }
    }
}
