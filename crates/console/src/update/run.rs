//! Runs commands: one function per group, with an arm per command.

use crate::state::State;
use crate::state::change::Kind;
use crate::state::command::{
    ColumnCommand, CommandId, FormCommand, GoCommand, JobCommand, LogCommand, OrderCommand, PodCommand, PromptCommand,
    RowCommand, ScreenCommand, TextCommand, TimeCommand,
};
use crate::state::cursor::Move;
use crate::state::effect::Effect;
use crate::state::layer::Layer;
use crate::state::page::{Page, Subject};
use crate::state::past::Step;
use crate::state::pod::PodPart;
use crate::update::{
    alerts, apps, attention, audit, board, bulk, change, clusters, column_picker, columns, command_line, config,
    contexts, events, explain, fairness, feed, form, hand_out, job, jumping, leave, limits_used, lists, mouse,
    navigate, nodes, orders, overview, own_command, owners, past, placement, pod, question, queues, refresh, revisions,
    shadow, simulate, tabs, trends, trial, usage, workload, write,
};
use view::Side;

pub(super) fn run(state: &mut State, id: CommandId, argument: Option<&str>) {
    state.toast = None;
    state.first_steps.retain(|step| *step != id);
    if id != CommandId::Screen(ScreenCommand::QuitAgain) {
        state.quit_armed_until = None;
    }
    match id {
        CommandId::Row(id) => row(state, id),
        CommandId::Column(id) => column(state, id, argument),
        CommandId::Go(id) => go(state, id, argument),
        CommandId::Form(id) => form(state, id),
        CommandId::Text(id) => text(state, id),
        CommandId::Log(id) => log(state, id, argument),
        CommandId::Time(id) => time(state, id, argument),
        CommandId::Trend(id) => trends::run(state, id),
        CommandId::Trial(id) => trial::run(state, id, argument),
        CommandId::Order(id) => order(state, id, argument),
        CommandId::Job(id) => of_job(state, id, argument),
        CommandId::Pod(id) => of_pod(state, id),
        CommandId::Prompt(id) => prompt(state, id, argument),
        CommandId::Screen(id) => screen(state, id, argument),
    }
    if !ends_or_runs_another(id) {
        state.redraw();
    }
}

const fn ends_or_runs_another(id: CommandId) -> bool {
    use ScreenCommand as Id;
    match id {
        CommandId::Screen(id) => matches!(id, Id::Quit | Id::QuitNow | Id::QuitAgain | Id::Suspend),
        CommandId::Prompt(id) => matches!(id, PromptCommand::Accept | PromptCommand::Yes),
        id => matches!(id, CommandId::Go(GoCommand::Leave)),
    }
}

fn row(state: &mut State, id: RowCommand) {
    match id {
        RowCommand::Up => lists::go(state, Move::Rows(-1)),
        RowCommand::Down => lists::go(state, Move::Rows(1)),
        RowCommand::PageUp => lists::go(state, Move::Pages(-1)),
        RowCommand::PageDown => lists::go(state, Move::Pages(1)),
        RowCommand::Top => lists::go(state, Move::Top),
        RowCommand::Bottom => lists::go(state, Move::Bottom),
        RowCommand::Fold => queues::toggle_fold(state),
        RowCommand::FoldClose => queues::fold_or_parent(state),
        RowCommand::FoldOpen => queues::open_or_child(state),
        RowCommand::FoldAll => queues::fold_all(state),
        RowCommand::OpenAll => queues::open_all(state),
        RowCommand::Ended => apps::toggle_ended(state),
        RowCommand::Open if attention::enter(state) => {}
        RowCommand::Open => navigate::open(state),
        RowCommand::Details => navigate::details(state),
        RowCommand::HeatMap => nodes::toggle_map(state),
        RowCommand::Mark => bulk::toggle(state),
        RowCommand::MarkAll => bulk::toggle_all(state),
    }
}

