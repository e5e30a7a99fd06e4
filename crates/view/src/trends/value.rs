//! The catalog of values: names, subjects, units, and meanings.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::drain::span;
use crate::units::show_amount;
use crate::waiting::resource_word;
use model::{NodeId, QueuePath, VCORE};

/// A kind of subjects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SubjectKind {
    /// A partition with its nodes.
    Cluster,
    /// A queue with its subtree.
    Queue,
    /// A user in all queues.
    User,
    /// A node of the partition.
    Node,
}

impl SubjectKind {
    /// In the order of the rows in a moment.
    pub const ALL: [Self; 4] = [Self::Cluster, Self::Queue, Self::User, Self::Node];

    /// The first word of value names.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Cluster => "cluster",
            Self::Queue => "queue",
            Self::User => "user",
            Self::Node => "node",
        }
    }
}

/// A measured object in a partition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Subject {
    /// The whole partition.
    Cluster,
    /// A queue with its subtree.
    Queue(QueuePath),
    /// A user in all queues.
    User(Arc<str>),
    /// A node, by its id.
    Node(NodeId),
}

impl Subject {
    /// What kind of thing it is.
    pub const fn kind(&self) -> SubjectKind {
        match self {
            Self::Cluster => SubjectKind::Cluster,
            Self::Queue(_) => SubjectKind::Queue,
            Self::User(_) => SubjectKind::User,
            Self::Node(_) => SubjectKind::Node,
        }
    }

    /// The name; empty for the cluster.
    pub fn name(&self) -> &str {
        match self {
            Self::Cluster => "",
            Self::Queue(path) => path.as_str(),
            Self::User(name) => name,
            Self::Node(id) => id.as_str(),
        }
    }

    /// Returns the subject of a kind and a name.
    pub fn new(kind: SubjectKind, name: &str) -> Self {
        match kind {
            SubjectKind::Cluster => Self::Cluster,
            SubjectKind::Queue => Self::Queue(QueuePath::new(name)),
            SubjectKind::User => Self::User(Arc::from(name)),
            SubjectKind::Node => Self::Node(NodeId::from(name)),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind().word())?;
        if *self != Self::Cluster {
            write!(f, " {}", self.name())?;
        }
        Ok(())
    }
}

/// The unit of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// A quantity of the value's resource: bytes of memory, millicores of `vcore`.
    Amount,
    /// Thousandths of a whole.
    Share,
    /// A number of objects.
    Count,
    /// A duration in milliseconds.
    Duration,
}

macro_rules! measures {
    ($($(#[doc = $means:literal])* $measure:ident = $word:literal, $unit:ident, [$($kind:ident)*];)*) => {
        /// What is measured. The doc comments are shown on pages.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Measure {
            $($(#[doc = $means])* $measure,)*
        }

        impl Measure {
            /// All measures; those of a resource first.
            pub const ALL: &'static [Self] = &[$(Self::$measure,)*];

            /// The word in value names: `use`, `waiting.p95`.
            pub const fn word(self) -> &'static str {
                match self { $(Self::$measure => $word,)* }
            }

            /// In what it is counted.
            pub const fn unit(self) -> Unit {
                match self { $(Self::$measure => Unit::$unit,)* }
            }

            /// The kinds of subjects with this measure.
            pub const fn kinds(self) -> &'static [SubjectKind] {
                match self { $(Self::$measure => &[$(SubjectKind::$kind,)*],)* }
            }

            /// The meaning, in a sentence.
            pub const fn means(self) -> &'static str {
                match self { $(Self::$measure => concat!($($means,)*).trim_ascii(),)* }
            }
        }
    };
}

measures! {
    /// Allocated resources; for a queue, in its subtree
    Use = "use", Amount, [Cluster Queue User Node];
    /// Requested resources that are not allocated
    Pending = "pending", Amount, [Cluster Queue User];
    /// Guaranteed resources of the queue
    Guarantee = "guarantee", Amount, [Queue];
    /// Maximum: the capacity of the cluster or node, the maximum of the queue, the limit of the user in root
    Maximum = "maximum", Amount, [Cluster Queue User Node];
    /// Used share of the cluster, for the resource with the largest share; for a node, including other schedulers
    Share = "share", Share, [Cluster Queue User Node];
    /// Running applications; for a node, its allocations
    Running = "running", Count, [Cluster Queue User Node];
    /// Applications with pending requests
    Waiting = "waiting", Count, [Cluster Queue User];
    /// Wait of the oldest pending request of an application: median of the pending applications
    WaitingP50 = "waiting.p50", Duration, [Cluster Queue User];
    /// Wait of the oldest pending request of an application: 95th percentile of the pending applications
    WaitingP95 = "waiting.p95", Duration, [Cluster Queue User];
    /// Time from submission to start: median of the applications that started in the last 10 minutes
    StartedP50 = "started.p50", Duration, [Cluster Queue User];
    /// Time from submission to start: 95th percentile of the applications that started in the last 10 minutes
    StartedP95 = "started.p95", Duration, [Cluster Queue User];
    /// Allocations that were preempted in the last 10 minutes; for a queue, its own allocations
    Preemptions = "preemptions", Count, [Cluster Queue];
    /// Schedulable nodes; for a node, 1 if it is schedulable, otherwise 0
    NodesUp = "nodes.up", Count, [Cluster Node];
    /// Nodes that are unschedulable
    NodesClosed = "nodes.closed", Count, [Cluster];
    /// Nodes that were removed in the last hour and did not return
    NodesLost = "nodes.lost", Count, [Cluster];
    /// Allocations per minute since the previous sample
    Allocations = "allocations", Count, [Cluster];
}

