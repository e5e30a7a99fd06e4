//! The registry: every command of the console is one row here. The keymap, the hints in the last line, `?`, `:` with its
//! completion, and the key table of the README are all made from it.
//!
//! Invariants:
//! - a key means one command in a context (a test holds it), and contexts are tried from the nearest to the widest;
//! - a command that is off says why: [`Command::guard`].

use super::model::Model;
use super::model::page::{Fold, Page};
use super::update::{config, events, placement};
use super::{subject, update};

/// Where a key means something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "Context::title says what each is")]
pub enum Context {
    Queues,
    Apps,
    App,
    Nodes,
    Node,
    Users,
    Account,
    Details,
    Placement,
    Config,
    Events,
    Edit,
    Form,
    List,
    Page,
    Help,
    Messages,
    Filter,
    Command,
    Confirm,
    Always,
}

impl Context {
    /// The heading over its keys in the help and the README.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Queues => "Queues",
            Self::Apps => "Applications",
            Self::App => "Application",
            Self::Nodes => "Nodes",
            Self::Node => "Node",
            Self::Users => "Users and groups",
            Self::Account => "User or group",
            Self::Details => "Details",
            Self::Placement => "Placement",
            Self::Config => "Configuration",
            Self::Events => "Events",
            Self::Edit => "While editing",
            Self::Form => "While writing a form",
            Self::List => "In every list",
            Self::Page => "On every page",
            Self::Help => "In this help",
            Self::Messages => "In the messages",
            Self::Filter => "While writing a filter",
            Self::Command => "In the command line",
            Self::Confirm => "When asked",
            Self::Always => "Always",
        }
    }

    /// Its name in a person's settings.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Queues => "queues",
            Self::Apps => "apps",
            Self::App => "app",
            Self::Nodes => "nodes",
            Self::Node => "node",
            Self::Users => "users",
            Self::Account => "account",
            Self::Details => "details",
            Self::Placement => "placement",
            Self::Config => "config",
            Self::Events => "events",
            Self::Edit => "edit",
            Self::Form => "form",
            Self::List => "list",
            Self::Page => "page",
            Self::Help => "help",
            Self::Messages => "messages",
            Self::Filter => "filter",
            Self::Command => "command",
            Self::Confirm => "confirm",
            Self::Always => "always",
        }
    }

    /// Whether characters are written in it, so that they cannot mean a command.
    pub const fn writes(self) -> bool {
        matches!(self, Self::Edit | Self::Form | Self::Filter | Self::Command)
    }

    /// All contexts, in the order of the help.
    pub const ALL: [Self; 21] = [
        Self::Queues,
        Self::Apps,
        Self::App,
        Self::Nodes,
        Self::Node,
        Self::Users,
        Self::Account,
        Self::Details,
        Self::Placement,
        Self::Config,
        Self::Events,
        Self::List,
        Self::Page,
        Self::Edit,
        Self::Form,
        Self::Filter,
        Self::Command,
        Self::Confirm,
        Self::Help,
        Self::Messages,
        Self::Always,
    ];
}

/// What a command takes after its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Argument {
    /// Nothing.
    None,
    /// Something, or nothing.
    Optional(Kind),
    /// Something.
    Required(Kind),
}

/// What kind of thing an argument is; decides its completion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is what its name says")]
pub enum Kind {
    Queue,
    App,
    Node,
    User,
    Group,
    Column,
    Theme,
    Partition,
    Text,
    File,
}

impl Kind {
    /// The placeholder for it in usage lines.
    pub const fn placeholder(self) -> &'static str {
        match self {
            Self::Queue => "QUEUE",
            Self::App => "APPLICATION",
            Self::Node => "NODE",
            Self::User => "USER",
            Self::Group => "GROUP",
            Self::Column => "COLUMN",
            Self::Theme => "THEME",
            Self::Partition => "PARTITION",
            Self::Text => "TEXT",
            Self::File => "FILE",
        }
    }
}

