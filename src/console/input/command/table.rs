//! The rows of the registry.

use super::row::{Argument, Command, Kind, row};
use crate::console::state::command::{CommandId, Context as In};

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
            (In::Audit, "enter"),
            (In::Revisions, "enter"),
            (In::Explain, "enter"),
            (In::Fairness, "enter"),
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
            (In::Audit, "what it is about"),
            (In::Revisions, "text"),
            (In::Explain, "go there"),
            (In::Fairness, "queue"),
        ]),
    row(CommandId::Details, "details", "Everything about the row under the cursor, and where each value comes from")
        .keys(&[(In::List, "i")])
        .hints(&[(In::List, "details")]),
    row(
        CommandId::Figures,
        "figures",
        "How each figure on the screen came about: of the row under the cursor, of the sheet, at the top",
    )
    .keys(&[(In::Page, "W")])
    .hints(&[(In::Page, "figures")]),
    row(CommandId::Fold, "fold", "Fold or unfold the queues below")
        .keys(&[(In::Queues, "space")])
        .hints(&[(In::Queues, "fold")]),
    row(CommandId::FoldClose, "", "Fold; on a folded queue or a leaf: go to the parent")
        .keys(&[(In::Queues, "left"), (In::Queues, "h")]),
    row(CommandId::FoldOpen, "", "Unfold; on an unfolded queue: go to its first child")
        .keys(&[(In::Queues, "right"), (In::Queues, "l")]),
    row(CommandId::FoldAll, "fold-all", "Fold everything below the top").keys(&[(In::Queues, "-")]),
    row(CommandId::OpenAll, "unfold-all", "Unfold everything")
        .keys(&[(In::Queues, "+"), (In::Queues, "=")]),
    row(CommandId::Ended, "ended", "Show or hide applications that ended")
        .keys(&[(In::Apps, "e")])
        .hints(&[(In::Apps, "ended")]),
    row(CommandId::Up, "", "One row up").keys(&[
        (In::List, "up"),
        (In::List, "k"),
        (In::Explain, "up"),
        (In::Explain, "k"),
        (In::Details, "up"),
        (In::Placement, "up"),
        (In::Config, "up"),
        (In::Change, "up"),
        (In::Details, "k"),
        (In::Placement, "k"),
        (In::Config, "k"),
        (In::Change, "k"),
        (In::Help, "up"),
        (In::Help, "k"),
        (In::Messages, "up"),
        (In::Messages, "k"),
        (In::Columns, "up"),
        (In::Columns, "k"),
    ]),
    row(CommandId::Down, "", "One row down").keys(&[
        (In::List, "down"),
        (In::List, "j"),
        (In::Explain, "down"),
        (In::Explain, "j"),
        (In::Details, "down"),
        (In::Placement, "down"),
        (In::Config, "down"),
        (In::Change, "down"),
        (In::Details, "j"),
        (In::Placement, "j"),
        (In::Config, "j"),
        (In::Change, "j"),
        (In::Help, "down"),
        (In::Help, "j"),
        (In::Messages, "down"),
        (In::Messages, "j"),
        (In::Columns, "down"),
        (In::Columns, "j"),
    ]),
    row(CommandId::PageUp, "", "One page up").keys(&[
        (In::List, "pgup"),
        (In::List, "ctrl-u"),
        (In::Explain, "pgup"),
        (In::Details, "pgup"),
        (In::Placement, "pgup"),
        (In::Config, "pgup"),
        (In::Change, "pgup"),
        (In::Edit, "pgup"),
        (In::Config, "ctrl-u"),
        (In::Help, "pgup"),
        (In::Messages, "pgup"),
    ]),
    row(CommandId::PageDown, "", "One page down").keys(&[
        (In::List, "pgdn"),
        (In::List, "ctrl-d"),
        (In::Explain, "pgdn"),
        (In::Details, "pgdn"),
        (In::Placement, "pgdn"),
        (In::Config, "pgdn"),
        (In::Change, "pgdn"),
        (In::Edit, "pgdn"),
        (In::Config, "ctrl-d"),
        (In::Help, "pgdn"),
        (In::Messages, "pgdn"),
    ]),
    row(CommandId::Top, "", "To the first row").keys(&[
        (In::List, "home"),
        (In::List, "g"),
        (In::Explain, "home"),
        (In::Explain, "g"),
        (In::Details, "home"),
        (In::Placement, "home"),
        (In::Config, "home"),
        (In::Change, "home"),
        (In::Details, "g"),
        (In::Placement, "g"),
        (In::Config, "g"),
        (In::Change, "g"),
        (In::Help, "home"),
        (In::Help, "g"),
        (In::Messages, "home"),
        (In::Messages, "g"),
        (In::Columns, "home"),
        (In::Columns, "g"),
    ]),
    row(CommandId::Bottom, "", "To the last row").keys(&[
        (In::List, "end"),
        (In::List, "G"),
        (In::Explain, "end"),
        (In::Explain, "G"),
        (In::Details, "end"),
        (In::Placement, "end"),
        (In::Config, "end"),
        (In::Change, "end"),
        (In::Details, "G"),
        (In::Placement, "G"),
        (In::Config, "G"),
        (In::Change, "G"),
        (In::Help, "end"),
        (In::Help, "G"),
        (In::Messages, "end"),
        (In::Messages, "G"),
        (In::Columns, "end"),
        (In::Columns, "G"),
    ]),
    row(CommandId::Filter, "filter", "Filter while typing: letters in order, =name exactly, !text all others")
        .keys(&[(In::List, "/"), (In::Help, "/"), (In::Config, "/")])
        .hints(&[(In::List, "filter"), (In::Help, "filter"), (In::Config, "find")])
        .takes(Argument::Optional(Kind::Text)),
    row(CommandId::SortNext, "", "Sort by the next column").keys(&[(In::List, "s")]).hints(&[(In::List, "sort")]),
    row(CommandId::SortPrevious, "", "Sort by the column before").keys(&[(In::List, "S")]),
    row(CommandId::SortReverse, "reverse", "Sort the other way round").keys(&[(In::List, "r")]),
    row(CommandId::Sort, "sort", "Sort by a column; again to turn it round")
        .takes(Argument::Required(Kind::Column)),
    row(
        CommandId::Columns,
        "columns",
        "Choose the columns of this list: names in their order, NAME:WIDTH, +NAME, -NAME, or `default`; alone: one by one",
    )
    .takes(Argument::Optional(Kind::Columns)),
    row(CommandId::ColumnToggle, "", "Show the column, or hide it")
        .keys(&[(In::Columns, "space")])
        .hints(&[(In::Columns, "show or hide")]),
    row(CommandId::ColumnEarlier, "", "The column one place earlier").keys(&[(In::Columns, "K")]),
    row(CommandId::ColumnLater, "", "The column one place later")
        .keys(&[(In::Columns, "J")])
        .hints(&[(In::Columns, "later, K earlier")]),
    row(CommandId::ColumnWider, "", "The column wider by one")
        .keys(&[(In::Columns, "right"), (In::Columns, "l"), (In::Columns, "+")])
        .hints(&[(In::Columns, "wider")]),
    row(CommandId::ColumnNarrower, "", "The column narrower by one")
        .keys(&[(In::Columns, "left"), (In::Columns, "h"), (In::Columns, "-")])
        .hints(&[(In::Columns, "narrower")]),
    row(CommandId::ColumnsDefault, "", "The columns that there is room for, as without a choice")
        .keys(&[(In::Columns, "d")])
        .hints(&[(In::Columns, "default")]),
    row(CommandId::Wide, "wide", "All columns in the whole width, or no longer").keys(&[(In::List, "ctrl-w")]),
    row(CommandId::ColumnsRight, "", "All columns, from the next one on").keys(&[(In::List, "gt")]),
    row(CommandId::ColumnsLeft, "", "All columns, from the one before on").keys(&[(In::List, "lt")]),
    row(
        CommandId::SavedView,
        "view",
        "Go to a saved view; `save NAME` keeps the filter, order and columns of this list, `delete NAME` forgets them",
    )
    .takes(Argument::Optional(Kind::View)),
    row(CommandId::GoPlace, "place-of", "To where the queue or the limit under the cursor is written in the configuration")
        .keys(&[(In::Queues, "o"), (In::Users, "o"), (In::Account, "o"), (In::Details, "o")]),
    row(CommandId::JumpBack, "jump-back", "To the place that one came from, as a browser goes back")
        .keys(&[(In::Page, "ctrl-o"), (In::Page, "alt-left")]),
    row(CommandId::JumpForward, "jump-forward", "To the place that one came back from; many terminals send tab for ctrl-i")
        .keys(&[(In::Page, "ctrl-i"), (In::Page, "alt-right")]),
    row(CommandId::Find, "find", "Go to a queue, application, node, user or group by its name; `//` begins it")
        .aliases(&["search"])
        .takes(Argument::Required(Kind::Anything)),
    row(CommandId::Refresh, "refresh", "How often the screen takes news: 5s, 500ms, 0 for at once")
        .takes(Argument::Optional(Kind::Interval)),
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
        .hints(&[(In::Apps, "why here"), (In::App, "why here")]),
    row(CommandId::Fairness, "fairness", "Who lacks of what is guaranteed, who has more than that, who does not use it")
        .keys(&[(In::Page, "F")]),
    row(CommandId::Try, "try", "Preview the placement of the application under the cursor, without submitting it")
        .keys(&[(In::Details, "t")])
        .hints(&[(In::Details, "try again")]),
    row(CommandId::Write, "", "Write in the form; the result is shown while you write")
        .keys(&[(In::Placement, "enter"), (In::Placement, "e"), (In::Change, "enter"), (In::Change, "e")])
        .hints(&[(In::Placement, "write"), (In::Change, "write")]),
    row(CommandId::NextField, "", "The next field of the form")
        .keys(&[
            (In::Form, "tab"),
            (In::Form, "down"),
            (In::Placement, "right"),
            (In::Placement, "l"),
            (In::Change, "right"),
            (In::Change, "l"),
        ])
        .hints(&[(In::Form, "next field"), (In::Placement, "field"), (In::Change, "field")]),
    row(CommandId::PreviousField, "", "The field before").keys(&[
        (In::Form, "shift-tab"),
        (In::Form, "up"),
        (In::Placement, "left"),
        (In::Placement, "h"),
        (In::Change, "left"),
        (In::Change, "h"),
    ]),
    row(CommandId::EndWriting, "", "Leave the form as it is written")
        .keys(&[(In::Form, "enter"), (In::Form, "esc")])
        .hints(&[(In::Form, "done")]),
    row(CommandId::TakeSuggestion, "", "Take the name that is shown behind the cursor")
        .keys(&[(In::Form, "right"), (In::Form, "ctrl-n")])
        .hints(&[(In::Form, "take")]),
    row(CommandId::ClearForm, "", "Put the form back; on the placement empty it, once more: the user of this console")
        .keys(&[(In::Placement, "x"), (In::Change, "x")])
        .hints(&[(In::Placement, "clear"), (In::Change, "as it was")]),
    row(CommandId::SetMax, "set-max", "Set the maximum of the queue, and how many applications may run in it")
        .keys(&[(In::Queues, "c m"), (In::Details, "c m")])
        .hints(&[(In::Queues, "change")]),
    row(CommandId::SetGuaranteed, "set-guaranteed", "Set what is guaranteed to the queue")
        .keys(&[(In::Queues, "c g"), (In::Details, "c g")]),
    row(CommandId::SetProperty, "set-property", "Set a property of the queue, or take it out")
        .keys(&[(In::Queues, "c p"), (In::Details, "c p")]),
    row(CommandId::SetLimit, "set-limit", "Limit users or groups in the queue, or change such a limit")
        .keys(&[(In::Queues, "c l"), (In::Details, "c l")]),
    row(CommandId::AddQueue, "add-queue", "Add a queue below this one")
        .keys(&[(In::Queues, "c a"), (In::Details, "c a")]),
    row(
        CommandId::RemoveQueue,
        "remove-queue",
        "Remove the queue with all below it; with applications in it, it drains",
    )
    .keys(&[(In::Queues, "c r"), (In::Details, "c r")]),
    row(CommandId::Config, "config", "The configuration: its text, and what an edit of it would mean")
        .aliases(&["configuration", "edit"])
        .keys(&[(In::Page, "6")]),
    row(CommandId::Events, "events", "What happened, the newest first: `important` or `all` of it; with a name: of that object")
        .keys(&[(In::Page, "7")])
        .takes(Argument::Optional(Kind::Text)),
    row(CommandId::EventsOf, "events-of", "The events of what is under the cursor")
        .keys(&[(In::List, "v")]),
    row(CommandId::Follow, "", "Stay with the newest event, or stop doing so")
        .keys(&[(In::Events, "f")])
        .hints(&[(In::Events, "follow")]),
    row(CommandId::EventsAll, "", "Show all events, or only those that matter")
        .keys(&[(In::Events, "m")])
        .hints(&[(In::Events, "all or important")]),
    row(CommandId::EventsKind, "", "Only events of this kind of thing: applications, nodes, queues; once more: all kinds")
        .keys(&[(In::Events, "a")])
        .hints(&[(In::Events, "this kind")]),
    row(CommandId::EventsWhat, "", "Only events in which this happened, as preempted; once more: all")
        .keys(&[(In::Events, "t")])
        .hints(&[(In::Events, "such as this")]),
    row(CommandId::History, "history", "What the cluster or a queue looked like, minute by minute")
        .keys(&[(In::Page, "8")])
        .takes(Argument::Optional(Kind::Queue)),
    row(CommandId::Health, "health", "Whether the cluster's numbers agree, check by check").keys(&[(In::Page, "9")]),
    row(CommandId::Draining, "draining", "The applications that hold queues which drain, and since when these do")
        .aliases(&["drains"])
        .keys(&[(In::Page, "0")]),
    row(CommandId::Audit, "audit", "Who did what, and what was refused; `user=`, `action=` or `object=` narrows it")
        .keys(&[(In::Page, "L")])
        .takes(Argument::Optional(Kind::Text)),
    row(CommandId::AuditUser, "", "Only what this user did; once more: all")
        .keys(&[(In::Audit, "u")])
        .hints(&[(In::Audit, "this user")]),
    row(CommandId::AuditAction, "", "Only this action; once more: all")
        .keys(&[(In::Audit, "a")])
        .hints(&[(In::Audit, "action")]),
    row(CommandId::AuditObject, "", "Only what was done to this; once more: all")
        .keys(&[(In::Audit, "o")])
        .hints(&[(In::Audit, "object")]),
    row(CommandId::Revisions, "revisions", "The configurations that were in force: look, compare, bring one back")
        .aliases(&["config-history"])
        .keys(&[(In::Page, "H")]),
    row(CommandId::MarkRevision, "", "Compare the others with this one; once more: each with the one before")
        .keys(&[(In::Revisions, "space")])
        .hints(&[(In::Revisions, "compare with")]),
    row(
        CommandId::RollBack,
        "rollback",
        "Bring a configuration back as a new revision; says what that means, and asks",
    )
    .keys(&[(In::Revisions, "b")])
    .hints(&[(In::Revisions, "bring back")])
    .takes(Argument::Optional(Kind::Number)),
    row(CommandId::GoBack, "past", "The cluster as it was: `:back 10m` ago, or at a moment, `:back 0:41`")
        .aliases(&["back"])
        .takes(Argument::Optional(Kind::Ago)),
    row(
        CommandId::StepBack,
        "",
        "The past: right before the last thing that mattered, as a kill, a drain, a lost node",
    )
    .keys(&[(In::Page, "[")]),
    row(CommandId::StepOn, "", "The past: right before the next thing that mattered; after the last, the present")
        .keys(&[(In::Page, "]")]),
    row(CommandId::Live, "live", "Return from the past to the present"),
    row(CommandId::WhatIf, "whatif", "What if: a copy of the cluster to try things in; nothing in it is real")
        .aliases(&["what-if"]),
    row(CommandId::Forward, "forward", "What if: move time on, by a minute or as `:forward 10m`")
        .keys(&[(In::Page, "}")])
        .takes(Argument::Optional(Kind::Ago)),
    row(CommandId::OtherSide, "other-side", "What if: the same moment without the changes, and with them; also `tab`"),
    row(CommandId::Changes, "changes", "What if: the changes so far, with their numbers"),
    row(CommandId::TakeBack, "take-back", "What if: take a change back by its number, the last one without a number")
        .takes(Argument::Optional(Kind::Number)),
    row(CommandId::CopyName, "copy", "Copy the name: a queue's path, an id")
        .keys(&[(In::List, "y n"), (In::Details, "y n")]),
    row(CommandId::CopyRow, "copy-row", "Copy the row as it is shown").keys(&[(In::List, "y r")]),
    row(CommandId::CopyYaml, "copy-yaml", "Copy as YAML: a queue as it is written, an application")
        .keys(&[(In::List, "y y"), (In::Details, "y y")]),
    row(CommandId::Export, "export", "Write what the page shows into a new file: .csv, .json, or text")
        .takes(Argument::Required(Kind::File)),
    row(CommandId::Info, "info", "Versions, files and the connection: what a report of a fault needs")
        .aliases(&["version"]),
    row(CommandId::Tour, "tour", "A short way through the console"),
    row(CommandId::EditText, "", "Edit the text")
        .keys(&[(In::Config, "enter"), (In::Config, "e")])
        .hints(&[(In::Config, "edit")]),
    row(CommandId::EndEdit, "", "Leave the text as it is edited; nothing is applied")
        .keys(&[(In::Edit, "esc")])
        .hints(&[(In::Edit, "done")]),
    row(CommandId::CompleteText, "", "Take the completion; without one: a step to the right")
        .keys(&[(In::Edit, "tab")])
        .hints(&[(In::Edit, "complete")]),
    row(CommandId::ChooseText, "", "The next completion").keys(&[(In::Edit, "ctrl-n")]),
    row(CommandId::UnchooseText, "", "The completion before").keys(&[(In::Edit, "ctrl-p")]),
    row(
        CommandId::Apply,
        "apply",
        "Bring the edited configuration, or the form on a queue, into force, after a question",
    )
    .keys(&[(In::Config, "a"), (In::Edit, "F5"), (In::Change, "a"), (In::Form, "F5")])
    .hints(&[(In::Config, "apply"), (In::Edit, "apply"), (In::Change, "apply"), (In::Form, "apply")]),
    row(CommandId::Undo, "undo", "Take the last change of the text back")
        .keys(&[(In::Config, "u"), (In::Edit, "ctrl-u")])
        .hints(&[(In::Edit, "undo")]),
    row(CommandId::Redo, "redo", "Make a change again that was taken back")
        .keys(&[(In::Config, "U"), (In::Config, "ctrl-r"), (In::Edit, "ctrl-r")]),
    row(CommandId::NextFound, "", "The next fault; while something is searched for: its next place")
        .keys(&[(In::Config, "n")])
        .hints(&[(In::Config, "fault")]),
    row(CommandId::PreviousFound, "", "The fault before, or the place before").keys(&[(In::Config, "N")]),
    row(CommandId::NextFault, "", "The next fault")
        .keys(&[(In::Edit, "F8")])
        .hints(&[(In::Edit, "fault")]),
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
    .hints(&[(In::Config, "diff")]),
    row(CommandId::EditOutside, "editor", "Edit the text in $VISUAL or $EDITOR")
        .keys(&[(In::Config, "E"), (In::Edit, "F4")])
        .hints(&[(In::Config, "$EDITOR")]),
    row(CommandId::TryText, "try-text", "Where a submission would go under the text as it is edited")
        .keys(&[(In::Config, "t"), (In::Edit, "F3")])
        .hints(&[(In::Config, "try a placement")]),
    row(CommandId::Revert, "revert", "Go back to the text in force; undo brings the edit back")
        .keys(&[(In::Config, "R")]),
    row(CommandId::Restore, "restore", "Put the configuration that was in force before into the editor")
        .keys(&[(In::Config, "b")]),
    row(CommandId::Merge, "merge", "Take over what was changed underneath, line by line, beside your edit"),
    row(CommandId::Rebase, "rebase", "Keep your text instead of the changes of others"),
    row(CommandId::NextPage, "", "The next page of the strip below the header")
        .keys(&[(In::Page, "tab")])
        .hints(&[(In::Page, "page")]),
    row(
        CommandId::PreviousPage,
        "",
        "The page before it in the strip",
    )
    .keys(&[(In::Page, "shift-tab")]),
    row(CommandId::GoApp, "app", "Go to an application").aliases(&["application"]).takes(Argument::Required(Kind::App)),
    row(CommandId::GoNode, "node", "Go to a node").takes(Argument::Required(Kind::Node)),
    row(
        CommandId::Mark,
        "mark",
        "Mark the application, or take its mark away; kill and move are then about all that are marked",
    )
    .keys(&[(In::Apps, "space")])
    .hints(&[(In::Apps, "mark")]),
    row(CommandId::MarkAll, "mark-all", "Mark all applications that the list shows, or take all marks away")
        .keys(&[(In::Apps, "A")]),
    row(
        CommandId::Kill,
        "kill",
        "Kill the application under the cursor, or those marked; says first what that does, and asks. What follows `kill` is the reason",
    )
    .keys(&[(In::Apps, "K"), (In::App, "K")])
    .hints(&[(In::Apps, "kill"), (In::App, "kill")])
    .takes(Argument::Optional(Kind::Text)),
    row(
        CommandId::Move,
        "move",
        "Move the application, or those marked, to another leaf queue; says first what that does, and asks",
    )
    .keys(&[(In::Apps, "m"), (In::App, "m")])
    .hints(&[(In::Apps, "move"), (In::App, "move")])
    .takes(Argument::Optional(Kind::Leaf)),
    row(
        CommandId::Explain,
        "explain",
        "Why it waits: of an application or an ask; of a queue all that waits in it; of a node who has it; of an event why",
    )
    .keys(&[(In::List, "x"), (In::Details, "x"), (In::Explain, "x")])
    .hints(&[(In::Queues, "why"), (In::Apps, "why"), (In::App, "why"), (In::Explain, "ask again")]),
    row(
        CommandId::ExplainAll,
        "waiting",
        "What all that waits waits for, cause by cause; with a queue: in that queue",
    )
    .keys(&[(In::Apps, "C")])
    .takes(Argument::Optional(Kind::Queue)),
    row(CommandId::MoveBack, "move-back", "Move what was moved last back to where it was; asks first"),
    row(CommandId::Submit, "submit", "Submit an application in your own name: its id, the queue, tags as KEY=VALUE")
        .takes(Argument::Required(Kind::Text)),
    row(CommandId::Ask, "ask", "Ask for more for the application: how often, and RESOURCE=QUANTITY for each resource")
        .takes(Argument::Required(Kind::Text)),
    row(CommandId::Release, "release", "Release the allocation under the cursor, or withdraw the pending ask")
        .keys(&[(In::App, "X"), (In::Node, "X")])
        .hints(&[(In::App, "release"), (In::Node, "release")]),
    row(CommandId::RemoveApp, "remove-app", "End the application as its submitter does who is done with it"),
    row(
        CommandId::DrainNode,
        "drain-node",
        "Take the node out of service: no new allocations, what runs on it runs on",
    )
    .keys(&[(In::Nodes, "D"), (In::Node, "D")])
    .hints(&[(In::Nodes, "drain"), (In::Node, "drain")]),
    row(CommandId::ResumeNode, "resume-node", "Take the node back into service")
        .keys(&[(In::Nodes, "U"), (In::Node, "U")])
        .hints(&[(In::Nodes, "resume"), (In::Node, "resume")]),
    row(
        CommandId::Clean,
        "clean-up",
        "Remove empty queues that drain or were made by placement, and applications that ended long ago",
    ),
    row(CommandId::Pause, "pause", "Pause the scheduler: no cycles, no timers, its clock stops"),
    row(CommandId::Resume, "resume", "Resume the scheduler"),
    row(CommandId::HeatMap, "map", "The nodes as a map beside the table: which are full; or no longer")
        .keys(&[(In::Nodes, "m")])
        .hints(&[(In::Nodes, "map")]),
    row(
        CommandId::Partitions,
        "partitions",
        "The partitions: their state, nodes, queues, applications, and what is used",
    ),
    row(CommandId::Partition, "partition", "Look at another partition")
        .takes(Argument::Required(Kind::Partition)),
    row(CommandId::Context, "context", "Look at another scheduler, by its name in your settings")
        .aliases(&["ctx"])
        .takes(Argument::Required(Kind::Context)),
    row(CommandId::Freeze, "freeze", "Freeze or unfreeze the screen; the scheduler keeps running")
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
        .keys(&[(In::Page, "esc")]),
    row(CommandId::Leave, "", "Back to the page before; on the first page: quit")
        .keys(&[
            (In::Page, "q"),
            (In::Help, "q"),
            (In::Help, "esc"),
            (In::Help, "?"),
            (In::Messages, "q"),
            (In::Messages, "esc"),
        ])
        .hints(&[(In::Queues, "quit"), (In::Page, "back"), (In::Help, "close"), (In::Messages, "close")]),
    row(CommandId::Quit, "quit", "Quit; asks when something would be lost").aliases(&["q", "exit"]),
    row(CommandId::QuitNow, "quit!", "Quit at once, without asking").aliases(&["q!"]),
    row(CommandId::QuitAgain, "", "Pressed twice: quit at once, without asking")
        .keys(&[(In::Page, "Q"), (In::Always, "ctrl-c")]),
    row(CommandId::Suspend, "suspend", "To the background; `fg` comes back").keys(&[(In::Always, "ctrl-z")]),
    row(CommandId::Repaint, "repaint", "Redraw the whole screen").keys(&[(In::Always, "ctrl-l")]),
    row(CommandId::Accept, "", "Take it")
        .keys(&[(In::Filter, "enter"), (In::Command, "enter"), (In::Confirm, "enter"), (In::Typed, "enter"), (In::Reason, "enter"), (In::Columns, "enter")])
        .hints(&[(In::Filter, "keep"), (In::Command, "run"), (In::Confirm, "choose"), (In::Typed, "do it"), (In::Reason, "take it"), (In::Columns, "take them")]),
    row(CommandId::Cancel, "", "Leave; a filter is cleared, nothing is done")
        .keys(&[
            (In::Filter, "esc"),
            (In::Command, "esc"),
            (In::Confirm, "esc"),
            (In::Typed, "esc"),
            (In::Reason, "esc"),
            (In::Columns, "esc"),
            (In::Columns, "q"),
            (In::Confirm, "n"),
            (In::Confirm, "q"),
        ])
        .hints(&[(In::Filter, "clear"), (In::Command, "leave"), (In::Confirm, "cancel"), (In::Typed, "cancel"), (In::Reason, "discard"), (In::Columns, "leave them")]),
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
        ])
        .hints(&[(In::Confirm, "other answer")]),
    row(CommandId::Yes, "", "Do it").keys(&[(In::Confirm, "y")]).hints(&[(In::Confirm, "yes")]),
    row(CommandId::Reason, "", "Write the reason for it, which the audit keeps")
        .keys(&[(In::Confirm, "r"), (In::Confirm, "ctrl-r"), (In::Typed, "ctrl-r")])
        .hints(&[(In::Confirm, "reason"), (In::Typed, "reason")]),
    row(CommandId::TryThis, "", "Try it in a copy of the cluster first, where nothing is real")
        .keys(&[(In::Config, "f"), (In::Change, "f"), (In::Confirm, "f")])
        .hints(&[(In::Config, "what if"), (In::Change, "what if"), (In::Confirm, "what if")]),
];
