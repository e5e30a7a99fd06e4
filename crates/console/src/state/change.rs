//! A form on one queue: its changes to the configuration, and their consequences.

use std::sync::Arc;
use std::time::Duration;

use crate::state::editor::{CheckResult, QuotaPreview};
use crate::state::line_edit::LineEdit;
use config::Fault;
use model::{Profile, QueuePath, Time};
use view::View;
use view::act::{Actor, Configuration};

/// What a form changes of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The queue's maximum, and how many applications may run.
    Max,
    /// What preemption may restore for the queue.
    Guaranteed,
    /// One of its properties.
    Property,
    /// A new queue below it.
    Child,
    /// A limit of users or groups on it.
    Limit,
    /// The queue goes, with all below it.
    Remove,
}

impl Kind {
    /// What the form does, as a heading.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Max => "set maximum",
            Self::Guaranteed => "set guaranteed",
            Self::Property => "set a property",
            Self::Child => "add a queue",
            Self::Limit => "limit for users or groups",
            Self::Remove => "remove",
        }
    }
}

/// What a field represents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// An amount of one resource.
    Amount(String),
    /// Amounts of several resources, as `NAME=AMOUNT`.
    Amounts,
    /// The same for a guarantee.
    GuaranteedAmounts,
    /// How many applications may run.
    Applications,
    /// The key of a property.
    Key,
    /// The value of that property.
    Value,
    /// The name of a queue.
    Name,
    /// `leaf` or `parent`.
    Sort,
    /// An access list: who may submit.
    Submit,
    /// An access list: who may administer.
    Admin,
    /// Names of users, with commas or blanks between them.
    Users,
    /// Names of groups.
    Groups,
    /// The description of a limit.
    Description,
}

/// A field with its label and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeField {
    /// What it represents.
    pub what: What,
    /// What precedes it.
    pub label: String,
    /// What it means while it is empty.
    pub hint: String,
    /// What was in it at first.
    pub was: String,
    /// What is in it.
    pub line: LineEdit,
}

impl ChangeField {
    /// A field with what is in it at first.
    pub fn new(what: What, label: impl Into<String>, hint: impl Into<String>, was: impl Into<String>) -> Self {
        let was = was.into();
        Self { what, label: label.into(), hint: hint.into(), line: LineEdit::prefilled(was.clone()), was }
    }

    /// Whether something else is in it than at first.
    pub fn changed(&self) -> bool {
        self.line.text() != self.was
    }
}

/// A form that is being applied.
#[derive(Clone, Debug)]
pub struct Applying {
    /// The number of the order.
    pub number: u64,
    /// With which act of the person it was given ([`crate::state::State::turn`]).
    pub turn: u64,
    /// What was in its fields then.
    pub fields: Vec<String>,
}

/// The form, and what it leads to.
#[derive(Clone, Debug)]
pub struct ChangePage {
    /// What it changes of the queue.
    pub kind: Kind,
    /// On which queue.
    pub queue: QueuePath,
    /// In which partition.
    pub partition: Arc<str>,
    /// The fields; none where nothing has to be reported.
    pub fields: Vec<ChangeField>,
    /// The field under the cursor.
    pub field: usize,
    /// What would follow the cursor in the field that is written, if it is taken.
    pub suggestion: String,
    /// Counts up with each change of the form, and of the active configuration.
    pub version: u64,
    /// When that is to be examined again.
    pub due: Option<Duration>,
    /// It is being examined.
    pub looking: bool,
    /// What was found out last; its version names the form that was examined.
    pub drafted: FormDraft,
    /// What is being applied.
    pub applying: Option<Applying>,
    /// The first visible line of the text below the form.
    pub top: usize,
}

impl ChangePage {
    /// A form on a queue. What it leads to is examined once it is shown.
    pub fn new(kind: Kind, queue: QueuePath, partition: Arc<str>, fields: Vec<ChangeField>) -> Self {
        Self {
            kind,
            queue,
            partition,
            fields,
            field: 0,
            suggestion: String::new(),
            version: 1,
            due: Some(Duration::ZERO),
            looking: false,
            drafted: FormDraft::default(),
            applying: None,
            top: 0,
        }
    }

    /// Whether something was written that would be lost with the form.
    pub fn written(&self) -> bool {
        self.fields.iter().any(ChangeField::changed)
    }

    /// Whether what was found out is about the form as it is now.
    pub fn is_drafted(&self) -> bool {
        self.drafted.version == self.version && self.due.is_none() && !self.looking
    }
}

/// A form to be made to a text.
#[derive(Clone, Debug)]
pub struct DraftJob {
    /// The cluster's time.
    pub at: Time,
    /// Which version of the form it is.
    pub version: u64,
    /// What it changes of the queue.
    pub kind: Kind,
    /// On which queue.
    pub queue: QueuePath,
    /// In which partition.
    pub partition: Arc<str>,
    /// What is in it.
    pub fields: Vec<ChangeField>,
    /// The active configuration.
    pub base: Arc<Configuration>,
    /// Running allocations, for the effects of the change.
    pub view: Arc<View>,
    /// By which rules the text is read.
    pub profile: Profile,
    /// Who would applies it; or why no one can.
    pub actor: Result<Actor, Arc<str>>,
    /// The scheduler's last answer: which allocations a text would have preempted.
    pub preview: Option<Arc<QuotaPreview>>,
}

/// What a form leads to.
#[derive(Clone, Debug, Default)]
pub struct FormDraft {
    /// Of which version.
    pub version: u64,
    /// The configuration that it changes.
    pub base: Option<Arc<Configuration>>,
    /// The new text; `None` while nothing is requested, or when the change cannot be made.
    pub text: Option<Arc<str>>,
    /// Why the change cannot be made.
    pub trouble: Option<Trouble>,
    /// What is changed, where the form alone does not say it.
    pub note: String,
    /// What the new text means.
    pub checked: CheckResult,
}

/// Why a change cannot be made.
#[derive(Clone, Debug)]
pub enum Trouble {
    /// What is written in a field is not of its kind.
    Field(String),
    /// The text is in the way, at a place.
    Text(Fault),
}

impl From<Fault> for Trouble {
    fn from(fault: Fault) -> Self {
        Self::Text(fault)
    }
}
