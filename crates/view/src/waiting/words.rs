//! The words of an explanation.

use super::{
    AskExplanation, AskStatus, BlockLevel, Blocker, DecisionKind, Explanation, Overview, Place, PreemptionOutcome,
    PreemptionVerdict, Resolution, WaitingGroup,
};
use crate::units::show_amount;
use model::{Resource, Time, VCORE};

/// The display name of a resource.
pub fn name(resource: &str) -> &str {
    if resource == VCORE { "cpu" } else { resource }
}

/// Formats resources: `2 cpu, 4G memory`.
pub fn amounts(resource: &Resource) -> String {
    let all: Vec<String> =
        resource.iter().map(|(of, amount)| format!("{} {}", show_amount(of, amount), name(of))).collect();
    if all.is_empty() { "nothing".to_owned() } else { all.join(", ") }
}

/// `1 ask`, `3 asks`
pub fn count(number: u64, one: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {one}s") }
}

/// A part of an explanation as a sentence.
pub trait Sentence {
    /// The sentence, without a period; empty if the part has nothing to report.
    fn sentence(&self) -> String;
}

/// Further lines about a pending request.
pub trait AskWords {
    /// The action of the next cycle for the request, if it is not an allocation.
    fn next_step(&self) -> Option<String>;

    /// What changes with time, one line each: the reservation, and the next try of the application.
    fn waiting_lines(&self, now: Time) -> Vec<String>;

    /// What is scheduled before the request, in one line, if anything.
    fn turn(&self) -> Option<String>;
}

/// The words for an object with a limit.
pub trait PlaceWords {
    /// The display name: `root.tenants`, `the limit of user ann on root.tenants`, `node node-001`.
    fn words(&self) -> String;
}

/// The words for a blocker.
pub trait BlockerWords {
    /// The missing quantity without the object: `cpu 2 missing, 6 of 8 used`; empty if not about a resource.
    fn shortage(&self) -> String;
}

impl Sentence for Explanation {
    fn sentence(&self) -> String {
        let who = if self.queue.as_str().is_empty() {
            self.app.to_string()
        } else {
            format!("{} in {}", self.app, self.queue)
        };
        if self.finished.is_some() {
            let message = self.blockers.first().map(|blocker| blocker.detail.as_str()).unwrap_or_default();
            let why = if message.is_empty() { String::new() } else { format!(": {message}") };
            return format!("{who} is not waiting: it is {}{why}", self.state);
        }
        let Some(ask) = self.first_waiting() else {
            return match self.allocations {
                0 => format!("{who} is not waiting: it has no requests"),
                some => format!(
                    "{who} has no pending requests; it uses {} in {}",
                    amounts(&self.total_allocated),
                    count(some, "allocation")
                ),
            };
        };
        match ask.blockers.first() {
            Some(first) => format!("{who} waits for {}", first.sentence()),
            None => format!("{who} is next: {} of {}", ask.name(), amounts(&ask.resource)),
        }
    }
}

impl Sentence for AskExplanation {
    fn sentence(&self) -> String {
        let (wanted, name) = (amounts(&self.resource), self.name());
        match (&self.status, self.blockers.first()) {
            (AskStatus::Runs { node, .. }, _) => format!("{name} ({wanted}) runs on {node}"),
            (AskStatus::TakesOver { node, .. }, _) => {
                format!("{name} ({wanted}) replaces a placeholder on {node}")
            }
            (AskStatus::Waits, Some(first)) => format!("{name} ({wanted}) waits for {}", first.sentence()),
            (AskStatus::Waits, None) => format!("{name} ({wanted}) is next"),
        }
    }
}

impl AskWords for AskExplanation {
    fn next_step(&self) -> Option<String> {
        let next = self.next.as_ref()?;
        let node = next.node.as_ref().map(|node| format!(" {node}")).unwrap_or_default();
        Some(match next.kind {
            DecisionKind::Allocate | DecisionKind::Replace => return None,
            DecisionKind::Reserve => format!("the next cycle reserves{node} for it"),
            DecisionKind::Claim => format!("the next cycle releases other reservations of{node} for it"),
            DecisionKind::Preempt => format!("the next cycle preempts others for it on{node}"),
            DecisionKind::Stall => "it is too large for its required node, and ends every cycle".to_owned(),
        })
    }

    fn waiting_lines(&self, now: Time) -> Vec<String> {
        let ago = |since: Time| format!(" for {} s", now.since(since).as_secs());
        let reserved = self.reserved.as_ref().map(|node| {
            let since = self.reserved_since.map(ago).unwrap_or_default();
            let until = match self.reserved_until {
                Some(until) => format!("; released in {} s if it has no headroom then", until.since(now).as_secs()),
                None => String::new(),
            };
            format!("{node} has been reserved for it{since}, and is not free{until}")
        });
        let never = Time(u64::MAX);
        let passed_by = self.passed_by_until.map(|until| match until {
            until if until == never => "its application is skipped until the cluster changes".to_owned(),
            until => {
                format!("its application is skipped for {} s, unless the cluster changes", until.since(now).as_secs())
            }
        });
        reserved.into_iter().chain(passed_by).collect()
    }

