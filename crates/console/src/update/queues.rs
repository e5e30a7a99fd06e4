//! The queue tree: rows and folds.

use std::sync::Arc;

use crate::present::column_filter::ColumnFilter;
use crate::present::lists::queue_values::{unit, value, waits};
use crate::present::subject::line_at_cursor;
use crate::present::text;
use crate::present::value::Value;
use crate::state::State;
use crate::state::column::QueueColumn;
use crate::state::cursor::Move;
use crate::state::page::{Fold, Page, QueueLine, QueuesPage};
use crate::update::lists;
use model::{MEMORY, QueuePath, QueueState, Resource, VCORE};
use view::{PartitionView, QueueRow, QueueSlot};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Retained {
    Hidden,
    /// A descendant matches.
    Above,
    Passed,
}

/// Lists depth first, siblings sorted; with a filter the matches and their ancestors.
pub fn rebuild(page: &mut QueuesPage, part: &PartitionView) {
    let retained = ColumnFilter::parse(&page.list.filter, unit).map(|filter| sieve(page, part, &filter));
    let mut rows = Vec::with_capacity(page.list.rows.len());
    (page.list.total, page.draining) = part
        .queues
        .iter()
        .flatten()
        .fold((0, 0), |(all, draining), row| (all + 1, draining + usize::from(row.state == QueueState::Draining)));
    let mut stack = vec![(QueueSlot(0), 0)];
    let mut children = Vec::new();
    while let Some((slot, depth)) = stack.pop() {
        let Some(row) = part.queue(slot) else { continue };
        let own = retained.as_ref().map_or(Retained::Passed, |retained| retained[slot.0 as usize]);
        if own == Retained::Hidden {
            continue;
        }
        let fold = match (row.children.is_empty(), &retained) {
            (true, _) => Fold::Leaf,
            (false, None) if page.collapsed.contains(&row.path) => Fold::Closed,
            (false, _) => Fold::Open,
        };
        rows.push(QueueLine { slot, depth, fold, matched: own == Retained::Passed });
        if fold == Fold::Open {
            sorted_children(page, part, row, &mut children);
            stack.extend(children.drain(..).rev().map(|slot| (slot, depth + 1)));
        }
    }
    page.list.widest = widest(&rows, part);
    page.list.rows = Arc::new(rows);
    find_cursor(page, part);
}

fn widest(rows: &[QueueLine], part: &PartitionView) -> [u16; 3] {
    let behind = |row: &QueueRow| {
        let own = |name: &&str| *name != VCORE && *name != MEMORY;
        let names = row.max.iter().flat_map(Resource::iter).map(|(name, _)| name).filter(own);
        names.map(|name| name.len() + 2).max().unwrap_or(0)
    };
    let wide = |line: &QueueLine| {
        let name =
            part.queue(line.slot).map_or(0, |row| text::width(&text::escape(row.path.name())) + behind(row).min(10));
        u16::try_from(name).unwrap_or(u16::MAX).saturating_add(line.depth * 2 + 2)
    };
    [rows.iter().map(wide).max().unwrap_or(0), 0, 0]
}

fn sorted_children(page: &QueuesPage, part: &PartitionView, row: &QueueRow, into: &mut Vec<QueueSlot>) {
    let sort = page.list.sort;
    let mut keyed: Vec<_> = row
        .children
        .iter()
        .filter_map(|slot| part.queue(*slot))
        .map(|child| (key(page, part, child, sort.column), Value::text(child.path.name()), child.slot))
        .collect();
    lists::order(sort, &mut keyed);
    into.extend(keyed.into_iter().map(|(_, _, slot)| slot));
}

/// The last part of a path is enough.
fn key<'a>(page: &QueuesPage, part: &PartitionView, row: &'a QueueRow, column: QueueColumn) -> Value<'a> {
    if column == QueueColumn::Queue { Value::text(row.path.name()) } else { shown_value(page, part, row, column) }
}

fn shown_value<'a>(page: &QueuesPage, part: &PartitionView, row: &'a QueueRow, column: QueueColumn) -> Value<'a> {
    waits(page.waiting.as_deref(), row, column).unwrap_or_else(|| value(part, row, column))
}

