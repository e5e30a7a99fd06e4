//! What an alert is about.

use std::fmt;

use model::{NodeId, QueuePath};
use view::waiting::Target;

/// What kind of thing an alert is about.
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
    /// The scheduler's own figures.
    Scheduler,
    /// The disk that the state is kept on.
    Disk,
}

impl SubjectKind {
    /// Its word: also the name of its label in what is sent.
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

/// What one alert of a rule is about. Two alerts of a rule never have the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Subject {
    /// In which partition; empty for what concerns the scheduler as a whole.
    pub partition: String,
    /// What kind of thing it is.
    pub kind: SubjectKind,
    /// Its name; empty where the kind says it all.
    pub name: String,
    /// Of the limit of a user or group: the queue that it is on.
    pub queue: Option<String>,
}

impl Subject {
    /// A thing in a partition.
    pub fn new(partition: &str, kind: SubjectKind, name: impl Into<String>) -> Self {
        Self { partition: partition.to_owned(), kind, name: name.into(), queue: None }
    }

    /// Something of the scheduler as a whole.
    pub fn whole(kind: SubjectKind) -> Self {
        Self::new("", kind, "")
    }

    /// Its labels by name, as they are sent: `partition`, and its kind or the queue of a limit.
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

    /// Where a person examines it; `None` where there is no page of it.
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
    /// `queue root.a`, `user sue in root.tenants`, `connection`.
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
