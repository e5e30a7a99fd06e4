//! Details of an event.

use std::sync::Arc;

use crate::present::details::sheet::{Sheet, labeled, labeled_text};
use crate::present::format;
use crate::present::pieces::{dim, piece, plain};
use crate::present::pod_names;
use crate::present::words::word;
use crate::state::State;
use crate::theme::{Role, Symbols};
use view::Record;

/// The sheet of an event.
pub fn sheet(state: &State, record: &Record, width: usize, symbols: &Symbols) -> Sheet {
    let now = state.cluster.past.live;
    let pods = pod_names::of(std::iter::once(record), &state.cluster);
    let name = |id: &Arc<str>| pods.get(id).map_or_else(|| id.to_string(), |pod| format!("{pod}  {id}"));
    let mut sheet = Sheet {
        title: vec![piece(Role::Title, name(&record.object))],
        what: vec![dim(format!("{}, {}", record.kind, word(record)))],
        ..Sheet::default()
    };
    labeled(&mut sheet.left, "when", vec![plain(format::when(record.at, now))]);
    if !record.reference.is_empty() {
        labeled_text(&mut sheet.left, "of", &name(&record.reference), width, Role::Text);
    }
    let amounts = format::resource(&record.resource);
    let amounts = if amounts.is_empty() { dim(symbols.nothing) } else { plain(amounts) };
    labeled(&mut sheet.left, "resource", vec![amounts]);
    if !record.message.is_empty() {
        labeled_text(&mut sheet.left, "message", &record.message, width, Role::Text);
    }
    sheet
}
