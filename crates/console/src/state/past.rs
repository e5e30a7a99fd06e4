//! The views of this session, to go back to.
//!
//! Views share unchanged data, so a view costs only its changes. The time between two stored views is about a twentieth
//! of their age.
//!
//! Invariants:
//! - at most [`Past::MOST`] views, and about [`Past::BYTES`] bytes of rows;
//! - the newest views are stored, and the view before each important event while space remains.

mod chapters;
mod moment;
mod sizes;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use self::sizes::{SAMPLE, all_bytes, changed_bytes};
use model::{AppState, Time};
use view::View;

pub use self::chapters::{Chapters, Seek, Span, StepTarget};
pub use self::moment::{Moment, Shown, Step};

/// A stored view.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The view of that moment.
    pub view: Arc<View>,
    /// When it was last known as the newest.
    pub until: Time,
    /// The view does not contain later events.
    pub next_event: u64,
    /// Bytes not shared with the previous view.
    cost: usize,
    before_news: bool,
}

/// A fetch of a past view.
#[derive(Clone, Debug)]
pub struct Fetch {
    /// The requested time and its next event.
    pub wanted: Shown,
    /// The view to show if the fetch fails.
    pub instead: Option<(Arc<View>, Shown)>,
}

/// The views and important moments of this session.
#[derive(Clone, Debug, Default)]
pub struct Past {
    seen: VecDeque<Seen>,
    /// To be dropped in a worker thread.
    gone: Vec<Arc<View>>,
    bytes: usize,
    /// Important moments, the oldest first.
    pub moments: VecDeque<Moment>,
    /// The scheduler instance of the moments.
    pub instance: Arc<str>,
    /// The number of the first unexamined event.
    pub searched: u64,
    /// `None` in the present.
    pub shown: Option<Shown>,
    /// Any past time is available.
    pub retained: bool,
    /// The past view that is being fetched.
    pub fetching: Option<Fetch>,
    /// The fetched chapters of the stored past.
    pub chapters: Chapters,
    /// A step that waits for the latest events.
    pub stepping: Option<Step>,
    /// The cluster's current time.
    pub live: Time,
}

impl Past {
    /// The maximum number of views.
    pub const MOST: usize = 300;
    /// The approximate limit for the rows, in bytes.
    pub const BYTES: usize = 48 << 20;
    /// The maximum number of moments.
    pub const MOMENTS: usize = 10_000;
    const NEWEST: usize = 2;

    /// An empty past at a cluster time.
    pub fn at_live(live: Time) -> Self {
        Self { live, ..Self::default() }
    }

    /// `next_event` was requested after the view.
    pub fn see(&mut self, view: &Arc<View>, next_event: u64) {
        if let Some(last) = self.seen.back_mut() {
            if Arc::ptr_eq(&last.view, view) {
                last.until = last.until.max(self.live);
                return;
            }
            if view.at < last.view.at {
                // The scheduler restarted.
                *self = Self { live: self.live, retained: self.retained, ..Self::default() };
            } else {
                last.before_news = differs_in_what_matters(&last.view, view);
            }
        }
        let cost = match self.seen.back() {
            Some(last) => changed_bytes(&last.view, view),
            None => all_bytes(view),
        };
        self.bytes += cost;
        let until = view.at;
        self.seen.push_back(Seen { view: Arc::clone(view), until, next_event, cost, before_news: false });
        while self.seen.len() > Self::MOST || (self.seen.len() > 1 + Self::NEWEST && self.bytes > Self::BYTES) {
            self.thin();
        }
    }

    fn thin(&mut self) {
        let Some(now) = self.seen.back().map(|last| last.view.at) else { return };
        let last = self.seen.len().saturating_sub(Self::NEWEST);
        let worth = |at: usize| {
            let gap = self.seen[at + 1].view.at.since(self.seen[at - 1].view.at).as_secs_f64();
            let age = now.since(self.seen[at].view.at).as_secs_f64() + 1.0;
            let news = if self.seen[at].before_news { 8.0 } else { 1.0 };
            gap / age * news
        };
        let least = (1..last).min_by(|a, b| worth(*a).total_cmp(&worth(*b)));
        let at = least.unwrap_or(0);
        let Some(gone) = self.seen.remove(at) else { return };
        self.gone.push(gone.view);
        self.bytes = self.bytes.saturating_sub(gone.cost);
        if let Some(next) = self.seen.get_mut(at) {
            // Data shared with the removed view is now its own.
            let cost = if at == 0 { all_bytes(&next.view) } else { (next.cost + gone.cost).min(all_bytes(&next.view)) };
            self.bytes = self.bytes - next.cost + cost;
            next.cost = cost;
        }
    }

