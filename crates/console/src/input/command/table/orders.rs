//! Commands for texts, jobs, pods, and operations.

use crate::input::command::row::{Argument, Command, Kind, row};
use crate::state::command::{
    CommandId, Context as In, FormCommand, GoCommand, JobCommand, OrderCommand, PodCommand, RowCommand, TextCommand,
};

/// The rows in help order: editing first.
pub const ROWS: &[Command] = &[
    row(CommandId::Text(TextCommand::EditText), "", "Edit the text")
        .keys(&[(In::Config, "enter"), (In::Config, "e")])
        .hints(&[(In::Config, "edit")]),
    row(CommandId::Text(TextCommand::EndEdit), "", "Close the editor; keep the edit without applying it")
    .short("Close, keep the edit")
        .keys(&[(In::Edit, "esc")])
        .hints(&[(In::Edit, "done")]),
    row(CommandId::Text(TextCommand::CompleteText), "", "Accept the completion; otherwise, move right")
    .short("Accept the completion")
        .keys(&[(In::Edit, "tab")])
        .hints(&[(In::Edit, "complete")]),
    row(CommandId::Text(TextCommand::ChooseText), "", "Next completion").keys(&[(In::Edit, "ctrl-n")]),
    row(CommandId::Text(TextCommand::UnchooseText), "", "Previous completion").keys(&[(In::Edit, "ctrl-p")]),
    row(
        CommandId::Text(TextCommand::Apply),
        "apply",
        "Apply the edited configuration, or the form of a queue, after a confirmation",
    )
    .short("Apply the change")
    .keys(&[(In::Config, "a"), (In::Edit, "F5"), (In::Change, "a"), (In::Form, "F5")])
    .hints(&[(In::Config, "apply"), (In::Edit, "apply"), (In::Change, "apply"), (In::Form, "apply")]),
    row(CommandId::Text(TextCommand::Undo), "undo", "Undo the last change of the text")
    .short("Undo")
        .keys(&[(In::Config, "u"), (In::Edit, "ctrl-u")])
        .hints(&[(In::Edit, "undo")]),
    row(CommandId::Text(TextCommand::Redo), "redo", "Redo a change")
        .keys(&[(In::Config, "U"), (In::Config, "ctrl-r"), (In::Edit, "ctrl-r")]),
    row(CommandId::Text(TextCommand::NextFound), "", "Go to the next error; in a search: to the next match")
    .short("Next error or match")
        .keys(&[(In::Config, "n")])
        .hints(&[(In::Config, "error")]),
    row(CommandId::Text(TextCommand::PreviousFound), "", "Previous error or match").keys(&[(In::Config, "N")]),
    row(CommandId::Text(TextCommand::NextFault), "", "Next error")
        .keys(&[(In::Edit, "F8")])
        .hints(&[(In::Edit, "error")]),
    row(CommandId::Text(TextCommand::PreviousFault), "", "Previous error").keys(&[(In::Edit, "F7")]),
    row(CommandId::Text(TextCommand::FoldText), "", "Fold or unfold the queue under the cursor")
    .short("Fold or unfold the queue")
        .keys(&[(In::Config, "space")])
        .hints(&[(In::Config, "fold")]),
    row(CommandId::Text(TextCommand::FoldTextAll), "", "Fold all queues").keys(&[(In::Config, "-")]),
    row(CommandId::Text(TextCommand::UnfoldTextAll), "", "Unfold all queues").keys(&[(In::Config, "+"), (In::Config, "=")]),
    row(
        CommandId::Text(TextCommand::SidePane),
        "diff",
        "Show the effects of the edit, the changed lines, or only the text",
    )
    .short("Effects, changed lines")
    .keys(&[(In::Config, "d"), (In::Edit, "F6")])
    .hints(&[(In::Config, "diff")]),
    row(CommandId::Text(TextCommand::EditOutside), "editor", "Edit the text in $VISUAL or $EDITOR")
    .short("Edit in $EDITOR")
        .keys(&[(In::Config, "E"), (In::Edit, "F4")])
        .hints(&[(In::Config, "$EDITOR")]),
    row(CommandId::Form(FormCommand::TryText), "try-text", "Preview the placement of a submission with the edited configuration")
    .short("Test a placement")
        .keys(&[(In::Config, "t"), (In::Edit, "F3")])
        .hints(&[(In::Config, "try a placement")]),
    row(CommandId::Text(TextCommand::Revert), "revert", "Restore the active text; undo restores the edit")
    .short("Restore the active text")
        .keys(&[(In::Config, "R")]),
    row(CommandId::Text(TextCommand::Restore), "restore", "Load the previous configuration into the editor")
    .short("Load previous revision")
        .keys(&[(In::Config, "b")]),
    row(CommandId::Text(TextCommand::Merge), "merge", "Merge the changes of others with your edit, line by line"),
    row(CommandId::Text(TextCommand::Rebase), "rebase", "Keep your text instead of the changes of others"),
    row(CommandId::Go(GoCommand::NextPage), "", "Go to the next page of the strip")
    .short("Next page")
        .keys(&[(In::Page, "tab")])
        .hints(&[(In::Page, "page")]),
    row(
        CommandId::Go(GoCommand::PreviousPage),
        "",
        "Go to the previous page of the strip",
    )
    .short("Previous page")
    .keys(&[(In::Page, "shift-tab")]),
    row(CommandId::Go(GoCommand::GoApp), "app", "Go to an application").aliases(&["application"]).with_argument(Argument::Required(Kind::App)),
    row(CommandId::Go(GoCommand::GoNode), "node", "Go to a node").with_argument(Argument::Required(Kind::Node)),
    row(
        CommandId::Row(RowCommand::Mark),
        "mark",
        "Mark or unmark the application; kill and move apply to all marked applications",
    )
    .short("Mark or unmark")
    .keys(&[(In::Apps, "space")])
    .hints(&[(In::Apps, "mark")]),
    row(CommandId::Row(RowCommand::MarkAll), "mark-all", "Mark all listed applications, or remove all marks")
    .short("Mark all, or none")
        .keys(&[(In::Apps, "A")]),
    row(
        CommandId::Order(OrderCommand::Kill),
        "kill",
        "Kill the selected or marked applications; shows the effects and asks first. The text after `kill` is the reason",
    )
    .short("Kill applications")
    .keys(&[(In::Apps, "K"), (In::App, "K"), (In::Job, "K")])
    .hints(&[(In::Apps, "kill"), (In::App, "kill"), (In::Job, "cancel")])
    .with_argument(Argument::Optional(Kind::Text)),
    row(
        CommandId::Order(OrderCommand::Move),
        "move",
        "Move the selected or marked applications to another leaf queue; shows the effects and asks first",
    )
    .short("Move applications")
    .keys(&[(In::Apps, "m"), (In::App, "m"), (In::Job, "m")])
    .hints(&[(In::Apps, "move"), (In::App, "move"), (In::Job, "move")])
    .with_argument(Argument::Optional(Kind::Leaf)),
    row(
        CommandId::Go(GoCommand::Explain),
        "explain",
        "Explain: why an application, request, or queue waits; who uses a node; why an event happened",
    )
    .short("Explain why")
    .keys(&[(In::List, "x"), (In::Details, "x"), (In::Explain, "x"), (In::Job, "x")])
    .hints(&[
        (In::Queues, "why"),
        (In::Apps, "why"),
        (In::App, "why"),
        (In::Job, "why"),
        (In::Explain, "explain again"),
    ]),
    row(
        CommandId::Go(GoCommand::ExplainAll),
        "waiting",
        "Explain all pending requests by cause; with a queue: in that queue",
    )
    .short("Pending requests by cause")
    .keys(&[(In::Apps, "C")])
    .with_argument(Argument::Optional(Kind::Queue)),
    row(
        CommandId::Job(JobCommand::Job),
        "job",
        "Show the local job of an application: usage, processes, output; also by its number",
    )
    .short("Local job")
    .keys(&[(In::Apps, "o"), (In::App, "o")])
    .hints(&[(In::Apps, "output"), (In::App, "output")])
    .with_argument(Argument::Optional(Kind::App)),
    row(CommandId::Job(JobCommand::FollowOutput), "", "Follow the output of the job, or stop following")
    .short("Follow or stop following")
        .keys(&[(In::Job, "f")])
        .hints(&[(In::Job, "follow")]),
    row(CommandId::Job(JobCommand::HoldJob), "hold", "Hold the job; asks first")
    .short("Hold the job")
        .keys(&[(In::Apps, "h"), (In::App, "h"), (In::Job, "h")])
        .hints(&[(In::Job, "hold")]),
    row(CommandId::Job(JobCommand::ReleaseJob), "release-job", "Release the held job")
        .keys(&[(In::Apps, "u"), (In::App, "u"), (In::Job, "u")])
        .hints(&[(In::Job, "release")]),
    row(CommandId::Job(JobCommand::RequeueJob), "requeue", "Requeue the job; asks first")
    .short("Requeue the job")
        .keys(&[(In::Apps, "R"), (In::App, "R"), (In::Job, "R")])
        .hints(&[(In::Job, "requeue")]),
    row(CommandId::Job(JobCommand::JobPriority), "priority", "Change the priority of the pending job; asks first")
    .short("Change the priority")
        .keys(&[(In::Apps, "P"), (In::App, "P"), (In::Job, "P")])
        .hints(&[(In::Job, "priority")])
        .with_argument(Argument::Optional(Kind::Text)),
    row(
        CommandId::Job(JobCommand::EditJob),
        "edit-job",
        "Change the pending job: cpu=2 mem=4G gpu=1 time=2h name=TEXT; asks first",
    )
    .short("Change the job")
    .keys(&[(In::Apps, "E"), (In::App, "E"), (In::Job, "E")])
    .hints(&[(In::Job, "edit")])
    .with_argument(Argument::Optional(Kind::Text)),
    row(
        CommandId::Order(OrderCommand::SuspendOwners),
        "suspend-owners",
        "Suspend the owners that recreate the pods of the application (Kubernetes); asks first",
    ),
    row(
        CommandId::Order(OrderCommand::UnsuspendOwners),
        "unsuspend",
        "Resume the last suspended owners (Kubernetes); asks first",
    ),
    row(CommandId::Pod(PodCommand::Describe), "describe", "Show the pod: status, and events of Kubernetes and the scheduler by time")
    .short("Pod: status and events")
        .keys(&[(In::Apps, "d"), (In::App, "d"), (In::Node, "d"), (In::Pod, "d")])
        .hints(&[(In::App, "pod"), (In::Pod, "pod")]),
    row(CommandId::Pod(PodCommand::Log), "logs", "Follow the log of the pod's container; for an application: of the failing pod, otherwise of the oldest")
    .short("Container log")
        .keys(&[(In::Apps, "l"), (In::App, "l"), (In::Node, "l"), (In::Pod, "l")])
        .hints(&[(In::Apps, "log"), (In::App, "log"), (In::Node, "log"), (In::Pod, "log")]),
    row(CommandId::Pod(PodCommand::Yaml), "yaml", "Show the pod as YAML, as kubectl prints it; `:copy-yaml` copies it")
    .short("Pod as YAML")
        .keys(&[(In::App, "Y"), (In::Node, "Y"), (In::Pod, "Y")])
        .hints(&[(In::Pod, "YAML")]),
    row(CommandId::Pod(PodCommand::FollowLog), "", "Follow the log, or stop following")
    .short("Follow or stop following")
        .keys(&[(In::Pod, "f")])
        .hints(&[(In::Pod, "follow")]),
    row(CommandId::Pod(PodCommand::NextContainer), "", "Show the log of the next container")
    .short("Next container")
        .keys(&[(In::Pod, "c")])
        .hints(&[(In::Pod, "container")]),
    row(CommandId::Pod(PodCommand::PreviousRun), "", "Show the log before the last restart; again: current log")
    .short("Log before the restart")
        .keys(&[(In::Pod, "P")])
        .hints(&[(In::Pod, "previous run")]),
    row(CommandId::Pod(PodCommand::NextPod), "", "Go to the next pod of the application")
    .short("Next pod")
        .keys(&[(In::Pod, "gt")])
        .hints(&[(In::Pod, "next pod")]),
    row(CommandId::Pod(PodCommand::PreviousPod), "", "Go to the previous pod of the application")
    .short("Previous pod").keys(&[(In::Pod, "lt")]),
    row(CommandId::Pod(PodCommand::NextMatch), "", "Next match")
        .keys(&[(In::Pod, "n")])
        .hints(&[(In::Pod, "next match")]),
    row(CommandId::Pod(PodCommand::PreviousMatch), "", "Previous match").keys(&[(In::Pod, "N")]),
    row(CommandId::Pod(PodCommand::ScrollLeft), "", "Scroll left").keys(&[(In::Pod, "left"), (In::Pod, "h")]),
    row(CommandId::Pod(PodCommand::ScrollRight), "", "Scroll right").keys(&[(In::Pod, "right")]),
    row(CommandId::Order(OrderCommand::MoveBack), "move-back", "Undo the last move; asks first"),
    row(CommandId::Order(OrderCommand::Submit), "submit", "Submit an application as yourself: id, queue, tags as KEY=VALUE")
        .with_argument(Argument::Required(Kind::Text)),
    row(CommandId::Order(OrderCommand::Ask), "ask", "Add requests to the application: the count, and RESOURCE=QUANTITY for each resource")
        .with_argument(Argument::Required(Kind::Text)),
    row(CommandId::Order(OrderCommand::Release), "release", "Release the selected allocation, or cancel the pending request")
    .short("Release or cancel")
        .keys(&[(In::App, "X"), (In::Node, "X")])
        .hints(&[(In::App, "release"), (In::Node, "release")]),
    row(CommandId::Order(OrderCommand::RemoveApp), "remove-app", "Complete the application, as its submitter does"),
    row(
        CommandId::Order(OrderCommand::DrainNode),
        "drain-node",
        "Drain the node; existing allocations continue",
    )
    .short("Drain the node")
    .keys(&[(In::Nodes, "D"), (In::Node, "D")])
    .hints(&[(In::Nodes, "drain"), (In::Node, "drain")]),
    row(CommandId::Order(OrderCommand::ResumeNode), "resume-node", "Make the node schedulable again")
    .short("Make it schedulable")
        .keys(&[(In::Nodes, "U"), (In::Node, "U")])
        .hints(&[(In::Nodes, "resume"), (In::Node, "resume")]),
    row(
        CommandId::Order(OrderCommand::Clean),
        "clean-up",
        "Remove empty draining and dynamic queues, and old ended applications",
    ),
    row(CommandId::Order(OrderCommand::Pause), "pause", "Pause the scheduler: no cycles, no timers, its clock stops"),
    row(CommandId::Order(OrderCommand::Resume), "resume", "Resume the scheduler"),
    row(CommandId::Row(RowCommand::HeatMap), "map", "Show or hide the map of nodes next to the table")
    .short("Show or hide the map")
        .keys(&[(In::Nodes, "m")])
        .hints(&[(In::Nodes, "map")]),
    row(
        CommandId::Go(GoCommand::Partitions),
        "partitions",
        "List partitions: state, nodes, queues, applications, and usage",
    ),
    row(CommandId::Go(GoCommand::Partition), "partition", "Show another partition")
        .with_argument(Argument::Required(Kind::Partition)),
    row(
        CommandId::Go(GoCommand::Context),
        "context",
        "Connect to another scheduler, by its name in your settings or as k8s://NAME of your kubeconfig; alone: list all",
    )
    .aliases(&["ctx", "contexts"])
    .with_argument(Argument::Optional(Kind::Context)),
    row(CommandId::Go(GoCommand::AskContext), "", "Check the context again, even if that runs a credential plugin")
    .short("Check the context again")
        .keys(&[(In::Contexts, "space")])
        .hints(&[(In::Contexts, "ask")]),
];