impl Measure {
    /// Whether it is measured per resource.
    pub const fn by_resource(self) -> bool {
        matches!(self.unit(), Unit::Amount)
    }

    /// The number of per-resource measures at the start of [`Measure::ALL`].
    pub(super) const BY_RESOURCE: usize = 4;
}

/// A value, for example `queue.use.cpu`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value {
    /// The kind of subject.
    pub of: SubjectKind,
    /// What is measured.
    pub measure: Measure,
    /// The resource by its configuration name (`vcore`), for a per-resource measure.
    pub resource: Option<Arc<str>>,
}

impl Value {
    /// Returns a value without a resource.
    pub const fn plain(of: SubjectKind, measure: Measure) -> Self {
        Self { of, measure, resource: None }
    }

    /// Returns a value of a resource, by its configuration name.
    pub fn amount(of: SubjectKind, measure: Measure, resource: &str) -> Self {
        Self { of, measure, resource: Some(Arc::from(resource)) }
    }

    /// Formats a value: `12.5`, `64Gi`, `40%`, `3m 12s`.
    pub fn show(&self, metric: i64) -> String {
        match self.measure.unit() {
            Unit::Amount => show_amount(self.resource.as_deref().unwrap_or_default(), metric),
            Unit::Share => format!("{}%", (metric + 5) / 10),
            Unit::Count => metric.to_string(),
            Unit::Duration if (1..10_000).contains(&metric) => format!("{}.{}s", metric / 1000, metric % 1000 / 100),
            Unit::Duration => span(std::time::Duration::from_millis(u64::try_from(metric).unwrap_or_default())),
        }
    }

    /// The title on a page, without the kind of subject: `cpu use`, `waiting p95`.
    pub fn title(&self) -> String {
        let words = self.measure.word().replace('.', " ");
        match &self.resource {
            Some(resource) => format!("{} {words}", resource_word(resource)),
            None => words,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.of.word(), self.measure.word())?;
        match &self.resource {
            Some(resource) => write!(f, ".{}", resource_word(resource)),
            None => Ok(()),
        }
    }
}

/// The error for an invalid value name, with the valid ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownValue(pub String);

impl fmt::Display for UnknownValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for UnknownValue {}

impl FromStr for Value {
    type Err = UnknownValue;

    /// The resource is the rest of the name: `node.use.nvidia.com/gpu`.
    fn from_str(text: &str) -> Result<Self, UnknownValue> {
        let (kind, rest) = text.split_once('.').unwrap_or((text, ""));
        let Some(of) = SubjectKind::ALL.into_iter().find(|of| of.word() == kind) else {
            return Err(UnknownValue(format!(
                "`{text}` is not a value: a value starts with cluster, queue, user, or node"
            )));
        };
        let known = || Measure::ALL.iter().copied().filter(|measure| measure.kinds().contains(&of));
        if let Some(measure) = known().find(|measure| !measure.by_resource() && measure.word() == rest) {
            return Ok(Self::plain(of, measure));
        }
        let (word, resource) = rest.split_once('.').unwrap_or((rest, ""));
        match known().find(|measure| measure.by_resource() && measure.word() == word) {
            Some(_) if resource.is_empty() => {
                Err(UnknownValue(format!("`{text}` has no resource: write `{kind}.{word}.cpu`")))
            }
            Some(measure) => Ok(Self::amount(of, measure, if resource == "cpu" { VCORE } else { resource })),
            None => {
                let words: Vec<&str> = known().map(Measure::word).collect();
                Err(UnknownValue(format!("`{text}` is not a value: a {kind} has {}", words.join(", "))))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_written_is_read() {
        for measure in Measure::ALL.iter().copied() {
            for of in measure.kinds().iter().copied() {
                let resources: &[Option<&str>] = match measure.by_resource() {
                    true => &[Some("vcore"), Some("memory"), Some("nvidia.com/gpu")],
                    false => &[None],
                };
                for resource in resources {
                    let value = Value { of, measure, resource: resource.map(Arc::from) };
                    assert_eq!(value.to_string().parse(), Ok(value));
                }
            }
        }
        assert_eq!("queue.use.cpu".parse(), Ok(Value::amount(SubjectKind::Queue, Measure::Use, "vcore")));
    }

    #[test]
    fn those_by_resource_are_first() {
        let by_resource: Vec<bool> = Measure::ALL.iter().map(|measure| measure.by_resource()).collect();
        assert_eq!(by_resource.iter().filter(|by| **by).count(), Measure::BY_RESOURCE);
        assert!(by_resource[..Measure::BY_RESOURCE].iter().all(|by| *by));
    }

    #[test]
    fn an_unknown_name_shows_valid_names() {
        let fault = |text: &str| text.parse::<Value>().unwrap_err().to_string();
        assert_eq!(
            fault("pod.use.cpu"),
            "`pod.use.cpu` is not a value: a value starts with cluster, queue, user, or node"
        );
        assert_eq!(fault("queue.use"), "`queue.use` has no resource: write `queue.use.cpu`");
        assert_eq!(
            fault("node.waiting.p95"),
            "`node.waiting.p95` is not a value: a node has use, maximum, share, running, nodes.up"
        );
    }

    #[test]
    fn values_are_shown_in_their_units() {
        let show = |name: &str, metric| name.parse::<Value>().unwrap().show(metric);
        assert_eq!(show("queue.use.cpu", 1500), "1.5");
        assert_eq!(show("queue.share", 404), "40%");
        assert_eq!(show("queue.waiting.p95", 192_000), "3m 12s");
        assert_eq!(show("queue.started.p50", 250), "0.2s");
    }
}
