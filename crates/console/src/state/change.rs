//! A form that changes one queue.

use std::sync::Arc;
use std::time::Duration;

use crate::state::editor::{CheckResult, QuotaPreview};
use crate::state::line_edit::LineEdit;
use config::Fault;
use model::{Profile, QueuePath, Time};
use view::View;
use view::act::{Actor, Configuration};

/// The kind of change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Maximum and running applications.
    Max,
    /// The guaranteed resources.
    Guaranteed,
    /// One of its properties.
    Property,
    /// A new child queue.
    Child,
    /// A limit of users or groups.
    Limit,
    /// Removes the queue and its subtree.
    Remove,
}

impl Kind {
    /// The heading of the form.
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

/// The content of a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A quantity of one resource.
    Amount(String),
    /// Quantities of several resources, as `NAME=AMOUNT`.
    Amounts,
    /// Guaranteed quantities, as `NAME=AMOUNT`.
    GuaranteedAmounts,
    /// The maximum number of running applications.
    Applications,
    /// A property key.
    Key,
    /// A property value.
    Value,
    /// A queue name.
    Name,
    /// `leaf` or `parent`.
    Sort,
    /// The submit ACL.
    Submit,
    /// The admin ACL.
    Admin,
    /// User names, separated by commas or blanks.
    Users,
    /// Group names, separated by commas or blanks.
    Groups,
    /// The description of a limit.
    Description,
}

/// A field with its label and text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeField {
    /// What it represents.
    pub what: What,
    /// What precedes it.
    pub label: String,
    /// The meaning of an empty field.
    pub hint: String,
    /// The initial text.
    pub was: String,
    /// The current text.
    pub line: LineEdit,
}

impl ChangeField {
    /// A field that contains `was`.
    pub fn new(what: What, label: impl Into<String>, hint: impl Into<String>, was: impl Into<String>) -> Self {
        let was = was.into();
        Self { what, label: label.into(), hint: hint.into(), line: LineEdit::prefilled(was.clone()), was }
    }

    /// Whether the text differs from the initial text.
    pub fn changed(&self) -> bool {
        self.line.text() != self.was
    }
}

/// A form that is being applied.
#[derive(Clone, Debug)]
pub struct Applying {
    /// The number of the operation.
    pub number: u64,
    /// The user action that sent it ([`crate::state::State::turn`]).
    pub turn: u64,
    /// The fields when it was sent.
    pub fields: Vec<String>,
}

/// The form and its consequences.
#[derive(Clone, Debug)]
pub struct ChangePage {
    /// The kind of change.
    pub kind: Kind,
    /// The queue to change.
    pub queue: QueuePath,
    /// The partition of the queue.
    pub partition: Arc<str>,
    /// The fields; empty if the form needs no input.
    pub fields: Vec<ChangeField>,
    /// The field under the cursor.
    pub field: usize,
    /// The rest of the completion.
    pub suggestion: String,
    /// Counts changes of form and configuration.
    pub version: u64,
    /// When to check the form.
    pub due: Option<Duration>,
    /// A check is running.
    pub looking: bool,
    /// The last check, with its version.
    pub drafted: FormDraft,
    /// The operation under way.
    pub applying: Option<Applying>,
    /// The first visible line below the form.
    pub top: usize,
}

impl ChangePage {
    /// The form is checked when shown.
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

    /// Whether closing the form would lose input.
    pub fn written(&self) -> bool {
        self.fields.iter().any(ChangeField::changed)
    }

    /// Whether the check result matches the current form.
    pub fn is_drafted(&self) -> bool {
        self.drafted.version == self.version && self.due.is_none() && !self.looking
    }
}

/// A form to convert.
#[derive(Clone, Debug)]
pub struct DraftJob {
    /// The cluster's time.
    pub at: Time,
    /// The version of the form.
    pub version: u64,
    /// The kind of change.
    pub kind: Kind,
    /// The queue to change.
    pub queue: QueuePath,
    /// The partition of the queue.
    pub partition: Arc<str>,
    /// The fields of the form.
    pub fields: Vec<ChangeField>,
    /// The active configuration.
    pub base: Arc<Configuration>,
    /// The view, for the effects on running allocations.
    pub view: Arc<View>,
    /// The profile that reads the text.
    pub profile: Profile,
    /// Who would apply it, or why no user can.
    pub actor: Result<Actor, Arc<str>>,
    /// The scheduler's last preview of quota preemption.
    pub preview: Option<Arc<QuotaPreview>>,
}

/// The result of a form.
#[derive(Clone, Debug, Default)]
pub struct FormDraft {
    /// The version of the form.
    pub version: u64,
    /// The configuration to change.
    pub base: Option<Arc<Configuration>>,
    /// `None` without a possible change.
    pub text: Option<Arc<str>>,
    /// Why the change is impossible.
    pub problem: Option<Problem>,
    /// A change that the form does not show.
    pub note: String,
    /// The check of the new text.
    pub checked: CheckResult,
}

/// Why a change is impossible.
#[derive(Clone, Debug)]
pub enum Problem {
    /// A field is invalid.
    Field(String),
    /// The text has an error at a location.
    Text(Fault),
}

impl From<Fault> for Problem {
    fn from(fault: Fault) -> Self {
        Self::Text(fault)
    }
}
