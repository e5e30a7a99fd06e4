//! A walk over the candidates of a leaf in their order (SCH-071), past the groups that nothing has changed for.
//!
//! Invariants:
//! - the order does not change while it walks; an application goes to another set behind the walk alone, or is woken, which it notices;
//! - a group is passed only where each of its members would be seen to back off.

use crate::index::{AppKey, Slab};
use crate::state::app::Application;
use crate::state::app_rank::AppRank;
use crate::state::candidates::{Candidates, behind};

/// How many places are read from an order at once, at most: a look-up for each costs more than to see that an application backs off.
const MOST_READ: usize = 64;

/// A walk over the candidates of a leaf.
pub(crate) struct LeafWalk {
    /// By group: whether it is passed as far as rooms go. Attempts at preemption decide the rest.
    passed: Vec<bool>,
    began_with_attempts: bool,
    with_attempts: bool,
    /// The last application that was given while attempts were left, if none are any more.
    attempts_ended: Option<AppKey>,
    sources: Vec<Source>,
    woken: u64,
    last: Option<AppKey>,
    /// Those that did not back off, in their order.
    pub looked_at: Vec<AppKey>,
}

/// A set that the walk reads from.
struct Source {
    /// `None`: those that are awake.
    group: Option<usize>,
    read: Vec<AppKey>,
    given: usize,
    most: usize,
    ended: bool,
}

/// The part of a group that a walk has passed.
pub(crate) enum Passed {
    Nothing,
    All,
    /// Those behind the first one and before the second.
    Between(Option<AppKey>, Option<AppKey>),
}

fn rank(apps: &Slab<AppKey, Application>, app: AppKey) -> Option<&AppRank> {
    apps.get(app)?.rank.as_ref()
}

impl LeafWalk {
    /// Before the first application.
    pub fn begin(passed: Vec<bool>, with_attempts: bool) -> Self {
        Self {
            passed,
            began_with_attempts: with_attempts,
            with_attempts,
            attempts_ended: None,
            sources: Vec::new(),
            // None has been woken this often: it reads at once.
            woken: u64::MAX,
            last: None,
            looked_at: Vec::new(),
        }
    }

    /// The next application to look at. `with_attempts`: attempts at preemption are left.
    pub fn next(
        &mut self,
        candidates: &Candidates,
        apps: &Slab<AppKey, Application>,
        with_attempts: bool,
    ) -> Option<AppKey> {
        if self.with_attempts != with_attempts {
            self.with_attempts = with_attempts;
            self.attempts_ended = self.last;
            self.read_again(candidates);
        } else if self.woken != candidates.woken() {
            self.read_again(candidates);
        }
        let last = self.last.and_then(|app| rank(apps, app));
        self.sources.iter_mut().for_each(|source| source.fill(candidates, last));
        let next = match self.sources.as_mut_slice() {
            [one] => one.head().map(|_| 0),
            several => {
                let heads = several.iter().enumerate().filter_map(|(at, source)| Some((source.head()?, at)));
                heads.min_by_key(|(app, _)| rank(apps, *app)).map(|(_, at)| at)
            }
        };
        self.last = next.and_then(|at| self.sources[at].take());
        self.last
    }

    /// What it has passed of a group, once it has ended: at the end of the order, or at the `picked` application.
    pub fn passed(&self, group: usize, has_attempts: bool, picked: Option<AppKey>) -> Passed {
        if !self.passed.get(group).is_some_and(|passed| *passed) {
            return Passed::Nothing;
        }
        match (has_attempts == self.began_with_attempts, self.attempts_ended) {
            (true, None) if picked.is_none() => Passed::All,
            (true, None) => Passed::Between(None, picked),
            (true, ended) => Passed::Between(None, ended),
            (false, None) => Passed::Nothing,
            (false, ended) => Passed::Between(ended, picked),
        }
    }

    /// Reads again what follows the last one, from the sets that are not passed.
    fn read_again(&mut self, candidates: &Candidates) {
        self.woken = candidates.woken();
        let passed = |group: usize| {
            let has_attempts = candidates.group(group).common.has_attempts();
            has_attempts == self.with_attempts && self.passed.get(group).is_some_and(|passed| *passed)
        };
        let looked_into = (0..candidates.group_count()).filter(|group| !passed(*group)).map(Some);
        self.sources = std::iter::once(None).chain(looked_into).map(Source::of).collect();
    }
}

impl Source {
    fn of(group: Option<usize>) -> Self {
        Self { group, read: Vec::new(), given: 0, most: 1, ended: false }
    }

    fn head(&self) -> Option<AppKey> {
        self.read.get(self.given).copied()
    }

    fn take(&mut self) -> Option<AppKey> {
        let head = self.head();
        self.given += 1;
        head
    }

    /// Reads on behind `last` if nothing is left of what was read.
    fn fill(&mut self, candidates: &Candidates, last: Option<&AppRank>) {
        if self.ended || self.given < self.read.len() {
            return;
        }
        let set = match self.group {
            None => candidates.awake(),
            Some(group) => &candidates.group(group).members,
        };
        self.read.clear();
        self.given = 0;
        self.read.extend(set.range(behind(last)).take(self.most).map(|rank| rank.app));
        self.ended = self.read.len() < self.most;
        self.most = (self.most * 2).min(MOST_READ);
    }
}
