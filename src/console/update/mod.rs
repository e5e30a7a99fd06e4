//! How the state of the screen changes: `update(&mut State, Action) -> Vec<Effect>`, pure, one file per area.
//!
//! Invariants:
//! - no clock, no IO: time comes as [`Action::Clock`], news as [`Action::Feed`];
//! - afterwards the cursor is on the screen, whatever the size of the terminal ([`settle`]);
//! - the rows of a list are rebuilt only when the set, the order, the filter or the folding changed; for an order by figures that
//!   change by themselves at most [`lists::PERIOD`] apart; long ones beside the draw loop ([`long`]). Everything else costs what is on
//!   the screen.

pub mod action;
pub mod aftermath;
mod answers;
pub mod apps;
pub mod attempt;
pub mod audit;
pub mod bulk;
pub mod change;
mod column_picker;
pub mod columns;
mod command_line;
pub(crate) mod completion;
pub mod config;
pub mod events;
pub mod explain;
pub mod fairness;
pub mod feed;
pub mod form;
pub mod hand_out;
pub mod jumping;
pub mod jumps;
pub mod key;
pub(crate) mod known_names;
pub mod leave;
mod list_job;
pub mod lists;
pub mod long;
pub mod mouse;
mod move_watch;
pub mod names;
pub mod navigate;
pub mod nodes;
pub mod notices;
pub mod orders;
mod page;
mod pages;
pub mod past;
pub mod placement;
mod question;
pub mod queues;
pub mod refresh;
pub mod revisions;
pub(crate) mod search;
mod settle;
mod stack;
mod tabs;
pub mod trial;
pub mod users;
pub mod workload;
pub mod write;

use crate::console::input::command::CommandId;
use crate::console::present::layout;
use crate::console::state::change::Kind;
use crate::console::state::cursor::Move;
use crate::console::state::effect::Effect;
use crate::console::state::layer::Layer;
use crate::console::state::page::{Page, Subject};
use crate::console::state::past::Step;
use crate::console::state::reply::Reply;
use crate::console::state::{Grade, State};
use crate::console::update::action::Action;
use crate::model::Time;
use crate::source::{OwnHealth, TrialStatus};
use crate::view::{EventPage, Side};

/// What a state learns of its source when it begins.
pub struct SourceSnapshot {
    /// The cluster's time.
    pub at: Time,
    /// What the scheduler says of its own health.
    pub health: OwnHealth,
    /// The cluster can be seen as it was at any time.
    pub keeps_past: bool,
    /// How the what-if stands, where it is one.
    pub trial: Option<TrialStatus>,
    /// The number that the next event has.
    pub next_event: u64,
}

/// Begins with a new state: its first rows are made.
pub fn start(state: &mut State, source: SourceSnapshot) -> Vec<Effect> {
    let cluster = &mut state.cluster;
    cluster.at = source.at.max(cluster.at);
    cluster.health = source.health;
    cluster.past.kept = source.keeps_past;
    cluster.trial = source.trial;
    cluster.past.see(&cluster.view, source.next_event);
    lists::rebuild(state, true);
    state.take_effects()
}

/// Changes the state by an action. Returns what is to be done outside, in order.
pub fn update(state: &mut State, action: Action) -> Vec<Effect> {
    if action.is_input() {
        state.pressed.clear();
        state.turn += 1;
    }
    // On a screen too small to show anything nobody sees what a click or a paste would be about.
    let blind = matches!(action, Action::Mouse(_) | Action::Paste(_)) && layout::regions(state).is_none();
    if !blind {
        apply(state, action);
        revisions::want(state);
        explain::want(state);
        settle::settle(state);
    }
    state.take_effects()
}

