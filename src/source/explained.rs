//! Explanations as a console shows them: in the form of the wire, so that every source says the same.

use std::time::UNIX_EPOCH;

use crate::api::convert::read::explain as read;
use crate::api::convert::{Wall, explain as convert};
use crate::view::waiting::{Finding, Sheet, SheetLine};

/// What was found by a scheduler whose time is the source's.
pub(super) fn sheet(found: &Finding) -> Sheet {
    by_twin(found, &[], None)
}

/// The same of a twin, with what it could not see, and how well it does.
pub(super) fn by_twin(found: &Finding, unknown: &[String], how: Option<String>) -> Sheet {
    let wall = Wall::new(UNIX_EPOCH, 1.0);
    let mut sheet = match found {
        Finding::App(found) => {
            let mut found = convert::explained(found, &wall);
            found.unknown = unknown.to_vec();
            read::sheet(&found)
        }
        Finding::Waiting(found) => {
            let mut found = convert::waiting(found, &wall);
            found.unknown = unknown.to_vec();
            read::overview(&found)
        }
    };
    sheet.lines.extend(how.map(|how| SheetLine::new("twin", how)));
    sheet
}
