//! Sheets: an explanation as a sentence and lines, each with a link to its object.

use super::Refusal;
use model::{AppId, AskId, NodeId, QueuePath, Time};

/// Receives a sheet or a rejection, once, from any thread.
pub type SheetAnswer = Box<dyn FnOnce(Result<Sheet, Refusal>) + Send>;

/// An explanation in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    /// The time of the explanation.
    pub at: Time,
    /// What it is about.
    pub title: String,
    /// The answer in one sentence.
    pub sentence: String,
    /// Whether a request waits.
    pub waits: bool,
    /// The first cause without values; empty if there are none or several.
    pub cause: String,
    /// The lines after the summary.
    pub lines: Vec<SheetLine>,
}

/// Labels that a line needs to be understood on its own.
const HEADED: [&str; 5] = ["allocated", "unknown", "note", "submission", "copy"];

/// A line of a sheet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SheetLine {
    /// The kind of line, in one or two words; empty for a continuation.
    pub label: String,
    /// The indentation; 0 for a top-level line.
    pub depth: u8,
    /// What it says.
    pub text: String,
    /// The start of the condition, if known.
    pub since: Option<Time>,
    /// The linked object.
    pub to: Option<Target>,
}

impl SheetLine {
    /// Returns a top-level line.
    pub fn new(label: impl Into<String>, text: impl Into<String>) -> Self {
        Self { label: label.into(), text: text.into(), ..Self::default() }
    }

    /// Sets the indentation.
    #[must_use]
    pub fn below(self, depth: u8) -> Self {
        Self { depth, ..self }
    }

    /// Sets the linked object.
    #[must_use]
    pub fn to(self, to: Option<Target>) -> Self {
        Self { to, ..self }
    }

    /// Sets the start of the condition.
    #[must_use]
    pub fn since(self, since: Option<Time>) -> Self {
        Self { since, ..self }
    }
}

/// The link of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An application, or one of its requests.
    App(AppId, Option<AskId>),
    /// The explanation of an application.
    Why(AppId),
    /// A queue, by its path.
    Queue(QueuePath),
    /// A node, by its id.
    Node(NodeId),
    /// A user, by name.
    User(String),
    /// A group, by name.
    Group(String),
    /// A line of the configuration.
    Line(u32),
}

impl Sheet {
    /// `age` formats a time.
    pub fn text(&self, age: impl Fn(Time) -> String) -> Vec<String> {
        let mut lines = vec![self.sentence.clone()];
        for line in &self.lines {
            if line.depth == 0 {
                lines.push(String::new());
            }
            let since = line.since.map(|since| format!("  ({})", age(since))).unwrap_or_default();
            let indent = "  ".repeat(usize::from(line.depth));
            lines.push(if HEADED.contains(&line.label.as_str()) && line.depth == 0 {
                format!("{}: {}{since}", line.label, line.text)
            } else if line.label.is_empty() || line.depth == 0 {
                format!("{indent}{}{since}", line.text)
            } else {
                format!("{indent}{:<11} {}{since}", line.label, line.text)
            });
        }
        lines
    }
}
