//! Converts a view to commands in the order of the original events.

use std::sync::Arc;
use std::time::Duration;

use super::layout::without_draining;
use config::Config;
use kubernetes::ClusterContext;
use model::{Profile, Time};
use scheduler::{Adopted, AskSpec, Command, NodeSpec, PartitionCommand, Scheduler, Submission};
use view::{AppRow, AskRow, AskState, NodeRow, PartitionView};

const MOST: usize = 3;
/// Placeholder timeout: the remote scheduler handles the real one.
const FOR_EVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// An event. Events of one time are in this order.
enum Step<'v> {
    Submit(&'v AppRow),
    /// With true if it started its application.
    Ask(&'v AppRow, &'v AskRow, bool),
    Allocate(&'v AppRow, &'v AskRow),
}

impl Step<'_> {
    const fn rank(&self) -> u8 {
        match self {
            Self::Submit(_) => 0,
            Self::Ask(..) => 1,
            Self::Allocate(..) => 2,
        }
    }
}

/// Brings a new scheduler to the state of a view with the objects of Kubernetes. Adds impossible parts to `unknown`.
pub(super) fn replay(
    scheduler: &mut Scheduler,
    (part, context): (&PartitionView, Option<&ClusterContext>),
    config: Config,
    now: Time,
    unknown: &mut Vec<String>,
) {
    let mut steps = steps((part, context), now, scheduler.switches().profile);
    steps.sort_by_key(|(at, step)| (*at, step.rank()));
    let start = steps.first().map_or(now, |(at, _)| *at);
    let draining = without_draining(&config, part);
    scheduler.apply(start, &Command::Configure(Arc::new(config)));
    let filters = context.and_then(ClusterContext::filters);
    let filtered = filters.is_some();
    if let (Some(filters), Some(own)) =
        (filters, scheduler.partitions_mut().iter_mut().find(|own| own.name == part.name))
    {
        own.nodes.set_predicates(filters);
    }
    for node in part.nodes.values() {
        scheduler.apply(start, &in_partition(part, PartitionCommand::AddNode(spec_of(node, filtered))));
    }
    let mut failed = Vec::new();
    for (at, step) in steps {
        if let Err(why) = carry_out(scheduler, (part, context), at, &step) {
            failed.push(why);
        }
    }
    for row in part.apps.iter().flatten() {
        match scheduler.adopt_state(now, &part.name, &row.id, row.state) {
            Ok(true) => {}
            Ok(false) => failed.push(format!("{} is {} in the remote", row.id, row.state)),
            Err(why) => failed.push(why),
        }
    }
    let reserved = part.nodes.values().flat_map(|node| node.reservations.iter().map(move |blocked| (node, blocked)));
    for (node, (app, ask)) in reserved {
        failed.extend(scheduler.adopt_ask(now, &part.name, (app, ask), &node.id, Adopted::Reservation).err());
    }
    if let Some(config) = draining {
        scheduler.apply(now, &Command::Configure(Arc::new(config)));
    }
    let more = failed.len().saturating_sub(MOST);
    unknown.extend(failed.into_iter().take(MOST).map(|why| format!("skipped: {why}")));
    if more > 0 {
        unknown.push(format!("skipped: {more} more"));
    }
}

/// A new configuration does not drain dynamic queues, and they are removed when empty.
pub(super) fn dynamic(scheduler: &mut Scheduler, part: &PartitionView) {
    let Some(own) = scheduler.partitions_mut().iter_mut().find(|own| own.name == part.name) else { return };
    for row in part.walk().filter(|row| !row.managed) {
        if let Some(key) = own.queues.find(&row.path) {
            own.queues[key].managed = false;
        }
    }
}

fn steps<'v>(
    (part, context): (&'v PartitionView, Option<&ClusterContext>),
    now: Time,
    profile: Profile,
) -> Vec<(Time, Step<'v>)> {
    let mut steps = Vec::new();
    for row in part.apps.iter().flatten().filter(|row| !row.state.is_ended()) {
        let submitted = row.submitted.min(now);
        steps.push((submitted, Step::Submit(row)));
        // This release does not report it.
        let started_at = context.filter(|_| profile == Profile::V1_5_1);
        let started_at = started_at.and_then(|context| context.originator(row.asks.values().map(|ask| &ask.id)));
        for (arrival, ask) in &row.asks {
            let asked = ask.created.clamp(submitted, now);
            let shown = row.notes.get(arrival).is_some_and(|notes| notes.originator);
            steps.push((asked, Step::Ask(row, ask, shown || started_at.as_ref() == Some(&ask.id))));
            if let AskState::Allocated { since, .. } = &ask.state {
                steps.push((since.unwrap_or(asked).clamp(asked, now), Step::Allocate(row, ask)));
            }
        }
    }
    steps
}

fn carry_out(
    scheduler: &mut Scheduler,
    (part, context): (&PartitionView, Option<&ClusterContext>),
    at: Time,
    step: &Step<'_>,
) -> Result<(), String> {
    match step {
        Step::Submit(row) => {
            scheduler.apply(at, &in_partition(part, PartitionCommand::Submit(submission(row))));
            let twin = scheduler.partitions().iter().find(|twin| twin.name == part.name);
            let there = twin.is_some_and(|twin| twin.app_key(&row.id).is_some());
            if there { Ok(()) } else { Err(format!("{} in {}", row.id, row.queue)) }
        }
        Step::Ask(row, ask, originator) => {
            let mut spec = asked(row, ask, *originator);
            if let Some(context) = context {
                context.complete(&mut spec);
            }
            scheduler.apply(at, &in_partition(part, PartitionCommand::Ask(spec)));
            Ok(())
        }
        Step::Allocate(row, ask) => match &ask.state {
            AskState::Allocated { node, .. } => {
                scheduler.adopt_ask(at, &part.name, (&row.id, &ask.id), node, Adopted::Allocation)
            }
            AskState::Pending { .. } => Ok(()),
        },
    }
}

fn in_partition(part: &PartitionView, command: PartitionCommand) -> Command {
    Command::In { partition: Some(Arc::clone(&part.name)), command }
}

/// If `filtered`, filters handle cordons and taints, including tolerations.
fn spec_of(node: &NodeRow, filtered: bool) -> NodeSpec {
    NodeSpec {
        id: node.id.clone(),
        capacity: node.capacity.clone(),
        occupied: node.occupied.clone(),
        attributes: (*node.attributes).clone(),
        drained: if filtered { !node.schedulable } else { !node.is_open() },
    }
}

fn submission(row: &AppRow) -> Submission {
    Submission {
        app: row.id.clone(),
        queue: row.queue.to_string(),
        who: row.who.clone(),
        tags: (*row.tags).clone(),
        placeholder_timeout: Some(FOR_EVER),
        ..Submission::default()
    }
}

fn asked(row: &AppRow, ask: &AskRow, originator: bool) -> AskSpec {
    AskSpec {
        app: row.id.clone(),
        id: ask.id.clone(),
        count: 1,
        resource: ask.resource.clone(),
        priority: ask.priority,
        required_node: ask.required_node.clone(),
        allow_preempt_self: true,
        allow_preempt_other: true,
        originator,
        placeholder: ask.placeholder,
        task_group: ask.task_group.clone(),
        tags: ask.tags.clone(),
        created: None,
        limit: None,
    }
}