/// Which command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the registry says what each does")]
pub enum CommandId {
    Open,
    Fold,
    FoldClose,
    FoldOpen,
    FoldAll,
    OpenAll,
    Details,
    Ended,
    Up,
    Down,
    PageUp,
    PageDown,
    Top,
    Bottom,
    Filter,
    SortNext,
    SortPrevious,
    SortReverse,
    Sort,
    Queues,
    Apps,
    Nodes,
    Users,
    GoUser,
    GoGroup,
    Placement,
    Why,
    Try,
    Write,
    NextField,
    PreviousField,
    EndWriting,
    ClearForm,
    Config,
    Events,
    EventsOf,
    Follow,
    History,
    Health,
    Draining,
    EditText,
    EndEdit,
    CompleteText,
    ChooseText,
    UnchooseText,
    Apply,
    Undo,
    Redo,
    NextFound,
    PreviousFound,
    NextFault,
    PreviousFault,
    FoldText,
    FoldTextAll,
    UnfoldTextAll,
    Beside,
    EditOutside,
    Revert,
    Restore,
    Merge,
    Rebase,
    NextPage,
    PreviousPage,
    GoApp,
    GoNode,
    Partition,
    Freeze,
    Marks,
    Mouse,
    Theme,
    Messages,
    CommandLine,
    Help,
    Back,
    Leave,
    Quit,
    QuitNow,
    QuitAgain,
    Suspend,
    Repaint,
    Accept,
    Cancel,
    Complete,
    Choose,
    Unchoose,
    Older,
    Newer,
    OtherAnswer,
    Yes,
}

/// One command.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// Which.
    pub id: CommandId,
    /// Its name in the command line; empty when it has none there.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// What it does, in one line.
    pub doc: &'static str,
    /// Its keys, where they mean it.
    pub keys: &'static [(Context, &'static str)],
    /// The word in the last line, where it is worth one.
    pub hints: &'static [(Context, &'static str)],
    /// What it takes.
    pub argument: Argument,
    /// Why it is off right now, if it is.
    pub guard: fn(&Model) -> Result<(), String>,
}

const fn row(id: CommandId, name: &'static str, doc: &'static str) -> Command {
    Command { id, name, aliases: &[], doc, keys: &[], hints: &[], argument: Argument::None, guard: |_| Ok(()) }
}

impl Command {
    const fn keys(self, keys: &'static [(Context, &'static str)]) -> Self {
        Self { keys, ..self }
    }

    const fn hints(self, hints: &'static [(Context, &'static str)]) -> Self {
        Self { hints, ..self }
    }

    const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    const fn takes(self, argument: Argument) -> Self {
        Self { argument, ..self }
    }

    const fn guard(self, guard: fn(&Model) -> Result<(), String>) -> Self {
        Self { guard, ..self }
    }

    /// The name with what it takes: `apps [QUEUE]`.
    pub fn usage(&self) -> String {
        match self.argument {
            Argument::None => self.name.to_owned(),
            Argument::Optional(kind) => format!("{} [{}]", self.name, kind.placeholder()),
            Argument::Required(kind) => format!("{} {}", self.name, kind.placeholder()),
        }
    }

    /// Its name in a person's settings: that of the command line, or what it is called here, as `page-down`.
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

use Context as In;

