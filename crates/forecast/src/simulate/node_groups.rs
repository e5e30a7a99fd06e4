//! Node groups of an autoscaler: nodes are added for pending requests, and removed when they are empty.
//!
//! The autoscaler runs every 10 seconds, like the Cluster Autoscaler. It assigns requests, including placeholders, that
//! their queue admits and that fit no node, to future nodes in application order. It selects the cheapest group that
//! fits, then the one with the least unused capacity. A node costs from its request on.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use super::guest::Guest;
use config::properties::parse_duration;
use model::quantity::{parse_quantity, show_amount};
use model::{NodeId, Resource, Time};
use scheduler::{NodeSpec, Partition, PartitionCommand, Scheduler};

const EVERY: Duration = Duration::from_secs(10);
const UNNEEDED: Duration = Duration::from_secs(600);
/// Default number of pods of a node, like the kubelet's.
const PODS: i64 = 110;
const MOST_REQUESTS: usize = 20_000;
const MOST_NAMED: usize = 20;

/// A group of identical nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeGroup {
    /// Name, for example an instance type.
    pub name: String,
    /// Capacity of a node.
    pub capacity: Resource,
    /// Minimum number of nodes.
    pub min: u32,
    /// Maximum number of nodes.
    pub max: u32,
    /// From the request until it is ready.
    pub delay: Duration,
    /// Idle time before a node is removed.
    pub unneeded: Duration,
    /// Price of a node per hour.
    pub price: Option<f64>,
}

impl Default for NodeGroup {
    /// Up to 1000 nodes without a capacity, ready at once.
    fn default() -> Self {
        let (name, capacity) = (String::new(), Resource::new());
        Self { name, capacity, min: 0, max: 1000, delay: Duration::ZERO, unneeded: UNNEEDED, price: None }
    }
}

const FORM: &str = "use for example 'm5.4xlarge: cpu=16, memory=64Gi, min=0, max=40, delay=90s, price=0.8'";

impl FromStr for NodeGroup {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, rest) = text.split_once(':').ok_or_else(|| format!("{text:?} has no name; {FORM}"))?;
        let mut group = Self { name: name.trim().to_owned(), ..Self::default() };
        if group.name.is_empty() {
            return Err(format!("{text:?} has no name; {FORM}"));
        }
        for part in rest.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').ok_or_else(|| format!("{part:?} is not KEY=VALUE; {FORM}"))?;
            let (key, value) = (key.trim(), value.trim());
            let wrong = |expected: &str| format!("invalid {key} {value:?}: expected {expected}");
            let time = || parse_duration(value).ok_or_else(|| wrong("a time such as 90s"));
            let count = || value.parse::<u32>().map_err(|_| wrong("a number of nodes"));
            match key {
                "min" => group.min = count()?,
                "max" => group.max = count()?,
                "delay" => group.delay = time()?,
                "unneeded" => group.unneeded = time()?,
                "price" => {
                    let price = value.parse::<f64>().ok().filter(|price| price.is_finite() && *price >= 0.0);
                    group.price = Some(price.ok_or_else(|| wrong("a number"))?);
                }
                _ => {
                    let name = if key == "cpu" { "vcore" } else { key };
                    let amount = parse_quantity(name, value).map_err(|why| format!("{key}: {why}"))?;
                    group.capacity.set(name, amount);
                }
            }
        }
        group.checked()
    }
}

impl NodeGroup {
    /// Validates the group.
    ///
    /// # Errors
    /// It has no capacity, or `min` is above `max`.
    pub fn checked(self) -> Result<Self, String> {
        if self.capacity.is_zero() {
            return Err(format!("node group {} has no capacity; {FORM}", self.name));
        }
        let mut group = self;
        if group.capacity.get("pods").is_none() {
            group.capacity.set("pods", PODS);
        }
        if group.min > group.max {
            return Err(format!("node group {}: min {} is above max {}", group.name, group.min, group.max));
        }
        Ok(group)
    }
}

impl fmt::Display for NodeGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let amounts = self.capacity.iter().map(|(name, amount)| format!("{name}={}", show_amount(name, amount)));
        let amounts = amounts.collect::<Vec<_>>().join(", ");
        write!(f, "{}: {amounts}, min={}, max={}, delay={:?}", self.name, self.min, self.max, self.delay)
    }
}

/// The result of a group.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct GroupReport {
    /// Name of the group.
    pub name: String,
    /// Node hours, from request to removal.
    pub node_hours: f64,
    /// Cost; `None` without a price.
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
    id: NodeId,
    since: Time,
    /// `None` once it is ready.
    ready: Option<Time>,
    /// Start of its idle time.
    empty: Option<Time>,
}