fn column(state: &mut State, id: ColumnCommand, argument: Option<&str>) {
    match id {
        ColumnCommand::SortNext => lists::step_sort(state, 1),
        ColumnCommand::SortPrevious => lists::step_sort(state, -1),
        ColumnCommand::SortReverse => lists::reverse_sort(state),
        ColumnCommand::Columns => column_picker::choose(state, argument),
        ColumnCommand::ColumnToggle => column_picker::toggle(state),
        ColumnCommand::ColumnEarlier => column_picker::shift(state, -1),
        ColumnCommand::ColumnLater => column_picker::shift(state, 1),
        ColumnCommand::ColumnWider => column_picker::widen(state, 1),
        ColumnCommand::ColumnNarrower => column_picker::widen(state, -1),
        ColumnCommand::ColumnsDefault => column_picker::usual(state),
        ColumnCommand::Wide => columns::toggle_wide(state),
        ColumnCommand::ColumnsRight => columns::shift(state, 1),
        ColumnCommand::ColumnsLeft => columns::shift(state, -1),
        ColumnCommand::SavedView => columns::view(state, argument),
        ColumnCommand::Sort => lists::sort_by(state, argument.unwrap_or_default()),
    }
}

fn go(state: &mut State, id: GoCommand, argument: Option<&str>) {
    match id {
        GoCommand::GoPlace => config::open_at_place(state),
        GoCommand::JumpBack => jumping::go(state, false),
        GoCommand::JumpForward => jumping::go(state, true),
        GoCommand::Find => navigate::find(state, argument.unwrap_or_default()),
        GoCommand::Queues => navigate::queues(state, argument),
        GoCommand::Apps => navigate::apps(state, argument),
        GoCommand::Nodes => navigate::nodes(state),
        GoCommand::Users => navigate::users(state),
        GoCommand::GoUser => navigate::account(state, Side::User, argument.unwrap_or_default()),
        GoCommand::GoGroup => navigate::account(state, Side::Group, argument.unwrap_or_default()),
        GoCommand::Placement => placement::open(state, argument),
        GoCommand::Why => placement::why(state),
        GoCommand::Partitions => navigate::sheet(state, Subject::Partitions),
        GoCommand::Info => navigate::sheet(state, Subject::Info),
        GoCommand::NextPage if state.cluster.trial.is_some() => trial::compare(state),
        GoCommand::NextPage => tabs::step_tab(state, 1),
        GoCommand::PreviousPage => tabs::step_tab(state, -1),
        GoCommand::GoApp => navigate::app(state, argument.unwrap_or_default()),
        GoCommand::GoNode => navigate::node(state, argument.unwrap_or_default()),
        GoCommand::Partition => navigate::partition(state, argument.unwrap_or_default()),
        GoCommand::Context => match argument {
            Some(name) => navigate::context(state, name),
            None => contexts::open(state),
        },
        GoCommand::AskContext => contexts::ask(state),
        GoCommand::Back if board::leave(state) => {}
        GoCommand::Back => leave::back(state),
        GoCommand::Leave => leave::leave(state),
        GoCommand::Help => state.layers.push(Layer::Help(Default::default())),
        GoCommand::Messages => state.layers.push(Layer::Messages { top: 0 }),
        GoCommand::Audit => audit::open(state, argument),
        GoCommand::Revisions => revisions::open(state),
        GoCommand::Events => events::open(state, argument),
        GoCommand::EventsOf => events::of_subject(state),
        GoCommand::Health => navigate::health(state),
        GoCommand::History => navigate::history(state, argument),
        GoCommand::Draining => navigate::draining(state),
        GoCommand::Tour => tour(state),
        GoCommand::Metrics => metrics(state),
        GoCommand::Explain => explain::open(state),
        GoCommand::ExplainAll => explain::open_all(state, argument),
        GoCommand::Fairness => fairness::open(state),
        GoCommand::Alerts => alerts::open(state),
        GoCommand::Overview => overview::open(state),
        GoCommand::Trends => trends::open(state, argument),
        GoCommand::Limits => limits_used::open(state),
        GoCommand::Clusters => clusters::open(state),
        GoCommand::Simulate => simulate::open(state, argument),
        GoCommand::Shadow => shadow::open(state),
        GoCommand::Usage => usage::open(state, argument),
        GoCommand::UsageBy => usage::split(state, argument),
        GoCommand::UsagePeriod => usage::period(state, argument),
        GoCommand::Config => config::open(state),
    }
}