/// All commands, in the order of the help.
pub static COMMANDS: &[Command] = &[
    row(CommandId::Open, "open", "Open what is under the cursor")
        .keys(&[
            (In::Queues, "enter"),
            (In::Apps, "enter"),
            (In::App, "enter"),
            (In::Nodes, "enter"),
            (In::Node, "enter"),
            (In::Users, "enter"),
            (In::Account, "enter"),
            (In::Events, "enter"),
        ])
        .hints(&[
            (In::Queues, "apps"),
            (In::Apps, "asks"),
            (In::App, "node"),
            (In::Nodes, "what runs"),
            (In::Node, "application"),
            (In::Users, "queue by queue"),
            (In::Account, "applications"),
            (In::Events, "what it is about"),
        ])
        .guard(can_open),
    row(CommandId::Details, "details", "Everything about the row under the cursor, and where each value comes from")
        .keys(&[(In::List, "i")])
        .hints(&[(In::List, "details")])
        .guard(has_row),
    row(CommandId::Fold, "fold", "Fold or unfold the queues below")
        .keys(&[(In::Queues, "space")])
        .hints(&[(In::Queues, "fold")])
        .guard(can_fold),
    row(CommandId::FoldClose, "", "Fold; on a folded queue or a leaf: go to the parent")
        .keys(&[(In::Queues, "left"), (In::Queues, "h")]),
    row(CommandId::FoldOpen, "", "Unfold; on an unfolded queue: go to its first child")
        .keys(&[(In::Queues, "right"), (In::Queues, "l")]),
    row(CommandId::FoldAll, "fold-all", "Fold everything below the top").keys(&[(In::Queues, "-")]).guard(no_filter),
    row(CommandId::OpenAll, "unfold-all", "Unfold everything")
        .keys(&[(In::Queues, "+"), (In::Queues, "=")])
        .guard(no_filter),
    row(CommandId::Ended, "ended", "Show or hide applications that ended")
        .keys(&[(In::Apps, "e")])
        .hints(&[(In::Apps, "ended")])
        .guard(on_apps),
    row(CommandId::Up, "", "One row up").keys(&[
        (In::List, "up"),
        (In::List, "k"),
        (In::Details, "up"),
        (In::Placement, "up"),
        (In::Config, "up"),
        (In::Details, "k"),
        (In::Placement, "k"),
        (In::Config, "k"),
        (In::Help, "up"),
        (In::Help, "k"),
        (In::Messages, "up"),
        (In::Messages, "k"),
    ]),
    row(CommandId::Down, "", "One row down").keys(&[
        (In::List, "down"),
        (In::List, "j"),
        (In::Details, "down"),
        (In::Placement, "down"),
        (In::Config, "down"),
        (In::Details, "j"),
        (In::Placement, "j"),
        (In::Config, "j"),
        (In::Help, "down"),
        (In::Help, "j"),
        (In::Messages, "down"),
        (In::Messages, "j"),
    ]),
    row(CommandId::PageUp, "", "One page up").keys(&[
        (In::List, "pgup"),
        (In::List, "ctrl-u"),
        (In::Details, "pgup"),
        (In::Placement, "pgup"),
        (In::Config, "pgup"),
        (In::Edit, "pgup"),
        (In::Config, "ctrl-u"),
        (In::Help, "pgup"),
        (In::Messages, "pgup"),
    ]),
    row(CommandId::PageDown, "", "One page down").keys(&[
        (In::List, "pgdn"),
        (In::List, "ctrl-d"),
        (In::Details, "pgdn"),
        (In::Placement, "pgdn"),
        (In::Config, "pgdn"),
        (In::Edit, "pgdn"),
        (In::Config, "ctrl-d"),
        (In::Help, "pgdn"),
        (In::Messages, "pgdn"),
    ]),
    row(CommandId::Top, "", "To the first row").keys(&[
        (In::List, "home"),
        (In::List, "g"),
        (In::Details, "home"),
        (In::Placement, "home"),
        (In::Config, "home"),
        (In::Details, "g"),
        (In::Placement, "g"),
        (In::Config, "g"),
        (In::Help, "home"),
        (In::Help, "g"),
        (In::Messages, "home"),
        (In::Messages, "g"),
    ]),
    row(CommandId::Bottom, "", "To the last row").keys(&[
        (In::List, "end"),
        (In::List, "G"),
        (In::Details, "end"),
        (In::Placement, "end"),
        (In::Config, "end"),
        (In::Details, "G"),
        (In::Placement, "G"),
        (In::Config, "G"),
        (In::Help, "end"),
        (In::Help, "G"),
        (In::Messages, "end"),
        (In::Messages, "G"),
    ]),
    row(CommandId::Filter, "filter", "Filter while typing: letters in order, =name exactly, !text all others")
        .keys(&[(In::List, "/"), (In::Help, "/"), (In::Config, "/")])
        .hints(&[(In::List, "filter"), (In::Help, "filter"), (In::Config, "find")])
        .takes(Argument::Optional(Kind::Text)),
    row(CommandId::SortNext, "", "Sort by the next column").keys(&[(In::List, "s")]).hints(&[(In::List, "sort")]),
    row(CommandId::SortPrevious, "", "Sort by the column before").keys(&[(In::List, "S")]),
    row(CommandId::SortReverse, "reverse", "Sort the other way round").keys(&[(In::List, "r")]).guard(on_list),
    row(CommandId::Sort, "sort", "Sort by a column; again to turn it round")
        .takes(Argument::Required(Kind::Column))
        .guard(on_list),
    row(CommandId::Queues, "queues", "The queue tree; with a queue: the cursor on it")
        .aliases(&["home", "queue"])
        .keys(&[(In::Page, "1")])
        .takes(Argument::Optional(Kind::Queue)),
    row(CommandId::Apps, "apps", "All applications, or those in and below a queue")
        .aliases(&["applications"])
        .keys(&[(In::Page, "2")])
        .takes(Argument::Optional(Kind::Queue)),
    row(CommandId::Nodes, "nodes", "The nodes").keys(&[(In::Page, "3")]),
    row(CommandId::Users, "users", "Users and groups: what they use, and their limits")
        .aliases(&["groups"])
        .keys(&[(In::Page, "4")]),
    row(CommandId::GoUser, "user", "Go to a user: usage against limits, queue by queue")
        .takes(Argument::Required(Kind::User)),
    row(CommandId::GoGroup, "group", "Go to a group: usage against limits, queue by queue")
        .takes(Argument::Required(Kind::Group)),
    row(
        CommandId::Placement,
        "placement",
        "Where a submission would go, rule by rule; with a file: under that configuration",
    )
    .aliases(&["place"])
    .keys(&[(In::Page, "5")])
    .takes(Argument::Optional(Kind::File)),
    row(CommandId::Why, "why", "Why an application is in this queue; of a queue: who may submit and who administers")
        .keys(&[(In::Queues, "w"), (In::Apps, "w"), (In::App, "w")])
        .hints(&[(In::Apps, "why here"), (In::App, "why here")])
        .guard(can_tell_why),
    row(CommandId::Try, "try", "Place the application under the cursor anew, without submitting it")
        .keys(&[(In::Details, "t")])
        .hints(&[(In::Details, "try again")])
        .guard(placement::can_try),
    row(CommandId::Write, "", "Write in the form; what it comes to is shown while writing")
        .keys(&[(In::Placement, "enter"), (In::Placement, "e")])
        .hints(&[(In::Placement, "write")]),
    row(CommandId::NextField, "", "The next field of the form")
        .keys(&[(In::Form, "tab"), (In::Form, "down"), (In::Placement, "right"), (In::Placement, "l")])
        .hints(&[(In::Form, "next field"), (In::Placement, "field")]),
    row(CommandId::PreviousField, "", "The field before").keys(&[
        (In::Form, "shift-tab"),
        (In::Form, "up"),
        (In::Placement, "left"),
        (In::Placement, "h"),
    ]),
    row(CommandId::EndWriting, "", "Leave the form as it is written")
        .keys(&[(In::Form, "enter"), (In::Form, "esc")])
        .hints(&[(In::Form, "done")]),
    row(CommandId::ClearForm, "", "Empty the form; once more: the user of this console")
        .keys(&[(In::Placement, "x")])
        .hints(&[(In::Placement, "clear")]),
    row(CommandId::Config, "config", "The configuration: its text, and what an edit of it would mean")
        .aliases(&["configuration", "edit"])
        .keys(&[(In::Page, "6")]),
    row(CommandId::Events, "events", "What happened, the newest first; with a name: of that object")
        .keys(&[(In::Page, "7")])
        .takes(Argument::Optional(Kind::Text)),
    row(CommandId::EventsOf, "events-of", "The events of what is under the cursor")
        .keys(&[(In::List, "v")])
        .guard(events::can_show_of),
    row(CommandId::Follow, "", "Stay with the newest event, or stop doing so")
        .keys(&[(In::Events, "f")])
        .hints(&[(In::Events, "follow")]),
    row(CommandId::History, "history", "What the cluster or a queue looked like, minute by minute")
        .keys(&[(In::Page, "8")])
        .takes(Argument::Optional(Kind::Queue)),
    row(CommandId::Health, "health", "Whether the cluster's numbers agree, check by check").keys(&[(In::Page, "9")]),
    row(CommandId::Draining, "draining", "The applications that hold queues which drain, and since when these do")
        .aliases(&["drains"])
        .keys(&[(In::Page, "0")]),
    row(CommandId::EditText, "", "Edit the text")
        .keys(&[(In::Config, "enter"), (In::Config, "e")])
        .hints(&[(In::Config, "edit")])
        .guard(config::can_edit),
    row(CommandId::EndEdit, "", "Leave the text as it is edited; nothing is applied")
        .keys(&[(In::Edit, "esc")])
        .hints(&[(In::Edit, "done")]),
    row(CommandId::CompleteText, "", "Take the completion; without one: a step to the right")
        .keys(&[(In::Edit, "tab")])
        .hints(&[(In::Edit, "complete")]),
    row(CommandId::ChooseText, "", "The next completion").keys(&[(In::Edit, "ctrl-n")]),
    row(CommandId::UnchooseText, "", "The completion before").keys(&[(In::Edit, "ctrl-p")]),
    row(CommandId::Apply, "apply", "Bring the edited configuration into force, after a question")
        .keys(&[(In::Config, "a"), (In::Edit, "F5")])
        .hints(&[(In::Config, "apply"), (In::Edit, "apply")])
        .guard(config::can_apply),
    row(CommandId::Undo, "undo", "Take the last change of the text back")
        .keys(&[(In::Config, "u"), (In::Edit, "ctrl-u")])
        .hints(&[(In::Edit, "undo")])
        .guard(config::on_page),
    row(CommandId::Redo, "redo", "Make a change again that was taken back")
        .keys(&[(In::Config, "U"), (In::Config, "ctrl-r"), (In::Edit, "ctrl-r")])
        .guard(config::on_page),
    row(CommandId::NextFound, "", "The next fault; while something is searched for: its next place")
        .keys(&[(In::Config, "n")])
        .hints(&[(In::Config, "fault")])
        .guard(config::has_faults),
    row(CommandId::PreviousFound, "", "The fault before, or the place before").keys(&[(In::Config, "N")]),
    row(CommandId::NextFault, "", "The next fault")
        .keys(&[(In::Edit, "F8")])
        .hints(&[(In::Edit, "fault")])
        .guard(config::has_faults),
    row(CommandId::PreviousFault, "", "The fault before").keys(&[(In::Edit, "F7")]),
    row(CommandId::FoldText, "", "Fold or unfold the queue under the cursor")
        .keys(&[(In::Config, "space")])
        .hints(&[(In::Config, "fold")]),
    row(CommandId::FoldTextAll, "", "Fold every queue").keys(&[(In::Config, "-")]),
    row(CommandId::UnfoldTextAll, "", "Unfold every queue").keys(&[(In::Config, "+"), (In::Config, "=")]),
    row(
        CommandId::Beside,
        "diff",
        "What the edit means, or the lines that differ; on a narrow screen in place of the text",
    )
    .keys(&[(In::Config, "d"), (In::Edit, "F6")])
    .hints(&[(In::Config, "diff")])
    .guard(config::on_page),
    row(CommandId::EditOutside, "editor", "Edit the text in $VISUAL or $EDITOR")
        .keys(&[(In::Config, "E"), (In::Edit, "F4")])
        .hints(&[(In::Config, "$EDITOR")])
        .guard(config::can_edit),
    row(CommandId::Revert, "revert", "Go back to the text in force; undo brings the edit back")
        .keys(&[(In::Config, "R")])
        .guard(config::can_revert),
    row(CommandId::Restore, "restore", "Put the configuration that was in force before into the editor")
        .keys(&[(In::Config, "b")])
        .guard(config::can_restore),
    row(CommandId::Merge, "merge", "Take over what was changed underneath, line by line, beside your edit")
        .guard(config::can_merge),
    row(CommandId::Rebase, "rebase", "Keep your text in place of what was changed underneath").guard(config::can_merge),
    row(CommandId::NextPage, "", "Next of queues, applications, nodes, users, placement, configuration, events")
        .keys(&[(In::Page, "tab")])
        .hints(&[(In::Page, "next page")]),
    row(
        CommandId::PreviousPage,
        "",
        "Previous of queues, applications, nodes, users, placement, configuration, events",
    )
    .keys(&[(In::Page, "shift-tab")]),
    row(CommandId::GoApp, "app", "Go to an application").aliases(&["application"]).takes(Argument::Required(Kind::App)),
    row(CommandId::GoNode, "node", "Go to a node").takes(Argument::Required(Kind::Node)),
    row(CommandId::Partition, "partition", "Look at another partition")
        .takes(Argument::Required(Kind::Partition))
        .guard(several_partitions),
    row(CommandId::Freeze, "freeze", "Freeze the picture, or let it go on; the scheduler runs on")
        .aliases(&["pause"])
        .keys(&[(In::Page, "p")])
        .hints(&[(In::Page, "freeze")]),
    row(CommandId::Marks, "marks", "Mark cells that changed, or stop doing so"),
    row(CommandId::Mouse, "mouse", "Listen to the mouse, or leave it to the terminal, so that text can be selected"),
    row(CommandId::Theme, "theme", "Take another theme").takes(Argument::Required(Kind::Theme)),
    row(CommandId::Messages, "messages", "What was said, by the engine and in the last line").aliases(&["log"]),
    row(CommandId::CommandLine, "", "The command line, with completion")
        .keys(&[(In::Page, ":"), (In::Help, ":"), (In::Messages, ":")])
        .hints(&[(In::Page, "command")]),
    row(CommandId::Help, "help", "The keys of this page, and all others")
        .keys(&[(In::Page, "?"), (In::Page, "F1")])
        .hints(&[(In::Page, "help")]),
    row(CommandId::Back, "", "One step back: a notice, a filter, a page; never quits")
        .keys(&[(In::Page, "esc")])
        .hints(&[
            (In::Apps, "back"),
            (In::App, "back"),
            (In::Nodes, "back"),
            (In::Node, "back"),
            (In::Users, "back"),
            (In::Account, "back"),
            (In::Details, "back"),
            (In::Placement, "back"),
            (In::Config, "back"),
            (In::Events, "back"),
        ]),
    row(CommandId::Leave, "", "Back to the page before; on the first page: quit")
        .keys(&[
            (In::Page, "q"),
            (In::Help, "q"),
            (In::Help, "esc"),
            (In::Help, "?"),
            (In::Messages, "q"),
            (In::Messages, "esc"),
        ])
        .hints(&[(In::Queues, "quit"), (In::Help, "close"), (In::Messages, "close")]),
    row(CommandId::Quit, "quit", "Quit; asks when something would be lost").aliases(&["q", "exit"]),
    row(CommandId::QuitNow, "quit!", "Quit at once, without asking").aliases(&["q!"]),
    row(CommandId::QuitAgain, "", "Pressed twice: quit at once, without asking")
        .keys(&[(In::Page, "Q"), (In::Always, "ctrl-c")]),
    row(CommandId::Suspend, "suspend", "To the background; `fg` comes back").keys(&[(In::Always, "ctrl-z")]),
    row(CommandId::Repaint, "repaint", "Draw the whole screen anew").keys(&[(In::Always, "ctrl-l")]),
    row(CommandId::Accept, "", "Take it")
        .keys(&[(In::Filter, "enter"), (In::Command, "enter"), (In::Confirm, "enter")])
        .hints(&[(In::Filter, "keep"), (In::Command, "run"), (In::Confirm, "choose")]),
    row(CommandId::Cancel, "", "Leave; a filter is cleared, nothing is done")
        .keys(&[
            (In::Filter, "esc"),
            (In::Command, "esc"),
            (In::Confirm, "esc"),
            (In::Confirm, "n"),
            (In::Confirm, "q"),
        ])
        .hints(&[(In::Filter, "clear"), (In::Command, "leave"), (In::Confirm, "cancel")]),
    row(CommandId::Complete, "", "Take the completion")
        .keys(&[(In::Command, "tab")])
        .hints(&[(In::Command, "complete")]),
    row(CommandId::Choose, "", "The next completion").keys(&[(In::Command, "down"), (In::Command, "ctrl-n")]),
    row(CommandId::Unchoose, "", "The completion before").keys(&[(In::Command, "shift-tab"), (In::Command, "ctrl-p")]),
    row(CommandId::Older, "", "What was written before; among completions: the one before")
        .keys(&[(In::Command, "up"), (In::Filter, "up")])
        .hints(&[(In::Command, "history")]),
    row(CommandId::Newer, "", "Back to what was written after it").keys(&[(In::Filter, "down")]),
    row(CommandId::OtherAnswer, "", "The other answer")
        .keys(&[
            (In::Confirm, "left"),
            (In::Confirm, "right"),
            (In::Confirm, "tab"),
            (In::Confirm, "h"),
            (In::Confirm, "l"),
        ])
        .hints(&[(In::Confirm, "other answer")]),
    row(CommandId::Yes, "", "Do it").keys(&[(In::Confirm, "y")]),
];

