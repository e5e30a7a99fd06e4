//! What all lists have in common: moving, sorting, and making the rows again when they are out of date.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::sync::Arc;
use std::time::Duration;

use crate::console::present::layout;
use crate::console::present::text;
use crate::console::state::column::Column;
use crate::console::state::cursor::Move;
use crate::console::state::layer::{Figures, Layer};
use crate::console::state::page::{Listing, Page, Stamp, with_list};
use crate::console::state::{Cluster, Grade, State};
use crate::console::update::apps;
use crate::console::update::audit;
use crate::console::update::change;
use crate::console::update::config;
use crate::console::update::events;
use crate::console::update::long;
use crate::console::update::nodes;
use crate::console::update::placement;
use crate::console::update::queues;
use crate::console::update::revisions;
use crate::console::update::users;

/// How often the order of a list is looked at again because of figures that change by themselves.
pub const PERIOD: Duration = Duration::from_millis(250);
/// The same for lists that are long.
const LONG_PERIOD: Duration = Duration::from_secs(1);
/// From how many rows on a list is long.
const LONG: usize = crate::console::state::jobs::LONG;
/// Up to how many rows a list is rebuilt at once whenever its set changed.
const SHORT: usize = 2_000;

/// What a sort compares; numbers come before texts, though a list never mixes them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SortKey<'a> {
    /// Figures, the second where the first are equal.
    Figures(i64, i64),
    /// A text.
    Text(&'a str),
}

/// Moves in the list, or scrolls what is on top of it.
pub fn go(state: &mut State, by: Move) {
    let room = layout::overlay_room(state);
    match state.layers.last_mut() {
        Some(Layer::Help(help)) => return help.top = by.from(help.top, usize::MAX, room),
        Some(Layer::Messages { top } | Layer::Tour { top } | Layer::Figures(Figures { top, .. })) => {
            return *top = by.from(*top, usize::MAX, room);
        }
        _ => {}
    }
    let height = layout::rows_on_screen(state);
    let State { pages, cluster, .. } = state;
    let Some(page) = pages.last_mut() else { return };
    if let Page::Details(page) = page {
        page.top = by.from(page.top, usize::MAX, height);
        return;
    }
    if let Page::Placement(page) = page {
        return placement::go(page, by, height);
    }
    if let Page::Config(page) = page {
        return config::go(page, by, height);
    }
    if let Page::Change(page) = page {
        return change::go(page, by, height);
    }
    let (index, len) = with_list!(page, list => (list.cursor.index, list.rows.len()), (0, 0));
    select(page, cluster, by.from(index, len, height));
}

/// Puts the cursor on the row that is so many lines below the first one on the screen. Whether there is one.
pub fn select_at(state: &mut State, line: usize) -> bool {
    if matches!(state.page(), Page::Config(_)) {
        return config::select_at(state, line);
    }
    let State { pages, cluster, .. } = state;
    let Some(page) = pages.last_mut() else { return false };
    let (top, len) = with_list!(page, list => (list.cursor.top, list.rows.len()), (0, 0));
    let there = top + line < len;
    if there {
        select(page, cluster, top + line);
    }
    there
}

/// Puts the cursor of a page's list on a row.
pub fn select(page: &mut Page, cluster: &Cluster, index: usize) {
    let Some(part) = cluster.part() else { return };
    match page {
        Page::Queues(page) => queues::select(page, part, index),
        Page::Apps(page) => apps::select(page, index),
        Page::App(page) => apps::select_ask(page, index),
        Page::Nodes(page) => nodes::select(page, index),
        Page::Node(page) => nodes::select_allocation(page, index),
        Page::Users(page) => users::select(page, index),
        Page::Account(page) => users::select_line(page, index),
        Page::Events(page) => events::select(page, index),
        Page::Audit(page) => audit::select(page, index),
        Page::Revisions(page) => revisions::select(page, index),
        Page::Details(_) | Page::Placement(_) | Page::Config(_) | Page::Change(_) => {}
    }
}

/// Scrolls the list so that the cursor is on the screen.
pub fn scroll(state: &mut State, height: usize) {
    with_list!(state.page_mut(), list => list.cursor.scroll(list.rows.len(), height), ());
}

/// Sorts by the column that is `step` further.
pub fn step_sort(state: &mut State, step: isize) {
    with_list!(state.page_mut(), list => list.sort = list.sort.step(step), ());
    rebuild(state, true);
}

/// Turns the order round.
pub fn reverse_sort(state: &mut State) {
    with_list!(state.page_mut(), list => list.sort = list.sort.reversed(), ());
    rebuild(state, true);
}

