//! The pages that one goes to, and what is done on one of them: trends, forms, logs, time.

use crate::input::command::row::{Argument, Command, Kind, row};
use crate::state::command::{
    CommandId, Context as In, FormCommand, GoCommand, LogCommand, ScreenCommand, TimeCommand, TrendCommand,
    TrialCommand,
};

/// Their rows, in the order in which the help lists them.
pub const ROWS: &[Command] = &[
    row(CommandId::Go(GoCommand::GoPlace), "place-of", "To where the queue or the limit under the cursor is written in the configuration")
        .keys(&[(In::Queues, "O"), (In::Users, "O"), (In::Account, "O"), (In::Details, "O")]),
    row(CommandId::Go(GoCommand::JumpBack), "jump-back", "Go back, as in a browser")
        .keys(&[(In::Page, "ctrl-o"), (In::Page, "alt-left")]),
    row(CommandId::Go(GoCommand::JumpForward), "jump-forward", "Go forward again; many terminals send tab for ctrl-i")
        .keys(&[(In::Page, "ctrl-i"), (In::Page, "alt-right")]),
    row(CommandId::Go(GoCommand::Find), "find", "Go to a queue, application, node, user, or group by name; `//` starts it")
        .aliases(&["search"])
        .takes(Argument::Required(Kind::Anything)),
    row(CommandId::Screen(ScreenCommand::Refresh), "refresh", "How often the screen takes news: 5s, 500ms, 0 for at once")
        .takes(Argument::Optional(Kind::Interval)),
    row(CommandId::Screen(ScreenCommand::OwnCommand), "run", "Run a command of your own settings, with what is under the cursor")
        .takes(Argument::Required(Kind::Own)),
    row(CommandId::Go(GoCommand::Overview), "overview", "Attention items, cluster usage, and changes since you last looked")
        .keys(&[(In::Page, "o")])
        .hints(&[(In::Queues, "attention")]),
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
    row(CommandId::Go(GoCommand::Fairness), "fairness", "Compare the usage of queues with their guaranteed resources")
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
    row(CommandId::Go(GoCommand::Limits), "limits", "Usage of users and groups compared with their limits, highest first")
        .keys(&[(In::Fairness, "u")])
        .hints(&[(In::Fairness, "users")]),
    row(CommandId::Go(GoCommand::Clusters), "clusters", "All contexts of your settings: which are reached, what they use, what is pending"),
    row(
        CommandId::Go(GoCommand::Simulate),
        "simulate",
        "Run a workload in virtual time, with the options of kornsole simulate; past 24h: what was, once more; or a file of finished runs",
    )
    .takes(Argument::Optional(Kind::File)),
    row(CommandId::Go(GoCommand::Shadow), "shadow", "Results of a shadow: how often its decisions and those of the scheduler agree, and the differences with their causes"),
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
    row(CommandId::Form(FormCommand::EndWriting), "", "Close the form and keep its values")
        .keys(&[(In::Form, "enter"), (In::Form, "esc")])
        .hints(&[(In::Form, "done")]),
    row(CommandId::Form(FormCommand::TakeSuggestion), "", "Take the name that is shown behind the cursor")
        .keys(&[(In::Form, "right"), (In::Form, "ctrl-n")])
        .hints(&[(In::Form, "take")]),
    row(CommandId::Form(FormCommand::ClearForm), "", "Reset the form; on the placement page clear it, then use your own user")
        .keys(&[(In::Placement, "x"), (In::Change, "x")])
        .hints(&[(In::Placement, "clear"), (In::Change, "reset")]),
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
        .hints(&[(In::Events, "same event")]),
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
    row(CommandId::Go(GoCommand::Revisions), "revisions", "The earlier configurations: show, compare, roll back")
        .aliases(&["config-history"])
        .keys(&[(In::Page, "H")]),
    row(CommandId::Log(LogCommand::MarkRevision), "", "Compare the others with this one; press again to compare each with its predecessor")
        .keys(&[(In::Revisions, "space")])
        .hints(&[(In::Revisions, "compare with")]),
    row(
        CommandId::Log(LogCommand::RollBack),
        "rollback",
        "Roll back to this configuration as a new revision; shows the effects, and asks",
    )
    .keys(&[(In::Revisions, "b")])
    .hints(&[(In::Revisions, "roll back")])
    .takes(Argument::Optional(Kind::Number)),
    row(CommandId::Time(TimeCommand::GoBack), "past", "Show the cluster at an earlier time: `:back 10m` ago, or at `:back 0:41`")
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
    row(CommandId::Screen(ScreenCommand::CopyRow), "copy-row", "Copy the row as shown").keys(&[(In::List, "y r")]),
    row(CommandId::Screen(ScreenCommand::CopyYaml), "copy-yaml", "Copy as YAML: a queue, an application, a pod, or a Kubernetes node")
        .keys(&[(In::List, "y y"), (In::Details, "y y"), (In::Pod, "y y")]),
    row(CommandId::Screen(ScreenCommand::Export), "export", "Write what the page shows into a new file: .csv, .json, or text")
        .takes(Argument::Required(Kind::File)),
    row(CommandId::Go(GoCommand::Info), "info", "Versions, files and the connection: what a report of a fault needs")
        .aliases(&["version"]),
    row(CommandId::Go(GoCommand::Tour), "tour", "A short way through the console"),
];
