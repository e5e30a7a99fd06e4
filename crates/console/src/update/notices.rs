//! Notices of the engine: each new one is shown once, by its weight, and kept with the messages.

use std::sync::Arc;
use std::time::Duration;

use crate::state::{ShownNotice, State};
use view::{Notice, NoticeWeight};

/// Takes the new notices of the newest view. Gives whether there were any.
pub fn take(state: &mut State) -> bool {
    let notices = &state.cluster.newest.notices;
    let newest = notices.last().map_or(0, |notice| notice.number);
    // A lower number than before is another engine's; what it said before is not news.
    let seen = std::mem::replace(&mut state.notices_seen, newest);
    if newest <= seen {
        return false;
    }
    let new: Vec<Arc<Notice>> = notices.iter().filter(|notice| notice.number > seen).cloned().collect();
    for notice in new {
        state.keep(Some(state.now), notice.weight.into(), notice.title.clone(), notice.text.clone());
        show(state, notice);
    }
    true
}

/// Puts a notice on the screen, unless a graver one stands there; that one then counts it.
fn show(state: &mut State, notice: Arc<Notice>) {
    let stays = match notice.weight {
        NoticeWeight::Info => Some(Duration::from_secs(6)),
        NoticeWeight::Warning => Some(Duration::from_secs(12)),
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

/// Lets a notice fade whose time is over. Whether one did.
pub fn fade(state: &mut State) -> bool {
    let now = state.now;
    state.notice.take_if(|shown| shown.until.is_some_and(|until| until <= now)).is_some()
}