    /// Takes the removed views.
    pub fn take_gone(&mut self) -> Vec<Arc<View>> {
        std::mem::take(&mut self.gone)
    }

    /// The number of views.
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    /// Whether no view is stored.
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }

    /// The oldest view.
    pub fn oldest(&self) -> Option<&Seen> {
        self.seen.front()
    }

    /// The last view at or before a time.
    pub fn at(&self, time: Time) -> Option<&Seen> {
        let after = self.seen.partition_point(|seen| seen.view.at <= time);
        self.seen.get(after.checked_sub(1)?)
    }

    fn before(&self, moment: &Moment) -> Option<usize> {
        let after = self.seen.partition_point(|seen| {
            seen.view.at < moment.at || (seen.view.at == moment.at && seen.next_event <= moment.number)
        });
        after.checked_sub(1)
    }

    fn place(&self, view: &Arc<View>) -> usize {
        match &self.shown {
            None => self.seen.len(),
            Some(shown) => {
                let same = self.seen.iter().position(|seen| Arc::ptr_eq(&seen.view, view));
                same.unwrap_or_else(|| self.seen.partition_point(|seen| seen.view.at < shown.at))
            }
        }
    }

    /// The next view with its time and next event.
    pub fn next(&self, view: &Arc<View>, step: Step) -> Option<(Arc<View>, Shown)> {
        let here = self.place(view);
        // No view follows the newest one.
        let stops = self.moments.iter().filter_map(|moment| self.before(moment));
        let stop = match step {
            Step::Back => stops.filter(|at| *at < here && at + 1 < self.seen.len()).max(),
            Step::On => stops.filter(|at| *at > here && at + 1 < self.seen.len()).min(),
        }?;
        let after: Vec<&Moment> = self.moments.iter().filter(|moment| self.before(moment) == Some(stop)).collect();
        let texts: Vec<&str> = after.iter().map(|moment| moment.text.as_str()).collect();
        let first = texts.first().copied().unwrap_or_default();
        let before = match texts.len() {
            0 | 1 => first.to_owned(),
            more => format!("{first}, and {} more", more - 1),
        };
        let seen = &self.seen[stop];
        let at = after.first().map_or(seen.until, |moment| seen.until.min(moment.at));
        Some((Arc::clone(&seen.view), Shown { at, before }))
    }

    /// Why changes are disabled in the past.
    pub fn why_off(&self) -> Option<String> {
        let shown = self.shown.as_ref()?;
        let ago = duration(self.live.since(shown.at));
        Some(format!("this is the past, {ago} ago, and cannot change; :live returns"))
    }

    /// The target of a step if any time is available.
    pub fn seek(&self, step: Step) -> StepTarget {
        let here = self.shown.as_ref().map_or(self.live + chapters::INSTANT, |shown| shown.at);
        self.chapters.seek(step, here, &self.moments)
    }

    /// Adds important moments.
    pub fn take_moments(&mut self, moments: impl IntoIterator<Item = Moment>) {
        self.moments.extend(moments);
        let over = self.moments.len().saturating_sub(Self::MOMENTS);
        self.moments.drain(..over);
        if let Some(oldest) = self.moments.front().filter(|_| over > 0) {
            self.chapters.watched_from(oldest.at);
        }
    }
}

fn differs_in_what_matters(old: &View, new: &View) -> bool {
    let checksum = |view: &View| view.configuration.as_ref().map(|running| running.revision);
    let notice = |view: &View| view.notices.last().map(|notice| notice.number);
    if checksum(old) != checksum(new) || notice(old) != notice(new) || old.paused != new.paused {
        return true;
    }
    new.partitions.iter().any(|part| {
        let Some(before) = old.partitions.iter().find(|known| known.name == part.name) else { return true };
        let last = before.ended.last();
        let fresh = part.ended.iter().rev().take_while(|row| last.is_none_or(|last| !Arc::ptr_eq(last, row)));
        let failed = fresh.take(SAMPLE).any(|row| row.state != AppState::Completed);
        failed || before.nodes.len() != part.nodes.len() || before.tree_generation != part.tree_generation
    })
}

/// `42s`, `3m 12s`, `2h 5m`, `3d 4h`, `120d`: at most seven columns.
pub fn duration(duration: Duration) -> String {
    match duration.as_secs() / 86_400 {
        0..10 => view::drain::span(duration),
        days => format!("{days}d"),
    }
}

