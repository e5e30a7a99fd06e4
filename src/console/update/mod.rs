//! How the state of the screen changes: `update(&mut Model, Action) -> Effects`, pure, one file per area.
//!
//! Invariants:
//! - no clock, no IO: time comes as [`Action::Clock`], news as [`Action::Feed`];
//! - afterwards the cursor is on the screen, whatever the size of the terminal ([`settle`]);
//! - the rows of a list are made anew only when the set, the order, the filter or the folding changed; for an order by figures that
//!   change by themselves at most [`lists::PERIOD`] apart; long ones beside the draw loop ([`long`]). Everything else costs what is on
//!   the screen.

pub mod aftermath;
pub mod apps;
pub mod attempt;
pub mod audit;
pub mod bulk;
pub mod change;
pub mod config;
pub mod events;
pub mod feed;
pub mod form;
pub mod hand_out;
pub mod lists;
pub mod long;
pub mod mouse;
pub mod names;
pub mod navigate;
pub mod nodes;
pub mod notices;
pub mod orders;
pub mod past;
pub mod placement;
pub mod queues;
pub mod revisions;
pub mod users;
pub mod workload;
pub mod write;

use super::action::{Action, Effects};
use super::command::CommandId;
use super::model::change::Kind;
use super::model::cursor::Move;
use super::model::layer::{Figures, Layer};
use super::model::page::{Page, Subject};
use super::model::past::Step;
use super::model::{Grade, Model};
use super::work::Outcome;
use super::{draw, layout};
use crate::view::Side;

/// Lets something happen.
pub fn update(model: &mut Model, action: Action) -> Effects {
    if !matches!(
        action,
        Action::Resize(_)
            | Action::Feed(_)
            | Action::Events(_)
            | Action::Aftermath(_)
            | Action::Records(_)
            | Action::RevisionText(..)
            | Action::PastView(..)
            | Action::PastSpan(..)
            | Action::Answer(..)
            | Action::Done(_)
            | Action::Clock(_)
    ) {
        model.pressed.clear();
        model.turn += 1;
    }
    let effects = match action {
        // Nobody sees what it would be about.
        Action::Mouse(_) | Action::Paste(_) if layout::regions(model).is_none() => return Effects::NONE,
        Action::Press(keys) => {
            model.pressed = keys;
            Effects::REDRAW
        }
        Action::Run(id, argument) => run(model, id, argument.as_deref()),
        Action::Refuse(reason) => {
            model.say(Grade::Refusal, reason);
            Effects::REDRAW
        }
        Action::Off(id, reason) => {
            attempt::refuse(model, id, reason);
            Effects::REDRAW
        }
        Action::Write(key) => write::key(model, key),
        Action::Mouse(mouse) => mouse::act(model, mouse),
        Action::Paste(text) => write::paste(model, &text),
        Action::Resize(size) => {
            model.size = size;
            Effects::REDRAW
        }
        Action::Feed(news) => feed::take(model, news),
        Action::Events(page) => {
            if events::take(model, page) {
                Effects::REDRAW
            } else {
                Effects::NONE
            }
        }
        Action::Aftermath(page) => {
            if aftermath::take(model, &page) {
                Effects::REDRAW
            } else {
                Effects::NONE
            }
        }
        Action::Records(records) => {
            audit::take(model, records);
            Effects::REDRAW
        }
        Action::PastView(at, found) => {
            past::fetched(model, at, found);
            Effects::REDRAW
        }
        Action::PastSpan(at, step, found) => {
            past::told(model, at, step, found);
            Effects::REDRAW
        }
        Action::RevisionText(number, text) => {
            model.cluster.ledger.take_text(number, text);
            Effects::REDRAW
        }
        Action::Answer(number, outcome) => orders::answer(model, number, outcome),
        Action::Done(outcome) => done(model, outcome),
        Action::Clock(now) => feed::clock(model, now),
    };
    revisions::want(model);
    settle(model);
    effects
}

