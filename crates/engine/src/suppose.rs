//! Applies textual changes to a core of a fork, with the corresponding orders for the real cluster; explains undecided
//! requests.

use std::sync::Arc;

use super::core::Core;
use forecast::whatif::{Change, Meaning, explained, meaning, refusal};
use model::{AppId, AskId};
use scheduler::{Command, Partition, PartitionCommand};
use view::act::{Act, Actor, MOST_ASKS, Order, PartitionAct};

impl Core {
    fn part(&self, name: &str) -> Option<&Partition> {
        self.state.scheduler.partitions().iter().find(|part| *part.name == *name)
    }

    /// Makes a change in a partition; cycles follow with the next [`Core::run_until`]. Returns the corresponding
    /// orders.
    ///
    /// # Errors
    /// Returns an error if the change is impossible. Nothing was changed.
    pub fn suppose(&mut self, actor: &Actor, partition: &str, change: &Change) -> Result<Vec<Order>, String> {
        let part = self.part(partition).ok_or("the partition was removed")?;
        let (name, written) = (Arc::clone(&part.name), self.configuration().cloned());
        match meaning(part, written.as_ref().map(|written| &*written.queues), change)? {
            Meaning::Config(text) => {
                let base = written.map(|written| written.checksum.clone());
                let order = Order::from(Act::Configure { text, base, dry_run: false });
                self.perform(actor, &order).map_err(|refusal| refusal.to_string())?;
                Ok(vec![order])
            }
            Meaning::Commands(commands, _) => {
                let orders = orders(&name, &commands);
                let (mut done, mut refused) = (false, None);
                for command in commands {
                    let events = self.apply(&Command::In { partition: Some(Arc::clone(&name)), command });
                    match events.iter().find_map(refusal) {
                        Some(why) => refused = refused.or(Some(why)),
                        None => done = true,
                    }
                }
                refused.filter(|_| !done).map_or(Ok(orders), Err)
            }
        }
    }

    /// `None` without the partition.
    pub fn explained(&self, partition: &str, subject: &(AppId, AskId)) -> Option<String> {
        Some(explained(self.part(partition)?, self.now(), subject))
    }
}

fn orders(partition: &Arc<str>, commands: &[PartitionCommand]) -> Vec<Order> {
    let mut acts: Vec<PartitionAct> = Vec::new();
    for command in commands {
        let act = match command.clone() {
            PartitionCommand::AddNode(spec) => PartitionAct::AddNode(spec),
            PartitionCommand::UpdateNode { id, capacity, occupied } => {
                PartitionAct::UpdateNode { id, capacity, occupied }
            }
            PartitionCommand::RemoveNode(id) => PartitionAct::RemoveNode { id, force: true },
            PartitionCommand::DrainNode(id) => PartitionAct::DrainNode(id),
            PartitionCommand::ResumeNode(id) => PartitionAct::ResumeNode(id),
            PartitionCommand::Submit(submission) => PartitionAct::Submit(submission),
            PartitionCommand::Ask(spec) => match acts.last_mut() {
                Some(PartitionAct::Ask { app, asks }) if *app == spec.app && asks.len() < MOST_ASKS => {
                    asks.push(spec);
                    continue;
                }
                _ => PartitionAct::Ask { app: spec.app.clone(), asks: vec![spec] },
            },
            // Not orders: they report facts.
            PartitionCommand::Adopt { .. } | PartitionCommand::SetForeign { .. } => continue,
            PartitionCommand::Release { app, ask } => PartitionAct::Release { app, ask },
            PartitionCommand::Remove { app } => PartitionAct::Remove { app },
            PartitionCommand::Kill { app, .. } => PartitionAct::Kill { app, expect_queue: None },
            PartitionCommand::Clean { queues, applications } => {
                PartitionAct::Clean { queues, applications, dry_run: false }
            }
            PartitionCommand::Move { app, to, .. } => {
                PartitionAct::Move { app, to, expect_queue: None, dry_run: false }
            }
        };
        acts.push(act);
    }
    acts.into_iter().map(|act| Order::from(Act::within(partition, act))).collect()
}
