//! The layers over a page. The topmost receives keys first.

use std::time::Duration;

use crate::state::column::ColumnChoice;
use crate::state::jobs::Names;
use crate::state::line_edit::LineEdit;
use crate::state::own_command::OwnRun;
use model::Time;
use source::SuspendOrder;
use view::act::Order;
use view::job::JobOrder;

/// A layer over the page.
#[derive(Clone, Debug)]
pub enum Layer {
    /// The keys of the page, and all others.
    Help(Help),
    /// What was reported lately.
    Messages {
        /// The first visible line, from the newest.
        top: usize,
    },
    /// A tour for new users.
    Tour {
        /// The first visible line.
        top: usize,
    },
    /// How the values on the page are computed.
    Metrics(Metrics),
    /// The column picker of the list.
    Columns(ColumnPicker),
    /// The command line.
    Command(CommandLine),
    /// The filter input of the list or the help.
    Filter {
        /// The current text.
        line: LineEdit,
    },
    /// The form of the page, in edit mode.
    Form,
    /// The configuration, in edit mode.
    Edit,
    /// A question to be answered first.
    Confirm(Confirm),
    /// The reason for the confirmation under it.
    Reason {
        /// The current text.
        line: LineEdit,
    },
}

/// Scroll position and filter.
#[derive(Clone, Debug, Default)]
pub struct Help {
    /// The first visible line.
    pub top: usize,
    /// The filter; may be empty.
    pub filter: String,
}

/// Shown columns in order, then the others. The names are always first.
#[derive(Clone, Debug, Default)]
pub struct ColumnPicker {
    /// All columns of the page in order.
    pub rows: Vec<PickedColumn>,
    /// The row under the cursor.
    pub at: usize,
    /// Something has changed since the picker opened.
    pub changed: bool,
}

/// A column in the picker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickedColumn {
    /// The column and its chosen width.
    pub choice: ColumnChoice,
    /// Whether it is shown.
    pub shown: bool,
    /// Its automatic width.
    pub usual: u16,
}

/// Updated for each view.
#[derive(Clone, Debug, Default)]
pub struct Metrics {
    /// What they are of.
    pub of: String,
    /// `None` if independent of a view.
    pub at: Option<Time>,
    /// In the order of the screen.
    pub list: Vec<Metric>,
    /// The first visible line.
    pub top: usize,
}

/// A value and its explanation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metric {
    /// The column title or the label.
    pub title: String,
    /// The value; may be empty if `why` contains it.
    pub shown: String,
    /// How it was computed.
    pub why: String,
}

/// The command line.
#[derive(Clone, Debug, Default)]
pub struct CommandLine {
    /// The current text.
    pub line: LineEdit,
    /// Completions of the word at the cursor, best first.
    pub candidates: Vec<Candidate>,
    /// The candidate selected with the arrows.
    pub chosen: Option<usize>,
    /// A name, or nothing can be added.
    pub whole: bool,
    /// Completions from a very long list.
    pub names: Option<Names>,
}

/// A completion of a word in the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The whole line after completion.
    pub line: String,
    /// The word itself.
    pub word: String,
    /// What it is.
    pub doc: String,
    /// Its key on this page, if any.
    pub key: String,
    /// Why it is unavailable.
    pub off: Option<Off>,
}

/// Why a candidate is unavailable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Off {
    /// The command is off.
    Off(String),
    /// The operation would be rejected.
    Refused(String),
}

/// A confirmation with two answers. Doing nothing is preselected.
#[derive(Clone, Debug)]
pub struct Confirm {
    /// The question, one line that ends with `?`.
    pub title: String,
    /// What would happen, spelled out.
    pub lines: Vec<String>,
    /// The verb of the button.
    pub accept: &'static str,
    /// The button is selected.
    pub accepting: bool,
    /// The text to type for confirmation, if required.
    pub typed: Option<Typed>,
    /// What is asked about.
    pub what: Question,
    /// `None` if no reason is recorded.
    pub reason: Option<String>,
    /// On the console's clock. A question that opens by itself waits: keys may belong to the previous layer.
    pub from: Duration,
}

impl Confirm {
    /// The delay of a question that opened by itself.
    pub const MOMENT: Duration = Duration::from_millis(300);

    /// Asks for a reason if it is about an operation.
    pub fn new(title: String, lines: Vec<String>, accept: &'static str, what: Question) -> Self {
        let reason = match &what {
            Question::Order(order) => Some(order.reason.clone()),
            Question::Orders(orders) => Some(orders.first().map(|order| order.reason.clone()).unwrap_or_default()),
            Question::Apply | Question::Suspend(_) => Some(String::new()),
            Question::Quit | Question::Context(_) | Question::Jobs(_) | Question::Own(_) | Question::LeaveWhatIf(_) => {
                None
            }
        };
        Self { title, lines, accept, accepting: false, typed: None, what, reason, from: Duration::ZERO }
    }

    /// Requires typing a name, if any.
    #[must_use]
    pub fn typing(self, want: Option<String>) -> Self {
        Self { typed: want.map(|want| Typed { want, line: LineEdit::default() }), ..self }
    }
}

/// A name to type as confirmation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Typed {
    /// The expected text.
    pub want: String,
    /// The typed text.
    pub line: LineEdit,
}

/// The subject of a question.
#[derive(Clone, Debug)]
pub enum Question {
    /// Exit the console and its scheduler.
    Quit,
    /// Apply the edited configuration.
    Apply,
    /// Open another scheduler, by its context.
    Context(String),
    /// Send an operation.
    Order(Box<Order>),
    /// Send several operations.
    Orders(Vec<Order>),
    /// Suspend or resume owners of pods.
    Suspend(Box<SuspendOrder>),
    /// Something that is done to jobs when the answer is yes.
    Jobs(Vec<JobOrder>),
    /// Run a user's own command.
    Own(Box<OwnRun>),
    /// `true` applies its changes to the cluster.
    LeaveWhatIf(bool),
}
