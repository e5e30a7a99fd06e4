//! What the engine has to say: each new notice is shown once, by its weight, and kept with the messages.

use std::sync::Arc;
use std::time::Duration;

use super::super::model::{Model, ShownNotice};
use crate::view::{Notice, NoticeWeight};

/// Takes notice of what is new in the newest view. Whether there was anything.
pub fn take(model: &mut Model) -> bool {
    let notices = &model.cluster.newest.notices;
    let newest = notices.last().map_or(0, |notice| notice.number);
    // A lower number than before is another engine's; what it said before is not news.
    let seen = std::mem::replace(&mut model.notices_seen, newest);
    if newest <= seen {
        return false;
    }
    let new: Vec<Arc<Notice>> = notices.iter().filter(|notice| notice.number > seen).cloned().collect();
    for notice in new {
        model.keep(Some(model.now), notice.weight.into(), notice.title.clone(), notice.text.clone());
        show(model, notice);
    }
    true
}

/// Puts a notice on the screen, unless a graver one stands there; that one then counts it.
fn show(model: &mut Model, notice: Arc<Notice>) {
    let stays = match notice.weight {
        NoticeWeight::Info => Some(Duration::from_secs(6)),
        NoticeWeight::Warning => Some(Duration::from_secs(12)),
        NoticeWeight::Error => None,
    };
    let until = stays.map(|stays| model.now + stays);
    match &mut model.notice {
        Some(shown) if shown.notice.weight > notice.weight => shown.others += 1,
        shown => {
            let others = shown.as_ref().map_or(0, |shown| shown.others + 1);
            *shown = Some(ShownNotice { notice, until, others });
        }
    }
}

/// Lets a notice fade whose time is over. Whether one did.
pub fn fade(model: &mut Model) -> bool {
    let now = model.now;
    model.notice.take_if(|shown| shown.until.is_some_and(|until| until <= now)).is_some()
}