/// Sorts by the column of a name; turns round if it is that one already.
pub fn sort_by(state: &mut State, name: &str) {
    fn turn<R, I, C: Column>(list: &mut Listing<R, I, C>, name: &str) -> Result<(), String> {
        use crate::console::state::column::Sort;
        let named = C::ALL.iter().find(|column| column.name() == name);
        let Some(column) = named.or_else(|| C::ALL.iter().find(|column| column.name().starts_with(name))) else {
            let known: Vec<&str> = C::ALL.iter().map(|column| column.name()).collect();
            return Err(format!("no column {name} here; there are {}", known.join(", ")));
        };
        list.sort = if list.sort.column == *column { list.sort.reversed() } else { Sort::by(*column) };
        Ok(())
    }
    let done = with_list!(state.page_mut(), list => turn(list, name), Ok(()));
    match done {
        Ok(()) => rebuild(state, true),
        Err(reason) => state.say(Grade::Refusal, reason),
    }
}

/// The columns of the list on the screen by name.
pub fn columns(state: &State) -> Vec<&'static str> {
    fn names<R, I, C: Column>(_: &Listing<R, I, C>) -> Vec<&'static str> {
        C::ALL.iter().map(|column| column.name()).collect()
    }
    match state.page() {
        Page::Queues(page) => names(&page.list),
        Page::Apps(page) => names(&page.list),
        Page::App(page) => names(&page.list),
        Page::Nodes(page) => names(&page.list),
        Page::Node(page) => names(&page.list),
        Page::Users(page) => names(&page.list),
        Page::Account(page) => names(&page.list),
        Page::Events(page) => names(&page.list),
        Page::Audit(page) => names(&page.list),
        Page::Revisions(page) => names(&page.list),
        Page::Details(_) | Page::Placement(_) | Page::Config(_) | Page::Change(_) => Vec::new(),
    }
}

/// The filter of the list on the screen.
pub fn filter(state: &State) -> &str {
    match state.page() {
        Page::Queues(page) => &page.list.filter,
        Page::Apps(page) => &page.list.filter,
        Page::App(page) => &page.list.filter,
        Page::Nodes(page) => &page.list.filter,
        Page::Node(page) => &page.list.filter,
        Page::Users(page) => &page.list.filter,
        Page::Account(page) => &page.list.filter,
        Page::Events(page) => &page.list.filter,
        Page::Audit(page) => &page.list.filter,
        Page::Revisions(page) => &page.list.filter,
        Page::Config(page) => &page.find,
        Page::Details(_) | Page::Placement(_) | Page::Change(_) => "",
    }
}

/// Filters the list on the screen.
pub fn set_filter(state: &mut State, text: &str) {
    if matches!(state.page(), Page::Config(_)) {
        return config::find(state, text);
    }
    with_list!(state.page_mut(), list => text.clone_into(&mut list.filter), ());
    rebuild(state, true);
}

/// Begins to write a filter, or ends it; when `adopting` the cursor stays on what was found.
pub fn seek(state: &mut State, on: bool, adopting: bool) {
    let page = state.page_mut();
    with_list!(page, list => list.seeking = on, ());
    // What the filter finds is not there yet: the cursor takes it when it is.
    let later = with_list!(page, list => list.awaited, false);
    with_list!(page, list => list.adopts = adopting && later, ());
    if adopting && !later {
        adopt(state);
    }
}

/// Leaves the cursor on the row where it stands.
pub(super) fn adopt(state: &mut State) {
    let State { pages, cluster, .. } = state;
    let Some(page) = pages.last_mut() else { return };
    let index = with_list!(page, list => list.cursor.index, 0);
    select(page, cluster, index);
}

/// Why rows are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum For {
    /// There are news, or time went on.
    News,
    /// The page comes to be on the screen.
    Showing,
    /// The person chose another order, filter, fold or scope.
    Choice,
}

/// Makes the rows of the page on the screen again if they are out of date, or in any case when `asked`.
pub fn rebuild(state: &mut State, asked: bool) {
    renew(state, if asked { For::Choice } else { For::News });
}

/// Makes the rows of a page that comes to be on the screen, as far as they are not those that it was left with.
pub fn show(state: &mut State) {
    renew(state, For::Showing);
}

