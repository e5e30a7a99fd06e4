//! The end of allocations in a what-if: a given duration, otherwise the run time of completed applications, otherwise a
//! constant or never.
//!
//! One rule per text: `10m` and `never` are for everything, `app:etl-*=5m`, `user:sue=1h`, and `queue:root.etl=20m` for
//! some; `history:user`, `history:queue`, and `history:name` use completed applications.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;
use std::time::Duration;

use config::properties::parse_duration;
use model::{AppId, AppState, QueuePath, Time};
use scheduler::Partition;
use scheduler::state::app::Application;

/// Grouping of completed applications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HistoryKey {
    /// Who submitted them.
    User,
    /// The queue that they were in.
    Queue,
    /// By ID, with any digits.
    Name,
}

/// One rule as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RuntimeRule {
    /// By ID; `*` matches anything.
    App(String, Duration),
    /// Applications of a user.
    User(String, Duration),
    /// Applications in a subtree.
    Queue(QueuePath, Duration),
    /// Run times of completed applications.
    History(HistoryKey),
    /// All other allocations; `None` never ends.
    Else(Option<Duration>),
}

impl FromStr for RuntimeRule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text:?} is not a runtime: write 10m, never, app:NAME*=5m, user:NAME=5m, queue:PATH=5m, history:user, \
                 history:queue or history:name"
            )
        };
        let given = |rest: &str| {
            let (name, time) = rest.rsplit_once('=')?;
            Some((name.to_owned(), parse_duration(time)?))
        };
        match text.split_once(':') {
            Some(("app", rest)) => given(rest).map(|(name, time)| Self::App(name, time)),
            Some(("user", rest)) => given(rest).map(|(name, time)| Self::User(name, time)),
            Some(("queue", rest)) => given(rest).map(|(name, time)| Self::Queue(QueuePath::new(&name), time)),
            Some(("history", "user")) => Some(Self::History(HistoryKey::User)),
            Some(("history", "queue")) => Some(Self::History(HistoryKey::Queue)),
            Some(("history", "name")) => Some(Self::History(HistoryKey::Name)),
            Some(_) => None,
            None if text == "never" => Some(Self::Else(None)),
            None => parse_duration(text).map(|time| Self::Else(Some(time))),
        }
        .ok_or_else(wrong)
    }
}

/// All rules with their history.
#[derive(Clone, Debug, Default)]
pub struct Runtimes {
    given: Vec<RuntimeRule>,
    history: Option<HistoryKey>,
    otherwise: Option<Duration>,
    /// Draws one of the observed times instead of the median.
    seed: Option<u64>,
    /// Sorted run times of completed applications.
    seen: BTreeMap<String, Vec<Duration>>,
    ended: usize,
    unmatched: RefCell<BTreeSet<AppId>>,
}

impl Runtimes {
    /// Applies rules in order. Without a seed, uses the median of the history; with a seed, a time that depends only on
    /// the seed and the name.
    pub fn new(rules: &[RuntimeRule], partition: &Partition, seed: Option<u64>) -> Self {
        let mut all = Self { seed, ..Self::given(rules) };
        if let Some(key) = all.history {
            all.learn(key, partition);
        }
        all
    }

    /// Creates run times from rules alone.
    pub fn given(rules: &[RuntimeRule]) -> Self {
        let mut all = Self::default();
        for rule in rules {
            match rule {
                RuntimeRule::History(key) => all.history = Some(*key),
                RuntimeRule::Else(time) => all.otherwise = *time,
                given => all.given.push(given.clone()),
            }
        }
        all
    }

    fn learn(&mut self, key: HistoryKey, partition: &Partition) {
        for app in partition.ended.iter().filter(|app| app.state == AppState::Completed) {
            let Some((started, finished)) = app.started.zip(app.finished) else { continue };
            let names = (&app.id, app.who.user.as_str(), &app.queue_path);
            self.seen.entry(kind(key, names)).or_default().push(finished.since(started));
            self.ended += 1;
        }
        self.seen.values_mut().for_each(|times| times.sort_unstable());
    }