    fn turn(&self) -> Option<String> {
        let queues: Vec<String> = self
            .ahead
            .queues
            .iter()
            .filter(|turn| turn.place > 1)
            .map(|turn| {
                format!(
                    "{} is {} of {} among its siblings (priority {})",
                    turn.queue, turn.place, turn.of, turn.priority
                )
            })
            .collect();
        let apps =
            (self.ahead.apps > 0).then(|| format!("{} of its queue before it", count(self.ahead.apps, "application")));
        let asks = (self.ahead.asks > 0)
            .then(|| format!("{} of its application before it", count(self.ahead.asks, "request")));
        let all: Vec<String> = queues.into_iter().chain(apps).chain(asks).collect();
        (!all.is_empty()).then(|| format!("{}; they request {}", all.join(", "), amounts(&self.ahead.pending)))
    }
}

impl PlaceWords for Place {
    fn words(&self) -> String {
        match self {
            Self::Partition => "the partition".to_owned(),
            Self::Queue(queue) => queue.to_string(),
            Self::User(user, queue) => format!("the limit of user {user} on {queue}"),
            Self::Group(group, queue) => format!("the limit of group {group} on {queue}"),
            Self::Node(node) => format!("node {node}"),
            Self::App(app, None) => app.to_string(),
            Self::App(app, Some(ask)) => format!("{app} {ask}"),
            Self::TaskGroup(group) => format!("task group {group}"),
        }
    }
}

impl Sentence for Blocker {
    fn sentence(&self) -> String {
        let place = self.place.words();
        let Self { limit, used, detail, .. } = self;
        match (self.level, &self.resource) {
            (BlockLevel::Node, Some(resource)) if self.resolution() == Resolution::Never => {
                never(self, resource, &show_amount(resource, self.wanted))
            }
            (BlockLevel::Node, Some(resource)) => {
                format!("{} on {place}, the closest node: {}; {detail}", name(resource), metrics(self, resource))
            }
            (BlockLevel::Node, None) => format!("a node: {}", if detail.is_empty() { &place } else { detail }),
            (_, Some(resource)) if self.resolution() == Resolution::Never => {
                let show = |amount: i64| show_amount(resource, amount);
                let (wanted, limit) = (show(self.wanted), show(*limit));
                format!("{} in {place}: {wanted} requested at the same time, above its maximum {limit}", name(resource))
            }
            (_, Some(resource)) => {
                format!("{} in {place}: {}{}", name(resource), metrics(self, resource), most(self, resource))
            }
            (BlockLevel::QueueApps | BlockLevel::UserApps | BlockLevel::GroupApps, None) => {
                let first =
                    self.holders.first().map(|holder| format!(", including {}", holder.app)).unwrap_or_default();
                format!("a slot in {place}: {used} of {limit} applications run{first}")
            }
            (BlockLevel::Gang, None) => {
                format!("a placeholder of {place}: {used} of {limit} were replaced or ended; {detail}")
            }
            (BlockLevel::State, None) => {
                format!("{place}, which {detail}: its queue starts one application at a time")
            }
            (BlockLevel::Pod, None) => format!("its pod, which is not ready to schedule: {detail}"),
            (BlockLevel::Backoff, None) => format!("the end of its back-off: {detail}"),
            (BlockLevel::Stalled, None) => format!("{place}, which {detail}"),
            (BlockLevel::Priority, None) => format!("its turn: {place} {detail}"),
            (BlockLevel::Draining, None) => format!("{place}, which is stopped"),
            (BlockLevel::Nothing, None) => format!("a request above 0: in total {place} requests nothing"),
            (BlockLevel::Partition, None) => format!("the partition: {detail}"),
            _ => detail.clone(),
        }
    }
}

impl BlockerWords for Blocker {
    fn shortage(&self) -> String {
        self.resource.as_ref().map(|of| format!("{} {}", name(of), metrics(self, of))).unwrap_or_default()
    }
}

fn never(blocker: &Blocker, resource: &str, wanted: &str) -> String {
    let (name, most) = (name(resource), show_amount(resource, blocker.limit));
    match &blocker.place {
        Place::Node(node) => format!("{name} on its required node {node}: {wanted} requested, {most} in total"),
        _ if blocker.limit == 0 => format!("{name}, which no node has: {wanted} requested, {}", blocker.detail),
        _ => format!("{name} on one node: {wanted} requested, the largest node has {most}"),
    }
}

fn metrics(blocker: &Blocker, resource: &str) -> String {
    let show = |amount: i64| show_amount(resource, amount);
    format!("{} missing, {} of {} used", show(blocker.missing), show(blocker.used), show(blocker.limit))
}

fn most(blocker: &Blocker, resource: &str) -> String {
    let most = blocker.holders.first();
    most.map(|holder| format!(", most by {} ({})", holder.app, show_amount(resource, holder.amount)))
        .unwrap_or_default()
}