/// Runs a command whose guard holds.
fn run(model: &mut Model, id: CommandId, argument: Option<&str>) -> Effects {
    model.toast = None;
    if id != CommandId::QuitAgain {
        model.armed = None;
    }
    match id {
        CommandId::Up => lists::go(model, Move::Rows(-1)),
        CommandId::Down => lists::go(model, Move::Rows(1)),
        CommandId::PageUp => lists::go(model, Move::Pages(-1)),
        CommandId::PageDown => lists::go(model, Move::Pages(1)),
        CommandId::Top => lists::go(model, Move::Top),
        CommandId::Bottom => lists::go(model, Move::Bottom),
        CommandId::SortNext => lists::step_sort(model, 1),
        CommandId::SortPrevious => lists::step_sort(model, -1),
        CommandId::SortReverse => lists::reverse_sort(model),
        CommandId::Sort => lists::sort_by(model, argument.unwrap_or_default()),
        CommandId::Fold => queues::toggle_fold(model),
        CommandId::FoldClose => queues::fold_or_parent(model),
        CommandId::FoldOpen => queues::open_or_child(model),
        CommandId::FoldAll => queues::fold_all(model),
        CommandId::OpenAll => queues::open_all(model),
        CommandId::Ended => apps::toggle_ended(model),
        CommandId::Open => navigate::open(model),
        CommandId::Details => navigate::details(model),
        CommandId::Queues => navigate::queues(model, argument),
        CommandId::Apps => navigate::apps(model, argument),
        CommandId::Nodes => navigate::nodes(model),
        CommandId::Users => navigate::users(model),
        CommandId::GoUser => navigate::account(model, Side::User, argument.unwrap_or_default()),
        CommandId::GoGroup => navigate::account(model, Side::Group, argument.unwrap_or_default()),
        CommandId::Placement => placement::open(model, argument),
        CommandId::Why => placement::why(model),
        CommandId::Try => placement::try_again(model),
        CommandId::Write => form::write(model),
        CommandId::NextField => form::step(model, 1),
        CommandId::PreviousField => form::step(model, -1),
        CommandId::TakeSuggestion => form::take_suggestion(model),
        CommandId::EndWriting => form::end(model),
        CommandId::ClearForm => form::clear(model),
        CommandId::HeatMap => nodes::toggle_map(model),
        CommandId::Partitions => navigate::sheet(model, Subject::Partitions),
        CommandId::Info => navigate::sheet(model, Subject::Info),
        CommandId::TryText => placement::try_text(model),
        CommandId::SetMax => change::open(model, Kind::Max),
        CommandId::SetGuaranteed => change::open(model, Kind::Guaranteed),
        CommandId::SetProperty => change::open(model, Kind::Property),
        CommandId::AddQueue => change::open(model, Kind::Child),
        CommandId::SetLimit => change::open(model, Kind::Limit),
        CommandId::RemoveQueue => change::open(model, Kind::Remove),
        CommandId::NextPage => navigate::step_tab(model, 1),
        CommandId::PreviousPage => navigate::step_tab(model, -1),
        CommandId::GoApp => navigate::app(model, argument.unwrap_or_default()),
        CommandId::GoNode => navigate::node(model, argument.unwrap_or_default()),
        CommandId::Kill => bulk::kill(model, argument),
        CommandId::Move => bulk::move_to(model, argument),
        CommandId::MoveBack => bulk::move_back(model),
        CommandId::Submit => workload::submit(model, argument.unwrap_or_default()),
        CommandId::Ask => workload::add_asks(model, argument.unwrap_or_default()),
        CommandId::Release => workload::release(model),
        CommandId::RemoveApp => workload::remove(model),
        CommandId::DrainNode => workload::drain(model, true),
        CommandId::ResumeNode => workload::drain(model, false),
        CommandId::Clean => workload::clean(model),
        CommandId::Mark => bulk::toggle(model),
        CommandId::MarkAll => bulk::toggle_all(model),
        CommandId::Pause => orders::rest(model, true),
        CommandId::Resume => orders::rest(model, false),
        CommandId::Partition => navigate::partition(model, argument.unwrap_or_default()),
        CommandId::Context => navigate::context(model, argument.unwrap_or_default()),
        CommandId::Back => navigate::back(model),
        CommandId::Leave => return navigate::leave(model),
        CommandId::Quit => return navigate::quit(model),
        CommandId::QuitNow => return Effects { quit: true, ..Effects::NONE },
        CommandId::QuitAgain => return navigate::quit_again(model),
        CommandId::Suspend => return Effects { suspend: true, ..Effects::NONE },
        CommandId::Repaint => return Effects { repaint: true, ..Effects::REDRAW },
        CommandId::Filter => write::open_filter(model, argument),
        CommandId::CommandLine => write::open_command_line(model),
        CommandId::Accept => return write::accept(model),
        CommandId::Cancel => write::cancel(model),
        CommandId::Yes => return write::yes(model),
        CommandId::OtherAnswer => write::other_answer(model),
        CommandId::Complete => write::complete(model),
        CommandId::Choose => write::choose(model, 1),
        CommandId::Unchoose => write::choose(model, -1),
        CommandId::Older => write::older(model),
        CommandId::Newer => write::newer(model),
        CommandId::Help => model.layers.push(Layer::Help(Default::default())),
        CommandId::Messages => model.layers.push(Layer::Messages { top: 0 }),
        CommandId::Freeze => feed::toggle_freeze(model),
        CommandId::Audit => audit::open(model, argument),
        CommandId::AuditUser => audit::narrow(model, audit::By::User),
        CommandId::AuditAction => audit::narrow(model, audit::By::Action),
        CommandId::AuditObject => audit::narrow(model, audit::By::Object),
        CommandId::Revisions => revisions::open(model),
        CommandId::MarkRevision => revisions::mark(model),
        CommandId::RollBack => revisions::roll_back(model, argument),
        CommandId::GoBack => past::back(model, argument),
        CommandId::StepBack => past::step(model, Step::Back),
        CommandId::StepOn => past::step(model, Step::On),
        CommandId::Live => past::live(model),
        CommandId::Events => events::open(model, argument),
        CommandId::EventsOf => events::of_subject(model),
        CommandId::Follow => events::toggle_follow(model),
        CommandId::Health => navigate::health(model),
        CommandId::History => navigate::history(model, argument),
        CommandId::Draining => navigate::draining(model),
        CommandId::CopyName => hand_out::copy(model, hand_out::Piece::Name),
        CommandId::CopyRow => hand_out::copy(model, hand_out::Piece::Row),
        CommandId::CopyYaml => hand_out::copy(model, hand_out::Piece::Yaml),
        CommandId::Export => hand_out::export_to(model, argument.unwrap_or_default()),
        CommandId::Tour => tour(model),
        CommandId::Figures => figures(model),
        CommandId::Config => config::open(model),
        CommandId::EditText => config::write(model),
        CommandId::EndEdit => config::end(model),
        CommandId::CompleteText => config::complete(model),
        CommandId::ChooseText => config::choose(model, 1),
        CommandId::UnchooseText => config::choose(model, -1),
        CommandId::Undo => config::history(model, true),
        CommandId::Redo => config::history(model, false),
        CommandId::NextFound => config::next(model, true),
        CommandId::PreviousFound => config::next(model, false),
        CommandId::NextFault => config::to_fault(model, true),
        CommandId::PreviousFault => config::to_fault(model, false),
        CommandId::FoldText => config::toggle_fold(model),
        CommandId::FoldTextAll => config::fold_all(model, true),
        CommandId::UnfoldTextAll => config::fold_all(model, false),
        CommandId::Beside => config::beside(model),
        CommandId::Apply if matches!(model.page(), Page::Change(_)) => change::ask_apply(model),
        CommandId::Apply => config::ask_apply(model),
        CommandId::Revert => config::revert(model),
        CommandId::Restore => config::restore(model),
        CommandId::EditOutside => config::edit_outside(model),
        CommandId::Merge => config::merge(model),
        CommandId::Rebase => config::rebase(model),
        CommandId::Mouse => mouse::toggle(model),
        CommandId::Marks => feed::toggle_marks(model),
        CommandId::Theme => write::theme(model, argument.unwrap_or_default()),
    }
    Effects::REDRAW
}

