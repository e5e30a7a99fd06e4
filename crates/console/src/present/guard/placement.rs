//! Whether a placement can be tested.

use crate::present::subject;
use crate::state::State;
use crate::state::page::{Page, Subject};

/// Whether the edited text can be tested.
pub fn can_try_text(state: &State) -> Result<(), String> {
    let Page::Config(page) = state.page() else { return Err("only on the configuration".to_owned()) };
    if !page.is_checked() {
        return Err("the text is still being checked".to_owned());
    }
    match &page.checked.config {
        Some(_) => Ok(()),
        None => Err("an error prevents it; n goes there".to_owned()),
    }
}

/// Whether a submission can be tested.
pub fn can_try(state: &State) -> Result<(), String> {
    match subject::of(state) {
        Some(Subject::App(_) | Subject::Why(_)) => Ok(()),
        _ => Err("only on an application".to_owned()),
    }
}
