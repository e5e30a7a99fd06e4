//! Notices of the engine, each shown once by its weight.

use std::sync::Arc;
use std::time::Duration;

use crate::present::board;
use crate::state::{ShownNotice, State};
use view::{Notice, NoticeWeight};

const OF_INFO: Duration = Duration::from_secs(6);
const LONGEST: Duration = Duration::from_secs(12);

/// Returns whether any is new.
pub fn take(state: &mut State) -> bool {
    let notices = &state.cluster.newest.notices;
    let newest = notices.last().map_or(0, |notice| notice.number);
    // Another engine: its earlier notices are not new.
    let seen = std::mem::replace(&mut state.notices_seen, newest);
    if newest <= seen {
        return false;
    }
    let new: Vec<Arc<Notice>> = notices.iter().filter(|notice| notice.number > seen).cloned().collect();
    for notice in new {
        state.keep(Some(state.now), notice.weight.into(), notice.title.clone(), notice.text.clone());
        // Earlier events are not new there.
        let first = seen == 0 && state.board.is_some() && state.cluster.at.since(notice.at) > LONGEST;
        if !first {
            show(state, notice);
        }
    }
    true
}

fn show(state: &mut State, notice: Arc<Notice>) {
    let stays = match notice.weight {
        NoticeWeight::Info => Some(OF_INFO),
        NoticeWeight::Warning => Some(LONGEST),
        NoticeWeight::Error => None,
    };
    let until = stays.map(|stays| state.now + stays);
    match &mut state.notice {
        Some(shown) if (&shown.notice.title, &shown.notice.text) == (&notice.title, &notice.text) => {
            (shown.until, shown.times) = (until, shown.times + 1);
        }
        Some(shown) if shown.notice.weight > notice.weight => shown.others += 1,
        shown => {
            let others = shown.as_ref().map_or(0, |shown| shown.others + 1);
            *shown = Some(ShownNotice { notice, until, others, times: 1 });
        }
    }
}

/// Removes expired notices; on the page Cluster every notice expires.
pub fn fade(state: &mut State) -> bool {
    let now = state.now;
    if board::is_shown(state)
        && let Some(shown) = &mut state.notice
    {
        shown.until.get_or_insert(now + LONGEST);
    }
    state.notice.take_if(|shown| shown.until.is_some_and(|until| until <= now)).is_some()
}
