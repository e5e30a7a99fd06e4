//! Node groups of an autoscaler: nodes are added for pending requests, and removed when they are empty.
//!
//! The autoscaler looks every 10 seconds, as the Cluster Autoscaler does by default. It counts requests that their
//! queue and the limits of their user and group admit and that fit no node, placeholders too, and puts them on the
//! nodes that come, in the order of the applications. Of the groups in which a request fits it takes the one with the
//! most weight, then the cheapest, then the one with the least capacity left over. A node that is requested is of the
//! smallest cost for all requests that it is for. A node counts from its request, before it is ready.

mod admission;
mod arch;
mod claims;
mod group;
pub mod manifests;
mod names;
mod scale_down;
mod suits;
mod waiting;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

pub use self::arch::Arch;
use self::claims::Claims;
pub use self::group::{InstanceType, NodeGroup};
pub use self::names::{checked_names, requested_names};
use self::suits::{Free, Suits, announce};
use self::waiting::{Wanted, waiting};
use super::guest::Guest;
use model::{NodeId, Resource, Time};
use scheduler::index::NodeKey;
use scheduler::{NodeSpec, Partition, PartitionCommand, Scheduler};

const EVERY: Duration = Duration::from_secs(10);
/// How many requests that never fit are named.
const MOST_NAMED: usize = 20;
const INSTANCE_TYPE: &str = "si/instance-type";

/// The result of a group.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct GroupReport {
    /// Name of the group.
    pub name: String,
    /// Node hours, from request to removal.
    pub node_hours: f64,
    /// `None` without a price.
    pub cost: Option<f64>,
    /// Peak number of nodes.
    pub peak: u32,
    /// Number of added nodes.
    pub added: u32,
    /// Number of removed nodes.
    pub removed: u32,
}

/// The result of all groups.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct GroupsReport {
    /// The groups in order.
    pub groups: Vec<GroupReport>,
    /// Requests that fit no group and no node, at most 20.
    pub never: Vec<(String, BTreeMap<String, i64>)>,
}

struct Member {
    group: usize,
    /// Which of the types of the group.
    kind: usize,
    id: NodeId,
    /// It was there before the autoscaler.
    existed: bool,
    since: Time,
    /// `None` once it is ready.
    ready: Option<Time>,
    /// When its allocations changed last, and what was free since then.
    changed: Option<(Time, Resource)>,
    /// It has no allocation and no reservation.
    empty: bool,
}

/// With its groups and their cost so far.
pub struct Autoscaler {
    groups: Vec<NodeGroup>,
    members: Vec<Member>,
    reports: Vec<GroupReport>,
    never: BTreeMap<(String, String), BTreeMap<String, i64>>,
    next: Time,
    numbers: Vec<u32>,
    /// The nodes that were there before it, whose names are taken.
    existing: BTreeSet<NodeId>,
    /// Whether what ran on a removed node is requested again.
    again: bool,
    /// A node in use will be removed after its time.
    shrinks: bool,
    /// `None`: idle nodes stay until they would be removed, and nothing else is counted after the last event.
    until: Option<Time>,
}

