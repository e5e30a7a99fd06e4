//! The first blocker of every pending request, grouped, by the checks of one request ([`chain`](super::chain)).

use std::sync::Arc;

use super::chain::Named;
use super::gates::Limits;
use super::identical;
use super::next_decision::NextDecision;
use super::overview_types::{Example, Overview, WaitingGroup};
use super::rank;
use super::types::{BlockLevel, Blocker, Place, Resolution};
use crate::index::{AppKey, AskKey, Index, QueueKey};
use crate::state::app::Application;
use crate::state::ask::Ask;
use crate::state::partition::Partition;
use crate::state::queue::ROOT;
use crate::state::queue_tree::PathUp;
use crate::state::task_group::can_replace;
use model::{QueuePath, Resource, Time};

const MOST_GROUPS: usize = 100;
const MOST_EXAMPLES: usize = 5;
const MOST_CONDITIONS: usize = 64;

/// Requests without a blocker are in one group.
type Cause = Option<(BlockLevel, Resolution, Option<Place>, Option<Arc<str>>)>;

type Wanted = (Vec<(String, i64)>, Option<String>);

type OfNodes = ((AppKey, AskKey), Option<Blocker>);

struct Survey<'p> {
    partition: &'p Partition,
    now: Time,
    next: NextDecision,
    of_nodes: Index<Wanted, Vec<OfNodes>>,
    places: Index<Cause, usize>,
    groups: Vec<Group>,
}

struct Group {
    found: WaitingGroup,
    first: (AppKey, AskKey),
    last: AppKey,
}

impl Partition {
    /// All pending requests in the subtree of `below`. `None` if the queue does not exist.
    ///
    /// Reads each pending request once, and each node once per requested size.
    pub fn explain_all(&self, now: Time, below: Option<&QueuePath>) -> Option<Overview> {
        let top = match below {
            Some(path) => self.queues.find(path)?,
            None => ROOT,
        };
        match self.settled(now) {
            Some(copy) => Some(copy.survey(now, top, below)),
            None => Some(self.survey(now, top, below)),
        }
    }

    fn survey(&self, now: Time, top: QueueKey, below: Option<&QueuePath>) -> Overview {
        let mut survey = Survey {
            partition: self,
            now,
            next: NextDecision::of_all(self, now),
            of_nodes: Index::default(),
            places: Index::default(),
            groups: Vec::new(),
        };
        let mut overview =
            Overview { at: now, partition: self.name.clone(), below: below.cloned(), ..Overview::default() };
        let mut stack = vec![top];
        while let Some(key) = stack.pop() {
            let Some(queue) = self.queues.get(key) else { continue };
            stack.extend(queue.children.iter().rev());
            survey.leaf(key, &mut overview);
        }
        let mut groups = survey.groups;
        groups.sort_by_key(|Group { found, .. }| {
            let blocker = found.blocker.as_ref();
            (blocker.is_none(), blocker.map(Blocker::resolution), std::cmp::Reverse(found.asks))
        });
        overview.left_out = groups.len().saturating_sub(MOST_GROUPS) as u64;
        overview.groups = groups.into_iter().take(MOST_GROUPS).map(|group| self.with_holders(group)).collect();
        overview
    }

    fn with_holders(&self, group: Group) -> WaitingGroup {
        let Group { mut found, first: (app, key), .. } = group;
        let Some(blocker) = &mut found.blocker else { return found };
        let application = &self.apps[app];
        let (ask, limits) = (&application.asks[key], Limits::of(self, application));
        let path = self.queues.path_up(application.queue);
        let all = match blocker.level {
            BlockLevel::User | BlockLevel::Group => self.of_limits(ask, &limits, Named::Holders),
            BlockLevel::Queue => self.of_queues(ask, &path, Named::Holders),
            BlockLevel::QueueApps | BlockLevel::UserApps | BlockLevel::GroupApps => {
                self.of_applications(app, &limits, &path, Named::Holders)
            }
            _ => Vec::new(),
        };
        let same = |other: &Blocker| other.place == blocker.place && other.resource == blocker.resource;
        if let Some(named) = all.into_iter().find(same) {
            blocker.holders = named.holders;
        }
        found
    }
}

