//! An explanation as it is shown: one sentence, then lines, each with what it names, so that one can go there.

use super::Refusal;
use model::{AppId, AskId, NodeId, QueuePath, Time};

/// Where a sheet goes, or why there is none. Called once, from any thread.
pub type SheetAnswer = Box<dyn FnOnce(Result<Sheet, Refusal>) + Send>;

/// An explanation in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    /// The moment for which it holds.
    pub at: Time,
    /// What it is about.
    pub title: String,
    /// The answer in one sentence.
    pub sentence: String,
    /// Something of it waits.
    pub waits: bool,
    /// What is waited for first, without figures; empty where nothing is, or many things are.
    pub cause: String,
    /// The lines below the summary, each with where it leads.
    pub lines: Vec<SheetLine>,
}

/// The labels without which a line that represents itself would not say what it is.
const HEADED: [&str; 5] = ["allocated", "unknown", "note", "submission", "copy"];

/// One line of a sheet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SheetLine {
    /// What kind of line it is, in one or two words; empty for one that continues the one before.
    pub label: String,
    /// How far it belongs below the one before: 0 represents itself.
    pub depth: u8,
    /// What it says.
    pub text: String,
    /// Since when it is so, where that is known.
    pub since: Option<Time>,
    /// What it names.
    pub to: Option<Target>,
}

impl SheetLine {
    /// A line that represents itself.
    pub fn new(label: impl Into<String>, text: impl Into<String>) -> Self {
        Self { label: label.into(), text: text.into(), ..Self::default() }
    }

    /// The same, below the line before.
    #[must_use]
    pub fn below(self, depth: u8) -> Self {
        Self { depth, ..self }
    }

    /// The same, with what it names.
    #[must_use]
    pub fn to(self, to: Option<Target>) -> Self {
        Self { to, ..self }
    }

    /// The same, with since when it is so.
    #[must_use]
    pub fn since(self, since: Option<Time>) -> Self {
        Self { since, ..self }
    }
}

/// Where one goes from a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// An application, or one of its asks.
    App(AppId, Option<AskId>),
    /// Why an application waits.
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
    /// The lines as text for a terminal without a console; ages are reported by `age`.
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
