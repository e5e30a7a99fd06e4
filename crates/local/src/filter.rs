//! Filters of job lists, and counts of array indices by state.

use serde::{Deserialize, Serialize};

use super::job::{JobState, Outcome};

/// State of a job, or how it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Its process runs or starts.
    Running,
    /// Waits for the scheduler.
    Queued,
    /// Waits for another job, or for its time.
    Waiting,
    /// Waits for a manual release.
    Held,
    /// Not 0, and not canceled.
    Failed,
    /// A user canceled the job.
    Canceled,
    /// Exited with 0.
    Ok,
}

impl Kind {
    /// All kinds, the most important first.
    pub const ALL: [Self; 7] =
        [Self::Running, Self::Queued, Self::Waiting, Self::Held, Self::Failed, Self::Canceled, Self::Ok];

    /// Returns the kind of a job.
    pub fn of(state: JobState, outcome: Option<&Outcome>) -> Self {
        match (state, outcome) {
            (JobState::Running, _) => Self::Running,
            (JobState::Queued, _) => Self::Queued,
            (JobState::Waiting, _) => Self::Waiting,
            (JobState::Held, _) => Self::Held,
            (JobState::Ended, Some(Outcome::Exited(0))) => Self::Ok,
            (JobState::Ended, Some(Outcome::Cancelled(_))) => Self::Canceled,
            (JobState::Ended, _) => Self::Failed,
        }
    }

    /// Returns the name on the command line.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Queued => "queued",
            Self::Waiting => "waiting",
            Self::Held => "held",
            Self::Failed => "failed",
            Self::Canceled => "canceled",
            Self::Ok => "ok",
        }
    }

    /// Returns true for jobs that have not ended.
    pub const fn is_live(self) -> bool {
        matches!(self, Self::Running | Self::Queued | Self::Waiting | Self::Held)
    }
}

/// Indices by kind, in the order of [`Kind::ALL`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts([u32; Kind::ALL.len()]);

impl Counts {
    /// Counts one index.
    pub fn add(&mut self, kind: Kind) {
        self.0[kind as usize] += 1;
    }

    /// Returns the kinds with a nonzero count.
    pub fn iter(&self) -> impl Iterator<Item = (Kind, u32)> {
        Kind::ALL.into_iter().zip(self.0).filter(|(_, count)| *count > 0)
    }
}

/// Filter of a list; by default, active jobs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// All if empty and `since` or `numbers` is set.
    pub kinds: Vec<Kind>,
    /// Of this user.
    pub user: Option<String>,
    /// Subtree: a path, or its last part.
    pub queue: Option<String>,
    /// Job name; `*` matches any text.
    pub name: Option<String>,
    /// Not ended before, in milliseconds since 1970.
    pub since: Option<u64>,
    /// Range of IDs; an ID of an array selects all of it.
    pub numbers: Option<(u64, u64)>,
    /// Show an array as one row.
    pub grouped: bool,
}

impl Filter {
    /// Returns true for a matching kind.
    pub fn accepts(&self, kind: Kind) -> bool {
        match self.kinds.is_empty() {
            true => kind.is_live() || self.since.is_some() || self.numbers.is_some(),
            false => self.kinds.contains(&kind),
        }
    }

    /// Returns true for a matching queue path.
    pub fn accepts_queue(&self, path: &str) -> bool {
        let Some(wanted) = &self.queue else { return true };
        let below = |rest: &str| rest.is_empty() || rest.starts_with('.');
        path.strip_prefix(wanted.as_str()).is_some_and(below) || path.rsplit('.').next() == Some(wanted)
    }

    /// Returns true for a matching job name.
    pub fn accepts_name(&self, name: &str) -> bool {
        let Some(wanted) = &self.name else { return true };
        let (first, rest) = wanted.split_once('*').map_or((wanted.as_str(), None), |(first, rest)| (first, Some(rest)));
        let Some(mut left) = name.strip_prefix(first) else { return false };
        let Some(rest) = rest else { return left.is_empty() };
        let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
        for part in middle.split('*') {
            let Some(at) = left.find(part) else { return false };
            left = &left[at + part.len()..];
        }
        left.ends_with(last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_stars_and_queues_have_short_forms() {
        let accepts =
            |pattern: &str, name| Filter { name: Some(pattern.to_owned()), ..Filter::default() }.accepts_name(name);
        for (pattern, name) in [("a", "a"), ("*", ""), ("a*", "abc"), ("*c", "abc"), ("a*b*c", "aXbYc"), ("a**c", "ac")]
        {
            assert!(accepts(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [("a", "ab"), ("ab", "a"), ("a*a", "a"), ("a*b*c", "acb"), ("", "a")] {
            assert!(!accepts(pattern, name), "{pattern} {name}");
        }
        let queue =
            |wanted: &str, path| Filter { queue: Some(wanted.to_owned()), ..Filter::default() }.accepts_queue(path);
        assert!(queue("root.a", "root.a") && queue("root.a", "root.a.b") && queue("b", "root.a.b"));
        assert!(!queue("root.a", "root.ab") && !queue("a", "root.a.b"));
    }

    #[test]
    fn jobs_that_ended_are_shown_where_a_time_a_number_or_their_kind_is_named() {
        let live = Filter::default();
        assert!(live.accepts(Kind::Held) && !live.accepts(Kind::Ok));
        let since = Filter { since: Some(1), ..Filter::default() };
        assert!(since.accepts(Kind::Ok) && since.accepts(Kind::Running));
        let failed = Filter { kinds: vec![Kind::Failed], ..Filter::default() };
        assert!(failed.accepts(Kind::Failed) && !failed.accepts(Kind::Ok) && !failed.accepts(Kind::Running));
        for (n, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, n, "the counts have this order");
        }
    }
}
