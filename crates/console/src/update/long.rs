//! Makes long lists outside of the draw loop: a key draws the old rows, and the new rows arrive as a message.
//!
//! ```text
//!  choice, news ── want ──> Work::List ── perform ──> Reply::ListMade ── take ──> rows, cursor
//! ```
//!
//! Invariants:
//! - one list is made at a time, from a view and a copy of the page; a newer choice stops an older one;
//! - only the page of the job with the same subject takes its list; the cursor finds its row again;
//! - short and long lists are equal: [`PageUpdate::make`] makes both.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::input::command::{ColumnCommand, CommandId, GoCommand, PromptCommand, RowCommand, ScreenCommand};
use crate::state::State;
use crate::state::jobs::{ListJob, ListResult};
use crate::state::page::{Page, each_page};
use crate::state::work::{Discarded, Work};
use crate::update::action::Action;
use crate::update::fairness;
use crate::update::lists;
use crate::update::page::PageUpdate;
use view::PartitionView;

/// Movement, filter input, sorting, and leaving work with the old rows.
pub fn waits(state: &State, action: &Action) -> bool {
    let (Action::Run(id, _) | Action::Off(id, _)) = action else { return false };
    state.layers.is_empty() && !accepts_old_rows(*id)
}

const fn accepts_old_rows(id: CommandId) -> bool {
    match id {
        CommandId::Row(id) => {
            use RowCommand as Id;
            matches!(id, Id::Up | Id::Down | Id::PageUp | Id::PageDown | Id::Top | Id::Bottom | Id::Ended)
        }
        CommandId::Column(id) => {
            use ColumnCommand as Id;
            matches!(id, Id::Sort | Id::SortNext | Id::SortPrevious | Id::SortReverse)
        }
        CommandId::Go(id) => {
            use GoCommand as Id;
            let pages =
                matches!(id, Id::Queues | Id::Apps | Id::Nodes | Id::Users | Id::Config | Id::Events | Id::Health);
            pages || matches!(id, Id::Back | Id::Leave | Id::NextPage | Id::PreviousPage | Id::Help | Id::Messages)
        }
        CommandId::Prompt(id) => {
            use PromptCommand as Id;
            matches!(id, Id::Filter | Id::Accept | Id::Cancel)
        }
        CommandId::Screen(id) => {
            use ScreenCommand as Id;
            matches!(id, Id::Quit | Id::QuitAgain | Id::QuitNow | Id::Suspend | Id::Repaint | Id::Freeze)
        }
        _ => false,
    }
}

/// Pages that can be long.
pub fn make(page: &mut Page, part: &PartitionView) {
    each_page!(page, page => page.make(part));
}

/// Tens of milliseconds: not in the draw loop.
pub fn perform(job: ListJob) -> ListResult {
    let ListJob { number, mut page, view, stamp, overtaken } = job;
    let part = view.partitions.iter().find(|part| part.name == stamp.partition);
    if overtaken.load(Ordering::Relaxed) {
        return ListResult { number, page: None };
    }
    if let Some(part) = part.or(view.partitions.first()) {
        make(&mut page, part);
        match &mut page {
            Page::Fairness(page) => {
                fairness::rebuild(page, &view.history, view.at, part);
                page.view = Some(Arc::clone(&view));
            }
            Page::Limits(page) => page.view = Some(Arc::clone(&view)),
            _ => {}
        }
    }
    ListResult { number, page: Some((page, stamp)) }
}

/// Takes the rows of a job.
pub fn take(state: &mut State, listed: ListResult) {
    if state.list_job.as_ref().is_none_or(|making| making.number != listed.number) {
        return;
    }
    state.list_job = None;
    let Some((made, stamp)) = listed.page else {
        lists::rebuild(state, false);
        return;
    };
    let here = stamp.partition == state.cluster.partition && stamp.until == state.cluster.until();
    let page = state.page_mut();
    let taken = here && is_same(page, &made);
    let gone = if taken { exchange(page, made) } else { made };
    if taken {
        lists::made(page, stamp);
        let adopts = matches!(page, Page::Apps(page) if page.list.adopts);
        if adopts {
            lists::adopt(state);
        }
    }
    if let Some(gone) = rows_of(gone) {
        state.emit(Work::Discard(gone));
    }
    lists::rebuild(state, false);
    if taken {
        state.redraw();
    }
}

fn is_same(one: &Page, other: &Page) -> bool {
    match (one, other) {
        (Page::Apps(one), Page::Apps(other)) => {
            (&one.scope, one.ended, one.draining) == (&other.scope, other.ended, other.draining)
                && (one.list.sort, &one.list.filter) == (other.list.sort, &other.list.filter)
        }
        (Page::Account(one), Page::Account(other)) => {
            one.account == other.account && one.list.filter == other.list.filter
        }
        (Page::Fairness(one), Page::Fairness(other)) => {
            (one.list.sort, &one.list.filter) == (other.list.sort, &other.list.filter)
        }
        (Page::Limits(one), Page::Limits(other)) => {
            (one.list.sort, &one.list.filter) == (other.list.sort, &other.list.filter)
        }
        _ => false,
    }
}

fn exchange(page: &mut Page, mut made: Page) -> Page {
    match (page, &mut made) {
        (Page::Apps(page), Page::Apps(made)) => {
            (page.list.total, page.list.widest) = (made.list.total, made.list.widest);
            std::mem::swap(&mut page.list.rows, &mut made.list.rows);
        }
        (Page::Account(page), Page::Account(made)) => {
            (page.list.total, page.list.widest, page.waiting) = (made.list.total, made.list.widest, made.waiting);
            std::mem::swap(&mut page.groups, &mut made.groups);
            std::mem::swap(&mut page.list.rows, &mut made.list.rows);
        }
        (Page::Fairness(page), Page::Fairness(made)) => {
            (page.list.total, page.list.widest, page.view) = (made.list.total, made.list.widest, made.view.take());
            std::mem::swap(&mut page.list.rows, &mut made.list.rows);
        }
        (Page::Limits(page), Page::Limits(made)) => {
            (page.list.total, page.list.widest, page.view) = (made.list.total, made.list.widest, made.view.take());
            std::mem::swap(&mut page.list.rows, &mut made.list.rows);
        }
        _ => {}
    }
    made
}

/// Rows to drop in a worker thread, because dropping many is slow.
fn rows_of(page: Page) -> Option<Discarded> {
    match page {
        Page::Apps(page) => Some(Discarded::of(page.list.rows)),
        Page::Account(page) => Some(Discarded::of(page.list.rows)),
        Page::Fairness(page) => Some(Discarded::of(page.list.rows)),
        Page::Limits(page) => Some(Discarded::of(page.list.rows)),
        _ => None,
    }
}
