//! Details of a queue.

use std::sync::Arc;

use crate::present::details::sheet::{Sheet, at_right, gone, in_words, labeled, labeled_text, metric};
use crate::present::details::{kubernetes, quota};
use crate::present::edit_completion::only_elsewhere;
use crate::present::format;
use crate::present::layout;
use crate::present::lists::queue_cells;
use crate::present::pieces::{Lines, Piece, dim, piece, plain};
use crate::present::place::Source;
use crate::present::text;
use crate::present::unknown;
use crate::present::words::in_state_for;
use crate::state::State;
use crate::theme::{Role, Symbols};
use config::{LimitConfig, TemplateConfig};
use model::{MEMORY, Priority, Profile, QueuePath, QueueState, Resource, VCORE};
use view::drain::admins;
use view::explain::{AclKind, PriorityStep};
use view::{LimitUse, Origin, PartitionView, QueueRow};

/// The sheet of a queue.
pub fn sheet(state: &State, path: &QueuePath, width: usize, symbols: &Symbols) -> Sheet {
    let Some((part, row)) = state.cluster.part().and_then(|part| Some((part, part.queue_at(path)?))) else {
        return gone(path.to_string());
    };
    let mut left = Lines::new();
    draining(&mut left, state, part, row, width);
    priority(&mut left, part, row, width, symbols);
    sorting(&mut left, row);
    acls(&mut left, part, row, width);
    properties(&mut left, (Source::of(state), part.rules.profile()), row, width);
    let mut right = Lines::new();
    resources(&mut right, part, row, width, symbols);
    quota::lines(&mut right, state, (part, row), width);
    applications(&mut right, state, part, row, width);
    kubernetes::queue(&mut right, state, part, row, width);
    limits(&mut right, state, (part, row), width, symbols);
    template(&mut right, row, width);
    unknown::lines(&mut right, Some(part), "queue", row.path.as_str(), width);
    Sheet { title: vec![piece(Role::Title, row.path.to_string())], what: what(state, row, symbols), left, right }
}

fn what(state: &State, row: &QueueRow, symbols: &Symbols) -> Vec<Piece> {
    let kind = if row.leaf { "leaf" } else { "parent" };
    let managed = if row.managed { "managed" } else { "dynamic" };
    let place = match row.settings.at {
        Some(at) => Source::of(state).place(at).map_or_else(String::new, |place| format!(", {place}")),
        None => String::new(),
    };
    let stuck = state.cluster.view.is_stuck(row, state.cluster.at);
    let (symbol, role) = queue_cells::state_symbol(row.state, symbols);
    let role = if stuck { Role::Danger } else { role };
    let since = match row.state {
        QueueState::Active => String::new(),
        _ => format!(" for {}", in_state_for(row, state.cluster.at)),
    };
    let since = if stuck { format!("{since}, stuck") } else { since };
    vec![
        dim(format!("{kind}, {managed}{place}   ")),
        piece(role, symbol),
        piece(role, format!(" {}{since}", row.state)),
    ]
}

/// The applications that block it, and who can act (SCH-210, SCH-211).
fn draining(lines: &mut Lines, state: &State, part: &PartitionView, row: &QueueRow, width: usize) {
    if row.state != QueueState::Draining {
        return;
    }
    let draining = part.draining(row);
    let apps = &draining.applications;
    if apps.is_empty() {
        labeled_text(lines, "blocked by", "nothing: the next cleanup removes it", width, Role::Text);
    }
    let most = HOLDERS.max(layout::named_in_details(state));
    for (at, app) in apps.iter().take(most).enumerate() {
        let with =
            if app.allocated.is_zero() { "nothing allocated".to_owned() } else { format::resource(&app.allocated) };
        let text = format!("{} ({}) {}, {with}", app.id, app.who.user, app.state);
        labeled_text(lines, if at == 0 { "blocked by" } else { "" }, &text, width, Role::StateDraining);
    }
    if apps.len() > most {
        labeled(lines, "", vec![dim(format!("and {} more; 0 lists them", apps.len() - most))]);
    }
    match draining.empty_by() {
        Some(by) => {
            let over = format::duration(by.since(state.cluster.at));
            labeled_text(lines, "over", &format!("in {over}, without new requests"), width, Role::Text);
        }
        None if apps.is_empty() => {}
        None => labeled_text(lines, "over", "when its applications complete, or are moved or killed", width, Role::Dim),
    }
    labeled_text(lines, "may act", &admins(&draining.admins), width, Role::Text);
}

