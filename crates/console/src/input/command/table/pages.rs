//! Commands that open pages, and those of single pages.

use crate::input::command::row::{Argument, Command, Kind, row};
use crate::state::command::{
    CommandId, Context as In, FormCommand, GoCommand, LogCommand, PromptCommand, ScreenCommand, TimeCommand,
    TrendCommand, TrialCommand,
};

/// The rows in help order.
pub const ROWS: &[Command] = &[
    row(CommandId::Go(GoCommand::GoPlace), "place-of", "Go to the line of the queue or limit in the configuration")
    .short("Go to its configuration")
        .keys(&[(In::Queues, "O"), (In::Users, "O"), (In::Account, "O"), (In::Details, "O")]),
    row(CommandId::Go(GoCommand::JumpBack), "jump-back", "Go back, like a browser")
        .keys(&[(In::Page, "ctrl-o"), (In::Page, "alt-left")]),
    row(CommandId::Go(GoCommand::JumpForward), "jump-forward", "Go forward; many terminals send tab for ctrl-i")
    .short("Go forward")
        .keys(&[(In::Page, "ctrl-i"), (In::Page, "alt-right")]),
    row(CommandId::Go(GoCommand::Find), "find", "Go to a queue, application, node, user, or group by name; `//` starts it")
        .aliases(&["search"])
        .with_argument(Argument::Required(Kind::Anything)),
    row(CommandId::Screen(ScreenCommand::Refresh), "refresh", "Set the refresh interval: 5s, 500ms, 0 for immediately")
        .with_argument(Argument::Optional(Kind::Interval)),
    row(CommandId::Screen(ScreenCommand::OwnCommand), "run", "Run a command of your settings on the selected row")
        .with_argument(Argument::Required(Kind::Own)),
    row(CommandId::Go(GoCommand::Overview), "overview", "Attention items, cluster usage, and changes since you last looked")
    .short("What needs attention")
        .keys(&[(In::Page, "o")])
        .hints(&[(In::Queues, "attention")]),
    row(
        CommandId::Go(GoCommand::Trends),
        "trends",
        "Show trends of the selected queue, user or node, otherwise of the cluster; with a value, for example use.memory",
    )
    .short("Trends of the selection")
    .keys(&[(In::Page, "T")])
    .with_argument(Argument::Optional(Kind::Text)),
    row(CommandId::Trend(TrendCommand::TrendEarlier), "", "Move the cursor back in time")
    .short("Move cursor back").keys(&[(In::Trends, "left"), (In::Trends, "h")]),
    row(CommandId::Trend(TrendCommand::TrendLater), "", "Move the cursor forward in time")
    .short("Move cursor forward").keys(&[(In::Trends, "right"), (In::Trends, "l")]),
    row(CommandId::Trend(TrendCommand::TrendPageEarlier), "", "Go back by half of the time \
        range")
    .short("Half a range back").keys(&[(In::Trends, "pgup")]),
    row(CommandId::Trend(TrendCommand::TrendPageLater), "", "Go forward by half of the time \
        range")
    .short("Half a range forward").keys(&[(In::Trends, "pgdn")]),
    row(CommandId::Trend(TrendCommand::TrendOldest), "", "Go to the oldest data").keys(&[(In::Trends, "home"), (In::Trends, "g")]),
    row(CommandId::Trend(TrendCommand::TrendNow), "", "Go to the present").keys(&[(In::Trends, "end"), (In::Trends, "G")]),
    row(CommandId::Trend(TrendCommand::ZoomIn), "", "Shorten the time range, down to 10 minutes")
    .short("Shorter time range")
        .keys(&[(In::Trends, "+"), (In::Trends, "=")])
        .hints(&[(In::Trends, "zoom")]),
    row(CommandId::Trend(TrendCommand::ZoomOut), "", "Extend the time range, up to 30 days")
    .short("Longer time range").keys(&[(In::Trends, "-")]),
    row(CommandId::Trend(TrendCommand::NextValue), "", "Next value")
        .keys(&[(In::Trends, "down"), (In::Trends, "j")])
        .hints(&[(In::Trends, "value")]),
    row(CommandId::Trend(TrendCommand::PreviousValue), "", "Previous value").keys(&[(In::Trends, "up"), (In::Trends, "k")]),
    row(CommandId::Trend(TrendCommand::SecondValue), "", "Add a second value, or show the next value")
    .short("Add a second value")
        .keys(&[(In::Trends, "b")])
        .hints(&[(In::Trends, "second")]),
    row(CommandId::Trend(TrendCommand::NoSecondValue), "", "Remove the second value").keys(&[(In::Trends, "B")]),
    row(CommandId::Trend(TrendCommand::NextMark), "", "Next mark")
        .keys(&[(In::Trends, "n")])
        .hints(&[(In::Trends, "mark")]),
    row(CommandId::Trend(TrendCommand::PreviousMark), "", "Previous mark").keys(&[(In::Trends, "N")]),
    row(CommandId::Go(GoCommand::Queues), "queues", "Show the queue tree; with a queue: select it")
    .short("Queue tree")
        .aliases(&["home", "queue"])
        .keys(&[(In::Page, "1")])
        .with_argument(Argument::Optional(Kind::Queue)),
    row(CommandId::Go(GoCommand::Apps), "apps", "List all applications, or those of a queue and its children")
    .short("Applications")
        .aliases(&["applications"])
        .keys(&[(In::Page, "2")])
        .with_argument(Argument::Optional(Kind::Queue)),
    row(CommandId::Go(GoCommand::Nodes), "nodes", "The nodes").keys(&[(In::Page, "3")]),
    row(CommandId::Go(GoCommand::Users), "users", "List users and groups: usage and limits")
    .short("Users and groups")
        .aliases(&["groups"])
        .keys(&[(In::Page, "4")]),
    row(CommandId::Go(GoCommand::GoUser), "user", "Go to a user: usage against limits, queue by queue")
        .with_argument(Argument::Required(Kind::User)),
    row(CommandId::Go(GoCommand::GoGroup), "group", "Go to a group: usage against limits, queue by queue")
        .with_argument(Argument::Required(Kind::Group)),
    row(
        CommandId::Go(GoCommand::Placement),
        "placement",
        "Preview placement, rule by rule; with a file: with that configuration",
    )
    .short("Preview placement")
    .aliases(&["place"])
    .keys(&[(In::Page, "5")])
    .with_argument(Argument::Optional(Kind::File)),
    row(CommandId::Go(GoCommand::Why), "why", "Explain why an application is in its queue; for a queue: who can submit and administer")
    .short("Why it is in its queue")
        .keys(&[(In::Queues, "w"), (In::Apps, "w"), (In::App, "w")])
        .hints(&[(In::Apps, "why here"), (In::App, "why here")]),
    row(CommandId::Go(GoCommand::Fairness), "fairness", "Compare the usage of queues with their guaranteed resources")
    .short("Usage and guarantees")
        .keys(&[(In::Page, "F")])
        .hints(&[(In::Fairness, "queues")]),
    row(CommandId::Go(GoCommand::Alerts), "alerts", "List alerts: firing, pending, silenced, and last resolved")
    .short("Alerts")
        .keys(&[(In::Page, "!")]),
    row(CommandId::Log(LogCommand::Silence), "silence", "Silence the selected alert, with a reason: 2h REASON; its whole rule: rule 2h REASON")
    .short("Silence the alert")
        .keys(&[(In::Alerts, "s")])
        .hints(&[(In::Alerts, "silence")])
        .with_argument(Argument::Optional(Kind::Text)),
    row(CommandId::Log(LogCommand::EndSilence), "unsilence", "End the selected silence, or the silence of the selected alert")
    .short("End the silence")
        .keys(&[(In::Alerts, "D")])
        .hints(&[(In::Alerts, "end silence")]),
    row(CommandId::Go(GoCommand::Limits), "limits", "Usage of users and groups compared with their limits, highest first")
    .short("Limits by usage")
        .keys(&[(In::Fairness, "u")])
        .hints(&[(In::Fairness, "users")]),
    row(CommandId::Go(GoCommand::Clusters), "clusters", "List contexts: reachability, usage, pending requests"),
    row(
        CommandId::Go(GoCommand::Simulate),
        "simulate",
        "Simulate a workload, with the options of kornsole simulate; `past 24h`: the last day again; or a file of finished runs",
    )
    .with_argument(Argument::Optional(Kind::File)),
    row(CommandId::Go(GoCommand::Shadow), "shadow", "Show shadow results: agreement of decisions, and differences with their causes"),
    row(CommandId::Go(GoCommand::Usage), "usage", "Show usage and waits over time; with a period: 24h, 7d, month, last-month, all")
        .with_argument(Argument::Optional(Kind::Text)),
    row(CommandId::Go(GoCommand::UsageBy), "usage-by", "Split usage by the next of, or by: queue, tree, user, group, priority, application")
    .short("Split by the next key")
        .keys(&[(In::Usage, "b")])
        .hints(&[(In::Usage, "split by")])
        .with_argument(Argument::Optional(Kind::Text)),
    row(CommandId::Go(GoCommand::UsagePeriod), "usage-period", "Show usage of the next period, or of: 24h, 7d, month, last-month, all")
    .short("Next period")
        .keys(&[(In::Usage, "p")])
        .hints(&[(In::Usage, "period")])
        .with_argument(Argument::Optional(Kind::Text)),
    row(CommandId::Form(FormCommand::Try), "try", "Preview the placement of the application under the cursor, without submitting it")
    .short("Preview its placement")
        .keys(&[(In::Details, "t")])
        .hints(&[(In::Details, "try again")]),
    row(CommandId::Form(FormCommand::Write), "", "Edit the form; the result is updated as you type")
    .short("Edit the form")
        .keys(&[(In::Placement, "enter"), (In::Placement, "e"), (In::Change, "enter"), (In::Change, "e")])
        .hints(&[(In::Placement, "write"), (In::Change, "write")]),
    row(CommandId::Form(FormCommand::NextField), "", "Next field")
        .keys(&[
            (In::Form, "tab"),
            (In::Form, "down"),
            (In::Placement, "right"),
            (In::Placement, "l"),
            (In::Change, "right"),
            (In::Change, "l"),
        ])
        .hints(&[(In::Form, "next field"), (In::Placement, "field"), (In::Change, "field")]),
    row(CommandId::Form(FormCommand::PreviousField), "", "Previous field").keys(&[
        (In::Form, "shift-tab"),
        (In::Form, "up"),
        (In::Placement, "left"),
        (In::Placement, "h"),
        (In::Change, "left"),
        (In::Change, "h"),
    ]),
    row(CommandId::Form(FormCommand::EndWriting), "", "Close the form and keep its values")
    .short("Close and keep the form")
        .keys(&[(In::Form, "enter"), (In::Form, "esc")])
        .hints(&[(In::Form, "done")]),
    row(CommandId::Form(FormCommand::TakeSuggestion), "", "Accept the suggested name")
        .keys(&[(In::Form, "right"), (In::Form, "ctrl-n")])
        .hints(&[(In::Form, "take")]),
    row(CommandId::Form(FormCommand::ClearForm), "", "Reset the form; on the placement page: clear it, then use your own user")
    .short("Reset the form")
        .keys(&[(In::Placement, "x"), (In::Change, "x")])
        .hints(&[(In::Placement, "clear"), (In::Change, "reset")]),
    row(CommandId::Form(FormCommand::SetMax), "set-max", "Set the maximum of the queue, and its maximum of running applications")
    .short("Set the maximum")
        .keys(&[(In::Queues, "c m"), (In::Details, "c m")])
        .hints(&[(In::Queues, "change")]),
    row(CommandId::Form(FormCommand::SetGuaranteed), "set-guaranteed", "Set the guaranteed resources of the queue")
    .short("Set the guarantee")
        .keys(&[(In::Queues, "c g"), (In::Details, "c g")]),
    row(CommandId::Form(FormCommand::SetProperty), "set-property", "Set or remove a property of the queue")
    .short("Set a property")
        .keys(&[(In::Queues, "c p"), (In::Details, "c p")]),
    row(CommandId::Form(FormCommand::SetLimit), "set-limit", "Add or change a limit of users or groups in the queue")
    .short("Set a limit")
        .keys(&[(In::Queues, "c l"), (In::Details, "c l")]),
    row(CommandId::Form(FormCommand::AddQueue), "add-queue", "Add a child queue")
        .keys(&[(In::Queues, "c a"), (In::Details, "c a")]),
    row(
        CommandId::Form(FormCommand::RemoveQueue),
        "remove-queue",
        "Remove the queue and its children; with applications, it drains",
    )
    .short("Remove the queue")
    .keys(&[(In::Queues, "c r"), (In::Details, "c r")]),
    row(CommandId::Go(GoCommand::Config), "config", "Show the configuration: its text, and the effects of an edit")
    .short("Configuration")
        .aliases(&["configuration", "edit"])
        .keys(&[(In::Page, "6")]),
    row(CommandId::Go(GoCommand::Events), "events", "List events, newest first: `important` or `all`; with a name: of \
        that object")
    .short("Events")
        .keys(&[(In::Page, "7")])
        .with_argument(Argument::Optional(Kind::Text)),
    row(CommandId::Go(GoCommand::EventsOf), "events-of", "List events of the selected row")
    .short("Events of the selection")
        .keys(&[(In::List, "v")]),
    row(CommandId::Log(LogCommand::Follow), "", "Follow the newest event, or stop following")
    .short("Follow or stop following")
        .keys(&[(In::Events, "f")])
        .hints(&[(In::Events, "follow")]),
    row(CommandId::Log(LogCommand::EventsAll), "", "Show all events, or only important ones")
    .short("All or important events")
        .keys(&[(In::Events, "m")])
        .hints(&[(In::Events, "all or important")]),
    row(CommandId::Log(LogCommand::EventsKind), "", "Show only events of this kind of object: applications, nodes, or queues; again: all events")
    .short("Filter by kind of object")
        .keys(&[(In::Events, "a")])
        .hints(&[(In::Events, "this kind")]),
    row(CommandId::Log(LogCommand::EventsWhat), "", "Show only events of this type, for example preempted; again: all events")
    .short("Filter by type of event")
        .keys(&[(In::Events, "t")])
        .hints(&[(In::Events, "same event")]),
    row(CommandId::Go(GoCommand::History), "history", "Show the history of the cluster or a queue, by the minute")
    .short("History")
        .keys(&[(In::Page, "8")])
        .with_argument(Argument::Optional(Kind::Queue)),
    row(CommandId::Go(GoCommand::Health), "health", "Show the health checks of the cluster")
    .short("Health checks").keys(&[(In::Page, "9")]),
    row(CommandId::Go(GoCommand::Draining), "draining", "List draining queues with their duration, and the \
        applications that block them")
    .short("Draining queues")
        .aliases(&["drains"])
        .keys(&[(In::Page, "0")]),
    row(CommandId::Go(GoCommand::Audit), "audit", "List the audit: operations and rejected operations, with their \
        users; filter with `user=`, `action=`, or `object=`")
    .short("Audit")
        .keys(&[(In::Page, "L")])
        .with_argument(Argument::Optional(Kind::Text)),
    row(CommandId::Log(LogCommand::AuditUser), "", "Show only entries of this user; again: all entries")
    .short("Filter by user")
        .keys(&[(In::Audit, "u")])
        .hints(&[(In::Audit, "this user")]),
    row(CommandId::Log(LogCommand::AuditAction), "", "Show only entries of this action; again: all entries")
    .short("Filter by action")
        .keys(&[(In::Audit, "a")])
        .hints(&[(In::Audit, "action")]),
    row(CommandId::Log(LogCommand::AuditObject), "", "Show only entries of this object; again: all entries")
    .short("Filter by object")
        .keys(&[(In::Audit, "o")])
        .hints(&[(In::Audit, "object")]),
    row(CommandId::Go(GoCommand::Revisions), "revisions", "List earlier configurations: show, compare, roll back")
    .short("Earlier configurations")
        .aliases(&["config-history"])
        .keys(&[(In::Page, "H")]),
    row(CommandId::Log(LogCommand::MarkRevision), "", "Compare the other revisions with this one; again: compare each with its predecessor")
    .short("Compare with revision")
        .keys(&[(In::Revisions, "space")])
        .hints(&[(In::Revisions, "compare with")]),
    row(
        CommandId::Log(LogCommand::RollBack),
        "rollback",
        "Roll back to this configuration as a new revision; shows the effects and asks first",
    )
    .short("Roll back to revision")
    .keys(&[(In::Revisions, "b")])
    .hints(&[(In::Revisions, "roll back")])
    .with_argument(Argument::Optional(Kind::Number)),
    row(CommandId::Time(TimeCommand::GoBack), "past", "Show the cluster at an earlier time: `:back 10m` ago, or at `:back 0:41`")
        .aliases(&["back"])
        .with_argument(Argument::Optional(Kind::Ago)),
    row(
        CommandId::Time(TimeCommand::StepBack),
        "",
        "Go back to just before the previous important event, for example a kill, a drain, or a lost node",
    )
    .short("Back to previous event")
    .keys(&[(In::Page, "[")]),
    row(CommandId::Time(TimeCommand::StepOn), "", "Go forward to just before the next important event; after the last event: the present")
    .short("Forward to next event")
        .keys(&[(In::Page, "]")]),
    row(CommandId::Time(TimeCommand::Live), "live", "Return from the past to the present"),
    row(CommandId::Trial(TrialCommand::WhatIf), "whatif", "Start a what-if: a copy of the cluster in which you can try changes safely")
        .aliases(&["what-if"]),
    row(CommandId::Trial(TrialCommand::Forward), "forward", "What-if: advance time by a minute, or by `:forward 10m`")
    .short("What-if: advance a minute")
        .keys(&[(In::Page, "}")])
        .with_argument(Argument::Optional(Kind::Ago)),
    row(CommandId::Trial(TrialCommand::Suppose), "suppose", "What-if: add a change, for example `:suppose node add n1 4`, `submit etl 20`, or `demand root.a x2`")
        .with_argument(Argument::Required(Kind::Text)),
    row(CommandId::Trial(TrialCommand::Compare), "sides", "What-if: compare the cluster without and with the changes; also `tab`"),
    row(CommandId::Trial(TrialCommand::OtherSide), "other-side", "What-if: show this page without or with the changes")
    .short("What-if: switch sides")
        .keys(&[(In::Page, "{")]),
    row(CommandId::Trial(TrialCommand::Changes), "changes", "What-if: list the changes with their numbers"),
    row(CommandId::Trial(TrialCommand::TakeBack), "take-back", "What-if: undo a change by its number, or the last change")
        .with_argument(Argument::Optional(Kind::Number)),
    row(CommandId::Screen(ScreenCommand::CopyName), "copy", "Copy the value under the cursor: a queue's path, an id")
    .short("Copy the value")
        .keys(&[(In::List, "y"), (In::Details, "y"), (In::Pod, "y")]),
    row(CommandId::Screen(ScreenCommand::CopyRow), "copy-row", "Copy the row as shown on screen"),
    row(CommandId::Screen(ScreenCommand::CopyYaml), "copy-yaml", "Copy as YAML: the selected row; of a queue its configuration, in Kubernetes the pod or node")
    .short("Copy as YAML")
        .keys(&[(In::List, "Y"), (In::Details, "Y")]),
    row(CommandId::Screen(ScreenCommand::Export), "export", "Export the page to a new file: .csv, .json, or text")
        .with_argument(Argument::Required(Kind::File)),
    row(CommandId::Prompt(PromptCommand::ExportAs), "", "Export the page: opens the command line with a file name")
        .short("Export the page")
        .keys(&[(In::Page, "ctrl-s")]),
    row(CommandId::Go(GoCommand::Info), "info", "Show versions, files, and the connection, for a bug report")
        .aliases(&["version"]),
    row(CommandId::Go(GoCommand::Tour), "tour", "Show a short tour of the console"),
];