impl Sentence for Overview {
    fn sentence(&self) -> String {
        let place = self.below.as_ref().map_or_else(|| format!("partition {}", self.partition), ToString::to_string);
        match (self.apps, self.groups.first()) {
            (0, _) | (_, None) => format!("no requests wait in {place}"),
            (apps, Some(first)) => {
                let verb = if apps == 1 { "waits" } else { "wait" };
                let (who, asks) = (count(apps, "application"), count(self.asks, "request"));
                let part = if first.asks == self.asks { "all".to_owned() } else { first.asks.to_string() };
                format!("{who} with {asks} {verb} in {place}, {part} for {}", cause(first))
            }
        }
    }
}

impl Sentence for WaitingGroup {
    fn sentence(&self) -> String {
        let verb = if self.apps == 1 { "waits" } else { "wait" };
        format!("{} with {} {verb} for {}", count(self.apps, "application"), count(self.asks, "request"), cause(self))
    }
}

/// The common cause of a group's requests, with values that apply to all of them.
fn cause(group: &WaitingGroup) -> String {
    let Some(blocker) = &group.blocker else {
        return "their turn: the next cycles allocate the first of them".to_owned();
    };
    let wanted = |resource: &str| show_amount(resource, group.wanted.amount(resource));
    match (blocker.level, &blocker.resource) {
        (BlockLevel::Node, Some(resource)) if blocker.resolution() == Resolution::Never => {
            let each = if group.asks == 1 { "" } else { " in all" };
            never(blocker, resource, &format!("{}{each}", wanted(resource)))
        }
        (BlockLevel::Node, Some(resource)) => {
            let each = if group.asks == 1 { "" } else { " in all" };
            format!("{} on a node: {} requested{each}; {}", name(resource), wanted(resource), blocker.detail)
        }
        (BlockLevel::Queue | BlockLevel::User | BlockLevel::Group, Some(resource)) => {
            let show = |amount: i64| show_amount(resource, amount);
            let (used, limit) = (show(blocker.used), show(blocker.limit));
            let (what, place) = (name(resource), blocker.place.words());
            format!(
                "{what} in {place}: {} requested, {used} of {limit} used{}",
                wanted(resource),
                most(blocker, resource)
            )
        }
        (BlockLevel::Priority, _) => "their turn: other requests are scheduled first".to_owned(),
        (BlockLevel::Backoff, _) => {
            "the end of back-offs: too many requests of their applications found no node".to_owned()
        }
        (BlockLevel::Gang, _) => "placeholders of their task groups".to_owned(),
        (BlockLevel::State, _) => "their turn: their queues start one application at a time".to_owned(),
        (BlockLevel::Nothing, _) => "a request above 0: in total they request nothing".to_owned(),
        _ => blocker.sentence(),
    }
}

impl Sentence for PreemptionVerdict {
    fn sentence(&self) -> String {
        let inside = self.fence.as_ref().map(|fence| format!(" inside {fence}")).unwrap_or_default();
        let own = || format!("{}; the request needs {}", self.own.sentence(), amounts(&self.wanted));
        match &self.outcome {
            PreemptionOutcome::NotNeeded => String::new(),
            PreemptionOutcome::Off => "preemption is off in the partition".to_owned(),
            PreemptionOutcome::LittleInUse => "cluster usage is below the threshold for preemption".to_owned(),
            PreemptionOutcome::RequiresNode => {
                "it requires a node: allocations there can be preempted after the node is reserved for it".to_owned()
            }
            PreemptionOutcome::NotAllowed => "the request cannot preempt".to_owned(),
            PreemptionOutcome::DoneBefore => "it has already preempted; a request preempts once".to_owned(),
            PreemptionOutcome::Until(_) => {
                format!("not yet: requests of its queue can preempt after waiting for {:?}", self.delay)
            }
            PreemptionOutcome::NoAttemptLeft => "earlier requests use up the attempts of each cycle".to_owned(),
            PreemptionOutcome::BeyondGuarantee => {
                format!("its queue would be above its guarantee with it; {}", own())
            }
            PreemptionOutcome::NoCandidates => {
                format!(
                    "no allocation{inside} can be preempted for it: all are within their guarantee, have a higher priority, or are protected"
                )
            }
            PreemptionOutcome::NotEnough => {
                format!(
                    "even if all possible victims{inside} were preempted, its queue would not have enough \
                    headroom; {}",
                    own()
                )
            }
            PreemptionOutcome::NoNode(all) => {
                format!("{} can be preempted{inside}, but no node would then fit it", count(*all, "allocation"))
            }
            PreemptionOutcome::Victims(node, victims) => {
                let named: Vec<String> = victims.iter().take(5).map(|(app, ask)| format!("{app} {ask}")).collect();
                let more = victims.len().saturating_sub(named.len());
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                format!("{}{more} can be preempted for it on {node}", named.join(", "))
            }
        }
    }
}