/// The priority as each parent sees it (SCH-062, SCH-063).
fn priority(lines: &mut Lines, part: &PartitionView, row: &QueueRow, width: usize, symbols: &Symbols) {
    let name_width = if width < 50 { 9 } else { 14 };
    let steps = part.priority_steps(row);
    let shown = |priority: Priority| {
        if priority == Priority::MIN { symbols.nothing.to_owned() } else { priority.to_string() }
    };
    let of = if row.leaf { "application" } else { "queue below" };
    let value = match row.priority.raw {
        Priority::MIN => vec![dim(format!("{}  no pending requests", symbols.nothing))],
        raw => vec![plain(raw.to_string()), dim(format!("  the highest {of}"))],
    };
    labeled(lines, "priority", value);
    for (at, step) in steps.iter().enumerate() {
        let label = if at == 0 { "  seen by parent" } else { "" };
        let name = text::escape(step.queue.name()).into_owned();
        let name = text::cut(&name, name_width, symbols.ellipsis).into_owned();
        let pad = name_width - text::width(&name);
        let mut value = vec![plain(name), plain(" ".repeat(pad)), at_right(plain(shown(step.outside)), 6), plain("  ")];
        value.extend(how(step, symbols));
        labeled(lines, label, value);
    }
}

fn how(step: &PriorityStep, symbols: &Symbols) -> Vec<Piece> {
    let offset = match step.offset {
        0 => None,
        up if up > 0 => Some(piece(Role::PriorityRaised, format!("{} offset {up}", symbols.raised))),
        down => Some(piece(Role::PriorityLowered, format!("{} offset {down}", symbols.lowered))),
    };
    let fence = step.policy.is_fence().then(|| piece(Role::PriorityFenced, format!("{} fence", symbols.fenced)));
    match (fence, offset) {
        (None, None) => vec![dim("unchanged")],
        (Some(fence), None) => vec![fence, dim(", offset 0")],
        (Some(fence), Some(offset)) => vec![fence, plain(" "), offset],
        (None, Some(offset)) => vec![offset],
    }
}

fn sorting(lines: &mut Lines, row: &QueueRow) {
    let by = if row.settings.sort_by_priority { ", by priority first" } else { ", without priority" };
    labeled(lines, "sorts", vec![plain(row.settings.app_sort.name()), plain(by)]);
}

fn acls(lines: &mut Lines, part: &PartitionView, row: &QueueRow, width: usize) {
    for (kind, label) in [(AclKind::Submit, "submit"), (AclKind::Admin, "admin")] {
        let granted: Vec<String> = part
            .acls(row)
            .filter(|(_, of, _)| *of == kind)
            .map(|(queue, _, acl)| format!("{acl} ({})", queue.path.name()))
            .collect();
        let text = if granted.is_empty() { "none".to_owned() } else { granted.join(", ") };
        labeled_text(lines, label, &text, width, Role::Text);
    }
}

