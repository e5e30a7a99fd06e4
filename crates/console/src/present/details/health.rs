//! Health checks of the scheduler and of the console.

use crate::present::details::sheet::Sheet;
use crate::present::format;
use crate::present::pieces::{Lines, Piece, dim, piece, plain};
use crate::present::text;
use crate::state::State;
use crate::state::page::Checkup;
use crate::theme::{Role, Symbols};
use source::OwnHealth;
use view::Health;

/// The sheet of the checks.
pub fn sheet(state: &State, checkup: &Checkup, width: usize, symbols: &Symbols) -> Sheet {
    let mut sheet = Sheet { title: vec![piece(Role::Title, "Health")], ..Sheet::default() };
    let made = dim(format!(", at {}; 9 repeats the checks", format::when(checkup.at, state.cluster.past.live)));
    let left = &mut sheet.left;
    left.push(Vec::new());
    match &state.cluster.health {
        OwnHealth::Here => sheet.what = vec![by_console(checkup), made],
        OwnHealth::Reported(health, at) => {
            sheet.what =
                vec![own(health), dim(format!(" by its own check at {}", format::when(*at, state.cluster.past.live)))];
            list(left, health, width, symbols);
            left.push(Vec::new());
            left.push(vec![piece(Role::Strong, "On the data shown here: "), by_console(checkup), made]);
        }
        OwnHealth::Unknown(why) => {
            sheet.what = vec![piece(Role::Warning, "the scheduler health is unknown"), dim(format!(": {why}"))];
            left.push(vec![piece(Role::Strong, "On the data shown here: "), by_console(checkup), made]);
        }
    }
    if let Some(health) = &checkup.health {
        list(left, health, width, symbols);
    }
    sheet
}

fn by_console(checkup: &Checkup) -> Piece {
    checkup.health.as_ref().map_or_else(|| dim("checking..."), summary)
}

/// The overall health covers more than the named checks.
fn own(health: &Health) -> Piece {
    let failed = health.checks.iter().any(|check| !check.succeeded);
    match health.healthy {
        _ if failed => summary(health),
        true if health.checks.is_empty() => piece(Role::Good, "healthy"),
        true => summary(health),
        false => piece(Role::Error, "not healthy"),
    }
}

fn summary(health: &Health) -> Piece {
    let failed = health.checks.iter().filter(|check| !check.succeeded).count();
    if failed == 0 {
        piece(Role::Good, format!("all {} checks passed", health.checks.len()))
    } else {
        piece(Role::Error, format!("{failed} of {} checks failed", health.checks.len()))
    }
}

fn list(lines: &mut Lines, health: &Health, width: usize, symbols: &Symbols) {
    for check in &health.checks {
        let symbol =
            if check.succeeded { piece(Role::StateActive, symbols.active) } else { piece(Role::Error, symbols.fault) };
        let (name, description) =
            (text::escape(&check.name).into_owned(), text::escape(&check.description).into_owned());
        let follows = text::width(&name) + text::width(&description) + 4 <= width;
        lines.push(vec![symbol, plain(" "), piece(Role::Strong, name)]);
        if let Some(line) = lines.last_mut().filter(|_| follows) {
            line.extend([plain("  "), dim(description)]);
        }
        let description = if follows { "" } else { &*check.description };
        let found = check.diagnosis.strip_suffix(": []").unwrap_or(&check.diagnosis);
        for message in [description, found].into_iter().filter(|message| !message.is_empty()) {
            let wrapped = text::wrap(&text::escape(message), width.saturating_sub(2));
            lines.extend(wrapped.into_iter().map(|line| vec![plain("  "), dim(line)]));
        }
    }
}
