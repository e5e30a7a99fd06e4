//! Facts for a bug report.

use crate::present::details::sheet::{Sheet, labeled_text};
use crate::present::pieces::piece;
use crate::state::State;
use crate::theme::Role;
use source::{Link, SourcePlace};

/// The sheet of this console.
pub fn sheet(state: &State, width: usize) -> Sheet {
    let mut sheet = Sheet { title: vec![piece(Role::Title, "kornsole")], ..Sheet::default() };
    let options = &state.options;
    let place = match state.cluster.about.place {
        SourcePlace::Embedded => "in this process",
        SourcePlace::Remote => "remote",
        SourcePlace::Machine { .. } => "the daemon of this machine",
        SourcePlace::Saved => "a saved state",
        SourcePlace::WhatIf => "a copy in this process",
    };
    let link = match &state.cluster.link {
        Link::Connecting { cause: Some(cause), .. } => format!("connecting: {cause}"),
        Link::Connecting { .. } => "connecting".to_owned(),
        Link::Live { .. } => "connected".to_owned(),
        Link::Stale { cause, .. } => format!("disconnected: {cause}"),
        Link::Refused { why, .. } => format!("rejected: {why}"),
    };
    let file = |name: &str, none: &str| if name.is_empty() { none.to_owned() } else { name.to_owned() };
    let configuration = state.cluster.view.configuration.as_deref();
    let config = configuration.and_then(|config| config.file.as_ref()).map(|file| file.display().to_string());
    let profile = state.cluster.part().map(|part| part.rules.profile()).unwrap_or_default();
    for (label, message) in [
        ("version", format!("{} on {}", env!("CARGO_PKG_VERSION"), std::env::consts::OS)),
        ("scheduler", format!("{}, {place}; decides as {}", state.cluster.about.name, profile.name())),
        ("connection", link),
        ("identity", state.cluster.identity.to_string()),
        ("changes", state.cluster.read_only().map_or("allowed by access lists".to_owned(), str::to_owned)),
        ("queues", config.unwrap_or_else(|| "not in a file".to_owned())),
        ("settings", file(&state.settings, "defaults")),
        ("theme", options.theme.to_string()),
        ("terminal", format!("{} x {}, {:?}", state.size.width, state.size.height, options.depth)),
    ] {
        labeled_text(&mut sheet.left, label, &message, width, Role::Text);
    }
    for note in &state.cluster.about.notes {
        labeled_text(&mut sheet.left, "note", note, width, Role::Text);
    }
    sheet
}
