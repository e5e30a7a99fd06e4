//! Explanations as a console shows them: in the form of the wire, so that every source says the same.

use std::time::UNIX_EPOCH;

use forecast::twin::Twin;
use view::waiting::{Finding, Sheet, SheetLine};
use wire::convert::read::explain as read;
use wire::convert::{Wall, explain as convert};

/// What was found by a scheduler whose time is the source's.
pub(super) fn sheet(found: &Finding) -> Sheet {
    let wall = Wall::new(UNIX_EPOCH, 1.0);
    match found {
        Finding::App(found) => read::sheet(&convert::explained(found, &wall)),
        Finding::Waiting(found) => read::overview(&convert::waiting(found, &wall)),
    }
}

/// The same by a twin, with what it could not see, what its original says, and how well it does.
pub(super) fn by_twin(found: &Finding, twin: &Twin, how: String) -> Sheet {
    let wall = Wall::new(UNIX_EPOCH, 1.0);
    let mut sheet = match found {
        Finding::App(found) => {
            read::sheet(&convert::explained_by_twin(found, twin.unknown(), |app, ask| twin.said(app, ask), &wall))
        }
        Finding::Waiting(found) => read::overview(&convert::waiting_by_twin(found, twin.unknown(), &wall)),
    };
    sheet.lines.push(SheetLine::new("twin", how));
    sheet
}