impl Autoscaler {
    /// An autoscaler of a cluster with these nodes at a time. Nodes with the instance type of a group belong to the
    /// group. Each group starts with its minimum. `again`: allocations of a removed node are requested again, so nodes
    /// in use can be removed.
    pub fn new<'n>(
        groups: Vec<NodeGroup>,
        nodes: impl Iterator<Item = (&'n NodeId, &'n BTreeMap<String, String>)>,
        now: Time,
        again: bool,
    ) -> Self {
        let reports = groups.iter().map(|group| GroupReport { name: group.name.clone(), ..Default::default() });
        let (reports, numbers) = (reports.collect(), vec![0; groups.len()]);
        let (members, never) = (Vec::new(), BTreeMap::new());
        let existing = BTreeSet::new();
        let (shrinks, until) = (false, None);
        let mut new = Self { groups, members, reports, never, next: now, numbers, existing, again, shrinks, until };
        nodes.for_each(|(id, attributes)| new.adopt(id, attributes, now));
        for group in 0..new.groups.len() {
            let kind = new.groups[group].cheapest();
            (new.count_of(group)..new.groups[group].min).for_each(|_| new.request((group, kind), now, true));
        }
        new
    }

    fn adopt(&mut self, id: &NodeId, attributes: &BTreeMap<String, String>, now: Time) {
        self.existing.insert(id.clone());
        let Some(kind) = attributes.get(INSTANCE_TYPE) else { return };
        let of = |group: &NodeGroup| group.types.iter().position(|one| one.name == *kind);
        let found = self.groups.iter().enumerate().find_map(|(number, group)| Some((number, of(group)?)));
        let Some((group, kind)) = found else { return };
        let id = id.clone();
        self.join(Member { group, kind, id, existed: true, since: now, ready: None, changed: None, empty: false });
    }

    /// The nodes that are added at the start, next to those that exist.
    pub fn first_nodes(&self) -> Vec<NodeSpec> {
        self.members.iter().filter(|member| !member.existed).map(|member| self.spec(member)).collect()
    }

    /// Nothing counts after this time.
    #[must_use]
    pub fn until(mut self, until: Option<Time>) -> Self {
        self.until = until;
        self
    }

    /// Idle nodes count until they would be removed, also after the last event.
    pub fn report(mut self, last: Time) -> GroupsReport {
        let end = self.until.unwrap_or(last);
        let mut left: Vec<u32> = (0..self.groups.len()).map(|group| self.count_of(group)).collect();
        for member in std::mem::take(&mut self.members) {
            let group = &self.groups[member.group];
            let empty = member.changed.as_ref().filter(|_| member.empty).map(|(since, _)| *since);
            let removed = empty.zip(group.unneeded).map(|(since, unneeded)| since + unneeded);
            let removed = removed.filter(|_| left[member.group] > group.min);
            // Looks have ended before.
            let removed = match self.until {
                Some(until) => removed.filter(|at| *at <= until),
                None => removed.map(|at| at.max(last)),
            };
            left[member.group] -= u32::from(removed.is_some());
            self.reports[member.group].removed += u32::from(removed.is_some());
            self.count(&member, removed.unwrap_or(end));
        }
        let never = self.never.into_iter().take(MOST_NAMED).map(|((app, _), wants)| (app, wants)).collect();
        GroupsReport { groups: self.reports, never }
    }

    fn count(&mut self, member: &Member, until: Time) {
        let hours = until.since(member.since).as_secs_f64() / 3600.0;
        let report = &mut self.reports[member.group];
        report.node_hours += hours;
        if let Some(price) = self.groups[member.group].types[member.kind].price {
            report.cost = Some(report.cost.unwrap_or_default() + hours * price);
        }
    }

    fn spec(&self, member: &Member) -> NodeSpec {
        let InstanceType { name, capacity, .. } = &self.groups[member.group].types[member.kind];
        let attributes = BTreeMap::from([(INSTANCE_TYPE.to_owned(), name.clone())]);
        NodeSpec { id: member.id.clone(), capacity: capacity.clone(), attributes, ..NodeSpec::default() }
    }

    fn request(&mut self, (group, kind): (usize, usize), now: Time, at_once: bool) {
        let mut id = NodeId::default();
        while id.as_str().is_empty() || self.existing.contains(&id) {
            self.numbers[group] += 1;
            id = NodeId::from(format!("{}-{}", self.groups[group].name, self.numbers[group]));
        }
        let ready = (!at_once).then(|| now + self.groups[group].delay);
        self.reports[group].added += u32::from(!at_once);
        self.join(Member { group, kind, id, existed: false, since: now, ready, changed: None, empty: false });
    }

    fn join(&mut self, member: Member) {
        let group = member.group;
        self.members.push(member);
        self.reports[group].peak = self.reports[group].peak.max(self.count_of(group));
    }

    fn count_of(&self, group: usize) -> u32 {
        u32::try_from(self.members.iter().filter(|member| member.group == group).count()).unwrap_or(u32::MAX)
    }

    fn ready_of(&self, group: usize) -> u32 {
        let ready = self.members.iter().filter(|member| member.group == group && member.ready.is_none());
        u32::try_from(ready.count()).unwrap_or(u32::MAX)
    }

    fn capacity(&self, member: &Member) -> &Resource {
        &self.groups[member.group].types[member.kind].capacity
    }

    /// Returns the nodes that pending requests are about to use.
    fn scale_up(&mut self, now: Time, part: &Partition) -> BTreeSet<NodeKey> {
        for group in 0..self.groups.len() {
            let kind = self.groups[group].cheapest();
            (self.count_of(group)..self.groups[group].min).for_each(|_| self.request((group, kind), now, false));
        }
        let suits = Suits::new(part, &self.groups);
        let mut free = Free::new(part);
        let coming = self.members.iter().filter(|member| member.ready.is_some());
        coming.for_each(|one| free.add((one.group, one.kind), self.capacity(one).clone()));
        let (mut claims, mut never, mut used) = (Claims::new(self, &suits), Vec::new(), BTreeSet::new());
        for Wanted { app, ask } in waiting(part) {
            if let Some(place) = free.take(ask, &suits) {
                used.extend(place.map(|node| node.key));
                continue;
            }
            if !claims.take(ask, now.since(ask.created)) && !claims.may_fit(ask) && !suits.may_fit(ask, part) {
                let amounts = ask.resource.iter().map(|(name, amount)| (name.to_owned(), amount)).collect();
                never.push(((app.id.to_string(), format!("{:?}", ask.resource)), amounts));
            }
        }
        let requested = claims.requested();
        requested.into_iter().for_each(|requested| self.request(requested, now, false));
        self.never.extend(never);
        used
    }
}

