//! The rows of the registry.

use super::row::{Argument, Command, Kind, row};
use crate::console::state::command::{
    ColumnCommand, CommandId, Context as In, FormCommand, GoCommand, JobCommand, LogCommand, OrderCommand, PodCommand,
    PromptCommand, RowCommand, ScreenCommand, TextCommand, TimeCommand, TrendCommand, TrialCommand,
};

/// All commands, in the order of the help.
pub static COMMANDS: &[Command] = &[
    row(CommandId::Row(RowCommand::Open), "open", "Open what is under the cursor")
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
            (In::Alerts, "enter"),
            (In::Simulate, "enter"),
            (In::Clusters, "enter"),
            (In::Contexts, "enter"),
            (In::Usage, "enter"),
            (In::Shadow, "enter"),
            (In::Trends, "enter"),
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
            (In::Fairness, "queue or user"),
            (In::Alerts, "what it is about"),
            (In::Simulate, "charts"),
            (In::Clusters, "go there"),
            (In::Contexts, "go there"),
            (In::Usage, "go into it"),
            (In::Shadow, "application"),
            (In::Trends, "that moment"),
        ]),
    row(CommandId::Row(RowCommand::Details), "details", "Everything about the row under the cursor, and where each value comes from")
        .keys(&[(In::List, "i"), (In::Job, "i"), (In::Pod, "i")])
        .hints(&[(In::List, "details")]),
    row(
        CommandId::Go(GoCommand::Figures),
        "figures",
        "How each figure on the screen came about: of the row under the cursor, of the sheet, at the top",
    )
    .keys(&[(In::Page, "W")])
    .hints(&[(In::Page, "figures")]),
    row(CommandId::Row(RowCommand::Fold), "fold", "Fold or unfold the queues below")
        .keys(&[(In::Queues, "space")])
        .hints(&[(In::Queues, "fold")]),
    row(CommandId::Row(RowCommand::FoldClose), "", "Fold; on a folded queue or a leaf: go to the parent")
        .keys(&[(In::Queues, "left"), (In::Queues, "h")]),
    row(CommandId::Row(RowCommand::FoldOpen), "", "Unfold; on an unfolded queue: go to its first child")
        .keys(&[(In::Queues, "right"), (In::Queues, "l")]),
    row(CommandId::Row(RowCommand::FoldAll), "fold-all", "Fold everything below the top").keys(&[(In::Queues, "-")]),
    row(CommandId::Row(RowCommand::OpenAll), "unfold-all", "Unfold everything")
        .keys(&[(In::Queues, "+"), (In::Queues, "=")]),
    row(CommandId::Row(RowCommand::Ended), "ended", "Show or hide applications that ended")
        .keys(&[(In::Apps, "e")])
        .hints(&[(In::Apps, "ended")]),
    row(CommandId::Row(RowCommand::Up), "", "One row up").keys(&[
        (In::List, "up"),
        (In::List, "k"),
        (In::Job, "up"), (In::Pod, "up"), (In::Contexts, "up"), (In::Job, "k"), (In::Pod, "k"), (In::Contexts, "k"),
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
    row(CommandId::Row(RowCommand::Down), "", "One row down").keys(&[
        (In::List, "down"),
        (In::List, "j"),
        (In::Job, "down"), (In::Pod, "down"), (In::Contexts, "down"), (In::Job, "j"), (In::Pod, "j"), (In::Contexts, "j"),
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
    row(CommandId::Row(RowCommand::PageUp), "", "One page up").keys(&[
        (In::List, "pgup"),
        (In::List, "ctrl-u"),
        (In::Job, "pgup"), (In::Pod, "pgup"), (In::Contexts, "pgup"), (In::Job, "ctrl-u"), (In::Pod, "ctrl-u"),
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
    row(CommandId::Row(RowCommand::PageDown), "", "One page down").keys(&[
        (In::List, "pgdn"),
        (In::List, "ctrl-d"),
        (In::Job, "pgdn"), (In::Pod, "pgdn"), (In::Contexts, "pgdn"), (In::Job, "ctrl-d"), (In::Pod, "ctrl-d"),
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
    row(CommandId::Row(RowCommand::Top), "", "To the first row").keys(&[
        (In::List, "home"),
        (In::List, "g"),
        (In::Job, "home"), (In::Pod, "home"), (In::Contexts, "home"), (In::Job, "g"), (In::Pod, "g"), (In::Contexts, "g"),
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
    row(CommandId::Row(RowCommand::Bottom), "", "To the last row").keys(&[
        (In::List, "end"),
        (In::List, "G"),
        (In::Job, "end"), (In::Pod, "end"), (In::Contexts, "end"), (In::Job, "G"), (In::Pod, "G"), (In::Contexts, "G"),
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
    row(CommandId::Prompt(PromptCommand::Filter), "filter", "Filter while typing: letters in order, =name exactly, !text all others")
        .keys(&[(In::List, "/"), (In::Help, "/"), (In::Config, "/"), (In::Pod, "/")])
        .hints(&[(In::List, "filter"), (In::Help, "filter"), (In::Config, "find"), (In::Pod, "find")])
        .takes(Argument::Optional(Kind::Text)),
    row(CommandId::Column(ColumnCommand::SortNext), "", "Sort by the next column").keys(&[(In::List, "s")]).hints(&[(In::List, "sort")]),
    row(CommandId::Column(ColumnCommand::SortPrevious), "", "Sort by the column before").keys(&[(In::List, "S")]),
    row(CommandId::Column(ColumnCommand::SortReverse), "reverse", "Sort the other way round").keys(&[(In::List, "r")]),
    row(CommandId::Column(ColumnCommand::Sort), "sort", "Sort by a column; again to turn it round")
        .takes(Argument::Required(Kind::Column)),
    row(
        CommandId::Column(ColumnCommand::Columns),
        "columns",
        "Choose the columns of this list: names in their order, NAME:WIDTH, +NAME, -NAME, or `default`; alone: one by one",
    )
    .takes(Argument::Optional(Kind::Columns)),
    row(CommandId::Column(ColumnCommand::ColumnToggle), "", "Show the column, or hide it")
        .keys(&[(In::Columns, "space")])
        .hints(&[(In::Columns, "show or hide")]),
    row(CommandId::Column(ColumnCommand::ColumnEarlier), "", "The column one place earlier").keys(&[(In::Columns, "K")]),
    row(CommandId::Column(ColumnCommand::ColumnLater), "", "The column one place later")
        .keys(&[(In::Columns, "J")])
        .hints(&[(In::Columns, "later, K earlier")]),
    row(CommandId::Column(ColumnCommand::ColumnWider), "", "The column wider by one")
        .keys(&[(In::Columns, "right"), (In::Columns, "l"), (In::Columns, "+")])
        .hints(&[(In::Columns, "wider")]),
    row(CommandId::Column(ColumnCommand::ColumnNarrower), "", "The column narrower by one")
        .keys(&[(In::Columns, "left"), (In::Columns, "h"), (In::Columns, "-")])
        .hints(&[(In::Columns, "narrower")]),
    row(CommandId::Column(ColumnCommand::ColumnsDefault), "", "The columns that there is room for, as without a choice")
        .keys(&[(In::Columns, "d")])
        .hints(&[(In::Columns, "default")]),
    row(CommandId::Column(ColumnCommand::Wide), "wide", "All columns in the whole width, or no longer").keys(&[(In::List, "ctrl-w")]),
    row(CommandId::Column(ColumnCommand::ColumnsRight), "", "All columns, from the next one on").keys(&[(In::List, "gt")]),
    row(CommandId::Column(ColumnCommand::ColumnsLeft), "", "All columns, from the one before on").keys(&[(In::List, "lt")]),
    row(
        CommandId::Column(ColumnCommand::SavedView),
        "view",
        "Go to a saved view; `save NAME` keeps the filter, order and columns of this list, `delete NAME` forgets them",
    )
    .takes(Argument::Optional(Kind::View)),
    row(CommandId::Go(GoCommand::GoPlace), "place-of", "To where the queue or the limit under the cursor is written in the configuration")
        .keys(&[(In::Queues, "O"), (In::Users, "O"), (In::Account, "O"), (In::Details, "O")]),
    row(CommandId::Go(GoCommand::JumpBack), "jump-back", "To the place that one came from, as a browser goes back")
        .keys(&[(In::Page, "ctrl-o"), (In::Page, "alt-left")]),
    row(CommandId::Go(GoCommand::JumpForward), "jump-forward", "To the place that one came back from; many terminals send tab for ctrl-i")
        .keys(&[(In::Page, "ctrl-i"), (In::Page, "alt-right")]),
    row(CommandId::Go(GoCommand::Find), "find", "Go to a queue, application, node, user or group by its name; `//` begins it")
        .aliases(&["search"])
        .takes(Argument::Required(Kind::Anything)),
    row(CommandId::Screen(ScreenCommand::Refresh), "refresh", "How often the screen takes news: 5s, 500ms, 0 for at once")
        .takes(Argument::Optional(Kind::Interval)),
    row(CommandId::Screen(ScreenCommand::OwnCommand), "run", "Run a command of your own settings, with what is under the cursor")
        .takes(Argument::Required(Kind::Own)),
    row(CommandId::Go(GoCommand::Overview), "overview", "What needs attention, how the cluster stands, what changed since you looked")
        .keys(&[(In::Page, "o")]),
    row(
        CommandId::Go(GoCommand::Trends),
        "trends",
        "Values over time: of the queue, user or node under the cursor, else of the cluster; with a value, as use.memory",
    )
    .keys(&[(In::Page, "T")])
    .takes(Argument::Optional(Kind::Text)),
    row(CommandId::Trend(TrendCommand::TrendEarlier), "", "The cursor to an earlier moment").keys(&[(In::Trends, "left"), (In::Trends, "h")]),
    row(CommandId::Trend(TrendCommand::TrendLater), "", "The cursor to a later moment").keys(&[(In::Trends, "right"), (In::Trends, "l")]),
    row(CommandId::Trend(TrendCommand::TrendPageEarlier), "", "Half of the span back").keys(&[(In::Trends, "pgup")]),
    row(CommandId::Trend(TrendCommand::TrendPageLater), "", "Half of the span on").keys(&[(In::Trends, "pgdn")]),
    row(CommandId::Trend(TrendCommand::TrendOldest), "", "To the oldest that is known").keys(&[(In::Trends, "home"), (In::Trends, "g")]),
    row(CommandId::Trend(TrendCommand::TrendNow), "", "To the present").keys(&[(In::Trends, "end"), (In::Trends, "G")]),
    row(CommandId::Trend(TrendCommand::ZoomIn), "", "A shorter span, down to 10 minutes")
        .keys(&[(In::Trends, "+"), (In::Trends, "=")])
        .hints(&[(In::Trends, "zoom")]),
    row(CommandId::Trend(TrendCommand::ZoomOut), "", "A longer span, up to 30 days").keys(&[(In::Trends, "-")]),
    row(CommandId::Trend(TrendCommand::NextValue), "", "The next value")
        .keys(&[(In::Trends, "down"), (In::Trends, "j")])
        .hints(&[(In::Trends, "value")]),
    row(CommandId::Trend(TrendCommand::PreviousValue), "", "The value before").keys(&[(In::Trends, "up"), (In::Trends, "k")]),
    row(CommandId::Trend(TrendCommand::SecondValue), "", "A second value over it, or the next one")
        .keys(&[(In::Trends, "b")])
        .hints(&[(In::Trends, "second")]),
    row(CommandId::Trend(TrendCommand::NoSecondValue), "", "Without the second value").keys(&[(In::Trends, "B")]),
    row(CommandId::Trend(TrendCommand::NextMark), "", "To the next mark")
        .keys(&[(In::Trends, "n")])
        .hints(&[(In::Trends, "mark")]),
    row(CommandId::Trend(TrendCommand::PreviousMark), "", "To the mark before").keys(&[(In::Trends, "N")]),
    row(CommandId::Go(GoCommand::Queues), "queues", "The queue tree; with a queue: the cursor on it")
        .aliases(&["home", "queue"])
        .keys(&[(In::Page, "1")])
        .takes(Argument::Optional(Kind::Queue)),
    row(CommandId::Go(GoCommand::Apps), "apps", "All applications, or those in and below a queue")
        .aliases(&["applications"])
        .keys(&[(In::Page, "2")])
        .takes(Argument::Optional(Kind::Queue)),
    row(CommandId::Go(GoCommand::Nodes), "nodes", "The nodes").keys(&[(In::Page, "3")]),
    row(CommandId::Go(GoCommand::Users), "users", "Users and groups: what they use, and their limits")
        .aliases(&["groups"])
        .keys(&[(In::Page, "4")]),
    row(CommandId::Go(GoCommand::GoUser), "user", "Go to a user: usage against limits, queue by queue")
        .takes(Argument::Required(Kind::User)),
    row(CommandId::Go(GoCommand::GoGroup), "group", "Go to a group: usage against limits, queue by queue")
        .takes(Argument::Required(Kind::Group)),
    row(
        CommandId::Go(GoCommand::Placement),
        "placement",
        "Where a submission would go, rule by rule; with a file: under that configuration",
    )
    .aliases(&["place"])
    .keys(&[(In::Page, "5")])
    .takes(Argument::Optional(Kind::File)),
    row(CommandId::Go(GoCommand::Why), "why", "Why an application is in this queue; of a queue: who may submit and who administers")
        .keys(&[(In::Queues, "w"), (In::Apps, "w"), (In::App, "w")])
        .hints(&[(In::Apps, "why here"), (In::App, "why here")]),
    row(CommandId::Go(GoCommand::Fairness), "fairness", "Which queues lack their guarantee, which use more, and which do not need it")
        .keys(&[(In::Page, "F")])
        .hints(&[(In::Fairness, "queues")]),
    row(CommandId::Go(GoCommand::Alerts), "alerts", "What is alerted about: what fires, what is pending, silences, what was over last")
        .keys(&[(In::Page, "!")]),
    row(CommandId::Log(LogCommand::Silence), "silence", "Silence the alert under the cursor, with a reason: 2h REASON; its whole rule: rule 2h REASON")
        .keys(&[(In::Alerts, "s")])
        .hints(&[(In::Alerts, "silence")])
        .takes(Argument::Optional(Kind::Text)),
    row(CommandId::Log(LogCommand::EndSilence), "unsilence", "End the silence under the cursor, or that of the alert under it")
        .keys(&[(In::Alerts, "D")])
        .hints(&[(In::Alerts, "end silence")]),
    row(CommandId::Go(GoCommand::Limits), "limits", "How users and groups stand to their limits, those who are held back most first")
        .keys(&[(In::Fairness, "u")])
        .hints(&[(In::Fairness, "users")]),
    row(CommandId::Go(GoCommand::Clusters), "clusters", "All contexts of your settings: which are reached, what they use, what is pending"),
    row(
        CommandId::Go(GoCommand::Simulate),
        "simulate",
        "Run a workload in virtual time, with the options of kornsole simulate; past 24h: what was, once more; or a file of finished runs",
    )
    .takes(Argument::Optional(Kind::File)),
    row(CommandId::Go(GoCommand::Shadow), "shadow", "What a shadow found beside the scheduler that it watches: how often both decide alike, and what differs with its cause"),
    row(CommandId::Go(GoCommand::Usage), "usage", "What was used and waited for over time; over a period: 24h, 7d, month, last-month, all")
        .takes(Argument::Optional(Kind::Text)),
    row(CommandId::Go(GoCommand::UsageBy), "usage-by", "Split what was used by the next thing, or by: queue, tree, user, group, priority, application")
        .keys(&[(In::Usage, "b")])
        .hints(&[(In::Usage, "split by")])
        .takes(Argument::Optional(Kind::Text)),
    row(CommandId::Go(GoCommand::UsagePeriod), "usage-period", "What was used over the next period, or over: 24h, 7d, month, last-month, all")
        .keys(&[(In::Usage, "p")])
        .hints(&[(In::Usage, "period")])
        .takes(Argument::Optional(Kind::Text)),
    row(CommandId::Form(FormCommand::Try), "try", "Preview the placement of the application under the cursor, without submitting it")
        .keys(&[(In::Details, "t")])
        .hints(&[(In::Details, "try again")]),
    row(CommandId::Form(FormCommand::Write), "", "Write in the form; the result is shown while you write")
        .keys(&[(In::Placement, "enter"), (In::Placement, "e"), (In::Change, "enter"), (In::Change, "e")])
        .hints(&[(In::Placement, "write"), (In::Change, "write")]),
    row(CommandId::Form(FormCommand::NextField), "", "The next field of the form")
        .keys(&[
            (In::Form, "tab"),
            (In::Form, "down"),
            (In::Placement, "right"),
            (In::Placement, "l"),
            (In::Change, "right"),
            (In::Change, "l"),
        ])
        .hints(&[(In::Form, "next field"), (In::Placement, "field"), (In::Change, "field")]),
    row(CommandId::Form(FormCommand::PreviousField), "", "The field before").keys(&[
        (In::Form, "shift-tab"),
        (In::Form, "up"),
        (In::Placement, "left"),
        (In::Placement, "h"),
        (In::Change, "left"),
        (In::Change, "h"),
    ]),
    row(CommandId::Form(FormCommand::EndWriting), "", "Leave the form as it is written")
        .keys(&[(In::Form, "enter"), (In::Form, "esc")])
        .hints(&[(In::Form, "done")]),
    row(CommandId::Form(FormCommand::TakeSuggestion), "", "Take the name that is shown behind the cursor")
        .keys(&[(In::Form, "right"), (In::Form, "ctrl-n")])
        .hints(&[(In::Form, "take")]),
    row(CommandId::Form(FormCommand::ClearForm), "", "Put the form back; on the placement empty it, once more: the user of this console")
        .keys(&[(In::Placement, "x"), (In::Change, "x")])
        .hints(&[(In::Placement, "clear"), (In::Change, "as it was")]),
    row(CommandId::Form(FormCommand::SetMax), "set-max", "Set the maximum of the queue, and how many applications may run in it")
        .keys(&[(In::Queues, "c m"), (In::Details, "c m")])
        .hints(&[(In::Queues, "change")]),
    row(CommandId::Form(FormCommand::SetGuaranteed), "set-guaranteed", "Set what is guaranteed to the queue")
        .keys(&[(In::Queues, "c g"), (In::Details, "c g")]),
    row(CommandId::Form(FormCommand::SetProperty), "set-property", "Set a property of the queue, or take it out")
        .keys(&[(In::Queues, "c p"), (In::Details, "c p")]),
    row(CommandId::Form(FormCommand::SetLimit), "set-limit", "Limit users or groups in the queue, or change such a limit")
        .keys(&[(In::Queues, "c l"), (In::Details, "c l")]),
    row(CommandId::Form(FormCommand::AddQueue), "add-queue", "Add a queue below this one")
        .keys(&[(In::Queues, "c a"), (In::Details, "c a")]),
    row(
        CommandId::Form(FormCommand::RemoveQueue),
        "remove-queue",
        "Remove the queue with all below it; with applications in it, it drains",
    )
    .keys(&[(In::Queues, "c r"), (In::Details, "c r")]),
    row(CommandId::Go(GoCommand::Config), "config", "The configuration: its text, and what an edit of it would mean")
        .aliases(&["configuration", "edit"])
        .keys(&[(In::Page, "6")]),
    row(CommandId::Go(GoCommand::Events), "events", "What happened, the newest first: `important` or `all` of it; with a name: of that object")
        .keys(&[(In::Page, "7")])
        .takes(Argument::Optional(Kind::Text)),
    row(CommandId::Go(GoCommand::EventsOf), "events-of", "The events of the row under the cursor")
        .keys(&[(In::List, "v")]),
    row(CommandId::Log(LogCommand::Follow), "", "Stay with the newest event, or stop doing so")
        .keys(&[(In::Events, "f")])
        .hints(&[(In::Events, "follow")]),
    row(CommandId::Log(LogCommand::EventsAll), "", "Show all events, or only those that matter")
        .keys(&[(In::Events, "m")])
        .hints(&[(In::Events, "all or important")]),
    row(CommandId::Log(LogCommand::EventsKind), "", "Only events of this kind of thing: applications, nodes, queues; once more: all kinds")
        .keys(&[(In::Events, "a")])
        .hints(&[(In::Events, "this kind")]),
    row(CommandId::Log(LogCommand::EventsWhat), "", "Only events in which this happened, as preempted; once more: all")
        .keys(&[(In::Events, "t")])
        .hints(&[(In::Events, "such as this")]),
    row(CommandId::Go(GoCommand::History), "history", "What the cluster or a queue looked like, minute by minute")
        .keys(&[(In::Page, "8")])
        .takes(Argument::Optional(Kind::Queue)),
    row(CommandId::Go(GoCommand::Health), "health", "Whether the cluster's numbers agree, check by check").keys(&[(In::Page, "9")]),
    row(CommandId::Go(GoCommand::Draining), "draining", "The applications that hold queues which drain, and since when these do")
        .aliases(&["drains"])
        .keys(&[(In::Page, "0")]),
    row(CommandId::Go(GoCommand::Audit), "audit", "Who did what, and what was refused; `user=`, `action=` or `object=` narrows it")
        .keys(&[(In::Page, "L")])
        .takes(Argument::Optional(Kind::Text)),
    row(CommandId::Log(LogCommand::AuditUser), "", "Only what this user did; once more: all")
        .keys(&[(In::Audit, "u")])
        .hints(&[(In::Audit, "this user")]),
    row(CommandId::Log(LogCommand::AuditAction), "", "Only this action; once more: all")
        .keys(&[(In::Audit, "a")])
        .hints(&[(In::Audit, "action")]),
    row(CommandId::Log(LogCommand::AuditObject), "", "Only what was done to this; once more: all")
        .keys(&[(In::Audit, "o")])
        .hints(&[(In::Audit, "object")]),
    row(CommandId::Go(GoCommand::Revisions), "revisions", "The configurations that were in force: look, compare, bring one back")
        .aliases(&["config-history"])
        .keys(&[(In::Page, "H")]),
    row(CommandId::Log(LogCommand::MarkRevision), "", "Compare the others with this one; once more: each with the one before")
        .keys(&[(In::Revisions, "space")])
        .hints(&[(In::Revisions, "compare with")]),
    row(
        CommandId::Log(LogCommand::RollBack),
        "rollback",
        "Bring a configuration back as a new revision; says what that means, and asks",
    )
    .keys(&[(In::Revisions, "b")])
    .hints(&[(In::Revisions, "bring back")])
    .takes(Argument::Optional(Kind::Number)),
    row(CommandId::Time(TimeCommand::GoBack), "past", "The cluster as it was: `:back 10m` ago, or at a moment, `:back 0:41`")
        .aliases(&["back"])
        .takes(Argument::Optional(Kind::Ago)),
    row(
        CommandId::Time(TimeCommand::StepBack),
        "",
        "The past: right before the last thing that mattered, as a kill, a drain, a lost node",
    )
    .keys(&[(In::Page, "[")]),
    row(CommandId::Time(TimeCommand::StepOn), "", "The past: right before the next thing that mattered; after the last, the present")
        .keys(&[(In::Page, "]")]),
    row(CommandId::Time(TimeCommand::Live), "live", "Return from the past to the present"),
    row(CommandId::Trial(TrialCommand::WhatIf), "whatif", "What if: a copy of the cluster to try things in; nothing in it is real")
        .aliases(&["what-if"]),
    row(CommandId::Trial(TrialCommand::Forward), "forward", "What if: move time on, by a minute or as `:forward 10m`")
        .keys(&[(In::Page, "}")])
        .takes(Argument::Optional(Kind::Ago)),
    row(CommandId::Trial(TrialCommand::Suppose), "suppose", "What if: a change in words, as `:suppose node add n1 4`, `submit etl 20` or `demand root.a x2`")
        .takes(Argument::Required(Kind::Text)),
    row(CommandId::Trial(TrialCommand::Compare), "sides", "What if: the cluster without the changes and with them, side by side; also `tab`"),
    row(CommandId::Trial(TrialCommand::OtherSide), "other-side", "What if: this page without the changes, and with them")
        .keys(&[(In::Page, "{")]),
    row(CommandId::Trial(TrialCommand::Changes), "changes", "What if: the changes so far, with their numbers"),
    row(CommandId::Trial(TrialCommand::TakeBack), "take-back", "What if: take a change back by its number, the last one without a number")
        .takes(Argument::Optional(Kind::Number)),
    row(CommandId::Screen(ScreenCommand::CopyName), "copy", "Copy the name: a queue's path, an id")
        .keys(&[(In::List, "y n"), (In::Details, "y n"), (In::Pod, "y n")]),
    row(CommandId::Screen(ScreenCommand::CopyRow), "copy-row", "Copy the row as it is shown").keys(&[(In::List, "y r")]),
    row(CommandId::Screen(ScreenCommand::CopyYaml), "copy-yaml", "Copy as YAML: a queue as it is written, an application, a pod or a node of Kubernetes")
        .keys(&[(In::List, "y y"), (In::Details, "y y"), (In::Pod, "y y")]),
    row(CommandId::Screen(ScreenCommand::Export), "export", "Write what the page shows into a new file: .csv, .json, or text")
        .takes(Argument::Required(Kind::File)),
    row(CommandId::Go(GoCommand::Info), "info", "Versions, files and the connection: what a report of a fault needs")
        .aliases(&["version"]),
    row(CommandId::Go(GoCommand::Tour), "tour", "A short way through the console"),
    row(CommandId::Text(TextCommand::EditText), "", "Edit the text")
        .keys(&[(In::Config, "enter"), (In::Config, "e")])
        .hints(&[(In::Config, "edit")]),
    row(CommandId::Text(TextCommand::EndEdit), "", "Leave the text as it is edited; nothing is applied")
        .keys(&[(In::Edit, "esc")])
        .hints(&[(In::Edit, "done")]),
    row(CommandId::Text(TextCommand::CompleteText), "", "Take the completion; without one: a step to the right")
        .keys(&[(In::Edit, "tab")])
        .hints(&[(In::Edit, "complete")]),
    row(CommandId::Text(TextCommand::ChooseText), "", "The next completion").keys(&[(In::Edit, "ctrl-n")]),
    row(CommandId::Text(TextCommand::UnchooseText), "", "The completion before").keys(&[(In::Edit, "ctrl-p")]),
    row(
        CommandId::Text(TextCommand::Apply),
        "apply",
        "Bring the edited configuration, or the form on a queue, into force, after a question",
    )
    .keys(&[(In::Config, "a"), (In::Edit, "F5"), (In::Change, "a"), (In::Form, "F5")])
    .hints(&[(In::Config, "apply"), (In::Edit, "apply"), (In::Change, "apply"), (In::Form, "apply")]),
    row(CommandId::Text(TextCommand::Undo), "undo", "Take the last change of the text back")
        .keys(&[(In::Config, "u"), (In::Edit, "ctrl-u")])
        .hints(&[(In::Edit, "undo")]),
    row(CommandId::Text(TextCommand::Redo), "redo", "Make a change again that was taken back")
        .keys(&[(In::Config, "U"), (In::Config, "ctrl-r"), (In::Edit, "ctrl-r")]),
    row(CommandId::Text(TextCommand::NextFound), "", "The next fault; while something is searched for: its next place")
        .keys(&[(In::Config, "n")])
        .hints(&[(In::Config, "fault")]),
    row(CommandId::Text(TextCommand::PreviousFound), "", "The fault before, or the place before").keys(&[(In::Config, "N")]),
    row(CommandId::Text(TextCommand::NextFault), "", "The next fault")
        .keys(&[(In::Edit, "F8")])
        .hints(&[(In::Edit, "fault")]),
    row(CommandId::Text(TextCommand::PreviousFault), "", "The fault before").keys(&[(In::Edit, "F7")]),
    row(CommandId::Text(TextCommand::FoldText), "", "Fold or unfold the queue under the cursor")
        .keys(&[(In::Config, "space")])
        .hints(&[(In::Config, "fold")]),
    row(CommandId::Text(TextCommand::FoldTextAll), "", "Fold every queue").keys(&[(In::Config, "-")]),
    row(CommandId::Text(TextCommand::UnfoldTextAll), "", "Unfold every queue").keys(&[(In::Config, "+"), (In::Config, "=")]),
    row(
        CommandId::Text(TextCommand::Beside),
        "diff",
        "What the edit means, or the lines that differ; on a narrow screen in place of the text",
    )
    .keys(&[(In::Config, "d"), (In::Edit, "F6")])
    .hints(&[(In::Config, "diff")]),
    row(CommandId::Text(TextCommand::EditOutside), "editor", "Edit the text in $VISUAL or $EDITOR")
        .keys(&[(In::Config, "E"), (In::Edit, "F4")])
        .hints(&[(In::Config, "$EDITOR")]),
    row(CommandId::Form(FormCommand::TryText), "try-text", "Where a submission would go under the text as it is edited")
        .keys(&[(In::Config, "t"), (In::Edit, "F3")])
        .hints(&[(In::Config, "try a placement")]),
    row(CommandId::Text(TextCommand::Revert), "revert", "Go back to the text in force; undo brings the edit back")
        .keys(&[(In::Config, "R")]),
    row(CommandId::Text(TextCommand::Restore), "restore", "Put the configuration that was in force before into the editor")
        .keys(&[(In::Config, "b")]),
    row(CommandId::Text(TextCommand::Merge), "merge", "Take over what was changed underneath, line by line, beside your edit"),
    row(CommandId::Text(TextCommand::Rebase), "rebase", "Keep your text instead of the changes of others"),
    row(CommandId::Go(GoCommand::NextPage), "", "The next page of the strip below the header")
        .keys(&[(In::Page, "tab")])
        .hints(&[(In::Page, "page")]),
    row(
        CommandId::Go(GoCommand::PreviousPage),
        "",
        "The page before it in the strip",
    )
    .keys(&[(In::Page, "shift-tab")]),
    row(CommandId::Go(GoCommand::GoApp), "app", "Go to an application").aliases(&["application"]).takes(Argument::Required(Kind::App)),
    row(CommandId::Go(GoCommand::GoNode), "node", "Go to a node").takes(Argument::Required(Kind::Node)),
    row(
        CommandId::Row(RowCommand::Mark),
        "mark",
        "Mark the application, or take its mark away; kill and move are then about all that are marked",
    )
    .keys(&[(In::Apps, "space")])
    .hints(&[(In::Apps, "mark")]),
    row(CommandId::Row(RowCommand::MarkAll), "mark-all", "Mark all applications that the list shows, or take all marks away")
        .keys(&[(In::Apps, "A")]),
    row(
        CommandId::Order(OrderCommand::Kill),
        "kill",
        "Kill the application under the cursor, or those marked; says first what that does, and asks. What follows `kill` is the reason",
    )
    .keys(&[(In::Apps, "K"), (In::App, "K"), (In::Job, "K")])
    .hints(&[(In::Apps, "kill"), (In::App, "kill"), (In::Job, "cancel")])
    .takes(Argument::Optional(Kind::Text)),
    row(
        CommandId::Order(OrderCommand::Move),
        "move",
        "Move the application, or those marked, to another leaf queue; says first what that does, and asks",
    )
    .keys(&[(In::Apps, "m"), (In::App, "m"), (In::Job, "m")])
    .hints(&[(In::Apps, "move"), (In::App, "move"), (In::Job, "move")])
    .takes(Argument::Optional(Kind::Leaf)),
    row(
        CommandId::Go(GoCommand::Explain),
        "explain",
        "Why it waits: of an application or an ask; of a queue all that waits in it; of a node who has it; of an event why",
    )
    .keys(&[(In::List, "x"), (In::Details, "x"), (In::Explain, "x"), (In::Job, "x")])
    .hints(&[
        (In::Queues, "why"),
        (In::Apps, "why"),
        (In::App, "why"),
        (In::Job, "why"),
        (In::Explain, "ask again"),
    ]),
    row(
        CommandId::Go(GoCommand::ExplainAll),
        "waiting",
        "What all that waits waits for, cause by cause; with a queue: in that queue",
    )
    .keys(&[(In::Apps, "C")])
    .takes(Argument::Optional(Kind::Queue)),
    row(
        CommandId::Job(JobCommand::Job),
        "job",
        "The job of this machine that an application is: what it uses, its processes, its output; also by its number",
    )
    .keys(&[(In::Apps, "o"), (In::App, "o")])
    .hints(&[(In::Apps, "output"), (In::App, "output")])
    .takes(Argument::Optional(Kind::App)),
    row(CommandId::Job(JobCommand::FollowOutput), "", "Stay with the end of the job's output, or stop doing so")
        .keys(&[(In::Job, "f")])
        .hints(&[(In::Job, "follow")]),
    row(CommandId::Job(JobCommand::HoldJob), "hold", "Keep the job from beginning, after a question")
        .keys(&[(In::Apps, "h"), (In::App, "h"), (In::Job, "h")])
        .hints(&[(In::Job, "hold")]),
    row(CommandId::Job(JobCommand::ReleaseJob), "release-job", "Let the held job begin")
        .keys(&[(In::Apps, "u"), (In::App, "u"), (In::Job, "u")])
        .hints(&[(In::Job, "release")]),
    row(CommandId::Job(JobCommand::RequeueJob), "requeue", "Have the job begin again from its beginning; asks first")
        .keys(&[(In::Apps, "R"), (In::App, "R"), (In::Job, "R")])
        .hints(&[(In::Job, "requeue")]),
    row(CommandId::Job(JobCommand::JobPriority), "priority", "Give the pending job another priority; asks first")
        .keys(&[(In::Apps, "P"), (In::App, "P"), (In::Job, "P")])
        .hints(&[(In::Job, "priority")])
        .takes(Argument::Optional(Kind::Text)),
    row(
        CommandId::Job(JobCommand::EditJob),
        "edit-job",
        "Change what the pending job asks for: cpu=2 mem=4G gpu=1 time=2h name=TEXT; asks first",
    )
    .keys(&[(In::Apps, "E"), (In::App, "E"), (In::Job, "E")])
    .hints(&[(In::Job, "edit")])
    .takes(Argument::Optional(Kind::Text)),
    row(
        CommandId::Order(OrderCommand::SuspendOwners),
        "suspend-owners",
        "In Kubernetes: suspend what owns the pods of the application, so that they are not made again; asks first",
    ),
    row(
        CommandId::Order(OrderCommand::UnsuspendOwners),
        "unsuspend",
        "In Kubernetes: let what was suspended last run again; asks first",
    ),
    row(CommandId::Pod(PodCommand::Describe), "describe", "The pod: how it is, and what happened to it, from Kubernetes and the scheduler in order of time")
        .keys(&[(In::Apps, "d"), (In::App, "d"), (In::Node, "d"), (In::Pod, "d")])
        .hints(&[(In::App, "pod"), (In::Pod, "pod")]),
    row(CommandId::Pod(PodCommand::Log), "logs", "The log of the pod's container, followed; of an application that of the pod in trouble, else of the oldest")
        .keys(&[(In::Apps, "l"), (In::App, "l"), (In::Node, "l"), (In::Pod, "l")])
        .hints(&[(In::Apps, "log"), (In::App, "log"), (In::Node, "log"), (In::Pod, "log")]),
    row(CommandId::Pod(PodCommand::Yaml), "yaml", "The pod as YAML, as kubectl prints it; y y copies it")
        .keys(&[(In::App, "Y"), (In::Node, "Y"), (In::Pod, "Y")])
        .hints(&[(In::Pod, "YAML")]),
    row(CommandId::Pod(PodCommand::FollowLog), "", "Stay with the end of the log, or stop doing so")
        .keys(&[(In::Pod, "f")])
        .hints(&[(In::Pod, "follow")]),
    row(CommandId::Pod(PodCommand::NextContainer), "", "The log of the next container")
        .keys(&[(In::Pod, "c")])
        .hints(&[(In::Pod, "container")]),
    row(CommandId::Pod(PodCommand::PreviousRun), "", "The log of the run before the last restart; once more: of this one")
        .keys(&[(In::Pod, "P")])
        .hints(&[(In::Pod, "previous run")]),
    row(CommandId::Pod(PodCommand::NextPod), "", "The next pod of the application")
        .keys(&[(In::Pod, "gt")])
        .hints(&[(In::Pod, "next pod")]),
    row(CommandId::Pod(PodCommand::PreviousPod), "", "The pod of the application before").keys(&[(In::Pod, "lt")]),
    row(CommandId::Pod(PodCommand::NextMatch), "", "The next line with what is searched for")
        .keys(&[(In::Pod, "n")])
        .hints(&[(In::Pod, "next match")]),
    row(CommandId::Pod(PodCommand::PreviousMatch), "", "The line before with what is searched for").keys(&[(In::Pod, "N")]),
    row(CommandId::Pod(PodCommand::ScrollLeft), "", "To the left of long lines").keys(&[(In::Pod, "left"), (In::Pod, "h")]),
    row(CommandId::Pod(PodCommand::ScrollRight), "", "To the right of long lines").keys(&[(In::Pod, "right")]),
    row(CommandId::Order(OrderCommand::MoveBack), "move-back", "Move what was moved last back to where it was; asks first"),
    row(CommandId::Order(OrderCommand::Submit), "submit", "Submit an application in your own name: its id, the queue, tags as KEY=VALUE")
        .takes(Argument::Required(Kind::Text)),
    row(CommandId::Order(OrderCommand::Ask), "ask", "Ask for more for the application: how often, and RESOURCE=QUANTITY for each resource")
        .takes(Argument::Required(Kind::Text)),
    row(CommandId::Order(OrderCommand::Release), "release", "Release the allocation under the cursor, or withdraw the pending ask")
        .keys(&[(In::App, "X"), (In::Node, "X")])
        .hints(&[(In::App, "release"), (In::Node, "release")]),
    row(CommandId::Order(OrderCommand::RemoveApp), "remove-app", "End the application as its submitter does who is done with it"),
    row(
        CommandId::Order(OrderCommand::DrainNode),
        "drain-node",
        "Take the node out of service: no new allocations, what runs on it runs on",
    )
    .keys(&[(In::Nodes, "D"), (In::Node, "D")])
    .hints(&[(In::Nodes, "drain"), (In::Node, "drain")]),
    row(CommandId::Order(OrderCommand::ResumeNode), "resume-node", "Take the node back into service")
        .keys(&[(In::Nodes, "U"), (In::Node, "U")])
        .hints(&[(In::Nodes, "resume"), (In::Node, "resume")]),
    row(
        CommandId::Order(OrderCommand::Clean),
        "clean-up",
        "Remove empty queues that drain or were made by placement, and applications that ended long ago",
    ),
    row(CommandId::Order(OrderCommand::Pause), "pause", "Pause the scheduler: no cycles, no timers, its clock stops"),
    row(CommandId::Order(OrderCommand::Resume), "resume", "Resume the scheduler"),
    row(CommandId::Row(RowCommand::HeatMap), "map", "The nodes as a map beside the table: which are full; or no longer")
        .keys(&[(In::Nodes, "m")])
        .hints(&[(In::Nodes, "map")]),
    row(
        CommandId::Go(GoCommand::Partitions),
        "partitions",
        "The partitions: their state, nodes, queues, applications, and what is used",
    ),
    row(CommandId::Go(GoCommand::Partition), "partition", "Look at another partition")
        .takes(Argument::Required(Kind::Partition)),
    row(
        CommandId::Go(GoCommand::Context),
        "context",
        "Look at another scheduler, by its name in your settings or as k8s://NAME of your kubeconfig; alone: all of them, with what is known",
    )
    .aliases(&["ctx", "contexts"])
    .takes(Argument::Optional(Kind::Context)),
    row(CommandId::Go(GoCommand::AskContext), "", "Ask the context again who answers there, also where that runs a program for its credentials")
        .keys(&[(In::Contexts, "space")])
        .hints(&[(In::Contexts, "ask")]),
    row(CommandId::Screen(ScreenCommand::Freeze), "freeze", "Freeze or unfreeze the screen; the scheduler keeps running")
        .keys(&[(In::Page, "p")])
        .hints(&[(In::Page, "freeze")]),
    row(CommandId::Screen(ScreenCommand::Marks), "marks", "Mark cells that changed, or stop doing so"),
    row(CommandId::Screen(ScreenCommand::Mouse), "mouse", "Listen to the mouse, or leave it to the terminal, so that text can be selected"),
    row(CommandId::Screen(ScreenCommand::Theme), "theme", "Take another theme").takes(Argument::Required(Kind::Theme)),
    row(CommandId::Go(GoCommand::Messages), "messages", "What was said, by the engine and in the last line").aliases(&["log"]),
    row(CommandId::Prompt(PromptCommand::CommandLine), "", "The command line, with completion")
        .keys(&[(In::Page, ":"), (In::Help, ":"), (In::Messages, ":")])
        .hints(&[(In::Page, "command")]),
    row(CommandId::Go(GoCommand::Help), "help", "The keys of this page, and all others")
        .keys(&[(In::Page, "?"), (In::Page, "F1")])
        .hints(&[(In::Page, "help")]),
    row(CommandId::Go(GoCommand::Back), "", "One step back: a notice, a filter, a page; never quits")
        .keys(&[(In::Page, "esc")]),
    row(CommandId::Go(GoCommand::Leave), "", "Back to the page before; on the first page: quit")
        .keys(&[
            (In::Page, "q"),
            (In::Help, "q"),
            (In::Help, "esc"),
            (In::Help, "?"),
            (In::Messages, "q"),
            (In::Messages, "esc"),
        ])
        .hints(&[(In::Queues, "quit"), (In::Page, "back"), (In::Help, "close"), (In::Messages, "close")]),
    row(CommandId::Screen(ScreenCommand::Quit), "quit", "Quit; asks when something would be lost").aliases(&["q", "exit"]),
    row(CommandId::Screen(ScreenCommand::QuitNow), "quit!", "Quit at once, without asking").aliases(&["q!"]),
    row(CommandId::Screen(ScreenCommand::QuitAgain), "", "Pressed twice: quit at once, without asking")
        .keys(&[(In::Page, "Q"), (In::Always, "ctrl-c")]),
    row(CommandId::Screen(ScreenCommand::Suspend), "suspend", "To the background; `fg` comes back").keys(&[(In::Always, "ctrl-z")]),
    row(CommandId::Screen(ScreenCommand::Repaint), "repaint", "Redraw the whole screen").keys(&[(In::Always, "ctrl-l")]),
    row(CommandId::Prompt(PromptCommand::Accept), "", "Take it")
        .keys(&[(In::Filter, "enter"), (In::Command, "enter"), (In::Confirm, "enter"), (In::Typed, "enter"), (In::Reason, "enter"), (In::Columns, "enter")])
        .hints(&[(In::Filter, "keep"), (In::Command, "run"), (In::Confirm, "choose"), (In::Typed, "do it"), (In::Reason, "take it"), (In::Columns, "take them")]),
    row(CommandId::Prompt(PromptCommand::Cancel), "", "Leave; a filter is cleared, nothing is done")
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
    row(CommandId::Prompt(PromptCommand::Complete), "", "Take the completion")
        .keys(&[(In::Command, "tab")])
        .hints(&[(In::Command, "complete")]),
    row(CommandId::Prompt(PromptCommand::Choose), "", "The next completion").keys(&[(In::Command, "down"), (In::Command, "ctrl-n")]),
    row(CommandId::Prompt(PromptCommand::Unchoose), "", "The completion before").keys(&[(In::Command, "shift-tab"), (In::Command, "ctrl-p")]),
    row(CommandId::Prompt(PromptCommand::Older), "", "What was written before; among completions: the one before")
        .keys(&[(In::Command, "up"), (In::Filter, "up")])
        .hints(&[(In::Command, "history")]),
    row(CommandId::Prompt(PromptCommand::Newer), "", "Back to what was written after it").keys(&[(In::Filter, "down")]),
    row(CommandId::Prompt(PromptCommand::OtherAnswer), "", "The other answer")
        .keys(&[
            (In::Confirm, "left"),
            (In::Confirm, "right"),
            (In::Confirm, "tab"),
        ])
        .hints(&[(In::Confirm, "other answer")]),
    row(CommandId::Prompt(PromptCommand::Yes), "", "Do it").keys(&[(In::Confirm, "y")]).hints(&[(In::Confirm, "yes")]),
    row(CommandId::Prompt(PromptCommand::Reason), "", "Write the reason for it, which the audit keeps")
        .keys(&[(In::Confirm, "r"), (In::Confirm, "ctrl-r"), (In::Typed, "ctrl-r")])
        .hints(&[(In::Confirm, "reason"), (In::Typed, "reason")]),
    row(CommandId::Trial(TrialCommand::TryThis), "", "Try it in a copy of the cluster first, where nothing is real")
        .keys(&[(In::Config, "f"), (In::Change, "f"), (In::Confirm, "f")])
        .hints(&[(In::Config, "what if"), (In::Change, "what if"), (In::Confirm, "what if")]),
];
