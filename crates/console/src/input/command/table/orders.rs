//! Texts, and what changes a cluster: jobs, pods, orders.

use crate::input::command::row::{Argument, Command, Kind, row};
use crate::state::command::{
    CommandId, Context as In, FormCommand, GoCommand, JobCommand, OrderCommand, PodCommand, RowCommand, TextCommand,
};

/// Their rows, in the order of the help: what edits comes first.
pub const ROWS: &[Command] = &[
    row(CommandId::Text(TextCommand::EditText), "", "Edit the text")
        .keys(&[(In::Config, "enter"), (In::Config, "e")])
        .hints(&[(In::Config, "edit")]),
    row(CommandId::Text(TextCommand::EndEdit), "", "Close the editor; the edit is kept and not applied")
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
        "Apply the edited configuration, or the form of a queue, after a confirmation",
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
    row(CommandId::Form(FormCommand::TryText), "try-text", "Preview the placement of a submission with the edited configuration")
        .keys(&[(In::Config, "t"), (In::Edit, "F3")])
        .hints(&[(In::Config, "try a placement")]),
    row(CommandId::Text(TextCommand::Revert), "revert", "Restore the active text; undo restores the edit")
        .keys(&[(In::Config, "R")]),
    row(CommandId::Text(TextCommand::Restore), "restore", "Load the previous configuration into the editor")
        .keys(&[(In::Config, "b")]),
    row(CommandId::Text(TextCommand::Merge), "merge", "Merge the changes of others with your edit, line by line"),
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
    row(CommandId::Job(JobCommand::ReleaseJob), "release-job", "Release the held job")
        .keys(&[(In::Apps, "u"), (In::App, "u"), (In::Job, "u")])
        .hints(&[(In::Job, "release")]),
    row(CommandId::Job(JobCommand::RequeueJob), "requeue", "Requeue the job, after a confirmation")
        .keys(&[(In::Apps, "R"), (In::App, "R"), (In::Job, "R")])
        .hints(&[(In::Job, "requeue")]),
    row(CommandId::Job(JobCommand::JobPriority), "priority", "Give the pending job another priority; asks first")
        .keys(&[(In::Apps, "P"), (In::App, "P"), (In::Job, "P")])
        .hints(&[(In::Job, "priority")])
        .takes(Argument::Optional(Kind::Text)),
    row(
        CommandId::Job(JobCommand::EditJob),
        "edit-job",
        "Change the pending job: cpu=2 mem=4G gpu=1 time=2h name=TEXT; after a confirmation",
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
        "Drain the node: no new allocations, existing ones continue",
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
    row(CommandId::Row(RowCommand::HeatMap), "map", "Show or hide the map of nodes next to the table")
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
];