fn apply(state: &mut State, action: Action) {
    match action {
        Action::Press(keys) => {
            state.pressed = keys;
            state.redraw();
        }
        Action::Run(id, argument) => run(state, id, argument.as_deref()),
        Action::Refuse(reason) => {
            state.say(Grade::Refusal, reason);
            state.redraw();
        }
        Action::Off(id, reason) => {
            attempt::refuse(state, id, reason);
            state.redraw();
        }
        Action::Write(key) => write::key(state, key),
        Action::Mouse(mouse) => mouse::act(state, mouse),
        Action::Paste(text) => write::paste(state, &text),
        Action::Resize(size) => {
            state.size = size;
            state.redraw();
        }
        Action::Feed(news) => feed::take(state, *news),
        Action::Give(orders) => trial::give(state, orders),
        Action::Events(page) => take_events(state, page),
        Action::EarlierEvents(of, records) => events::take_earlier(state, of, records),
        Action::Aftermath(page) => {
            if aftermath::take(state, &page) {
                state.redraw();
            }
        }
        Action::Records(records) => {
            audit::take(state, records);
            state.redraw();
        }
        Action::OrderSent(number, next_event) => state.orders.sent(number, next_event),
        Action::Reply(reply) => take_reply(state, reply),
        Action::Clock(now) => feed::clock(state, now),
    }
}