fn sieve(page: &QueuesPage, part: &PartitionView, filter: &ColumnFilter<QueueColumn>) -> Vec<Retained> {
    let rows: Vec<&QueueRow> = part.walk().map(AsRef::as_ref).collect();
    let passed = filter.passed(
        &rows,
        |row| [row.path.name(), row.path.as_str()],
        |row, column| shown_value(page, part, row, column),
    );
    let mut retained = vec![Retained::Hidden; part.queues.len()];
    for (row, passed) in rows.iter().zip(passed) {
        if !passed {
            continue;
        }
        for above in part.path_up(row).skip(1) {
            let mark = &mut retained[above.slot.0 as usize];
            if *mark != Retained::Hidden {
                break;
            }
            *mark = Retained::Above;
        }
        retained[row.slot.0 as usize] = Retained::Passed;
    }
    retained
}

/// Finds the queue, or the folded ancestor.
fn find_cursor(page: &mut QueuesPage, part: &PartitionView) {
    let rows = &page.list.rows;
    let filtered = !page.list.filter.is_empty();
    let instead = if filtered {
        rows.iter().position(|line| line.matched)
    } else {
        let wanted = page.list.cursor.wanted.as_ref().filter(|wanted| part.queue_at(wanted).is_some());
        let up = |path: &QueuePath| path.parent();
        wanted.and_then(|wanted| {
            std::iter::successors(up(wanted), up).find_map(|above| {
                let slot = part.queue_at(&above)?.slot;
                rows.iter().position(|line| line.slot == slot)
            })
        })
    };
    // A row shown only for its descendants is not a match.
    let seeking = page.list.seeking && filtered;
    let here = |index: usize| path_at(rows, part, index).filter(|_| !seeking || rows[index].matched);
    // A hidden row stays wanted, a removed one does not.
    page.list.cursor.find(rows.len(), here, instead, filtered || instead.is_some());
}

fn path_at(rows: &[QueueLine], part: &PartitionView, index: usize) -> Option<QueuePath> {
    part.queue(rows.get(index)?.slot).map(|row| row.path.clone())
}

/// Moves the cursor to a row.
pub fn select(page: &mut QueuesPage, part: &PartitionView, index: usize) {
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| path_at(rows, part, index));
}

/// Toggles the fold of the selected queue.
pub fn toggle_fold(state: &mut State) {
    with_queue(state, |page, path, _| {
        if !page.collapsed.remove(&path) {
            page.collapsed.insert(path);
        }
    });
}

/// Goes to the parent if it is folded or a leaf.
pub fn fold_or_parent(state: &mut State) {
    with_queue(state, |page, path, line| {
        if line.fold == Fold::Open && page.list.filter.is_empty() {
            page.collapsed.insert(path);
        } else if let Some(parent) = path.parent() {
            page.list.cursor.wanted = Some(parent);
        }
    });
}

/// Goes to the first child if it is unfolded.
pub fn open_or_child(state: &mut State) {
    let open = line_at_cursor(state).is_some_and(|line| line.fold == Fold::Open);
    if open {
        return lists::go(state, Move::Rows(1));
    }
    with_queue(state, |page, path, _| {
        page.collapsed.remove(&path);
    });
}

/// Folds all queues below the children of the root.
pub fn fold_all(state: &mut State) {
    let Some(part) = state.cluster.part() else { return };
    let parents = part.walk().filter(|row| !row.children.is_empty() && row.parent.is_some());
    let collapsed = parents.map(|row| row.path.clone()).collect();
    if let Page::Queues(page) = state.page_mut() {
        page.collapsed = collapsed;
    }
    lists::rebuild(state, true);
}

/// Unfolds all queues; the cursor stays on its queue.
pub fn open_all(state: &mut State) {
    if let Page::Queues(page) = state.page_mut() {
        page.collapsed.clear();
    }
    lists::rebuild(state, true);
}

fn with_queue(state: &mut State, change: impl FnOnce(&mut QueuesPage, QueuePath, QueueLine)) {
    let Some(line) = line_at_cursor(state) else { return };
    let Some(path) = state.cluster.part().and_then(|part| part.queue(line.slot)).map(|row| row.path.clone()) else {
        return;
    };
    if let Page::Queues(page) = state.page_mut() {
        change(page, path, line);
    }
    lists::rebuild(state, true);
}