fn renew(state: &mut State, why: For) {
    let State { pages, cluster, now, options, .. } = state;
    let Some(page) = pages.last_mut() else { return };
    let Some(part) = cluster.part() else { return };
    match page {
        Page::App(page) => apps::resolve(page, part, why != For::News),
        Page::Node(page) => nodes::resolve(page, part),
        Page::Account(page) => users::resolve(page, part),
        _ => {}
    }
    let stamp = Stamp {
        partition: Arc::clone(&cluster.partition),
        generation: generation(page, cluster),
        until: cluster.until(),
        at: *now,
    };
    let (total, there) = with_list!(page, list => (list.total, list.built.is_some()), (0, true));
    let asked = why == For::Choice || (why == For::Showing && total <= SHORT);
    if !asked && due_at(page, cluster, stamp.generation).is_none_or(|due| due > *now) {
        return;
    }
    if long::is_long(page, part, options.long) {
        if why == For::Choice || !there {
            with_list!(page, list => list.awaited = true, ());
        }
        return long::want(state, stamp, why == For::Choice);
    }
    match page {
        Page::Queues(page) => queues::rebuild(page, part),
        Page::App(page) => apps::rebuild_asks(page),
        Page::Nodes(page) => nodes::rebuild(page, part),
        Page::Node(page) => nodes::rebuild_allocations(page),
        Page::Users(page) => users::rebuild(page, part),
        Page::Events(page) => events::rebuild(page, &cluster.events, cluster.until()),
        Page::Audit(page) => audit::rebuild(page, &cluster.ledger, cluster.until()),
        Page::Revisions(page) => revisions::rebuild(page, &cluster.ledger, cluster.until()),
        Page::Apps(_) | Page::Account(_) => long::make(page, part),
        Page::Details(_) | Page::Placement(_) | Page::Config(_) | Page::Change(_) => {}
    }
    made(page, stamp);
}

/// The rows of a page were rebuilt: the cursor goes to its thing again.
pub(super) fn made(page: &mut Page, stamp: Stamp) {
    match page {
        Page::Apps(page) => apps::find_cursor(page),
        Page::Account(page) => users::find_line(page),
        // The others did that with their rows.
        _ => {}
    }
    with_list!(page, list => (list.built, list.awaited) = (Some(stamp), false), ());
}

/// When the rows of the page on the screen are to be rebuilt, on the console's clock; `None` while they are up to date, and while
/// they are being made.
pub fn next_rebuild(state: &State) -> Option<Duration> {
    let part = state.cluster.part()?;
    let page = state.page();
    if state.list_job.is_some() && long::is_long(page, part, state.options.long) {
        return None;
    }
    due_at(page, &state.cluster, generation(page, &state.cluster))
}

/// What counts up when the rows of a page may be others.
fn generation(page: &Page, cluster: &Cluster) -> u64 {
    let Some(part) = cluster.part() else { return 0 };
    match page {
        Page::Queues(page) if !page.list.live() => part.tree_generation,
        Page::Apps(page) if !page.list.live() && !page.draining => part.app_generation,
        Page::Events(_) => cluster.events.generation,
        Page::Audit(_) | Page::Revisions(_) => cluster.ledger.generation(),
        _ => cluster.view.generation,
    }
}

fn due_at(page: &Page, cluster: &Cluster, generation: u64) -> Option<Duration> {
    let (stamp, rows, live, awaited) =
        with_list!(page, list => (list.built.as_ref(), list.total, list.live(), list.awaited), return None);
    let same = |stamp: &&Stamp| stamp.partition == cluster.partition && stamp.until == cluster.until();
    let Some(stamp) = stamp.filter(same).filter(|_| !awaited) else { return Some(Duration::ZERO) };
    if stamp.generation == generation {
        return None;
    }
    // A tree that changed is shown at once; its rows would else name queues that are not there any more.
    let at_once = !live && (rows <= SHORT || matches!(page, Page::Queues(_)));
    Some(if at_once { Duration::ZERO } else { stamp.at + if rows > LONG { LONG_PERIOD } else { PERIOD } })
}

/// Up to how many rows are looked at for the width of columns.
const MEASURED: usize = 5_000;

/// The columns that the longest text of each of three columns needs, rounded up a little, so that columns seldom move.
pub fn widest<'a>(rows: impl Iterator<Item = [Cow<'a, str>; 3]>) -> [u16; 3] {
    let mut widest = [0; 3];
    for texts in rows.take(MEASURED) {
        for (widest, text) in widest.iter_mut().zip(texts) {
            // Plain text takes a column a byte.
            let plain = |text: &str| text.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic());
            if text.len() > *widest || !plain(&text) {
                *widest = (*widest).max(text::width(&text::escape(&text)));
            }
        }
    }
    widest.map(|columns| u16::try_from(columns.next_multiple_of(2)).unwrap_or(u16::MAX))
}

/// Puts rows in order: by key in the direction of the sort, then by the tie breaker, always ascending.
pub fn order<'a, R, C: Column>(
    sort: crate::console::state::column::Sort<C>,
    rows: &mut [(SortKey<'a>, SortKey<'a>, R)],
) {
    rows.sort_unstable_by(|a, b| match sort.turn(a.0.cmp(&b.0)) {
        Ordering::Equal => a.1.cmp(&b.1),
        unequal => unequal,
    });
}
