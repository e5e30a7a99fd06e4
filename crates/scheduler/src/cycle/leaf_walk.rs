//! A walk over the candidates of a leaf in their order (SCH-071), skipping the groups without a change.
//!
//! Invariants:
//! - an application moves to another set only behind the walk, or wakes, which the walk notices;
//! - a group is skipped only if each of its members would back off.

use crate::index::{AppKey, Slab};
use crate::state::app::Application;
use crate::state::app_rank::AppRank;
use crate::state::candidates::{Candidates, behind};

/// Entries in one read: a look-up for each would cost more than the backoff check.
const MOST_READ: usize = 64;

pub(crate) struct LeafWalk {
    /// By group: whether headroom alone lets the walk skip it.
    passed: Vec<bool>,
    started_with_attempts: bool,
    with_attempts: bool,
    attempts_ended: Option<AppKey>,
    sources: Vec<Source>,
    woken: u64,
    last: Option<AppKey>,
    /// The applications that did not back off, in their order.
    pub examined: Vec<AppKey>,
}

struct Source {
    /// `None`: the awake applications.
    group: Option<usize>,
    read: Vec<AppKey>,
    given: usize,
    most: usize,
    ended: bool,
}

pub(crate) enum Passed {
    Nothing,
    All,
    Between(Option<AppKey>, Option<AppKey>),
}

fn rank(apps: &Slab<AppKey, Application>, app: AppKey) -> Option<&AppRank> {
    apps.get(app)?.rank.as_ref()
}

impl LeafWalk {
    /// Starts before the first application.
    pub fn start(passed: Vec<bool>, with_attempts: bool) -> Self {
        Self {
            passed,
            started_with_attempts: with_attempts,
            with_attempts,
            attempts_ended: None,
            sources: Vec::new(),
            // Differs from every count, so the walk reads at once.
            woken: u64::MAX,
            last: None,
            examined: Vec::new(),
        }
    }

    /// `with_attempts`: attempts at preemption are left.
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

    /// The skipped part of a group, up to the end of the order or the `picked` application.
    pub fn passed(&self, group: usize, has_attempts: bool, picked: Option<AppKey>) -> Passed {
        if !self.passed.get(group).is_some_and(|passed| *passed) {
            return Passed::Nothing;
        }
        match (has_attempts == self.started_with_attempts, self.attempts_ended) {
            (true, None) if picked.is_none() => Passed::All,
            (true, None) => Passed::Between(None, picked),
            (true, ended) => Passed::Between(None, ended),
            (false, None) => Passed::Nothing,
            (false, ended) => Passed::Between(ended, picked),
        }
    }

    fn read_again(&mut self, candidates: &Candidates) {
        self.woken = candidates.woken();
        let passed = |group: usize| {
            let has_attempts = candidates.group(group).common.has_attempts();
            has_attempts == self.with_attempts && self.passed.get(group).is_some_and(|passed| *passed)
        };
        let unpassed = (0..candidates.group_count()).filter(|group| !passed(*group)).map(Some);
        self.sources = std::iter::once(None).chain(unpassed).map(Source::of).collect();
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
