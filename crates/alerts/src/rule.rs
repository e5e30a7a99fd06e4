//! Rules: condition, threshold, duration, and text.

use std::fmt;
use std::time::Duration;

use super::expression::Expression;
use config::Place;
use model::QueuePath;
use view::drain::span;

/// The severity, named as in routes of an Alertmanager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Good to know.
    Info,
    /// Needs attention today.
    Warning,
    /// Needs attention now.
    Critical,
}

impl Severity {
    /// All of them with their words.
    pub const NAMES: [(&'static str, Self); 3] =
        [("info", Self::Info), ("warning", Self::Warning), ("critical", Self::Critical)];

    /// The name in rules and labels.
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

/// The unit of a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// No threshold: the condition is true or false.
    Nothing,
    /// Percent, more than 0 and at most 100.
    Percent,
    /// A count, at least 1.
    Count,
    /// A duration in seconds.
    Duration,
}

impl Unit {
    /// Formats a value.
    pub fn show(self, metric: f64) -> String {
        match self {
            Self::Nothing | Self::Count => format!("{metric}"),
            Self::Percent => format!("{:.0}%", metric),
            Self::Duration => span(Duration::from_secs_f64(metric.max(0.0))),
        }
    }
}

macro_rules! kinds {
    ($($(#[doc = $means:literal])* $kind:ident = $word:literal, $unit:ident, $about:ident;)*) => {
        /// What a rule watches. `kornsole alerts kinds` prints the doc comments.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Kind {
            $($(#[doc = $means])* $kind,)*
        }

        impl Kind {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$kind,)*];

            /// The name in rules.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$kind => $word,)* }
            }

            /// The unit of the threshold `at`.
            pub const fn unit(self) -> Unit {
                match self { $(Self::$kind => Unit::$unit,)* }
            }

            /// The subjects of its alerts.
            pub const fn about(self) -> About {
                match self { $(Self::$kind => About::$about,)* }
            }

            /// The meaning, in a sentence.
            pub const fn means(self) -> &'static str {
                match self { $(Self::$kind => concat!($($means,)*).trim_ascii(),)* }
            }
        }
    };
}

/// The subjects of a kind's alerts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Queues, which the rule can select.
    Queues,
    /// Other objects in the cluster.
    Cluster,
    /// Objects outside the view: evaluated also while disconnected.
    Outside,
    /// The subjects of its expression.
    Values,
}

kinds! {
    /// The first pending application of a queue fits its queues and a node, and is pending
    FitsAndWaits = "fits-and-waits", Nothing, Queues;
    /// A queue requests its guaranteed resources, and `at` percent or more of them are missing
    BelowGuarantee = "below-guarantee", Percent, Queues;
    /// The oldest pending request of a queue has waited for `at` or longer
    Waits = "waits", Duration, Queues;
    /// At least `at` allocations were preempted in the last `within`
    Preemptions = "preemptions", Count, Cluster;
    /// A user or group uses `at` percent or more of a limit
    Limit = "limit", Percent, Cluster;
    /// A queue uses `at` percent or more of its maximum and requests more
    Maximum = "maximum", Percent, Queues;
    /// A queue has been draining for `at` or longer
    Drain = "drain", Duration, Queues;
    /// A node was removed without a drain in the last `within`, and did not return
    NodeLost = "node-lost", Nothing, Cluster;
    /// The cluster reports that a node is not ready
    NodeNotReady = "node-not-ready", Nothing, Cluster;
    /// At least `at` pending requests fit the free capacity of all schedulable nodes together, but no single node
    Fragmentation = "fragmentation", Count, Cluster;
    /// No allocations, although the first application of a queue fits
    NoScheduling = "no-scheduling", Nothing, Cluster;
    /// The latest configuration was rejected
    ConfigRefused = "config-refused", Nothing, Cluster;
    /// The values of the scheduler contradict each other
    Unhealthy = "unhealthy", Nothing, Cluster;
    /// The scheduler cannot be reached
    ConnectionLost = "connection-lost", Nothing, Outside;
    /// The disk of the state is used to `at` percent or more, or cannot be written
    StateDisk = "state-disk", Percent, Outside;
    /// The expression `when` is true
    Expression = "expression", Nothing, Values;
}

impl Kind {
    /// The kind with a name.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.word() == word)
    }

    /// Whether it has a time range `within`.
    pub const fn has_span(self) -> bool {
        matches!(self, Self::Preemptions | Self::NodeLost)
    }
}

/// A valid rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The name, for alerts, silences, and inhibitions.
    pub name: String,
    /// What it watches.
    pub kind: Kind,
    /// The threshold, in the unit of the kind; 0 if the kind has no threshold.
    pub at: f64,
    /// The threshold for resolving a firing alert.
    pub resolve_at: f64,
    /// The time range, for kinds with one.
    pub within: Duration,
    /// How long the condition must be true before the alert fires.
    pub lasts: Duration,
    /// How long the condition must be false before the alert resolves.
    pub resolve_after: Duration,
    /// How bad it is.
    pub severity: Severity,
    /// Only these subtrees; empty for all.
    pub queues: Vec<QueuePath>,
    /// Not these subtrees.
    pub except: Vec<QueuePath>,
    /// The text template with `{subject}`, `{figures}`, `{value}`, and `{rule}`; `None` for the values alone.
    pub text: Option<String>,
    /// The rules that inhibit it while they are true.
    pub inhibited_by: Vec<String>,
    /// For the kind `expression`: the condition.
    pub when: Option<Expression>,
    /// For the kind `expression`: the condition to resolve; `None` if it resolves when `when` is false.
    pub until: Option<Expression>,
    /// The location; line 0 for a default rule.
    pub place: Place,
}

impl Rule {
    /// Whether it selects a queue.
    pub fn covers(&self, queue: &QueuePath) -> bool {
        let within = |of: &QueuePath| queue.is_within(of);
        (self.queues.is_empty() || self.queues.iter().any(within)) && !self.except.iter().any(within)
    }

    /// The threshold in words: `at 95%, for 10m`.
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

/// Consistent rules: unique names, and no cycle of inhibitions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rules {
    /// The rules, by name.
    pub rules: Vec<Rule>,
    /// The receivers and the terminal.
    pub targets: Targets,
}

impl Rules {
    /// The rule with a name.
    pub fn get(&self, name: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.name == name)
    }
}

/// The destinations of alerts other than the screen.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Targets {
    /// Programs and URLs.
    pub receivers: Vec<Receiver>,
    /// What the terminal does.
    pub terminal: Terminal,
}

/// A receiver of alerts.
#[derive(Clone, Debug, PartialEq)]
pub struct Receiver {
    /// The name, which identifies what was sent.
    pub name: String,
    /// What it is.
    pub to: ReceiverKind,
    /// The minimum severity.
    pub severity: Severity,
    /// The time limit of a try.
    pub timeout: Duration,
}

/// The kind of a receiver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReceiverKind {
    /// An Alertmanager: its URL without `/api/v2/alerts`. It routes, groups, and repeats by its own configuration.
    Alertmanager(String),
    /// An endpoint that accepts the webhooks of an Alertmanager.
    Webhook(String),
    /// A program with arguments, which reads the same document from its standard input.
    Command(Vec<String>),
}

/// The terminal's reaction to a firing alert.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Ring the bell.
    pub bell: bool,
    /// Show a desktop notification with this escape sequence.
    pub notify: Option<Osc>,
    /// The minimum severity.
    pub severity: Severity,
}

impl Default for Terminal {
    fn default() -> Self {
        Self { bell: false, notify: None, severity: Severity::Warning }
    }
}

/// Escape sequences for notifications.
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
