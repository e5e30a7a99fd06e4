//! The pane next to a configuration: errors, or consequences.

use model::Time;

use crate::present::config::is_behind;
use crate::present::format;
use crate::present::layout;
use crate::present::pieces::{Lines, Piece, dim, piece, plain};
use crate::present::text;
use crate::state::State;
use crate::state::config::{ConfigPage, SidePane};
use crate::state::editor::CheckResult;
use crate::theme::Role;
use config::Severity;
use config::diff::What;
use config::lines::{LineSide, differing};
use view::act::{ConfigMapEntry, Configuration, LoadedBy};

const FAULTS: usize = 50;
/// Longer texts are not compared while drawing.
const COMPARED: usize = 20_000;

/// How many lines there are.
pub fn height(state: &State, page: &ConfigPage, width: usize) -> usize {
    content(state, page, width).len()
}

/// The number of lines, and the number that fits.
pub fn side_extent(state: &State, page: &ConfigPage) -> usize {
    let Some(regions) = layout::regions(state) else { return 0 };
    let area = regions.pane.map_or(regions.rows, |pane| pane.area);
    if page.side_top == 0 {
        return 0;
    }
    height(state, page, usize::from(area.width)).saturating_sub(usize::from(area.height))
}

/// The content for a width.
pub fn content(state: &State, page: &ConfigPage, width: usize) -> Lines {
    let mut lines = Vec::new();
    if is_behind(state, page) {
        lines.extend(underneath(state, width));
        lines.push(Vec::new());
    }
    match page.side_pane {
        SidePane::Meaning => meaning(&mut lines, state, page, width),
        SidePane::Lines => {
            let base = page.base.as_ref().map_or("", |base| &*base.text);
            title(&mut lines, "your lines, compared with the active ones when you started");
            difference(&mut lines, base, &page.buffer.text(), width);
        }
        SidePane::Underneath => {
            let base = page.base.as_ref().map_or("", |base| &*base.text);
            let now = state.cluster.newest.configuration.as_ref().map_or("", |now| &*now.text);
            title(&mut lines, "the lines that others changed");
            difference(&mut lines, base, now, width);
        }
    }
    lines
}

fn title(lines: &mut Lines, words: &'static str) {
    lines.push(vec![piece(Role::Title, words)]);
}

/// Adds a text as indented, wrapped lines.
pub fn wrapped(lines: &mut Lines, indent: usize, words: &str, width: usize, role: Role) {
    let space = width.saturating_sub(indent).max(8);
    if words.is_empty() {
        return;
    }
    for line in text::wrap(&text::escape(words), space) {
        lines.push(vec![plain(" ".repeat(indent)), piece(role, line)]);
    }
}

fn underneath(state: &State, width: usize) -> Lines {
    let mut lines = Vec::new();
    let by = state
        .cluster
        .newest
        .configuration
        .as_deref()
        .map(|base| loaded(base, state.cluster.past.live))
        .unwrap_or_default();
    wrapped(&mut lines, 0, &format!("changed by others: {by}"), width, Role::Warning);
    wrapped(&mut lines, 0, "d shows the lines; :merge combines both, :rebase keeps only yours", width, Role::Dim);
    lines
}

fn meaning(lines: &mut Lines, state: &State, page: &ConfigPage, width: usize) {
    let checked = &page.checked;
    faults(lines, checked, width);
    if checked.errors() > 0 {
        return;
    }
    if !checked.faults.is_empty() {
        lines.push(Vec::new());
    }
    if !page.modified {
        if let Some(base) = &page.base {
            let past = &state.cluster.past;
            title(lines, "active");
            wrapped(lines, 0, &loaded(base, past.live), width, Role::Text);
            let file = base.file.as_ref().map(|file| file.display().to_string());
            let nowhere = match (&base.by, past.retained) {
                (LoadedBy::Seen, _) => "not in a file here",
                (_, true) => "saved with the state, not in a file",
                (_, false) => "in memory only",
            };
            let in_map = |map: &ConfigMapEntry| format!("{} of ConfigMap {}/{}", map.key, map.namespace, map.name);
            let map = base.config_map.as_deref().map(in_map);
            let place = file.or(map).unwrap_or_else(|| nowhere.to_owned());
            wrapped(lines, 0, &place, width, Role::Dim);
            wrapped(
                lines,
                0,
                &format!("checksum {}", base.checksum.get(..12).unwrap_or(&base.checksum)),
                width,
                Role::Dim,
            );
        }
        return;
    }
    if checked.version != page.buffer.version() {
        title(lines, "what this changes");
        return wrapped(lines, 0, "checking", width, Role::Dim);
    }
    changes(lines, checked, width);
    ahead(lines, page, width);
    if let Some(why) = &checked.refused {
        lines.push(Vec::new());
        wrapped(lines, 0, &format!("it would be rejected: {why}"), width, Role::Warning);
    }
}

fn ahead(lines: &mut Lines, page: &ConfigPage, width: usize) {
    let Some(forecast) = page.forecast.as_ref().filter(|forecast| forecast.version == page.buffer.version()) else {
        return;
    };
    lines.push(Vec::new());
    title(lines, "the next 10 minutes, simulated on a copy");
    match &forecast.found {
        None => wrapped(lines, 0, "trying", width, Role::Dim),
        Some(Err(why)) => wrapped(lines, 0, &format!("unknown: {why}"), width, Role::Dim),
        Some(Ok(found)) => {
            let last = found.len().saturating_sub(1);
            for (number, line) in found.iter().enumerate() {
                let role = if number == last && last > 0 { Role::Dim } else { Role::Text };
                wrapped(lines, 0, line, width, role);
            }
        }
    }
}