/// With its groups and their cost so far.
pub struct Autoscaler {
    groups: Vec<NodeGroup>,
    members: Vec<Member>,
    reports: Vec<GroupReport>,
    never: BTreeMap<(String, String), BTreeMap<String, i64>>,
    next: Time,
    numbers: Vec<u32>,
}

impl Autoscaler {
    /// Starts with the minimum of each group.
    pub fn new(groups: Vec<NodeGroup>) -> Self {
        let reports = groups.iter().map(|group| GroupReport { name: group.name.clone(), ..Default::default() });
        let (reports, numbers) = (reports.collect(), vec![0; groups.len()]);
        let (members, never) = (Vec::new(), BTreeMap::new());
        let mut new = Self { groups, members, reports, never, next: Time::ZERO, numbers };
        for group in 0..new.groups.len() {
            (0..new.groups[group].min).for_each(|_| new.request(group, Time::ZERO, true));
        }
        new
    }

    /// Returns the initial nodes.
    pub fn first_nodes(&self) -> Vec<NodeSpec> {
        self.members.iter().map(|member| self.spec(member)).collect()
    }

    /// Returns the result. Idle nodes count until they would be removed.
    pub fn report(mut self, end: Time) -> GroupsReport {
        for member in std::mem::take(&mut self.members) {
            let group = &self.groups[member.group];
            let is_one_of_least = self.numbers[member.group] == 0 && group.min > 0;
            let until = member.empty.filter(|_| !is_one_of_least).map_or(end, |empty| end.max(empty + group.unneeded));
            self.count(&member, until);
        }
        let never = self.never.into_iter().take(MOST_NAMED).map(|((app, _), wants)| (app, wants)).collect();
        GroupsReport { groups: self.reports, never }
    }

    fn count(&mut self, member: &Member, until: Time) {
        let hours = until.since(member.since).as_secs_f64() / 3600.0;
        let report = &mut self.reports[member.group];
        report.node_hours += hours;
        report.cost = self.groups[member.group].price.map(|price| report.node_hours * price);
    }

    fn spec(&self, member: &Member) -> NodeSpec {
        let group = &self.groups[member.group];
        let attributes = BTreeMap::from([("si/instance-type".to_owned(), group.name.clone())]);
        NodeSpec { id: member.id.clone(), capacity: group.capacity.clone(), attributes, ..NodeSpec::default() }
    }

    fn request(&mut self, group: usize, now: Time, at_once: bool) {
        self.numbers[group] += 1;
        let id = NodeId::from(format!("{}-{}", self.groups[group].name, self.numbers[group]));
        let ready = (!at_once).then(|| now + self.groups[group].delay);
        self.members.push(Member { group, id, since: now, ready, empty: None });
        let count = self.count_of(group);
        let report = &mut self.reports[group];
        report.added += u32::from(!at_once);
        report.peak = report.peak.max(count);
    }

    fn count_of(&self, group: usize) -> u32 {
        u32::try_from(self.members.iter().filter(|member| member.group == group).count()).unwrap_or(u32::MAX)
    }

    /// Requests nodes for pending requests that do not fit on the coming nodes.
    fn scale_up(&mut self, now: Time, part: &Partition) {
        let wanted = waiting(part);
        if wanted.is_empty() {
            return;
        }
        let mut free: Vec<Resource> =
            part.nodes.iter().filter(|node| node.schedulable).map(|node| node.available.clone()).collect();
        let coming = self.members.iter().filter(|member| member.ready.is_some());
        free.extend(coming.map(|member| self.groups[member.group].capacity.clone()));
        // A request that is as large as one that fits no node does not fit either.
        let mut full: Option<Resource> = None;
        for (app, wants) in wanted {
            if full.as_ref() == Some(&wants) {
                continue;
            }
            if let Some(place) = free.iter_mut().find(|place| fits(&wants, place)) {
                place.sub_assign(&wants);
                continue;
            }
            match self.group_for(&wants) {
                Some(group) => {
                    self.request(group, now, false);
                    let mut rest = self.groups[group].capacity.clone();
                    rest.sub_assign(&wants);
                    free.push(rest);
                }
                None => {
                    let fits_a_node = part.nodes.iter().any(|node| fits(&wants, &node.total));
                    if !fits_a_node && !self.groups.iter().any(|group| fits(&wants, &group.capacity)) {
                        let amounts = wants.iter().map(|(name, amount)| (name.to_owned(), amount)).collect();
                        self.never.insert((app, format!("{wants:?}")), amounts);
                    }
                    full = Some(wants);
                }
            }
        }
    }