/// Parses a duration: `90s`, `10m`, `1h30m`, `2d`.
pub fn span(text: &str) -> Option<Duration> {
    let mut seconds: u64 = 0;
    let mut digits = String::new();
    for c in text.chars() {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        let unit = match c {
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            'd' => 86_400,
            _ => return None,
        };
        seconds = seconds.checked_add(digits.parse::<u64>().ok()?.checked_mul(unit)?)?;
        digits.clear();
    }
    (digits.is_empty() && !text.is_empty()).then(|| Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use view::PartitionView;

    fn view(seconds: u64) -> Arc<View> {
        Arc::new(View { at: Time::from_millis(seconds * 1000), generation: seconds, ..View::default() })
    }

    fn seconds(past: &Past) -> Vec<u64> {
        past.seen.iter().map(|seen| seen.view.at.as_millis() / 1000).collect()
    }

    #[test]
    fn applications_that_ended_count_where_they_are_not_shared() {
        use view::AppRow;
        let ended: Vec<Arc<AppRow>> = (0..3_000).map(|_| Arc::default()).collect();
        let with = |from: usize, to: usize| {
            let part = PartitionView { ended: ended[from..to].iter().cloned().collect(), ..PartitionView::default() };
            Arc::new(View { partitions: vec![part], ..View::default() })
        };
        let (first, shifted, other) = (with(0, 1_000), with(10, 1_010), with(2_000, 3_000));
        assert!(all_bytes(&first) >= 1_000 * sizes::APP);
        assert_eq!(changed_bytes(&first, &shifted), 1_000 + 10 * sizes::APP);
        assert_eq!(changed_bytes(&first, &other), 1_000 + 1_000 * sizes::APP);
    }

    #[test]
    fn the_ring_reaches_far_back_and_is_dense_near_the_present() {
        let mut past = Past::default();
        let day = 24 * 3600;
        (0..day).for_each(|at| past.see(&view(at), at));
        let retained = seconds(&past);
        assert_eq!((retained.len(), retained[0], retained[retained.len() - 1]), (Past::MOST, 0, day - 1));
        for pair in retained.windows(2) {
            let (gap, age) = (pair[1] - pair[0], day - pair[1]);
            assert!(gap <= 2 + age / 8, "{gap} s apart, {age} s ago");
        }
    }

    #[test]
    fn data_that_needs_too_much_space_is_thinned_out() {
        let mut past = Past::default();
        let row = Arc::new(view::AppRow::default());
        for at in 0..40 {
            let apps = std::iter::repeat_n(Some(Arc::clone(&row)), 2_500 + at);
            let part = PartitionView { apps: apps.collect(), ..PartitionView::default() };
            let at = Time::from_millis(at as u64 * 1000);
            let partitions = vec![PartitionView { name: Arc::from(format!("{at}")), ..part }];
            past.see(&Arc::new(View { at, partitions, ..View::default() }), 0);
        }
        assert!(past.bytes <= Past::BYTES, "{}", past.bytes);
        assert!((3..10).contains(&past.len()), "10 MB each: {}", past.len());
        assert_eq!(seconds(&past).last(), Some(&39));
    }

    #[test]
    fn steps_open_the_previous_time_and_report_the_changes() {
        let mut past = Past::default();
        (0..6).for_each(|at| past.see(&view(at * 10), at * 100));
        let moment = |number, seconds: u64, text: &str| {
            let (at, text) = (Time::from_millis(seconds * 1000), text.to_owned());
            Moment { number, at, text }
        };
        let moments = [moment(150, 15, "a"), moment(299, 30, "b"), moment(300, 30, "c"), moment(310, 33, "d")];
        past.take_moments(moments);
        let now = Arc::clone(&past.seen[5].view);
        let mut stops = Vec::new();
        let mut here = Arc::clone(&now);
        while let Some((view, shown)) = past.next(&here, Step::Back) {
            stops.push((view.at.as_millis() / 1000, shown.before.clone()));
            past.shown = Some(shown);
            here = view;
        }
        let message = |at, text: &str| (at, text.to_owned());
        assert_eq!(stops, [message(30, "c, and 1 more"), message(20, "b"), message(10, "a")]);
        assert_eq!(past.next(&here, Step::On).map(|(view, _)| view.at.as_millis()), Some(20_000));
        assert_eq!(past.at(Time::from_millis(29_999)).map(|seen| seen.view.at.as_millis()), Some(20_000));
        assert!(past.at(Time::ZERO).is_some());
    }

    #[test]
    fn another_run_has_another_past() {
        let mut past = Past::default();
        past.see(&view(10), 5);
        past.see(&view(3), 1);
        assert_eq!(seconds(&past), [3]);
    }
}
