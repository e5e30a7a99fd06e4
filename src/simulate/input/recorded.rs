//! Commands of a resource manager with their times, as a scenario or a journal has them: the applications, their asks and the nodes. When
//! what runs ends follows from the runtime of each ask, where that is known.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::model::{AppId, AskId, Time};
use crate::scheduler::{PartitionCommand, Submission};
use crate::simulate::job::{Job, Task, Workload};

/// Makes jobs of what came in, with times from `begins` on, or from the first submission. `runs` says how long an ask ran when it was
/// recorded.
pub fn read(
    commands: impl IntoIterator<Item = (Time, PartitionCommand)>,
    begins: Option<Time>,
    runs: impl Fn(&AppId, &AskId) -> Option<Duration>,
) -> Workload {
    let mut workload = Workload::default();
    let mut known: BTreeMap<AppId, usize> = BTreeMap::new();
    let mut begins = begins;
    for (at, command) in commands {
        let place = || format!("at {at}");
        match command {
            PartitionCommand::AddNode(spec) if workload.nodes.iter().any(|node| node.id == spec.id) => {
                workload.leave_out("nodes that come back: all nodes are there from the beginning", place);
            }
            PartitionCommand::AddNode(spec) => workload.nodes.push(spec),
            PartitionCommand::UpdateNode { .. }
            | PartitionCommand::RemoveNode(_)
            | PartitionCommand::DrainNode(_)
            | PartitionCommand::ResumeNode(_) => {
                workload.leave_out("changes of nodes: all nodes are there from the beginning", place);
            }
            PartitionCommand::Submit(submission) => {
                let at = Time(at.0 - begins.get_or_insert(at).0.min(at.0));
                submitted(&mut workload, &mut known, at, submission);
            }
            PartitionCommand::Ask(ask) => {
                let begins = *begins.get_or_insert(at);
                let Some(job) = known.get(&ask.app).map(|number| &mut workload.jobs[*number]) else {
                    workload.leave_out("asks of applications that were there before", place);
                    continue;
                };
                if ask.placeholder {
                    workload.leave_out("placeholders of gangs: their tasks are asked for one by one", place);
                    continue;
                }
                let after = Time(at.0.saturating_sub(begins.0)).since(job.at);
                let task = |id: &AskId, count| Task {
                    after,
                    count,
                    resource: ask.resource.clone(),
                    priority: ask.priority,
                    runs: runs(&ask.app, id),
                    required_node: ask.required_node.clone(),
                };
                // Asks that ran equally long are one task.
                let mut tasks: Vec<Task> = Vec::new();
                for id in ask.ids() {
                    let one = task(&id, 1);
                    match tasks.last_mut() {
                        Some(last) if last.runs == one.runs => last.count += 1,
                        _ => tasks.push(one),
                    }
                }
                job.tasks.extend(tasks);
            }
            PartitionCommand::Kill { .. } | PartitionCommand::Move { .. } => {
                workload.leave_out("orders of people (kill, move)", place);
            }
            PartitionCommand::Release { .. } | PartitionCommand::Remove { .. } | PartitionCommand::Clean { .. } => {}
        }
    }
    workload.jobs.retain(|job| !job.tasks.is_empty());
    workload.sort();
    workload
}

fn submitted(workload: &mut Workload, known: &mut BTreeMap<AppId, usize>, at: Time, submission: Submission) {
    let Submission { app, queue, who, tags, .. } = submission;
    let again = known.len();
    // An id that is used again is another application.
    let name = if known.contains_key(&app) { AppId::from(format!("{app}+{again}")) } else { app.clone() };
    known.insert(app, workload.jobs.len());
    workload.jobs.push(Job { app: name, at, queue, who, tags, tasks: Vec::new() });
}