/// The command of a name or one of its aliases.
pub fn by_name(name: &str) -> Option<&'static Command> {
    COMMANDS
        .iter()
        .find(|command| !command.name.is_empty() && (command.name == name || command.aliases.contains(&name)))
}

/// The command that a person's settings name.
pub fn by_binding_name(name: &str) -> Option<&'static Command> {
    by_name(name).or_else(|| COMMANDS.iter().find(|command| command.binding_name() == name))
}

/// The command of an id.
pub fn by_id(id: CommandId) -> &'static Command {
    COMMANDS.iter().find(|command| command.id == id).expect("every id has its row: a test walks over them")
}

fn has_row(model: &Model) -> Result<(), String> {
    match subject::of(model) {
        Some(_) => Ok(()),
        None => Err("there is no row under the cursor".to_owned()),
    }
}

fn can_tell_why(model: &Model) -> Result<(), String> {
    match model.page() {
        Page::Queues(_) | Page::Apps(_) | Page::App(_) => has_row(model),
        _ => Err("only on a queue or an application".to_owned()),
    }
}

fn can_open(model: &Model) -> Result<(), String> {
    if matches!(model.page(), Page::Events(_)) {
        return events::can_jump(model);
    }
    has_row(model)?;
    match model.page() {
        Page::App(page) if subject::node_of_ask(page).is_none() => Err("a pending ask has no node yet".to_owned()),
        _ => Ok(()),
    }
}

