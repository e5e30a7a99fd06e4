//! A person's own commands: programs that are run with what is under the cursor.

use crate::state::command::Context;

/// What represents something on the screen in the line of an own command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placeholder {
    /// The queue under the cursor, or of the application there.
    Queue,
    /// The application under the cursor.
    App,
    /// The node under the cursor, or of the ask there.
    Node,
    /// The user under the cursor, or of the application there.
    User,
    /// The context by which the scheduler was opened.
    Context,
}

impl Placeholder {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Queue, Self::App, Self::Node, Self::User, Self::Context];

    /// As it is written in a line.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Queue => "{queue}",
            Self::App => "{app}",
            Self::Node => "{node}",
            Self::User => "{user}",
            Self::Context => "{context}",
        }
    }

    /// The variable that has its value where a shell runs the line.
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

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnLine {
    /// A program and its arguments; a placeholder never becomes more than a part of one of them.
    Words(Vec<String>),
    /// A line for the shell, which gets the values as variables.
    Shell(String),
}

/// Where what it prints goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OwnOutput {
    /// Into the person's pager, which takes the terminal.
    #[default]
    Pager,
    /// Nowhere: the console says how it ended, with the last line.
    Background,
    /// The program takes the terminal itself.
    Terminal,
}

impl OwnOutput {
    /// All of them with their words in the settings.
    pub const NAMES: [(&'static str, Self); 3] =
        [("pager", Self::Pager), ("background", Self::Background), ("terminal", Self::Terminal)];
}

/// A person's own command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCommand {
    /// Its name after `:`.
    pub name: String,
    /// What it does, in one line.
    pub doc: String,
    /// Where its key holds; that of a page, or of every page.
    pub contexts: Vec<Context>,
    /// What is run.
    pub line: OwnLine,
    /// Whether it is asked about first.
    pub confirm: bool,
    /// Where what it prints goes.
    pub output: OwnOutput,
}

/// An own command with its values, ready to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnRun {
    /// The name of the command.
    pub name: String,
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Variables that it gets in addition those of this program.
    pub variables: Vec<(&'static str, String)>,
    /// Where what it prints goes.
    pub output: OwnOutput,
}