/// Shows the first minute's way through the console.
fn tour(model: &mut Model) {
    model.layers.clear();
    model.layers.push(Layer::Tour { top: 0 });
}

/// Says how the figures on the screen came about.
fn figures(model: &mut Model) {
    let figures = draw::figures::figures(model);
    model.layers.push(Layer::Figures(figures));
}

/// Takes what came of something that was asked for.
fn done(model: &mut Model, outcome: Outcome) -> Effects {
    match outcome {
        Outcome::Read(name, read) => return placement::take(model, &name, read),
        Outcome::Checked(checked) => config::checked(model, *checked),
        Outcome::Edited(text) => config::edited(model, text),
        Outcome::Listed(listed) => return if long::take(model, *listed) { Effects::REDRAW } else { Effects::NONE },
        Outcome::Named(names) => return if names::take(model, names) { Effects::REDRAW } else { Effects::NONE },
        Outcome::Events(page) => return update(model, Action::Events(page)),
        Outcome::Compared(compared) => revisions::take(model, compared),
        Outcome::Looked(looked) => past::looked(model, looked),
        Outcome::Drafted(drafted) => change::drafted(model, *drafted),
        Outcome::Written(Ok(told)) => model.say(Grade::Info, told),
        Outcome::Written(Err(told)) => model.say(Grade::Refusal, told),
    }
    Effects::REDRAW
}

/// Brings the cursor onto the screen and ends scrolling at the last line.
fn settle(model: &mut Model) {
    let height = layout::rows_on_screen(model);
    let most = |lines: usize, height: usize| lines.saturating_sub(height);
    match model.page() {
        Page::Details(_) => {
            let lines = draw::details::height(model);
            if let Page::Details(page) = model.page_mut() {
                page.top = page.top.min(most(lines, height));
            }
        }
        Page::Placement(_) => placement::settle(model),
        Page::Config(page) => {
            let (top, left) = draw::config::scrolled(model, page);
            let beside = draw::config::beside_extent(model, page);
            if let Page::Config(page) = model.page_mut() {
                (page.top, page.left) = (top, left);
                page.beside_top = page.beside_top.min(beside);
            }
        }
        _ => lists::scroll(model, height),
    }
    let room = layout::overlay_room(model);
    let lines = draw::overlay::height(model);
    match model.layers.last_mut() {
        Some(Layer::Help(help)) => help.top = help.top.min(most(lines, room)),
        Some(Layer::Messages { top } | Layer::Tour { top } | Layer::Figures(Figures { top, .. })) => {
            *top = (*top).min(most(lines, room))
        }
        _ => {}
    }
}