fn on_list(model: &Model) -> Result<(), String> {
    if matches!(model.page(), Page::Details(_) | Page::Placement(_) | Page::Config(_)) {
        Err("there is no list on this page".to_owned())
    } else {
        Ok(())
    }
}

fn on_apps(model: &Model) -> Result<(), String> {
    if matches!(model.page(), Page::Apps(_)) { Ok(()) } else { Err("only in a list of applications".to_owned()) }
}

fn no_filter(model: &Model) -> Result<(), String> {
    match model.page() {
        Page::Queues(page) if page.list.filter.is_empty() => Ok(()),
        Page::Queues(_) => Err("while a filter is on, everything that matches is unfolded".to_owned()),
        _ => Err("only in the queue tree".to_owned()),
    }
}

fn can_fold(model: &Model) -> Result<(), String> {
    no_filter(model)?;
    match update::queues::line_at_cursor(model) {
        Some(line) if line.fold == Fold::Leaf => Err("no queues below this one".to_owned()),
        _ => Ok(()),
    }
}

fn several_partitions(model: &Model) -> Result<(), String> {
    if model.cluster.view.partitions.len() > 1 { Ok(()) } else { Err("there is only one partition".to_owned()) }
}

/// The key table of the README, in Markdown: keys with where they hold, then the commands.
pub fn key_table() -> String {
    let mut text = "| key | where | name | what it does |\n|---|---|---|---|\n".to_owned();
    for command in COMMANDS {
        for (keys, places) in places(command) {
            text.push_str(&format!("| {keys} | {places} | `{}` | {} |\n", command.binding_name(), command.doc));
        }
    }
    text.push('\n');
    text.push_str("**Commands after `:`**\n\n| command | what it does |\n|---|---|\n");
    for command in COMMANDS.iter().filter(|command| !command.name.is_empty()) {
        text.push_str(&format!("| `{}` | {} |\n", command.usage(), command.doc));
    }
    text
}