/// Runs a command whose guard holds.
fn run(state: &mut State, id: CommandId, argument: Option<&str>) {
    state.toast = None;
    if id != CommandId::QuitAgain {
        state.quit_armed_until = None;
    }
    match id {
        CommandId::Up => lists::go(state, Move::Rows(-1)),
        CommandId::Down => lists::go(state, Move::Rows(1)),
        CommandId::PageUp => lists::go(state, Move::Pages(-1)),
        CommandId::PageDown => lists::go(state, Move::Pages(1)),
        CommandId::Top => lists::go(state, Move::Top),
        CommandId::Bottom => lists::go(state, Move::Bottom),
        CommandId::SortNext => lists::step_sort(state, 1),
        CommandId::SortPrevious => lists::step_sort(state, -1),
        CommandId::SortReverse => lists::reverse_sort(state),
        CommandId::Columns => column_picker::choose(state, argument),
        CommandId::ColumnToggle => column_picker::toggle(state),
        CommandId::ColumnEarlier => column_picker::shift(state, -1),
        CommandId::ColumnLater => column_picker::shift(state, 1),
        CommandId::ColumnWider => column_picker::widen(state, 1),
        CommandId::ColumnNarrower => column_picker::widen(state, -1),
        CommandId::ColumnsDefault => column_picker::usual(state),
        CommandId::Wide => columns::toggle_wide(state),
        CommandId::ColumnsRight => columns::shift(state, 1),
        CommandId::ColumnsLeft => columns::shift(state, -1),
        CommandId::GoPlace => config::open_at_place(state),
        CommandId::SavedView => columns::view(state, argument),
        CommandId::JumpBack => jumping::go(state, false),
        CommandId::JumpForward => jumping::go(state, true),
        CommandId::Find => navigate::find(state, argument.unwrap_or_default()),
        CommandId::Refresh => refresh::set(state, argument),
        CommandId::Sort => lists::sort_by(state, argument.unwrap_or_default()),
        CommandId::Fold => queues::toggle_fold(state),
        CommandId::FoldClose => queues::fold_or_parent(state),
        CommandId::FoldOpen => queues::open_or_child(state),
        CommandId::FoldAll => queues::fold_all(state),
        CommandId::OpenAll => queues::open_all(state),
        CommandId::Ended => apps::toggle_ended(state),
        CommandId::Open => navigate::open(state),
        CommandId::Details => navigate::details(state),
        CommandId::Queues => navigate::queues(state, argument),
        CommandId::Apps => navigate::apps(state, argument),
        CommandId::Nodes => navigate::nodes(state),
        CommandId::Users => navigate::users(state),
        CommandId::GoUser => navigate::account(state, Side::User, argument.unwrap_or_default()),
        CommandId::GoGroup => navigate::account(state, Side::Group, argument.unwrap_or_default()),
        CommandId::Placement => placement::open(state, argument),
        CommandId::Why => placement::why(state),
        CommandId::Try => placement::try_again(state),
        CommandId::Write => form::write(state),
        CommandId::NextField => form::step(state, 1),
        CommandId::PreviousField => form::step(state, -1),
        CommandId::TakeSuggestion => form::take_suggestion(state),
        CommandId::EndWriting => form::end(state),
        CommandId::ClearForm => form::clear(state),
        CommandId::HeatMap => nodes::toggle_map(state),
        CommandId::Partitions => navigate::sheet(state, Subject::Partitions),
        CommandId::Info => navigate::sheet(state, Subject::Info),
        CommandId::TryText => placement::try_text(state),
        CommandId::SetMax => change::open(state, Kind::Max),
        CommandId::SetGuaranteed => change::open(state, Kind::Guaranteed),
        CommandId::SetProperty => change::open(state, Kind::Property),
        CommandId::AddQueue => change::open(state, Kind::Child),
        CommandId::SetLimit => change::open(state, Kind::Limit),
        CommandId::RemoveQueue => change::open(state, Kind::Remove),
        CommandId::NextPage if state.cluster.trial.is_some() => trial::turn_over(state),
        CommandId::NextPage => tabs::step_tab(state, 1),
        CommandId::PreviousPage => tabs::step_tab(state, -1),
        CommandId::GoApp => navigate::app(state, argument.unwrap_or_default()),
        CommandId::GoNode => navigate::node(state, argument.unwrap_or_default()),
        CommandId::Kill => bulk::kill(state, argument),
        CommandId::Move => bulk::move_to(state, argument),
        CommandId::MoveBack => bulk::move_back(state),
        CommandId::Submit => workload::submit(state, argument.unwrap_or_default()),
        CommandId::Ask => workload::add_asks(state, argument.unwrap_or_default()),
        CommandId::Release => workload::release(state),
        CommandId::RemoveApp => workload::remove(state),
        CommandId::DrainNode => workload::drain(state, true),
        CommandId::ResumeNode => workload::drain(state, false),
        CommandId::Clean => workload::clean(state),
        CommandId::Mark => bulk::toggle(state),
        CommandId::MarkAll => bulk::toggle_all(state),
        CommandId::Pause => orders::ask_pause(state),
        CommandId::Resume => orders::resume(state),
        CommandId::Partition => navigate::partition(state, argument.unwrap_or_default()),
        CommandId::Context => navigate::context(state, argument.unwrap_or_default()),
        CommandId::Back => leave::back(state),
        CommandId::Leave => return leave::leave(state),
        CommandId::Quit => return leave::quit(state),
        CommandId::QuitNow => return state.emit(Effect::Quit),
        CommandId::QuitAgain => return leave::quit_again(state),
        CommandId::Suspend => return state.emit(Effect::Suspend),
        CommandId::Repaint => state.emit(Effect::Repaint),
        CommandId::Filter => write::open_filter(state, argument),
        CommandId::CommandLine => command_line::open_command_line(state),
        CommandId::Accept => {
            if let Some((id, argument)) = write::accept(state) {
                run(state, id, argument.as_deref());
            }
            if !matches!(state.layers.last(), Some(Layer::Command(_))) {
                state.command_target = None;
            }
            return;
        }
        CommandId::Cancel => write::cancel(state),
        CommandId::Yes => return question::yes(state),
        CommandId::Reason => question::write_reason(state),
        CommandId::OtherAnswer => question::other_answer(state),
        CommandId::Complete => command_line::complete(state),
        CommandId::Choose => command_line::choose(state, 1),
        CommandId::Unchoose => command_line::choose(state, -1),
        CommandId::Older => write::older(state),
        CommandId::Newer => write::newer(state),
        CommandId::Help => state.layers.push(Layer::Help(Default::default())),
        CommandId::Messages => state.layers.push(Layer::Messages { top: 0 }),
        CommandId::Freeze => feed::toggle_freeze(state),
        CommandId::Audit => audit::open(state, argument),
        CommandId::AuditUser => audit::narrow(state, audit::By::User),
        CommandId::AuditAction => audit::narrow(state, audit::By::Action),
        CommandId::AuditObject => audit::narrow(state, audit::By::Object),
        CommandId::Revisions => revisions::open(state),
        CommandId::MarkRevision => revisions::mark(state),
        CommandId::RollBack => revisions::roll_back(state, argument),
        CommandId::GoBack => past::back(state, argument),
        CommandId::StepBack => past::step(state, Step::Back),
        CommandId::StepOn => past::step(state, Step::On),
        CommandId::Live => past::live(state),
        CommandId::Events => events::open(state, argument),
        CommandId::EventsOf => events::of_subject(state),
        CommandId::Follow => events::toggle_follow(state),
        CommandId::EventsAll => events::toggle_all(state),
        CommandId::EventsKind => events::narrow_kind(state),
        CommandId::EventsWhat => events::narrow_what(state),
        CommandId::Health => navigate::health(state),
        CommandId::History => navigate::history(state, argument),
        CommandId::Draining => navigate::draining(state),
        CommandId::CopyName => hand_out::copy(state, hand_out::Piece::Name),
        CommandId::CopyRow => hand_out::copy(state, hand_out::Piece::Row),
        CommandId::CopyYaml => hand_out::copy(state, hand_out::Piece::Yaml),
        CommandId::Export => hand_out::export_to(state, argument.unwrap_or_default()),
        CommandId::Tour => tour(state),
        CommandId::Figures => figures(state),
        CommandId::Explain => explain::open(state),
        CommandId::ExplainAll => explain::open_all(state, argument),
        CommandId::Fairness => fairness::open(state),
        CommandId::Config => config::open(state),
        CommandId::EditText => config::write(state),
        CommandId::EndEdit => config::end(state),
        CommandId::CompleteText => config::complete(state),
        CommandId::ChooseText => config::choose(state, 1),
        CommandId::UnchooseText => config::choose(state, -1),
        CommandId::Undo => config::history(state, true),
        CommandId::Redo => config::history(state, false),
        CommandId::NextFound => config::next(state, true),
        CommandId::PreviousFound => config::next(state, false),
        CommandId::NextFault => config::to_fault(state, true),
        CommandId::PreviousFault => config::to_fault(state, false),
        CommandId::FoldText => config::toggle_fold(state),
        CommandId::FoldTextAll => config::fold_all(state, true),
        CommandId::UnfoldTextAll => config::fold_all(state, false),
        CommandId::Beside => config::beside(state),
        CommandId::WhatIf | CommandId::TryThis | CommandId::Forward => trial::run(state, id, argument),
        CommandId::OtherSide | CommandId::Changes | CommandId::TakeBack => trial::run(state, id, argument),
        CommandId::Apply if trial::applies(state) => trial::ask_apply(state),
        CommandId::Apply if matches!(state.page(), Page::Change(_)) => change::ask_apply(state),
        CommandId::Apply => config::ask_apply(state),
        CommandId::Revert => config::revert(state),
        CommandId::Restore => config::restore(state),
        CommandId::EditOutside => config::edit_outside(state),
        CommandId::Merge => config::merge(state),
        CommandId::Rebase => config::rebase(state),
        CommandId::Mouse => mouse::toggle(state),
        CommandId::Marks => feed::toggle_marks(state),
        CommandId::Theme => write::theme(state, argument.unwrap_or_default()),
    }
    state.redraw();
}

