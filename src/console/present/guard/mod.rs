//! Why a command is off right now, if it is: [`check`] has an arm for every command.
//!
//! Invariants: nothing here changes anything; what a command would be about is found here and by `update` with the same functions.

pub mod audit;
pub mod bulk;
pub mod change;
pub mod config;
pub mod events;
pub mod explain;
pub mod orders;
pub mod past;
pub mod placement;
pub mod revisions;
pub mod rows;
pub mod trial;
pub mod workload;

use crate::console::present::guard::rows::{
    can_fold, can_open, can_tell_why, has_row, no_filter, on_apps, on_list, on_nodes, several_partitions, some_context,
    takes_reason,
};
use crate::console::present::written;
use crate::console::state::State;
use crate::console::state::change::Kind as Form;
use crate::console::state::command::CommandId as Id;

/// Whether a command can run now.
///
/// # Errors
/// Why it is off.
pub fn check(state: &State, id: Id) -> Result<(), String> {
    match id {
        Id::Open => can_open(state),
        Id::Fold => can_fold(state),
        Id::FoldAll | Id::OpenAll => no_filter(state),
        Id::Details => has_row(state),
        Id::Ended | Id::Mark | Id::MarkAll => on_apps(state),
        Id::SortReverse | Id::Sort | Id::Columns | Id::Wide | Id::ColumnsRight | Id::ColumnsLeft => on_list(state),
        Id::Why => can_tell_why(state),
        Id::Explain => explain::can(state),
        Id::ExplainAll => explain::in_present(state),
        Id::Try => placement::can_try(state),
        Id::TryText => placement::can_try_text(state),
        Id::HeatMap => on_nodes(state),
        Id::SetMax => change::may(state, Form::Max),
        Id::SetGuaranteed => change::may(state, Form::Guaranteed),
        Id::SetProperty => change::may(state, Form::Property),
        Id::AddQueue => change::may(state, Form::Child),
        Id::SetLimit => change::may(state, Form::Limit),
        Id::RemoveQueue => change::may(state, Form::Remove),
        Id::GoPlace => written::place(state).map(|_| ()),
        Id::EventsOf => events::can_show_of(state),
        Id::Context => some_context(state),
        Id::EditText | Id::EditOutside => config::can_edit(state),
        Id::Apply if trial::applies(state) => trial::has_changes(state),
        Id::Apply => config::can_apply(state),
        Id::Undo | Id::Redo | Id::Beside => config::on_page(state),
        Id::NextFound | Id::NextFault => config::has_faults(state),
        Id::Revert => config::can_revert(state),
        Id::Restore => config::can_restore(state),
        Id::Merge | Id::Rebase => config::can_merge(state),
        Id::Partition => several_partitions(state),
        Id::AuditUser | Id::AuditAction | Id::AuditObject => audit::can_narrow(state),
        Id::RollBack => revisions::can_roll_back(state),
        Id::Live => past::is_past(state),
        Id::WhatIf => trial::can_open(state),
        Id::TryThis => trial::can_try_this(state),
        Id::Forward | Id::OtherSide | Id::Changes => trial::in_one(state).map(|_| ()),
        Id::TakeBack => trial::has_changes(state),
        Id::Kill => orders::may(state, "killed"),
        Id::MoveBack => bulk::can_move_back(state),
        Id::Submit => workload::may_submit(state),
        Id::Ask => workload::may_ask(state),
        Id::Release => workload::may_release(state),
        Id::RemoveApp => workload::may_remove(state),
        Id::DrainNode => workload::may_drain(state, true),
        Id::ResumeNode => workload::may_drain(state, false),
        Id::Clean => workload::may_clean(state),
        Id::Move => orders::may(state, "moved"),
        Id::Reason => takes_reason(state),
        Id::Pause => orders::may_rest(state, true),
        Id::Resume => orders::may_rest(state, false),
        Id::FoldClose
        | Id::FoldOpen
        | Id::Up
        | Id::Down
        | Id::PageUp
        | Id::PageDown
        | Id::Top
        | Id::Bottom
        | Id::Filter
        | Id::SortNext
        | Id::SortPrevious
        | Id::Queues
        | Id::Apps
        | Id::Nodes
        | Id::Users
        | Id::GoUser
        | Id::GoGroup
        | Id::Placement
        | Id::Fairness
        | Id::Write
        | Id::NextField
        | Id::PreviousField
        | Id::EndWriting
        | Id::ClearForm
        | Id::Partitions
        | Id::Info
        | Id::Config
        | Id::Events
        | Id::Follow
        | Id::EventsAll
        | Id::EventsKind
        | Id::EventsWhat
        | Id::SavedView
        | Id::ColumnToggle
        | Id::ColumnEarlier
        | Id::ColumnLater
        | Id::ColumnWider
        | Id::ColumnNarrower
        | Id::ColumnsDefault
        | Id::JumpBack
        | Id::JumpForward
        | Id::Find
        | Id::Refresh
        | Id::History
        | Id::Health
        | Id::Draining
        | Id::CopyName
        | Id::CopyRow
        | Id::CopyYaml
        | Id::Export
        | Id::Tour
        | Id::Figures
        | Id::TakeSuggestion
        | Id::EndEdit
        | Id::CompleteText
        | Id::ChooseText
        | Id::UnchooseText
        | Id::PreviousFound
        | Id::PreviousFault
        | Id::FoldText
        | Id::FoldTextAll
        | Id::UnfoldTextAll
        | Id::NextPage
        | Id::PreviousPage
        | Id::GoApp
        | Id::GoNode
        | Id::Freeze
        | Id::Marks
        | Id::Mouse
        | Id::Theme
        | Id::Messages
        | Id::CommandLine
        | Id::Help
        | Id::Back
        | Id::Leave
        | Id::Quit
        | Id::QuitNow
        | Id::QuitAgain
        | Id::Suspend
        | Id::Repaint
        | Id::Accept
        | Id::Cancel
        | Id::Complete
        | Id::Choose
        | Id::Unchoose
        | Id::Older
        | Id::Newer
        | Id::OtherAnswer
        | Id::Audit
        | Id::Revisions
        | Id::MarkRevision
        | Id::GoBack
        | Id::StepBack
        | Id::StepOn
        | Id::Yes => Ok(()),
    }
}