fn form(state: &mut State, id: FormCommand) {
    match id {
        FormCommand::Try => placement::try_again(state),
        FormCommand::Write => form::write(state),
        FormCommand::NextField => form::step(state, 1),
        FormCommand::PreviousField => form::step(state, -1),
        FormCommand::TakeSuggestion => form::take_suggestion(state),
        FormCommand::EndWriting => form::end(state),
        FormCommand::ClearForm => form::clear(state),
        FormCommand::TryText => placement::try_text(state),
        FormCommand::SetMax => change::open(state, Kind::Max),
        FormCommand::SetGuaranteed => change::open(state, Kind::Guaranteed),
        FormCommand::SetProperty => change::open(state, Kind::Property),
        FormCommand::AddQueue => change::open(state, Kind::Child),
        FormCommand::SetLimit => change::open(state, Kind::Limit),
        FormCommand::RemoveQueue => change::open(state, Kind::Remove),
    }
}

fn text(state: &mut State, id: TextCommand) {
    match id {
        TextCommand::EditText => config::write(state),
        TextCommand::EndEdit => config::end(state),
        TextCommand::CompleteText => config::complete(state),
        TextCommand::ChooseText => config::choose(state, 1),
        TextCommand::UnchooseText => config::choose(state, -1),
        TextCommand::Undo => config::history(state, true),
        TextCommand::Redo => config::history(state, false),
        TextCommand::NextFound => config::next(state, true),
        TextCommand::PreviousFound => config::next(state, false),
        TextCommand::NextFault => config::to_fault(state, true),
        TextCommand::PreviousFault => config::to_fault(state, false),
        TextCommand::FoldText => config::toggle_fold(state),
        TextCommand::FoldTextAll => config::fold_all(state, true),
        TextCommand::UnfoldTextAll => config::fold_all(state, false),
        TextCommand::SidePane => config::side_pane(state),
        TextCommand::Apply if trial::applies(state) => trial::ask_apply(state),
        TextCommand::Apply if matches!(state.page(), Page::Change(_)) => change::ask_apply(state),
        TextCommand::Apply => config::ask_apply(state),
        TextCommand::Revert => config::revert(state),
        TextCommand::Restore => config::restore(state),
        TextCommand::EditOutside => config::edit_outside(state),
        TextCommand::Merge => config::merge(state),
        TextCommand::Rebase => config::rebase(state),
    }
}

fn log(state: &mut State, id: LogCommand, argument: Option<&str>) {
    match id {
        LogCommand::AuditUser => audit::narrow(state, audit::By::User),
        LogCommand::AuditAction => audit::narrow(state, audit::By::Action),
        LogCommand::AuditObject => audit::narrow(state, audit::By::Object),
        LogCommand::MarkRevision => revisions::mark(state),
        LogCommand::RollBack => revisions::roll_back(state, argument),
        LogCommand::Follow => events::toggle_follow(state),
        LogCommand::EventsAll => events::toggle_all(state),
        LogCommand::EventsKind => events::narrow_kind(state),
        LogCommand::EventsWhat => events::narrow_what(state),
        LogCommand::Silence => alerts::silence(state, argument),
        LogCommand::EndSilence => alerts::end_silence(state),
    }
}

fn time(state: &mut State, id: TimeCommand, argument: Option<&str>) {
    match id {
        TimeCommand::GoBack => past::back(state, argument),
        TimeCommand::StepBack => past::step(state, Step::Back),
        TimeCommand::StepOn => past::step(state, Step::On),
        TimeCommand::Live => past::live(state),
    }
}

fn order(state: &mut State, id: OrderCommand, argument: Option<&str>) {
    match id {
        OrderCommand::Kill | OrderCommand::Move if state.cluster.has_jobs => {
            job::ask(state, CommandId::Order(id), argument)
        }
        OrderCommand::Kill => bulk::kill(state, argument),
        OrderCommand::Move => bulk::move_to(state, argument),
        OrderCommand::MoveBack => bulk::move_back(state),
        OrderCommand::SuspendOwners => owners::suspend(state),
        OrderCommand::UnsuspendOwners => owners::unsuspend(state),
        OrderCommand::Submit => workload::submit(state, argument.unwrap_or_default()),
        OrderCommand::Ask => workload::add_asks(state, argument.unwrap_or_default()),
        OrderCommand::Release => workload::release(state),
        OrderCommand::RemoveApp => workload::remove(state),
        OrderCommand::DrainNode => workload::drain(state, true),
        OrderCommand::ResumeNode => workload::drain(state, false),
        OrderCommand::Clean => workload::clean(state),
        OrderCommand::Pause => orders::ask_pause(state),
        OrderCommand::Resume => orders::resume(state),
    }
}