/// Adds the errors of a text.
pub fn faults(lines: &mut Lines, checked: &CheckResult, width: usize) {
    let errors = checked.errors();
    if errors > 0 {
        let words = format!("{}: cannot be applied", format::count(errors as u64, "fault"));
        wrapped(lines, 0, &words, width, Role::Error);
    }
    for fault in checked.faults.iter().take(FAULTS) {
        let role = if fault.severity == Severity::Error { Role::Error } else { Role::Warning };
        lines.push(vec![piece(role, format!("{}:{} {}", fault.at.line, fault.at.column, fault.code))]);
        wrapped(lines, 2, &fault.message, width, Role::Text);
        wrapped(lines, 2, &fault.hint, width, Role::Dim);
    }
    if checked.faults.len() > FAULTS {
        lines.push(vec![dim(format!("and {} more", checked.faults.len() - FAULTS))]);
    }
}

/// Adds the change tree with its effects.
pub fn changes(lines: &mut Lines, checked: &CheckResult, width: usize) {
    title(lines, "what this changes");
    if checked.changes.is_empty() {
        wrapped(lines, 0, "no effect on the scheduler", width, Role::Dim);
    }
    for change in &checked.changes {
        let role = match change.symbol {
            Some(What::Added) => Role::DiffAdd,
            Some(What::Removed) => Role::DiffRemove,
            Some(What::Changed) => Role::DiffChange,
            None => Role::Text,
        };
        let indent = if change.setting { 4 } else { 0 };
        let symbol =
            if change.setting && change.symbol.is_none() { String::new() } else { format!("{} ", change.symbol()) };
        wrapped(lines, indent, &format!("{symbol}{}", change.text), width, role);
        if !change.effect.is_empty() {
            wrapped(lines, indent + 2, change.effect, width, Role::Dim);
        }
    }
    if !checked.consequences.is_empty() {
        lines.push(Vec::new());
        title(lines, "to running applications");
    }
    for (queue, sentences) in &checked.consequences {
        wrapped(lines, 0, queue, width, Role::Strong);
        for sentence in sentences {
            wrapped(lines, 2, sentence, width, Role::Text);
        }
    }
}

/// Adds the changed lines with context.
pub fn difference(lines: &mut Lines, old: &str, new: &str, width: usize) {
    if old.lines().count().max(new.lines().count()) > COMPARED {
        return wrapped(lines, 0, "too long to compare", width, Role::Dim);
    }
    let groups = differing(old, new, 2);
    if groups.is_empty() {
        lines.push(vec![dim("no lines differ")]);
    }
    for (number, group) in groups.iter().enumerate() {
        if number > 0 {
            lines.push(vec![dim("…")]);
        }
        for line in group {
            let (symbol, role) = match line.side {
                LineSide::Both => (" ", Role::Dim),
                LineSide::Old => ("-", Role::DiffRemove),
                LineSide::New => ("+", Role::DiffAdd),
            };
            lines.push(vec![dim(format!("{:>4} ", line.number)), piece(role, format!("{symbol} {}", line.text))]);
        }
    }
}

fn loaded(of: &Configuration, now: Time) -> String {
    let by = match &of.by {
        LoadedBy::Start => "at the start".to_owned(),
        LoadedBy::Seen => "seen as active".to_owned(),
        LoadedBy::File => "from its file".to_owned(),
        LoadedBy::Workload => "by the workload".to_owned(),
        LoadedBy::User(user) => format!("by {user}"),
        LoadedBy::RolledBack(user) => format!("rolled back by {user}"),
    };
    format!("revision {} {by}, at {}", of.revision, format::when(of.at, now))
}

/// The facts, the least important first.
pub fn facts(state: &State, page: &ConfigPage) -> Vec<Vec<Piece>> {
    let mut facts = Vec::new();
    if let Some(base) = &page.base {
        facts.push(vec![dim(loaded(base, state.cluster.past.live))]);
    }
    if !page.find.is_empty() {
        facts.push(vec![dim("find "), piece(Role::Accent, page.find.clone())]);
    }
    if is_behind(state, page) {
        facts.push(vec![piece(Role::Warning, "changed underneath")]);
    }
    let errors = page.checked.errors();
    let warnings = page.checked.faults.len() - errors;
    let mut report = Vec::new();
    if errors > 0 {
        report.push(piece(Role::Error, format::count(errors as u64, "fault")));
    }
    if warnings > 0 {
        report.push(plain(if report.is_empty() { "" } else { ", " }));
        report.push(piece(Role::Warning, format::count(warnings as u64, "warning")));
    }
    if report.is_empty() && page.base.is_some() && page.is_checked() {
        report.push(piece(Role::Good, "valid"));
    }
    if !report.is_empty() {
        facts.push(report);
    }
    facts.extend(match (page.applying.is_some(), page.modified) {
        (true, _) => Some(vec![piece(Role::StateWaiting, "being applied")]),
        (_, true) => Some(vec![piece(Role::StateWaiting, "edited, not applied")]),
        _ => page.base.is_some().then(|| vec![dim("active")]),
    });
    facts
}
