//! The subjects of alerts.

use std::fmt;

use model::{NodeId, QueuePath};
use view::waiting::Target;

/// The kind of a subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SubjectKind {
    /// A partition as a whole.
    Cluster,
    /// A queue, by its path.
    Queue,
    /// A user, by name.
    User,
    /// A group, by name.
    Group,
    /// A node, by its id.
    Node,
    /// The configuration as a whole.
    Configuration,
    /// The connection to the scheduler.
    Connection,
    /// The scheduler's health.
    Scheduler,
    /// The disk of the state directory.
    Disk,
}

impl SubjectKind {
    /// The name, also of its label.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Cluster => "cluster",
            Self::Queue => "queue",
            Self::User => "user",
            Self::Group => "group",
            Self::Node => "node",
            Self::Configuration => "configuration",
            Self::Connection => "connection",
            Self::Scheduler => "scheduler",
            Self::Disk => "disk",
        }
    }
}

/// The subject of an alert, unique within a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Subject {
    /// The partition; empty for the scheduler as a whole.
    pub partition: String,
    /// What kind of thing it is.
    pub kind: SubjectKind,
    /// The name; empty if the kind is sufficient.
    pub name: String,
    /// For a user or group limit: its queue.
    pub queue: Option<String>,
}

impl Subject {
    /// Returns a subject in a partition.
    pub fn new(partition: &str, kind: SubjectKind, name: impl Into<String>) -> Self {
        Self { partition: partition.to_owned(), kind, name: name.into(), queue: None }
    }

    /// Returns a subject of the whole scheduler.
    pub fn whole(kind: SubjectKind) -> Self {
        Self::new("", kind, "")
    }

    /// `partition`, and its kind or the queue of a limit.
    pub fn labels(&self) -> Vec<(&'static str, &str)> {
        let mut labels = Vec::new();
        if !self.partition.is_empty() {
            labels.push(("partition", self.partition.as_str()));
        }
        if !self.name.is_empty() {
            labels.push((self.kind.word(), self.name.as_str()));
        }
        labels.extend(self.queue.as_deref().map(|queue| ("queue", queue)));
        labels
    }

    /// The page of the subject, if any.
    pub fn target(&self) -> Option<Target> {
        match self.kind {
            SubjectKind::Queue => Some(Target::Queue(QueuePath::new(&self.name))),
            SubjectKind::Node => Some(Target::Node(NodeId::from(self.name.as_str()))),
            SubjectKind::User => Some(Target::User(self.name.clone())),
            SubjectKind::Group => Some(Target::Group(self.name.clone())),
            _ => None,
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.word())?;
        if !self.name.is_empty() {
            write!(f, " {}", self.name)?;
        }
        match &self.queue {
            Some(queue) => write!(f, " in {queue}"),
            None => Ok(()),
        }
    }
}