impl Autoscaler {
    /// When it acts next.
    pub fn next_look(&self) -> Time {
        let ready = self.members.iter().filter_map(|member| member.ready).min();
        ready.map_or(self.next, |ready| ready.min(self.next))
    }

    /// Whether a node comes.
    pub fn awaits_nodes(&self) -> bool {
        self.members.iter().any(|member| member.ready.is_some())
    }

    /// Before one of its nodes is added: a resource manager's conditions must know it.
    pub fn announce(&self, part: &mut Partition, id: &NodeId) {
        if let Some(member) = self.members.iter().find(|member| member.id == *id) {
            announce(part, id, &self.groups[member.group].types[member.kind]);
        }
    }

    /// Looks at a partition, and gives what it does now.
    pub fn look(&mut self, now: Time, part: &Partition) -> Vec<PartitionCommand> {
        let mut commands = Vec::new();
        for at in 0..self.members.len() {
            if self.members[at].ready.is_some_and(|ready| ready <= now) {
                self.members[at].ready = None;
                commands.push(PartitionCommand::AddNode(self.spec(&self.members[at])));
            }
        }
        if self.next > now {
            return commands;
        }
        self.next = now + EVERY;
        // An added node can fit pending requests: they are checked again next time.
        if commands.is_empty() {
            let used = self.scale_up(now, part);
            commands.extend(self.scale_down(now, part, &used).into_iter().map(PartitionCommand::RemoveNode));
        }
        commands
    }
}

impl Guest for Autoscaler {
    fn next(&self) -> Option<Time> {
        Some(self.next_look())
    }

    fn is_busy(&self) -> bool {
        self.awaits_nodes() || (self.shrinks && self.until.is_some())
    }

    fn act(&mut self, now: Time, scheduler: &Scheduler) -> Vec<PartitionCommand> {
        scheduler.partitions().first().map(|part| self.look(now, part)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
