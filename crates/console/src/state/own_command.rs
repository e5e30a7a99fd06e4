//! The user's own commands.

use crate::state::command::Context;

/// A variable in the line of an own command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// The queue under the cursor, or of that application.
    Queue,
    /// The application under the cursor.
    App,
    /// The node under the cursor, or of that request.
    Node,
    /// The user under the cursor, or of that application.
    User,
    /// The context of the scheduler.
    Context,
}

impl Placeholder {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Queue, Self::App, Self::Node, Self::User, Self::Context];

    /// The notation in a line.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Queue => "{queue}",
            Self::App => "{app}",
            Self::Node => "{node}",
            Self::User => "{user}",
            Self::Context => "{context}",
        }
    }

    /// The environment variable for a shell line.
    pub const fn variable(self) -> &'static str {
        match self {
            Self::Queue => "KORNSOLE_QUEUE",
            Self::App => "KORNSOLE_APP",
            Self::Node => "KORNSOLE_NODE",
            Self::User => "KORNSOLE_USER",
            Self::Context => "KORNSOLE_CONTEXT",
        }
    }
}

/// The program to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnLine {
    /// A placeholder never becomes several arguments.
    Words(Vec<String>),
    /// A shell line, with the values as environment variables.
    Shell(String),
}

/// The destination of the output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OwnOutput {
    /// The user's pager.
    #[default]
    Pager,
    /// The console reports exit status and last line.
    Background,
    /// The terminal: the program runs in it.
    Terminal,
}

impl OwnOutput {
    /// All destinations with their names in the settings.
    pub const NAMES: [(&'static str, Self); 3] =
        [("pager", Self::Pager), ("background", Self::Background), ("terminal", Self::Terminal)];
}

/// A user's own command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCommand {
    /// The name after `:`.
    pub name: String,
    /// One line of description.
    pub doc: String,
    /// A page or all pages.
    pub contexts: Vec<Context>,
    /// The program to run.
    pub line: OwnLine,
    /// Whether to ask for confirmation.
    pub confirm: bool,
    /// The destination of the output.
    pub output: OwnOutput,
}

/// An own command with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnRun {
    /// The name of the command.
    pub name: String,
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Additional environment variables.
    pub variables: Vec<(&'static str, String)>,
    /// The destination of the output.
    pub output: OwnOutput,
}
