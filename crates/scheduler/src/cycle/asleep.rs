//! The sleep groups of a leaf: applications that back off alike. A change that concerns a whole group is checked once
//! per walk.

use crate::cycle::leaf_walk::{LeafWalk, Passed};
use crate::index::{AppKey, QueueKey};
use crate::preemption::attempts::Attempts;
use crate::state::app::Application;
use crate::state::app_rank::AppRank;
use crate::state::ask::Ask;
use crate::state::candidates::SleepGroup;
use crate::state::partition::Partition;
use model::{Resource, Time};

impl Partition {
    pub(crate) fn start_walk(
        &mut self,
        now: Time,
        leaf: QueueKey,
        headroom: &Resource,
        attempts: &Attempts,
    ) -> LeafWalk {
        while let Some((_, app)) = self.queues[leaf].candidates.first_wake().filter(|(until, _)| *until <= now) {
            self.wake_app(app);
        }
        let groups = self.queues[leaf].candidates.group_count();
        let by_spaces = groups > 0 && self.only_spaces_decide(leaf);
        let passed = (0..groups).map(|group| by_spaces && self.group_backs_off(now, leaf, group, headroom));
        let passed = passed.collect();
        LeafWalk::start(passed, attempts.left() > 0)
    }

    fn group_backs_off(&mut self, now: Time, leaf: QueueKey, number: usize, headroom: &Resource) -> bool {
        let group = self.queues[leaf].candidates.group(number);
        if group.members.is_empty() {
            return false;
        }
        let mut seen = group.common.seen;
        let ask = self.representative(group);
        let applies = group.common.applies(now, self.epoch, headroom, (&self.nodes, ask), &mut seen);
        if applies && seen != group.common.seen {
            self.queues.candidates_mut(leaf).group_mut(number).common.seen = seen;
        }
        applies
    }

    /// A request that the resource manager's conditions treat like all requests of the group.
    fn representative(&self, group: &SleepGroup) -> Option<&Ask> {
        let app = self.apps.get(group.members.first()?.app)?;
        app.asks.get(app.backoff.as_ref()?.by_conditions?.ask)
    }

    pub(crate) fn end_walk(&mut self, now: Time, leaf: QueueKey, walk: LeafWalk, picked: Option<AppKey>) {
        for number in 0..self.queues[leaf].candidates.group_count() {
            let has_attempts = self.queues[leaf].candidates.group(number).common.has_attempts();
            match walk.passed(number, has_attempts, picked) {
                Passed::Nothing => {}
                Passed::All => self.queues.candidates_mut(leaf).group_mut(number).skipped_cycles.note(now),
                Passed::Between(after, before) => self.note_passed(now, leaf, number, (after, before)),
            }
        }
        if walk.examined.is_empty() {
            return;
        }
        let by_spaces = self.only_spaces_decide(leaf);
        for app in walk.examined {
            self.wake_app(app);
            if by_spaces {
                self.put_to_sleep(leaf, app);
            }
        }
    }

    fn note_passed(&mut self, now: Time, leaf: QueueKey, group: usize, ends: (Option<AppKey>, Option<AppKey>)) {
        let Self { queues, apps, .. } = self;
        let place = |app: Option<AppKey>| app.and_then(|app| apps.get(app)?.rank.clone());
        let (after, before): (Option<AppRank>, Option<AppRank>) = (place(ends.0), place(ends.1));
        let Some(before) = before else { return self.note_all_after(now, leaf, group, after.as_ref()) };
        let members = queues[leaf].candidates.group(group).members.iter();
        let passed = members.skip_while(|rank| after.as_ref().is_some_and(|after| *rank <= after));
        for rank in passed.take_while(|rank| **rank < before) {
            let since = apps[rank.app].backoff.as_mut().and_then(|backoff| backoff.since.as_mut());
            if let Some(since) = since {
                since.own.note(now);
            }
        }
    }

    /// Counts for the whole group, and not for the few up to `after`: one cycle without a start passes all the others.
    fn note_all_after(&mut self, now: Time, leaf: QueueKey, group: usize, after: Option<&AppRank>) {
        let Self { queues, apps, .. } = self;
        let group = queues.candidates_mut(leaf).group_mut(group);
        let until_now = group.skipped_cycles;
        group.skipped_cycles.note(now);
        for rank in group.members.iter().take_while(|rank| after.is_some_and(|after| *rank <= after)) {
            if let Some(since) = apps[rank.app].backoff.as_mut().and_then(|backoff| backoff.since.as_mut()) {
                since.own = since.own.and(until_now.since(since.of_group));
                since.of_group = group.skipped_cycles;
            }
        }
    }

    fn put_to_sleep(&mut self, leaf: QueueKey, app: AppKey) {
        let unlimited = self.has_no_limits(app);
        let conditions = self.apps[app].backoff.as_ref().and_then(|backoff| backoff.by_conditions);
        let identical = conditions.map(|by| self.groups_like(leaf, &self.apps[app].asks[by.ask]));
        let identical = |group: usize| identical.as_ref().is_none_or(|identical| identical.contains(&group));
        let Self { queues, apps, .. } = self;
        let Some(Application { rank: Some(rank), backoff: Some(backoff), asleep, queue, .. }) = apps.get_mut(app)
        else {
            return;
        };
        if *queue != leaf || !unlimited || !backoff.may_be_shared() {
            return;
        }
        let candidates = queues.candidates_mut(leaf);
        *asleep = candidates.put_to_sleep(rank, backoff, identical);
        if let (Some(asleep), Some(since)) = (asleep, &mut backoff.since) {
            since.of_group = candidates.group(asleep.group).skipped_cycles;
        }
    }

    fn groups_like(&self, leaf: QueueKey, ask: &Ask) -> Vec<usize> {
        let candidates = &self.queues[leaf].candidates;
        let identical = |number: &usize| {
            let other = self.representative(candidates.group(*number));
            other.is_some_and(|other| self.nodes.treat_identical(other, ask))
        };
        (0..candidates.group_count()).filter(identical).collect()
    }

    pub(crate) fn wake_app(&mut self, app: AppKey) {
        let Self { queues, apps, .. } = self;
        let Some(Application { rank: Some(rank), backoff, asleep, queue, .. }) = apps.get_mut(app) else { return };
        let Some(asleep) = asleep.take() else { return };
        let candidates = queues.candidates_mut(*queue);
        if let Some(since) = backoff.as_mut().and_then(|backoff| backoff.since.as_mut()) {
            since.own = since.own.and(candidates.group(asleep.group).skipped_cycles.since(since.of_group));
        }
        candidates.wake(rank, asleep);
    }
}
