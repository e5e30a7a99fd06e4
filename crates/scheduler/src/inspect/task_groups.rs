//! Invariants of the task groups of an application.

use std::sync::Arc;

use crate::state::app::Application;
use crate::state::ask::Ask;
use crate::state::task_group::TaskGroup;

pub(super) fn may_replace(app: &Application) -> bool {
    app.task_groups.values().any(|group| group.waiting > 0 && !group.placeholders.is_empty())
}

pub(super) fn task_group_is_right(app: &Application, name: &Arc<str>, group: &TaskGroup, counts_real: bool) -> bool {
    let own = |ask: &&Ask| ask.rare.task_group.as_ref() == Some(name);
    let pending = app.pending_order.iter().map(|(.., key)| &app.asks[*key]);
    let waiting = pending.filter(own).filter(|ask| !ask.placeholder).count() as u64;
    let reserved = group.placeholders.iter().all(|(number, key)| {
        let ask = app.asks.get(*key).filter(own).filter(|ask| ask.placeholder);
        ask.and_then(|ask| ask.allocation).is_some_and(|allocation| allocation.number == *number)
    });
    waiting == group.waiting
        && reserved
        && (counts_real || group.timed_out <= group.count)
        && group.replaced <= group.count
}
