//! The arrivals by themselves during both runs.

use std::collections::BTreeMap;
use std::time::Duration;

use model::{AppId, Time};
use scheduler::{AskSpec, PartitionCommand, Submission};

/// Something that arrives.
#[derive(Clone, Debug)]
pub struct Arrival {
    /// How long after the start.
    pub after: Duration,
    /// The submission, or what follows it.
    pub command: PartitionCommand,
}

/// All that arrives, in its order, and where it is from.
#[derive(Clone, Debug)]
pub struct Arrivals {
    /// In the order of time.
    pub list: Vec<Arrival>,
    /// In a sentence.
    pub text: String,
}

impl Default for Arrivals {
    /// Nothing arrives in the run.
    fn default() -> Self {
        Self { list: Vec::new(), text: "arrivals: none".to_owned() }
    }
}

impl Arrivals {
    /// The applications that were submitted from one time to another, with their asks, once more: as long after the start as they came
    /// after `from`. They have names of their own, since those of then may still be there.
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
                    // Asks of applications that were there before are not asked again.
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
