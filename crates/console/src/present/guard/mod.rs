//! Why a command is disabled: [`check`] has an arm per group, each group's function one per command.
//!
//! Invariants: no state changes; `update` finds targets with the same functions.

pub mod audit;
pub mod bulk;
pub mod change;
pub mod config;
pub mod events;
pub mod explain;
pub mod job;
pub mod orders;
pub mod past;
pub mod placement;
pub mod pod;
pub mod revisions;
pub mod rows;
pub mod trial;
pub mod workload;

use crate::present::guard::rows::{
    accepts_reason, can_explain, can_fold, can_open, has_row, no_filter, on_apps, on_list, on_nodes, on_usage,
    several_partitions, some_context,
};
use crate::present::written;
use crate::state::State;
use crate::state::change::Kind as Form;
use crate::state::command::{
    ColumnCommand, CommandId, FormCommand, GoCommand, JobCommand, LogCommand, OrderCommand, PodCommand, PromptCommand,
    RowCommand, TextCommand, TimeCommand, TrialCommand,
};
use crate::state::page::Page;
use crate::state::pod::PodPart;

/// Whether a command is enabled.
///
/// # Errors
/// Why not.
pub fn check(state: &State, id: CommandId) -> Result<(), String> {
    match id {
        CommandId::Row(id) => rows_of(state, id),
        CommandId::Column(id) => columns(state, id),
        CommandId::Go(id) => go(state, id),
        CommandId::Form(id) => form(state, id),
        CommandId::Text(id) => text(state, id),
        CommandId::Log(id) => log(state, id),
        CommandId::Time(id) => time(state, id),
        CommandId::Trend(_) => on_trends(state),
        CommandId::Trial(id) => what_if(state, id),
        CommandId::Order(id) => order(state, id),
        CommandId::Job(id) => of_job(state, id),
        CommandId::Pod(id) => of_pod(state, id),
        CommandId::Prompt(id) => prompt(state, id),
        CommandId::Screen(_) => Ok(()),
    }
}

fn rows_of(state: &State, id: RowCommand) -> Result<(), String> {
    use RowCommand as Id;
    match id {
        Id::Open => can_open(state),
        Id::Fold => can_fold(state),
        Id::FoldAll | Id::OpenAll => no_filter(state),
        Id::Details => has_row(state),
        Id::Ended | Id::Mark | Id::MarkAll => on_apps(state),
        Id::HeatMap => on_nodes(state),
        Id::FoldClose | Id::FoldOpen | Id::Up | Id::Down | Id::PageUp | Id::PageDown | Id::Top | Id::Bottom => Ok(()),
    }
}

fn columns(state: &State, id: ColumnCommand) -> Result<(), String> {
    use ColumnCommand as Id;
    match id {
        Id::SortReverse | Id::Sort | Id::Columns | Id::Wide | Id::ColumnsRight | Id::ColumnsLeft => on_list(state),
        Id::SortNext
        | Id::SortPrevious
        | Id::SavedView
        | Id::ColumnToggle
        | Id::ColumnEarlier
        | Id::ColumnLater
        | Id::ColumnWider
        | Id::ColumnNarrower
        | Id::ColumnsDefault => Ok(()),
    }
}

fn go(state: &State, id: GoCommand) -> Result<(), String> {
    use GoCommand as Id;
    match id {
        Id::Why => can_explain(state),
        Id::Explain => explain::can(state),
        Id::ExplainAll => explain::in_present(state),
        Id::GoPlace => written::place(state).map(|_| ()),
        Id::EventsOf => events::can_show_of(state),
        Id::Context | Id::Clusters | Id::AskContext => some_context(state),
        Id::Partition => several_partitions(state),
        Id::UsageBy | Id::UsagePeriod => on_usage(state),
        Id::Queues
        | Id::Apps
        | Id::Nodes
        | Id::Users
        | Id::GoUser
        | Id::GoGroup
        | Id::Placement
        | Id::Fairness
        | Id::Alerts
        | Id::Overview
        | Id::Trends
        | Id::Limits
        | Id::Simulate
        | Id::Shadow
        | Id::Usage
        | Id::Partitions
        | Id::Info
        | Id::Config
        | Id::Events
        | Id::JumpBack
        | Id::JumpForward
        | Id::Find
        | Id::History
        | Id::Health
        | Id::Draining
        | Id::Tour
        | Id::Metrics
        | Id::NextPage
        | Id::PreviousPage
        | Id::GoApp
        | Id::GoNode
        | Id::Messages
        | Id::Help
        | Id::Back
        | Id::Leave
        | Id::Audit
        | Id::Revisions => Ok(()),
    }
}

fn on_trends(state: &State) -> Result<(), String> {
    match state.page() {
        Page::Trends(_) => Ok(()),
        _ => Err("only on trends; T or :trends opens them".to_owned()),
    }
}

fn form(state: &State, id: FormCommand) -> Result<(), String> {
    use FormCommand as Id;
    match id {
        Id::Try => placement::can_try(state),
        Id::TryText => placement::can_try_text(state),
        Id::SetMax => change::may(state, Form::Max),
        Id::SetGuaranteed => change::may(state, Form::Guaranteed),
        Id::SetProperty => change::may(state, Form::Property),
        Id::AddQueue => change::may(state, Form::Child),
        Id::SetLimit => change::may(state, Form::Limit),
        Id::RemoveQueue => change::may(state, Form::Remove),
        Id::Write | Id::NextField | Id::PreviousField | Id::EndWriting | Id::ClearForm | Id::TakeSuggestion => Ok(()),
    }
}

