//! Rules: what is watched, from which threshold on, for how long, and what is reported.

use std::fmt;
use std::time::Duration;

use super::expression::Expression;
use config::Place;
use model::QueuePath;
use view::drain::span;

/// How bad it is. The names are those that routes of an Alertmanager use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Info,
    /// Someone should look today.
    Warning,
    /// Someone should look now.
    Critical,
}

impl Severity {
    /// All of them with their words.
    pub const NAMES: [(&'static str, Self); 3] =
        [("info", Self::Info), ("warning", Self::Warning), ("critical", Self::Critical)];

    /// Its word in rules and labels.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Critical => "critical",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// In what the threshold of a kind of rule is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// There is no threshold: it is so, or not.
    Nothing,
    /// Percent, more than 0 and at most 100.
    Percent,
    /// A number of things, at least 1.
    Count,
    /// A duration, in seconds here.
    Duration,
}

impl Unit {
    /// A figure of it for people.
    pub fn show(self, figure: f64) -> String {
        match self {
            Self::Nothing | Self::Count => format!("{figure}"),
            Self::Percent => format!("{:.0}%", figure),
            Self::Duration => span(Duration::from_secs_f64(figure.max(0.0))),
        }
    }
}

macro_rules! kinds {
    ($($(#[doc = $means:literal])* $kind:ident = $word:literal, $unit:ident, $about:ident;)*) => {
        /// What a rule watches. The doc comments are what `kornsole alerts kinds` prints.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($(#[doc = $means])* $kind,)*
        }

        impl Kind {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// Its word in rules.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$kind => $word,)* }
            }

            /// In what its threshold `at` is counted.
            pub const fn unit(self) -> Unit {
                match self { $(Self::$kind => Unit::$unit,)* }
            }

            /// What its alerts are about.
            pub const fn about(self) -> About {
                match self { $(Self::$kind => About::$about,)* }
            }

            /// What it means, in a sentence.
            pub const fn means(self) -> &'static str {
                match self { $(Self::$kind => concat!($($means,)*).trim_ascii(),)* }
            }
        }
    };
}

/// What the alerts of a kind of rule are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Queues: the rule can name some of them.
    Queues,
    /// Something else in the cluster.
    Cluster,
    /// What is seen without the view: judged also while the connection is lost.
    Outside,
    /// What its expression names.
    Values,
}

kinds! {
    /// The first application of a queue that waits would fit its queues and a node, and waits
    FitsAndWaits = "fits-and-waits", Nothing, Queues;
    /// A queue lacks `at` percent or more of its guarantee though it requests it
    BelowGuarantee = "below-guarantee", Percent, Queues;
    /// The oldest pending ask of a queue has waited for `at` or longer
    Waits = "waits", Duration, Queues;
    /// At least `at` allocations were preempted in the last `within`
    Preemptions = "preemptions", Count, Cluster;
    /// A user or group uses `at` percent or more of a limit
    Limit = "limit", Percent, Cluster;
    /// A queue uses `at` percent or more of its maximum and requests more
    Maximum = "maximum", Percent, Queues;
    /// A queue has been draining for `at` or longer
    Drain = "drain", Duration, Queues;
    /// A node went without having been drained before, in the last `within`, and is not back
    NodeLost = "node-lost", Nothing, Cluster;
    /// A node is there and the cluster says that it is not ready
    NodeNotReady = "node-not-ready", Nothing, Cluster;
    /// At least `at` pending asks fit all open nodes together and none alone
    Fragmentation = "fragmentation", Count, Cluster;
    /// Nothing is allocated though the first application of a queue would fit
    NoScheduling = "no-scheduling", Nothing, Cluster;
    /// The newest configuration was refused
    ConfigRefused = "config-refused", Nothing, Cluster;
    /// The scheduler's own figures contradict each other
    Unhealthy = "unhealthy", Nothing, Cluster;
    /// The scheduler cannot be reached
    ConnectionLost = "connection-lost", Nothing, Outside;
    /// The disk that the state is kept on is used to `at` percent or more, or cannot be written
    StateDisk = "state-disk", Percent, Outside;
    /// The expression `when` is true
    Expression = "expression", Nothing, Values;
}

impl Kind {
    /// The kind of a word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.word() == word)
    }

    /// Whether it examines what happened in a span, `within`.
    pub const fn has_span(self) -> bool {
        matches!(self, Self::Preemptions | Self::NodeLost)
    }
}