    /// The cheapest group, then the one with the least unused capacity, then the first.
    fn group_for(&self, wants: &Resource) -> Option<usize> {
        let open = (0..self.groups.len()).filter(|group| self.count_of(*group) < self.groups[*group].max);
        let cost = |group: &usize| {
            let NodeGroup { capacity, price, .. } = &self.groups[*group];
            let share = |(name, amount): (&str, i64)| {
                let wanted = wants.amount(name) as f64;
                if amount > 0 { 1.0 - wanted / amount as f64 } else { 0.0 }
            };
            (price.unwrap_or(f64::MAX), capacity.iter().map(share).sum::<f64>())
        };
        open.filter(|group| fits(wants, &self.groups[*group].capacity)).min_by(|one, other| {
            let ((price, left), (other_price, other_left)) = (cost(one), cost(other));
            price.total_cmp(&other_price).then(left.total_cmp(&other_left))
        })
    }

    /// Records idle nodes, and returns those to remove.
    fn scale_down(&mut self, now: Time, part: &Partition) -> Vec<NodeId> {
        let mut gone = Vec::new();
        for at in (0..self.members.len()).rev() {
            let member = &mut self.members[at];
            let node = part.nodes.find(&member.id).and_then(|key| part.nodes.get(key));
            let Some(node) = node.filter(|_| member.ready.is_none()) else { continue };
            if !node.allocations.is_empty() || !node.reservations.is_empty() {
                member.empty = None;
                continue;
            }
            let since = *member.empty.get_or_insert(now);
            let (group, unneeded) = (member.group, self.groups[member.group].unneeded);
            if now.since(since) >= unneeded && self.count_of(group) > self.groups[group].min {
                let member = self.members.remove(at);
                self.count(&member, now);
                self.reports[group].removed += 1;
                gone.push(member.id);
            }
        }
        gone
    }
}

impl Guest for Autoscaler {
    fn next(&self) -> Option<Time> {
        let ready = self.members.iter().filter_map(|member| member.ready).min();
        Some(ready.map_or(self.next, |ready| ready.min(self.next)))
    }

    fn is_busy(&self) -> bool {
        self.members.iter().any(|member| member.ready.is_some())
    }

    fn act(&mut self, now: Time, scheduler: &Scheduler) -> Vec<PartitionCommand> {
        let mut commands = Vec::new();
        for at in 0..self.members.len() {
            if self.members[at].ready.is_some_and(|ready| ready <= now) {
                self.members[at].ready = None;
                commands.push(PartitionCommand::AddNode(self.spec(&self.members[at])));
            }
        }
        let Some(part) = scheduler.partitions().first().filter(|_| self.next <= now) else { return commands };
        self.next = now + EVERY;
        // An added node can fit pending requests: they are checked again next time.
        if commands.is_empty() {
            self.scale_up(now, part);
            commands.extend(self.scale_down(now, part).into_iter().map(PartitionCommand::RemoveNode));
        }
        commands
    }
}

/// Requests that their queues admit, the oldest application first.
fn waiting(part: &Partition) -> Vec<(String, Resource)> {
    let mut apps: Vec<_> = part.apps.iter().map(|(_, app)| app).filter(|app| !app.pending_order.is_empty()).collect();
    apps.sort_by(|one, other| (one.submitted, &one.id).cmp(&(other.submitted, &other.id)));
    let mut left: BTreeMap<&str, Option<Resource>> = BTreeMap::new();
    let mut found = Vec::new();
    for app in apps {
        let headroom = left.entry(app.queue_path.as_str()).or_insert_with(|| admitted(part, app.queue));
        for (.., ask) in &app.pending_order {
            let wants = &app.asks[*ask].resource;
            if headroom.as_ref().is_some_and(|headroom| !fits_where_named(wants, headroom)) {
                continue;
            }
            if let Some(headroom) = headroom {
                *headroom = headroom.sub_only_existing(wants);
            }
            found.push((app.id.to_string(), wants.clone()));
            if found.len() == MOST_REQUESTS {
                return found;
            }
        }
    }
    found
}

/// The maximum of the root does not count: the nodes can grow.
fn admitted(part: &Partition, queue: scheduler::index::QueueKey) -> Option<Resource> {
    let mut admitted: Option<Resource> = None;
    let mut at = part.queues.get(queue);
    while let Some(queue) = at {
        let parent = queue.parent.and_then(|parent| part.queues.get(parent));
        if let (Some(max), Some(_)) = (&queue.max, parent) {
            let mut rest = max.clone();
            for (name, amount) in max.iter() {
                rest.set(name, amount.saturating_sub(queue.allocated.amount(name)));
            }
            admitted = Some(match admitted {
                Some(below) => below.min_permissive(&rest),
                None => rest,
            });
        }
        at = parent;
    }
    admitted
}

fn fits(wants: &Resource, place: &Resource) -> bool {
    wants.iter().all(|(name, amount)| amount <= place.amount(name).max(0))
}

/// The maximum limits only the resources it names.
fn fits_where_named(wants: &Resource, most: &Resource) -> bool {
    wants.iter().all(|(name, amount)| most.get(name).is_none_or(|most| amount <= most))
}

#[cfg(test)]
mod tests;
