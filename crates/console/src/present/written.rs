//! The location of the selected subject in the configuration.

use std::sync::Arc;

use crate::present::limits;
use crate::present::subject;
use crate::state::State;
use crate::state::page::{Account, LineId, Page};
use config::Place;
use view::{LimitUse, Side};

/// The limit on pages of users and groups, otherwise the queue.
///
/// # Errors
/// No location, or nothing selected.
pub fn place(state: &State) -> Result<Place, String> {
    let limit = match state.page() {
        Page::Users(page) => page
            .list
            .rows
            .get(page.list.cursor.index)
            .map(|account| closest_limit(state, account, page.groups_of(account))),
        Page::Account(page) => {
            let line = page.list.rows.get(page.list.cursor.index);
            line.map(|line| limit_at(state, &page.account, &line.id))
        }
        _ => None,
    };
    match limit {
        Some(Some(limit)) if limit.limit.at.line > 0 => Ok(limit.limit.at),
        Some(Some(limit)) => Err(format!("the limit in {} is not in the configuration", limit.queue)),
        Some(None) => Err("no limit to go to: this row has none".to_owned()),
        None => of_queue(state),
    }
}

fn of_queue(state: &State) -> Result<Place, String> {
    let path = subject::queue(state).ok_or("no queue selected")?;
    let row = state.cluster.part().and_then(|part| part.queue_at(&path));
    let at = row.and_then(|row| row.settings.at).filter(|at| at.line > 0);
    at.ok_or_else(|| format!("{path} is not in the configuration"))
}

fn closest_limit(state: &State, account: &Account, groups: &[Arc<str>]) -> Option<LimitUse> {
    let part = state.cluster.part()?;
    let row = part.usage_of(account.side, &account.name)?;
    limits::tightest(limits::counting(part, (account.side, row), groups).into_iter()).map(|(limit, _)| limit)
}

fn limit_at(state: &State, account: &Account, line: &LineId) -> Option<LimitUse> {
    let part = state.cluster.part()?;
    let of = |side, name: &str, queue| part.whole_usage_of(side, name)?.at(queue)?.limit_use(side, name);
    match line {
        LineId::Queue(queue) => of(account.side, &account.name, queue),
        LineId::Group(queue, group) => of(Side::Group, group, queue),
        LineId::App(id) => {
            let app = part.app_by_id(id)?;
            let blocked = app.blocked_by_limits.then(|| part.blocking_limit(app)).flatten();
            blocked.or_else(|| app.asks.values().find_map(|ask| part.limit_too_full_for(app, &ask.resource)))
        }
    }
}