fn text(state: &State, id: TextCommand) -> Result<(), String> {
    use TextCommand as Id;
    match id {
        Id::EditText | Id::EditOutside => config::can_edit(state),
        Id::Apply if trial::applies(state) => trial::has_changes(state),
        Id::Apply => config::can_apply(state),
        Id::Undo | Id::Redo | Id::SidePane => config::on_page(state),
        Id::NextFound | Id::NextFault => config::has_faults(state),
        Id::Revert => config::can_revert(state),
        Id::Restore => config::can_restore(state),
        Id::Merge | Id::Rebase => config::can_merge(state),
        Id::EndEdit
        | Id::CompleteText
        | Id::ChooseText
        | Id::UnchooseText
        | Id::PreviousFound
        | Id::PreviousFault
        | Id::FoldText
        | Id::FoldTextAll
        | Id::UnfoldTextAll => Ok(()),
    }
}

fn log(state: &State, id: LogCommand) -> Result<(), String> {
    use LogCommand as Id;
    match id {
        Id::AuditUser | Id::AuditAction | Id::AuditObject => audit::can_narrow(state),
        Id::RollBack => revisions::can_roll_back(state),
        Id::Silence | Id::EndSilence => can_silence(state),
        Id::Follow | Id::EventsAll | Id::EventsKind | Id::EventsWhat | Id::MarkRevision => Ok(()),
    }
}

fn can_silence(state: &State) -> Result<(), String> {
    match (state.page(), &state.cluster.alerts) {
        (Page::Alerts(_), None) => Err("rules are not evaluated here".to_owned()),
        (Page::Alerts(_), Some(snapshot)) if snapshot.at.is_none() => {
            Err("the rules have not been evaluated yet".to_owned())
        }
        (Page::Alerts(_), Some(_)) => state.cluster.read_only().map_or(Ok(()), |why| Err(why.to_string())),
        _ => Err("only on the alerts page; :alerts opens it".to_owned()),
    }
}

fn time(state: &State, id: TimeCommand) -> Result<(), String> {
    use TimeCommand as Id;
    match id {
        Id::Live => past::is_past(state),
        Id::GoBack | Id::StepBack | Id::StepOn => Ok(()),
    }
}

fn what_if(state: &State, id: TrialCommand) -> Result<(), String> {
    use TrialCommand as Id;
    match id {
        Id::WhatIf => trial::can_open(state),
        Id::TryThis => trial::can_try_this(state),
        Id::Forward | Id::OtherSide | Id::Changes | Id::Compare => trial::in_one(state).map(|_| ()),
        Id::Suppose => trial::can_suppose(state),
        Id::TakeBack => trial::has_changes(state),
    }
}

fn order(state: &State, id: OrderCommand) -> Result<(), String> {
    use OrderCommand as Id;
    match id {
        Id::Kill | Id::Move if state.cluster.has_jobs => job::may(state, CommandId::Order(id)),
        Id::Submit | Id::Ask | Id::Release | Id::RemoveApp if state.cluster.has_jobs => job::by_hand(state),
        Id::Kill => orders::may(state, "killed"),
        Id::MoveBack => bulk::can_move_back(state),
        Id::SuspendOwners => orders::may_suspend(state),
        Id::UnsuspendOwners => orders::may_unsuspend(state),
        Id::Submit => workload::may_submit(state),
        Id::Ask => workload::may_ask(state),
        Id::Release => workload::may_release(state),
        Id::RemoveApp => workload::may_remove(state),
        Id::DrainNode => workload::may_drain(state, true),
        Id::ResumeNode => workload::may_drain(state, false),
        Id::Clean => workload::may_clean(state),
        Id::Move => orders::may(state, orders::MOVED),
        Id::Pause => orders::may_rest(state, true),
        Id::Resume => orders::may_rest(state, false),
    }
}

fn of_job(state: &State, id: JobCommand) -> Result<(), String> {
    use JobCommand as Id;
    match id {
        Id::Job | Id::FollowOutput => job::can_open(state),
        Id::HoldJob | Id::ReleaseJob | Id::RequeueJob | Id::JobPriority | Id::EditJob => {
            job::may(state, CommandId::Job(id))
        }
    }
}

fn of_pod(state: &State, id: PodCommand) -> Result<(), String> {
    use PodCommand as Id;
    match id {
        Id::Describe => pod::can_show(state, PodPart::Sheet),
        Id::Log => pod::can_show(state, PodPart::Log),
        Id::Yaml if state.cluster.view.kubernetes.is_none() => Ok(()),
        Id::Yaml => pod::can_show(state, PodPart::Text),
        Id::FollowLog | Id::PreviousRun => pod::on_log(state),
        Id::NextContainer => pod::several_containers(state),
        Id::NextPod | Id::PreviousPod => pod::several_pods(state),
        Id::NextMatch | Id::PreviousMatch => pod::searches(state),
        Id::ScrollLeft | Id::ScrollRight => Ok(()),
    }
}

fn prompt(state: &State, id: PromptCommand) -> Result<(), String> {
    use PromptCommand as Id;
    match id {
        Id::Reason => accepts_reason(state),
        Id::Filter
        | Id::CommandLine
        | Id::ExportAs
        | Id::Accept
        | Id::Cancel
        | Id::Complete
        | Id::Choose
        | Id::Unchoose
        | Id::Older
        | Id::Newer
        | Id::OtherAnswer
        | Id::Yes => Ok(()),
    }
}
