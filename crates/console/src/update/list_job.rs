//! Long lists: when to make them outside of the draw loop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::state::State;
use crate::state::jobs::{ListJob, Making};
use crate::state::page::{Page, Stamp, each_page};
use crate::state::work::Work;
use crate::update::page::PageUpdate;
use view::PartitionView;

/// Whether it would delay frames.
pub fn is_long(page: &Page, part: &PartitionView, long: usize) -> bool {
    each_page!(page, page => page.examined(part)) > long
}

/// Makes the rows after the running job, which `chosen` stops.
pub fn want(state: &mut State, stamp: Stamp, chosen: bool) {
    if let Some(making) = &state.list_job {
        if chosen {
            making.overtaken.store(true, Ordering::Relaxed);
        }
        return;
    }
    state.makings += 1;
    let (number, overtaken) = (state.makings, Arc::new(AtomicBool::new(false)));
    let mut page = state.page().clone();
    if let Page::Apps(page) = &mut page {
        page.marked.clear();
    }
    state.list_job = Some(Making { number, overtaken: Arc::clone(&overtaken) });
    let view = Arc::clone(&state.cluster.view);
    state.emit(Work::List(Box::new(ListJob { number, page, view, stamp, overtaken })));
}