impl Survey<'_> {
    fn leaf(&mut self, key: QueueKey, overview: &mut Overview) {
        let part = self.partition;
        let queue = &part.queues[key];
        let path = part.queues.path_up(key);
        // In the order of a cycle, then those that it does not reach.
        let tried = queue.candidates.iter().map(|rank| rank.app);
        let others = queue.apps.iter().copied().filter(|app| part.apps[*app].rank.is_none());
        for app in tried.chain(others) {
            let application = &part.apps[app];
            if application.pending_order.is_empty() {
                continue;
            }
            overview.apps += 1;
            let limits = Limits::of(part, application);
            for (ask, count) in identical(application) {
                overview.asks += count;
                let blocker = self.first_blocker((app, ask), &limits, &path);
                self.add((app, ask), count, blocker);
            }
        }
    }

    fn add(&mut self, (app, ask): (AppKey, AskKey), count: u64, blocker: Option<Blocker>) {
        let application = &self.partition.apps[app];
        let cause = cause(blocker.as_ref());
        let known = self.places.get(&cause).copied();
        let place = known.unwrap_or(self.groups.len());
        if known.is_none() {
            self.places.insert(cause, place);
            let since = application.asks[ask].created;
            let found = WaitingGroup { blocker, since, ..WaitingGroup::default() };
            self.groups.push(Group { found, first: (app, ask), last: AppKey(u32::MAX) });
        }
        let group = &mut self.groups[place];
        let found = &mut group.found;
        found.asks += count;
        let ask = &application.asks[ask];
        add_times(&mut found.wanted, ask, count);
        found.since = found.since.min(ask.created);
        if group.last != app {
            group.last = app;
            found.apps += 1;
            if found.examples.len() < MOST_EXAMPLES {
                let queue = application.queue_path.clone();
                found.examples.push(Example { app: application.id.clone(), queue, asks: 0 });
            }
        }
        if let Some(example) = found.examples.last_mut().filter(|example| example.app == application.id) {
            example.asks += count;
        }
    }

    /// As in [`Partition::chain`].
    fn first_blocker(&mut self, own: (AppKey, AskKey), limits: &Limits<'_>, path: &PathUp) -> Option<Blocker> {
        let (part, (app, key)) = (self.partition, own);
        let application = &part.apps[app];
        let ask = &application.asks[key];
        let asks = application.pending.strictly_greater_than_zero();
        let mut all = part.outside(asks, app, path);
        let of_limits = part.of_limits(ask, limits, Named::NoUser);
        let of_queues = part.of_queues(ask, path, Named::NoUser);
        let has_space = of_limits.is_empty() && of_queues.is_empty();
        if has_space && part.reserved_node(app, key).is_some() && part.lets_run(app, limits) {
            return rank::first(all).or_else(|| part.of_turn(app, key, &self.next));
        }
        if can_replace(&application.task_groups, ask) {
            all.extend(part.started_one_at_a_time(app));
            all.extend(part.of_gang(app, key));
        } else {
            all.extend(part.of_backoff(self.now, app, key, &self.next));
            all.extend(part.started_one_at_a_time(app));
            all.extend(part.of_applications(app, limits, path, Named::NoUser));
            all.extend(part.of_those_before(app, key, &self.next, limits));
            all.extend(of_limits.into_iter().chain(of_queues));
            // A resource that no node has precedes everything except a cluster without nodes.
            if !all.iter().any(|one| one.level == BlockLevel::Partition && one.resolution() == Resolution::Never) {
                all.extend(self.of_nodes(own, application, ask));
            }
        }
        rank::first(all).or_else(|| part.of_turn(app, key, &self.next))
    }

    fn of_nodes(&mut self, (app, key): (AppKey, AskKey), application: &Application, ask: &Ask) -> Option<Blocker> {
        let part = self.partition;
        let own = application.reservations.iter().any(|(reserved, _)| *reserved == key);
        let look = || rank::first(part.of_nodes(self.now, app, key, &part.tally(app, key)));
        if own || part.commit_fails(application.queue) {
            return look();
        }
        let amounts = ask.resource.iter().map(|(name, amount)| (name.to_owned(), amount)).collect();
        let wanted = (amounts, ask.rare.required_node.as_ref().map(ToString::to_string));
        let known = self.of_nodes.get(&wanted).into_iter().flatten();
        let mut identical =
            known.filter(|((app, key), _)| part.nodes.treat_identical(&part.apps[*app].asks[*key], ask));
        if let Some((_, found)) = identical.next() {
            return found.clone();
        }
        let found = look();
        let mut known = self.of_nodes.remove(&wanted).unwrap_or_default();
        if known.len() < MOST_CONDITIONS {
            known.push(((app, key), found.clone()));
        }
        self.of_nodes.insert(wanted, known);
        found
    }
}

fn cause(blocker: Option<&Blocker>) -> Cause {
    let blocker = blocker?;
    let of_ask = match blocker.level {
        BlockLevel::Node | BlockLevel::Priority | BlockLevel::Gang | BlockLevel::State | BlockLevel::Ended => true,
        BlockLevel::Backoff => true,
        BlockLevel::Nothing => matches!(blocker.place, Place::App(..)),
        _ => false,
    };
    let by_place = !of_ask;
    Some((blocker.level, blocker.resolution(), by_place.then(|| blocker.place.clone()), blocker.resource.clone()))
}

fn add_times(sum: &mut Resource, ask: &Ask, count: u64) {
    let times = i64::try_from(count).unwrap_or(i64::MAX);
    let amount = |(name, amount): (&str, i64)| (name.to_owned(), amount.saturating_mul(times));
    let amounts: Vec<(String, i64)> = ask.resource.iter().map(amount).collect();
    sum.add_assign(&amounts.iter().map(|(name, amount)| (name.as_str(), *amount)).collect());
}