fn properties(lines: &mut Lines, (source, profile): (Source<'_>, Profile), row: &QueueRow, width: usize) {
    for (at, property) in row.settings.properties.iter().enumerate() {
        let from = match &property.from {
            Origin::Queue(path, _) if *path == row.path => "here".to_owned(),
            Origin::Queue(path, at) => match source.place(*at) {
                Some(place) => format!("{}, {place}", path.name()),
                None => path.name().to_owned(),
            },
            Origin::Template(path) => format!("template of {}", path.name()),
        };
        let mut text = format!("{} = {} ({from})", property.key, property.value);
        let elsewhere = only_elsewhere("properties", &property.key, profile);
        let role = if elsewhere.is_some() { Role::Dim } else { Role::Text };
        text.extend(elsewhere.map(|who| format!(": no effect here, {who}")));
        labeled_text(lines, if at == 0 { "properties" } else { "" }, &text, width, role);
    }
}

fn resources(lines: &mut Lines, part: &PartitionView, row: &QueueRow, width: usize, symbols: &Symbols) {
    let shown = if width < 50 { [true, false, false, true, true] } else { [true; 5] };
    let cells = |name: Piece, metrics: [Piece; 5], end: Piece| {
        let mut line = vec![name];
        let widths = [7, 7, 7, 7, 9];
        let cells = metrics.into_iter().zip(widths).zip(shown).filter(|(_, shown)| *shown);
        line.extend(cells.map(|((cell, width), _)| at_right(cell, width)));
        line.extend([plain("  "), end]);
        line
    };
    let heads = ["used", "pend", "guar", "max", "headroom"].map(dim);
    if !symbols.are_words() {
        lines.push(cells(dim(format!("{:<9}", "resources")), heads, dim("bound by")));
    }
    let headroom = part.headroom(row);
    for name in names(part, row) {
        let of = |resource: Option<&Resource>| resource.and_then(|resource| resource.get(&name));
        let bound = part.effective_max(row, &name);
        let left = match of(headroom.as_ref()) {
            Some(left) if left <= 0 => piece(Role::Danger, metric(&name, Some(left), symbols).text),
            left => metric(&name, left, symbols),
        };
        let mut metrics = [
            metric(&name, Some(row.allocated.amount(&name)).filter(|used| *used != 0), symbols),
            metric(&name, Some(row.pending.amount(&name)).filter(|pending| *pending != 0), symbols),
            metric(&name, of(row.guaranteed.as_ref()), symbols),
            metric(&name, of(row.max.as_ref()), symbols),
            left,
        ];
        let lost = |row: &QueueRow, keys: &[&str]| unknown::of_amount(part, "queue", row.path.as_str(), keys, &name);
        let own = ["allocatedResource", "pendingResource", "guaranteedResource", "maxResource"];
        for (metric, _) in metrics.iter_mut().zip(own).filter(|(_, key)| lost(row, &[*key])) {
            *metric = unknown::cell(symbols);
        }
        if part.path_up(row).any(|row| lost(row, &["maxResource", "allocatedResource"])) {
            metrics[4] = unknown::cell(symbols);
        }
        let end = match bound {
            None => dim("no limit"),
            Some((queue, max)) => {
                let max = metric(&name, Some(max), symbols).text;
                if queue == row.path { plain("own max") } else { plain(format!("{} {max}", queue.name())) }
            }
        };
        if symbols.are_words() {
            let heads = ["used", "pending", "guaranteed", "maximum", "headroom"];
            let reported: Vec<(&str, &Piece)> = heads.into_iter().zip(&metrics).chain([("bound by", &end)]).collect();
            lines.push(in_words(format::resource_name(&name), &reported));
            continue;
        }
        lines.push(cells(plain(short_name(&name, symbols)), metrics, end));
    }
    if !row.preempting.is_zero() {
        labeled(lines, "preempting", vec![piece(Role::Warning, format::resource(&row.preempting))]);
    }
}

fn short_name(name: &str, symbols: &Symbols) -> String {
    let shown = text::escape(format::resource_name(name)).into_owned();
    let cut = text::cut(&shown, 9, symbols.ellipsis).into_owned();
    let pad = 9 - text::width(&cut);
    format!("{cut}{}", " ".repeat(pad))
}

/// The resources: CPU, memory, then those that the queue's path uses, requests, or limits.
fn names(part: &PartitionView, row: &QueueRow) -> Vec<String> {
    let mut names = vec![VCORE.to_owned(), MEMORY.to_owned()];
    let mut add = |resource: &Resource| {
        for (name, _) in resource.iter() {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
    };
    add(&row.allocated);
    add(&row.pending);
    for above in part.path_up(row) {
        above.guaranteed.iter().chain(&above.max).for_each(&mut add);
    }
    names
}

fn applications(lines: &mut Lines, state: &State, part: &PartitionView, row: &QueueRow, width: usize) {
    let max = row.max_running.map_or_else(|| "any number".to_owned(), |max| max.to_string());
    let full = row.max_running.is_some_and(|max| row.running + row.allocating_accepted >= max);
    let running = format!("{} of {max} running", row.running);
    let mut value = vec![if full { piece(Role::Danger, format!("{running} !")) } else { plain(running) }];
    value.push(dim(format!(", {}", format::active(state.cluster.apps_lag, row.app_count))));
    labeled(lines, "applications", value);
    if row.allocating_accepted > 0 {
        labeled(lines, "", vec![dim(format!("{} about to run, each counts", row.allocating_accepted))]);
    }
    if row.leaf {
        let mut names: Vec<&str> =
            row.apps.iter().filter_map(|slot| part.app(*slot)).map(|app| app.id.as_str()).collect();
        names.sort_unstable();
        names.truncate(8);
        if !names.is_empty() {
            let more = if row.apps.len() > names.len() { ", and more" } else { "" };
            labeled_text(lines, "", &format!("{}{more}", names.join(", ")), width, Role::Dim);
        }
        return;
    }
    let shown: Vec<String> = row
        .children
        .iter()
        .take(12)
        .filter_map(|slot| part.queue(*slot))
        .map(|child| child.path.name().to_owned())
        .collect();
    let more = if row.children.len() > shown.len() { ", and more" } else { "" };
    let children = if shown.is_empty() {
        "none".to_owned()
    } else {
        format!("{}: {}{more}", row.children.len(), shown.join(", "))
    };
    labeled_text(lines, "children", &children, width, Role::Text);
}

const HOLDERS: usize = 5;
const NAMED: usize = 4;

/// The limits of the queue and its parents; reached limits first.
fn limits(lines: &mut Lines, state: &State, (part, row): (&PartitionView, &QueueRow), width: usize, symbols: &Symbols) {
    let (source, most) = (Source::of(state), NAMED.max(layout::named_in_details(state)));
    let mut label = "limits";
    let all =
        if part.path_up(row).all(|queue| queue.settings.limits.is_empty()) { Vec::new() } else { part.limits_in(row) };
    for queue in part.path_up(row) {
        for limit in queue.settings.limits.list() {
            let place = source.place(limit.at).map_or_else(String::new, |place| format!(", {place}"));
            let text = format!("{} ({}{place})", limit_text(limit), queue.path.name());
            labeled_text(lines, label, &text, width, Role::Text);
            label = "";
            let mut used: Vec<&LimitUse> = all.iter().filter(|one| Arc::ptr_eq(&one.limit, limit)).collect();
            used.sort_by_key(|one| !one.is_full());
            for one in used.iter().take(most) {
                let mut value = vec![plain(format!("  {} has ", crate::present::limits::name(one.side, &one.name)))];
                value.extend(crate::present::limits::use_pieces(one, symbols));
                labeled(lines, "", value);
            }
            if used.len() > most {
                labeled(lines, "", vec![dim(format!("  and {} more", used.len() - most))]);
            }
        }
    }
}

fn limit_text(limit: &LimitConfig) -> String {
    let mut who: Vec<String> = Vec::new();
    if !limit.users.is_empty() {
        who.push(if limit.users == ["*"] { "each user".to_owned() } else { limit.users.join(", ") });
    }
    if !limit.groups.is_empty() {
        let names = if limit.groups == ["*"] { "all other users together".to_owned() } else { limit.groups.join(", ") };
        who.push(format!("group {names}"));
    }
    let apps = limit.max_applications.map(|max| format!("at most {}", format::count(max, "application")));
    let resources = limit.max_resources.as_ref().map(format::resource);
    let most: Vec<String> = apps.into_iter().chain(resources).collect();
    format!("{}: {}", who.join("; "), most.join(", "))
}

fn template(lines: &mut Lines, row: &QueueRow, width: usize) {
    let Some((from, template)) = &row.settings.template else { return };
    let text = format!("{} ({})", template_text(template), from.name());
    labeled_text(lines, "template", &text, width, Role::Text);
}

fn template_text(template: &TemplateConfig) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(template.max.as_ref().map(|max| format!("max {}", format::resource(max))));
    parts.extend(template.guaranteed.as_ref().map(|guaranteed| format!("guaranteed {}", format::resource(guaranteed))));
    parts.extend(template.max_applications.map(|max| format!("at most {}", format::count(max, "application"))));
    parts.extend(template.properties.iter().map(|(key, value)| format!("{key} = {value}")));
    parts.join("; ")
}