/// Shows the first minute's way through the console.
fn tour(state: &mut State) {
    state.layers.clear();
    state.layers.push(Layer::Tour { top: 0 });
}

/// Says how the figures on the screen came about.
fn figures(state: &mut State) {
    let figures = crate::console::present::figures::figures(state);
    state.layers.push(Layer::Figures(figures));
}

/// Takes the result of an effect.
fn take_reply(state: &mut State, reply: Reply) {
    match reply {
        Reply::OrderAnswered(number, result) => return answers::answer(state, number, result),
        Reply::RevisionText(number, text) => state.cluster.ledger.take_text(number, text),
        Reply::Explained(question, sheet) => explain::take(state, &question, sheet),
        Reply::PastView(at, found) => past::take_view(state, at, found),
        Reply::PastSpan(at, step, found) => past::take_span(state, at, step, found),
        Reply::MomentsFound(page) => past::take_moments(state, page),
        Reply::ContextOpened(name, opened) => navigate::stay(state, &name, opened.err()),
        Reply::WhatIfOpened(_, opened) => trial::not_opened(state, opened.err()),
        Reply::ConfigRead(name, read) => return placement::take(state, &name, read),
        Reply::ListMade(listed) => return long::take(state, *listed),
        Reply::NamesFound(names) => return command_line::take_names(state, names),
        Reply::EventsRead(page) => return take_events(state, page),
        Reply::EditChecked(checked) => config::checked(state, *checked),
        Reply::FormDrafted(drafted) => change::drafted(state, *drafted),
        Reply::TextEdited(text) => config::edited(state, text),
        Reply::RevisionsCompared(compared) => revisions::take(state, compared),
        Reply::FileWritten(Ok(message)) => state.say(Grade::Info, message),
        Reply::FileWritten(Err(message)) => state.say(Grade::Refusal, message),
    }
    state.redraw();
}

fn take_events(state: &mut State, page: EventPage) {
    if events::take(state, page) {
        state.redraw();
    }
}
