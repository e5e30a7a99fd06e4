//! The layers over a page: the topmost one gets the keys first.

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
    /// The keys of the page below, and all others.
    Help(Help),
    /// What was reported lately.
    Messages {
        /// The first line on the screen, counted from the newest.
        top: usize,
    },
    /// A way through the console for newcomers.
    Tour {
        /// The first line on the screen.
        top: usize,
    },
    /// How the figures on the page below are computed.
    Figures(Figures),
    /// The columns of the list below, to be chosen.
    Columns(ColumnPicker),
    /// The command line.
    Command(CommandLine),
    /// The filter of the list below, or of the help, being written.
    Filter {
        /// What is written so far, with its cursor.
        line: LineEdit,
    },
    /// The form of the page below is being written.
    Form,
    /// The configuration below is being edited.
    Edit,
    /// A question to be answered first.
    Confirm(Confirm),
    /// The reason for what the question below asks about, being written.
    Reason {
        /// What is written so far, with its cursor.
        line: LineEdit,
    },
}

/// The help: how far it is scrolled, and by what it is filtered.
#[derive(Clone, Debug, Default)]
pub struct Help {
    /// The first line on the screen.
    pub top: usize,
    /// The filter; empty lets everything through.
    pub filter: String,
}

/// The columns of a list while they are chosen: those that are shown in their order, then the others. The first one has the names and
/// always stays.
#[derive(Clone, Debug, Default)]
pub struct ColumnPicker {
    /// Every column of the page in its order, shown or not.
    pub rows: Vec<PickedColumn>,
    /// The one under the cursor.
    pub at: usize,
    /// Something was changed since it was opened.
    pub changed: bool,
}

/// A column while columns are chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickedColumn {
    /// The column, and how wide it is to be.
    pub choice: ColumnChoice,
    /// Whether it is shown.
    pub shown: bool,
    /// How wide it is by itself.
    pub usual: u16,
}

/// How the figures on a page are computed: those of the page are computed again for each newer view.
#[derive(Clone, Debug, Default)]
pub struct Figures {
    /// What they are of.
    pub of: String,
    /// The time of the view that they are from; `None` for a list that no view changes.
    pub at: Option<Time>,
    /// One by one, in the order of the screen.
    pub list: Vec<Figure>,
    /// The first line on the screen.
    pub top: usize,
}

/// A figure, and how it came about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figure {
    /// The title of its column, or its label.
    pub title: String,
    /// The figure as it is shown; may be empty where the words have it.
    pub shown: String,
    /// How it came about.
    pub why: String,
}

/// The command line.
#[derive(Clone, Debug, Default)]
pub struct CommandLine {
    /// What is written so far, with its cursor.
    pub line: LineEdit,
    /// What the word at the cursor could become, best first.
    pub candidates: Vec<Candidate>,
    /// The candidate chosen with the arrows, if any.
    pub chosen: Option<usize>,
    /// What is written represents itself: it names something, or nothing could be added to it.
    pub whole: bool,
    /// Names out of very many that were found for what is written, or for its start.
    pub names: Option<Names>,
}

/// What a word of the command line could become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// The whole line with it.
    pub line: String,
    /// The word itself.
    pub word: String,
    /// What it is.
    pub doc: String,
    /// Its key, if it has one here.
    pub key: String,
    /// Why it cannot be used now.
    pub off: Option<Off>,
}

/// Why something that is offered cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Off {
    /// The command is off.
    Off(String),
    /// What it requests would be refused.
    Refused(String),
}

/// A question with two answers. It opens on the one that changes nothing.
#[derive(Clone, Debug)]
pub struct Confirm {
    /// What is asked, in one line that ends with `?`.
    pub title: String,
    /// What would happen, spelled out.
    pub lines: Vec<String>,
    /// The word for doing it.
    pub accept: &'static str,
    /// Whether that word is chosen at the time.
    pub accepting: bool,
    /// What is to be typed before it is done; `None` where choosing is enough.
    pub typed: Option<Typed>,
    /// What is asked about.
    pub what: Question,
    /// Why it is done, for the audit; empty for no reason, `None` where nothing is kept of it.
    pub reason: Option<String>,
    /// From when on it takes an answer, on the console's clock. Later than its opening where it came by itself: keys that were on
    /// their way to what was there before are no answers.
    pub from: Duration,
}

impl Confirm {
    /// How long a question that came by itself precedes it takes an answer.
    pub const MOMENT: Duration = Duration::from_millis(300);

    /// A question that two answers are enough for. It takes a reason where an order is given.
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

    /// The same, answered by typing a name where there is one.
    #[must_use]
    pub fn typing(self, want: Option<String>) -> Self {
        Self { typed: want.map(|want| Typed { want, line: LineEdit::default() }), ..self }
    }
}

/// A name that is typed to say that one means it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Typed {
    /// What is to be typed.
    pub want: String,
    /// What is typed.
    pub line: LineEdit,
}

/// What is asked about.
#[derive(Clone, Debug)]
pub enum Question {
    /// Leaving the console, and ending the scheduler in it.
    Quit,
    /// Bringing the edited configuration into force.
    Apply,
    /// Looking at another scheduler, by the name of its context.
    Context(String),
    /// An order, which is given when the answer is yes.
    Order(Box<Order>),
    /// Several orders, which are given when the answer is yes.
    Orders(Vec<Order>),
    /// Owners of pods that are suspended, or run again, when the answer is yes.
    Suspend(Box<SuspendOrder>),
    /// Something that is done to jobs when the answer is yes.
    Jobs(Vec<JobOrder>),
    /// A person's own command, run when the answer is yes.
    Own(Box<OwnRun>),
    /// Leaving a what-if. With `true` its changes are given to the cluster as orders.
    LeaveWhatIf(bool),
}