    /// `None` for forever.
    pub fn of(&self, app: &Application, ask: &str) -> Option<Duration> {
        self.of_named((&app.id, &app.who.user, &app.queue_path), ask)
    }

    /// Returns the run time by ID, user, and queue.
    pub fn of_named(&self, (app, user, path): (&AppId, &str, &QueuePath), ask: &str) -> Option<Duration> {
        let given = self.given.iter().find_map(|rule| match rule {
            RuntimeRule::App(form, time) => fits(form, app.as_str()).then_some(*time),
            RuntimeRule::User(of, time) => (of == user).then_some(*time),
            RuntimeRule::Queue(queue, time) => path.is_within(queue).then_some(*time),
            RuntimeRule::History(_) | RuntimeRule::Else(_) => None,
        });
        let seen = given.or_else(|| {
            let times = self.seen.get(&kind(self.history?, (app, user, path)))?;
            let at = match self.seed {
                None => times.len() / 2,
                Some(seed) => usize::try_from(drawn(seed, app.as_str(), ask) % times.len() as u64).unwrap_or(0),
            };
            times.get(at).copied()
        });
        if seen.is_none() {
            self.unmatched.borrow_mut().insert(app.clone());
        }
        seen.or(self.otherwise)
    }

    /// Returns the end. At least a tenth of the run time remains, so that overdue allocations do not end exactly at the
    /// start.
    pub fn end(&self, app: &Application, ask: &str, since: Time, now: Time) -> Option<Time> {
        let runtime = self.of(app, ask)?;
        Some((since + runtime).max(if since < now { now + runtime / 10 } else { now }))
    }

    /// Describes run times and their origin in a sentence.
    pub fn text(&self) -> String {
        let parts = self.parts();
        let otherwise = self.otherwise.map_or("never ends".to_owned(), |time| format!("{time:?}"));
        let unmatched = self.unmatched.borrow().len();
        if parts.is_empty() {
            return format!("runtimes: {otherwise}");
        }
        let had = if unmatched == 1 { "application had" } else { "applications had" };
        format!("runtimes: {}; {unmatched} {had} no match: {otherwise}", parts.join("; "))
    }

    /// Describes the rules, before any lookup.
    pub fn model(&self) -> String {
        let otherwise = self.otherwise.map_or("never ends".to_owned(), |time| format!("{time:?}"));
        match self.parts().as_slice() {
            [] => format!("runtimes: {otherwise}"),
            parts => format!("runtimes: {}; otherwise: {otherwise}", parts.join("; ")),
        }
    }

    fn parts(&self) -> Vec<String> {
        let mut parts = Vec::new();
        if !self.given.is_empty() {
            let rules = if self.given.len() == 1 { "rule" } else { "rules" };
            parts.push(format!("{} {rules}", self.given.len()));
        }
        if let Some(key) = self.history {
            let by = match key {
                HistoryKey::User => "user",
                HistoryKey::Queue => "queue",
                HistoryKey::Name => "name",
            };
            let how = if self.seed.is_some() { "drawn from" } else { "median of" };
            parts.push(format!("{how} {} ended applications, by {by}", self.ended));
        }
        parts
    }
}

fn kind(key: HistoryKey, (app, user, queue): (&AppId, &str, &QueuePath)) -> String {
    match key {
        HistoryKey::User => user.to_owned(),
        HistoryKey::Queue => queue.to_string(),
        HistoryKey::Name => {
            let mut name = String::new();
            for c in app.as_str().chars() {
                let c = if c.is_ascii_digit() { '#' } else { c };
                if c != '#' || !name.ends_with('#') {
                    name.push(c);
                }
            }
            name
        }
    }
}

/// `*` matches any text.
pub fn fits(form: &str, text: &str) -> bool {
    let mut parts = form.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// FNV-1a, mixed once more.
fn drawn(seed: u64, app: &str, ask: &str) -> u64 {
    let bytes = app.bytes().chain([0]).chain(ask.bytes());
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16
}