/// One rule, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// Its name, by which alerts, silences and inhibitions know it.
    pub name: String,
    /// What it watches.
    pub kind: Kind,
    /// From this figure on it holds, in the unit of its kind; 0 without one.
    pub at: f64,
    /// Once it fires, down to which figure it still holds.
    pub resolve_at: f64,
    /// What it looks back at, of kinds that do.
    pub within: Duration,
    /// For how long it has to hold before it fires.
    pub lasts: Duration,
    /// For how long it must not hold before it has ended.
    pub resolve_after: Duration,
    /// How bad it is.
    pub severity: Severity,
    /// Only these queues with all below them; empty for all.
    pub queues: Vec<QueuePath>,
    /// Not these queues with all below them.
    pub except: Vec<QueuePath>,
    /// What is reported instead of the figures alone, with `{subject}`, `{figures}`, `{value}` and `{rule}` in it.
    pub text: Option<String>,
    /// The rules that keep it from being reported while they hold.
    pub inhibited_by: Vec<String>,
    /// Of the kind `expression`: when it holds.
    pub when: Option<Expression>,
    /// Of the kind `expression`: once it fires, when it does not hold any more; `None`: when `when` is false.
    pub until: Option<Expression>,
    /// Where it is written; line 0 for one of the defaults.
    pub place: Place,
}

impl Rule {
    /// Whether it watches a queue.
    pub fn covers(&self, queue: &QueuePath) -> bool {
        let within = |of: &QueuePath| queue.is_within(of);
        (self.queues.is_empty() || self.queues.iter().any(within)) && !self.except.iter().any(within)
    }

    /// Its threshold in words: `at 95%, for 10m`.
    pub fn words(&self) -> String {
        let mut parts = Vec::new();
        if self.kind.unit() != Unit::Nothing {
            parts.push(format!("at {}", self.kind.unit().show(self.at)));
        }
        if let Some(when) = &self.when {
            parts.push(when.text().to_owned());
        }
        if self.kind.has_span() {
            parts.push(format!("within {}", span(self.within)));
        }
        if !self.lasts.is_zero() {
            parts.push(format!("for {}", span(self.lasts)));
        }
        parts.join(", ")
    }
}

/// A set of rules that fit together: every name stands once, and inhibitions have no circle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    /// The rules, in the order of their names.
    pub rules: Vec<Rule>,
    /// Where alerts are sent, next to the screen.
    pub targets: Targets,
}

impl Rules {
    /// The rule of a name.
    pub fn get(&self, name: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.name == name)
    }
}

/// Where alerts are sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Targets {
    /// Programs and addresses.
    pub receivers: Vec<Receiver>,
    /// What the terminal does.
    pub terminal: Terminal,
}

/// One place that alerts are sent to.
#[derive(Clone, Debug, PartialEq)]
pub struct Receiver {
    /// Its name, by which what was sent is remembered.
    pub name: String,
    /// What it is.
    pub to: ReceiverKind,
    /// Only alerts at least so bad.
    pub severity: Severity,
    /// How long one try may take.
    pub timeout: Duration,
}

/// What alerts are sent to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReceiverKind {
    /// An Alertmanager: its address without `/api/v2/alerts`. It routes, groups and repeats by its own configuration.
    Alertmanager(String),
    /// Whatever takes what an Alertmanager sends to its webhooks.
    Webhook(String),
    /// A program with its arguments, which reads the same document from its standard input.
    Command(Vec<String>),
}

/// What a terminal does when an alert fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// It rings its bell.
    pub bell: bool,
    /// It shows a notification of the desktop, by this escape sequence.
    pub notify: Option<Osc>,
    /// Only for alerts at least so bad.
    pub severity: Severity,
}

impl Default for Terminal {
    fn default() -> Self {
        Self { bell: false, notify: None, severity: Severity::Warning }
    }
}

/// The escape sequences by which terminals show notifications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Osc {
    /// `OSC 9`: iTerm2, Windows Terminal, WezTerm, Ghostty.
    Osc9,
    /// `OSC 777`: urxvt, VTE, foot.
    Osc777,
    /// `OSC 99`: kitty.
    Osc99,
}

impl Osc {
    /// All of them with their words.
    pub const NAMES: [(&'static str, Self); 3] =
        [("osc9", Self::Osc9), ("osc777", Self::Osc777), ("osc99", Self::Osc99)];
}
