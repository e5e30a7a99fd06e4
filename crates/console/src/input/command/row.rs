//! A row of the registry of commands.

use crate::state::command::{CommandId, Context};

/// The argument of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Nothing may follow its name.
    None,
    /// An optional argument.
    Optional(Kind),
    /// A required argument.
    Required(Kind),
}

/// The kind of an argument; determines its completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is what its name says")]
pub enum Kind {
    Queue,
    Leaf,
    App,
    Node,
    User,
    Group,
    Column,
    Theme,
    Partition,
    Context,
    Text,
    File,
    Ago,
    Number,
    Columns,
    View,
    Anything,
    Interval,
    Own,
}

impl Kind {
    /// The placeholder in usage lines.
    pub const fn placeholder(self) -> &'static str {
        match self {
            Self::Queue | Self::Leaf => "QUEUE",
            Self::App => "APPLICATION",
            Self::Node => "NODE",
            Self::User => "USER",
            Self::Group => "GROUP",
            Self::Column => "COLUMN",
            Self::Theme => "THEME",
            Self::Partition => "PARTITION",
            Self::Context => "CONTEXT",
            Self::Text => "TEXT",
            Self::File => "FILE",
            Self::Ago => "AGO",
            Self::Number => "REVISION",
            Self::Columns => "NAME …",
            Self::View => "VIEW",
            Self::Anything => "NAME",
            Self::Interval => "INTERVAL",
            Self::Own => "COMMAND",
        }
    }
}

/// A command with its keys, hints, and help.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// The id for guards and updates.
    pub id: CommandId,
    /// The name in the command line; may be empty.
    pub name: &'static str,
    /// Other names in the command line.
    pub aliases: &'static [&'static str],
    /// The description in one line.
    pub doc: &'static str,
    /// At most 25 columns; empty if `doc` is short enough.
    pub short: &'static str,
    /// The keys by context.
    pub keys: &'static [(Context, &'static str)],
    /// The words in the last line by context.
    pub hints: &'static [(Context, &'static str)],
    /// What it takes.
    pub argument: Argument,
}

pub(super) const fn row(id: CommandId, name: &'static str, doc: &'static str) -> Command {
    Command { id, name, aliases: &[], doc, short: "", keys: &[], hints: &[], argument: Argument::None }
}

impl Command {
    pub(super) const fn short(self, short: &'static str) -> Self {
        Self { short, ..self }
    }

    /// The short description.
    pub const fn in_short(&self) -> &'static str {
        if self.short.is_empty() { self.doc } else { self.short }
    }

    pub(super) const fn keys(self, keys: &'static [(Context, &'static str)]) -> Self {
        Self { keys, ..self }
    }

    pub(super) const fn hints(self, hints: &'static [(Context, &'static str)]) -> Self {
        Self { hints, ..self }
    }

    pub(super) const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    pub(super) const fn with_argument(self, argument: Argument) -> Self {
        Self { argument, ..self }
    }

    /// The name with its argument: `apps [QUEUE]`.
    pub fn usage(&self) -> String {
        match self.argument {
            Argument::None => self.name.to_owned(),
            Argument::Optional(kind) => format!("{} [{}]", self.name, kind.placeholder()),
            Argument::Required(kind) => format!("{} {}", self.name, kind.placeholder()),
        }
    }

    /// The name in the settings, for example `page-down`.
    pub fn binding_name(&self) -> String {
        if !self.name.is_empty() {
            return self.name.to_owned();
        }
        let mut name = String::new();
        for c in format!("{:?}", self.id).chars() {
            if c.is_uppercase() && !name.is_empty() {
                name.push('-');
            }
            name.extend(c.to_lowercase());
        }
        name
    }
}