fn of_job(state: &mut State, id: JobCommand, argument: Option<&str>) {
    match id {
        JobCommand::Job => job::open(state, argument),
        JobCommand::FollowOutput => job::toggle_follow(state),
        JobCommand::HoldJob
        | JobCommand::ReleaseJob
        | JobCommand::RequeueJob
        | JobCommand::JobPriority
        | JobCommand::EditJob => job::ask(state, CommandId::Job(id), argument),
    }
}

fn of_pod(state: &mut State, id: PodCommand) {
    match id {
        PodCommand::Describe => pod::open(state, PodPart::Sheet),
        PodCommand::Log => pod::open(state, PodPart::Log),
        // Without Kubernetes: an application or node.
        PodCommand::Yaml if state.cluster.view.kubernetes.is_none() => hand_out::copy(state, hand_out::Piece::Yaml),
        PodCommand::Yaml => pod::open(state, PodPart::Text),
        PodCommand::FollowLog => pod::toggle_follow(state),
        PodCommand::PreviousRun => pod::toggle_previous(state),
        PodCommand::NextContainer => pod::next_container(state),
        PodCommand::NextPod => pod::step(state, 1),
        PodCommand::PreviousPod => pod::step(state, -1),
        PodCommand::NextMatch => pod::next_found(state, true),
        PodCommand::PreviousMatch => pod::next_found(state, false),
        PodCommand::ScrollLeft => pod::shift(state, false),
        PodCommand::ScrollRight => pod::shift(state, true),
    }
}

fn prompt(state: &mut State, id: PromptCommand, argument: Option<&str>) {
    match id {
        PromptCommand::Filter => write::open_filter(state, argument),
        PromptCommand::CommandLine => command_line::open_command_line(state),
        PromptCommand::ExportAs => hand_out::export_as(state),
        PromptCommand::Accept => {
            if let Some((id, argument)) = write::accept(state) {
                run(state, id, argument.as_deref());
            }
            if !matches!(state.layers.last(), Some(Layer::Command(_))) {
                state.command_target = None;
            }
        }
        PromptCommand::Cancel => write::cancel(state),
        PromptCommand::Yes => question::yes(state),
        PromptCommand::Reason => question::write_reason(state),
        PromptCommand::OtherAnswer => question::other_answer(state),
        PromptCommand::Complete => command_line::complete(state),
        PromptCommand::Choose => command_line::choose(state, 1),
        PromptCommand::Unchoose => command_line::choose(state, -1),
        PromptCommand::Older => write::older(state),
        PromptCommand::Newer => write::newer(state),
    }
}

fn screen(state: &mut State, id: ScreenCommand, argument: Option<&str>) {
    match id {
        ScreenCommand::Refresh => refresh::set(state, argument),
        ScreenCommand::Quit => leave::quit(state),
        ScreenCommand::QuitNow => state.emit(Effect::Quit),
        ScreenCommand::QuitAgain => leave::quit_again(state),
        ScreenCommand::Suspend => state.emit(Effect::Suspend),
        ScreenCommand::Repaint => state.emit(Effect::Repaint),
        ScreenCommand::Freeze => feed::toggle_freeze(state),
        ScreenCommand::CopyName => hand_out::copy(state, hand_out::Piece::Name),
        ScreenCommand::CopyRow => hand_out::copy(state, hand_out::Piece::Row),
        ScreenCommand::CopyYaml => hand_out::copy(state, hand_out::Piece::Yaml),
        ScreenCommand::Export => hand_out::export_to(state, argument.unwrap_or_default()),
        ScreenCommand::OwnCommand => own_command::run(state, argument.unwrap_or_default()),
        ScreenCommand::Mouse => mouse::toggle(state),
        ScreenCommand::Marks => feed::toggle_marks(state),
        ScreenCommand::Theme => write::theme(state, argument.unwrap_or_default()),
    }
}

fn tour(state: &mut State) {
    state.layers.clear();
    state.layers.push(Layer::Tour { top: 0 });
}

fn metrics(state: &mut State) {
    let metrics = crate::present::metrics::metrics(state);
    state.layers.push(Layer::Metrics(metrics));
}
