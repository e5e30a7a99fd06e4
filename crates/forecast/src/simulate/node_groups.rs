//! Node groups of an autoscaler: nodes are added for pending requests, and removed when they are empty.
//!
//! The autoscaler looks every 10 seconds, as the Cluster Autoscaler does by default. It counts requests that their queue admits and that fit
//! no node, placeholders too, and puts them on the nodes that come, in the order of the applications. Of the groups in which a request
//! fits it takes the one with the most weight, then the cheapest, then the one with the least capacity left over. A node that is requested is
//! of the smallest cost for all requests that it is for. A node counts from its request, before it is ready.

mod arch;
mod claims;
mod group;
pub mod manifests;
mod scale_down;
mod waiting;

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

pub use self::arch::Arch;
use self::claims::Claims;
use self::group::fits;
pub use self::group::{InstanceType, NodeGroup};
use self::waiting::{Wanted, waiting};
use super::guest::Guest;
use model::{NodeId, Resource, Time};
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
}

impl Autoscaler {
    /// Existing nodes join groups by instance type. Each group starts with its minimum. With `again`, nodes in use can
    /// be removed.
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
        let mut new = Self { groups, members, reports, never, next: now, numbers, existing, again };
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

    /// Idle nodes count until they would be removed.
    pub fn report(mut self, end: Time) -> GroupsReport {
        let mut left: Vec<u32> = (0..self.groups.len()).map(|group| self.count_of(group)).collect();
        for member in std::mem::take(&mut self.members) {
            let group = &self.groups[member.group];
            let empty = member.changed.as_ref().filter(|_| member.empty).map(|(since, _)| *since);
            let is_removed = empty.zip(group.unneeded).filter(|_| left[member.group] > group.min);
            left[member.group] -= u32::from(is_removed.is_some());
            let until = is_removed.map_or(end, |(since, unneeded)| end.max(since + unneeded));
            self.count(&member, until);
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

    fn capacity(&self, member: &Member) -> &Resource {
        &self.groups[member.group].types[member.kind].capacity
    }

    fn scale_up(&mut self, now: Time, part: &Partition) {
        for group in 0..self.groups.len() {
            let kind = self.groups[group].cheapest();
            (self.count_of(group)..self.groups[group].min).for_each(|_| self.request((group, kind), now, false));
        }
        let wanted = waiting(part);
        let mut free: Vec<Resource> =
            part.nodes.iter().filter(|node| node.schedulable).map(|node| node.available.clone()).collect();
        free.extend(self.members.iter().filter(|member| member.ready.is_some()).map(|one| self.capacity(one).clone()));
        let (mut claims, mut never) = (Claims::new(self), Vec::new());
        // A request like the one before looks only where that one found place.
        let mut same: (Option<Resource>, usize) = (None, 0);
        for Wanted { app, wants, since } in wanted {
            let from = if same.0.as_ref() == Some(&wants) { same.1 } else { 0 };
            let place = (from..free.len()).find(|place| fits(&wants, &free[*place]));
            same = (Some(wants.clone()), place.unwrap_or(free.len()));
            if let Some(place) = place {
                free[place].sub_assign(&wants);
                continue;
            }
            if !claims.take(&wants, now.since(since)) && !claims.may_fit(&wants) {
                let fits_a_node = part.nodes.iter().any(|node| fits(&wants, &node.total));
                if !fits_a_node {
                    let amounts = wants.iter().map(|(name, amount)| (name.to_owned(), amount)).collect();
                    never.push(((app, format!("{wants:?}")), amounts));
                }
            }
        }
        let requested = claims.requested();
        requested.into_iter().for_each(|requested| self.request(requested, now, false));
        self.never.extend(never);
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
        // New nodes can fit pending requests.
        if commands.is_empty() {
            self.scale_up(now, part);
            commands.extend(self.scale_down(now, part).into_iter().map(PartitionCommand::RemoveNode));
        }
        commands
    }
}

impl Guest for Autoscaler {
    fn next(&self) -> Option<Time> {
        Some(self.next_look())
    }

    fn is_busy(&self) -> bool {
        self.awaits_nodes()
    }

    fn act(&mut self, now: Time, scheduler: &Scheduler) -> Vec<PartitionCommand> {
        scheduler.partitions().first().map(|part| self.look(now, part)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