/// The keys of a command in a context, as long as a person's settings do not say otherwise.
fn default_keys(command: &Command, context: Context) -> impl Iterator<Item = &'static str> {
    command.keys.iter().filter(move |(at, _)| *at == context).map(|(_, keys)| *keys)
}

/// The keys of a command, each time with the contexts in which they are those.
fn places(command: &Command) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for context in Context::ALL {
        let keys: Vec<String> = default_keys(command, context).map(|key| format!("`{key}`")).collect();
        let keys = keys.join(" ");
        if keys.is_empty() {
            continue;
        }
        match all.iter_mut().find(|(known, _)| *known == keys) {
            Some((_, places)) => {
                places.push_str(", ");
                places.push_str(&context.title().to_lowercase());
            }
            None => all.push((keys, context.title().to_owned())),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::keymap::{Chord, parse_chord};
    use super::*;

    #[test]
    fn a_key_means_one_command_in_a_context() {
        let mut seen: Vec<(Context, Chord)> = Vec::new();
        for command in COMMANDS {
            for (context, name) in command.keys {
                let chord = parse_chord(name).unwrap_or_else(|part| panic!("{part} in {name} is no key"));
                let clash = |(at, known): &(Context, Chord)| {
                    at == context && (known.starts_with(&chord) || chord.starts_with(known))
                };
                assert!(!seen.iter().any(clash), "{name} twice in {context:?}, or begins another chord");
                seen.push((*context, chord));
            }
        }
    }

    #[test]
    fn every_command_can_be_named_in_settings() {
        for command in COMMANDS {
            let name = command.binding_name();
            assert_eq!(by_binding_name(&name).map(|found| found.id), Some(command.id), "{name}");
        }
    }

    #[test]
    fn names_and_ids_are_unique() {
        let mut names = BTreeSet::new();
        for (index, command) in COMMANDS.iter().enumerate() {
            assert_eq!(COMMANDS.iter().position(|other| other.id == command.id), Some(index));
            for name in command.aliases.iter().chain([&command.name]).filter(|name| !name.is_empty()) {
                assert!(names.insert(*name), "{name} twice");
            }
        }
    }

    #[test]
    fn every_command_can_be_reached() {
        for command in COMMANDS {
            assert!(!command.name.is_empty() || !command.keys.is_empty(), "{:?}", command.id);
        }
    }

    #[test]
    fn the_key_table_has_every_key_and_command() {
        let table = key_table();
        for command in COMMANDS {
            assert!(table.contains(command.doc));
        }
        assert!(table.contains("| `apps [QUEUE]` |"));
    }
}
