//! Whether the page waits for its data.

use crate::state::State;
use crate::state::page::{DetailsPage, Page, Subject};

/// Whether the page waits.
pub fn is(state: &State) -> bool {
    if state.list_job.is_some() {
        return true;
    }
    match state.page() {
        Page::Explain(page) => page.sheet.is_none(),
        Page::Usage(page) => page.answer.is_none(),
        Page::Config(page) => page.base.is_some() && !page.is_checked(),
        Page::Details(DetailsPage { subject: Subject::Revision(number), .. }) => {
            state.cluster.ledger.text(*number).is_none()
        }
        _ => false,
    }
}
