//! The page of a pod: data and events, a container log, or the YAML.

use std::borrow::Cow;
use std::sync::Arc;

use crate::present::details::kubernetes;
use crate::present::details::sheet::labeled_text;
use crate::present::format;
use crate::present::layout;
use crate::present::pieces::{Lines, Piece, dim, piece, plain};
use crate::present::text;
use crate::present::weight::role;
use crate::present::words::word;
use crate::state::State;
use crate::state::page::{Page, Subject};
use crate::state::pod::{PodPage, PodPart};
use crate::theme::Role;
use model::{AppId, Time};
use view::kubernetes::{ObjectName, PodRow};

const WHO: usize = 11;

/// A pod or a node.
pub fn object(state: &State) -> Option<ObjectName> {
    let all = state.cluster.view.kubernetes.as_ref()?;
    let node = match state.page() {
        Page::Nodes(_) | Page::Details(_) => match crate::present::subject::of(state)? {
            Subject::Node(id) => all.nodes.contains_key(&id).then_some(id),
            _ => None,
        },
        _ => None,
    };
    if let Some(id) = node {
        return Some(ObjectName::Node(Arc::from(id.as_str())));
    }
    match state.page() {
        Page::App(_) | Page::Node(_) | Page::Pod(_) => {
            let pod = crate::present::guard::pod::target(state)?;
            Some(ObjectName::Pod(Arc::clone(&pod.namespace), Arc::clone(&pod.name)))
        }
        _ => None,
    }
}

fn width(state: &State) -> usize {
    usize::from(layout::regions(state).map_or(80, |regions| regions.rows.width)).saturating_sub(2)
}

/// The number of lines of the page.
pub fn height(state: &State, page: &PodPage) -> usize {
    match page.part {
        PodPart::Sheet => sheet(state, page, width(state)).len(),
        PodPart::Log if state.pod.log.output.is_empty() => 1,
        PodPart::Log => state.pod.log.output.len(),
        PodPart::Text => yaml(state).map_or(1, |lines| lines.len()),
    }
}

/// The lines that match the search, ignoring case.
pub fn matches(state: &State, page: &PodPage) -> Vec<usize> {
    let wanted = page.find.to_lowercase();
    if wanted.is_empty() {
        return Vec::new();
    }
    let matching = |(at, line): (usize, Cow<'_, str>)| line.to_lowercase().contains(&wanted).then_some(at);
    match page.part {
        PodPart::Sheet => {
            let joined = |line: &Vec<Piece>| line.iter().map(|piece| &*piece.text).collect::<String>();
            let lines = sheet(state, page, width(state));
            lines.iter().map(joined).map(Cow::Owned).enumerate().filter_map(matching).collect()
        }
        PodPart::Log => state.pod.log.output.from(0).map(Cow::Borrowed).enumerate().filter_map(matching).collect(),
        PodPart::Text => {
            let lines = yaml(state).ok().into_iter().flat_map(|lines| lines.iter());
            lines.map(|line| Cow::Borrowed(line.as_str())).enumerate().filter_map(matching).collect()
        }
    }
}

fn yaml(state: &State) -> Result<&Arc<Vec<String>>, String> {
    match &state.pod.text.known {
        Some(Ok(lines)) => Ok(lines),
        Some(Err(why)) => Err(why.clone()),
        None => Err("loading".to_owned()),
    }
}

/// The visible lines.
pub fn visible(state: &State, page: &PodPage, height: usize) -> Lines {
    let explained = |why: String| text::wrap(&why, width(state)).into_iter().map(|line| vec![dim(line)]).collect();
    match page.part {
        PodPart::Sheet => sheet(state, page, width(state)).into_iter().skip(page.top).take(height).collect(),
        PodPart::Log if state.pod.log.output.is_empty() => explained(no_log(state, page)),
        PodPart::Log => {
            let lines = state.pod.log.output.from(page.top).take(height);
            lines.enumerate().map(|(at, line)| shown(page, page.top + at, line, log_role(line))).collect()
        }
        PodPart::Text => match yaml(state) {
            Ok(lines) => {
                let lines = lines.iter().skip(page.top).take(height);
                lines.enumerate().map(|(at, line)| shown(page, page.top + at, line, Role::Text)).collect()
            }
            Err(why) => explained(why),
        },
    }
}

fn shown(page: &PodPage, at: usize, line: &str, role: Role) -> Vec<Piece> {
    let escaped = text::escape(line);
    let rest = text::skip(&escaped, page.left).to_owned();
    if page.find.is_empty() {
        return vec![piece(role, rest)];
    }
    let role = if page.found == Some(at) { Role::Accent } else { role };
    let wanted = page.find.to_lowercase();
    let lower = rest.to_lowercase();
    // Positions match only if lower-casing changes no length.
    let found = lower.find(&wanted).filter(|_| lower.len() == rest.len());
    let parts = found.and_then(|from| {
        let to = from + wanted.len();
        Some((rest.get(..from)?.to_owned(), rest.get(from..to)?.to_owned(), rest.get(to..)?.to_owned()))
    });
    match parts {
        Some((before, hit, after)) => vec![piece(role, before), piece(Role::Match, hit), piece(role, after)],
        None => vec![piece(role, rest)],
    }
}

fn log_role(line: &str) -> Role {
    let head: String = line.chars().take(80).collect();
    if head.contains("ERROR") || head.contains("FATAL") || head.contains("panic:") {
        Role::Error
    } else if head.contains("WARN") {
        Role::Warning
    } else {
        Role::Text
    }
}

fn no_log(state: &State, page: &PodPage) -> String {
    let watch = &state.pod.log;
    match (&watch.failed, page.container_name()) {
        (_, None) => "the pod has no containers".to_owned(),
        (Some((why, _)), _) => format!("{why}; retrying"),
        (None, Some(container)) if watch.ended => format!("{container} has ended without output"),
        (None, Some(container)) => format!("{container} has no output yet"),
    }
}

/// The container, run, follow mode, and error.
pub fn log_facts(state: &State, page: &PodPage) -> Vec<Vec<Piece>> {
    let watch = &state.pod.log;
    let mut facts = Vec::new();
    if let Some(container) = page.container_name() {
        let count = page.row.containers.len();
        let of = if count > 1 { format!(", {} of {count}", page.container + 1) } else { String::new() };
        facts.push(vec![dim("container "), piece(Role::Accent, container.to_string()), dim(of)]);
    }
    if page.previous {
        facts.push(vec![piece(Role::Warning, "before the last restart")]);
    }
    facts.push(vec![match (&watch.failed, watch.ended, page.follow) {
        (Some(_), ..) if !watch.output.is_empty() => piece(Role::Error, "interrupted, retrying"),
        (_, true, _) => dim("ended"),
        (_, _, true) => piece(Role::Good, "following"),
        _ => dim("f follows"),
    }]);
    let cut = if watch.output.cut { ", the last part" } else { "" };
    facts.push(vec![dim(format!("{}{cut}", format::count(watch.output.len() as u64, "line")))]);
    facts
}

/// The data of the pod, then its events.
pub fn sheet(state: &State, page: &PodPage, width: usize) -> Lines {
    let row = &page.row;
    let mut title = vec![piece(Role::Title, row.full_name()), plain("   ")];
    title.push(if page.gone {
        piece(Role::Warning, "was removed")
    } else {
        let role = if row.problem(false).is_some() { Role::Warning } else { Role::Text };
        piece(role, kubernetes::pod_words(row))
    });
    let mut lines = vec![title];
    if let Some(message) = row.message.as_deref() {
        labeled_text(&mut lines, "", message, width, Role::Warning);
    }
    let now = state.cluster.at;
    if let Some(app) = &row.app {
        let of = state.cluster.part().and_then(|part| part.app_by_id(&AppId::from(&**app)));
        let place = of.map_or_else(|| ", unknown to the scheduler".to_owned(), |of| format!(" in {}", of.queue));
        labeled_text(&mut lines, "application", &format!("{app}{place}"), width, Role::Text);
    } else {
        labeled_text(&mut lines, "scheduled by", &row.scheduler, width, Role::Text);
    }
    if let Some(owner) = &row.owner {
        labeled_text(&mut lines, "made by", &kubernetes::owner_words(owner, &row.namespace), width, Role::Text);
    }
    if let Some(class) = &row.priority_class {
        labeled_text(&mut lines, "class", class, width, Role::Text);
    }
    let (init, own) = row.containers.split_at(usize::from(row.init_containers).min(row.containers.len()));
    for (label, names) in [("init", init), ("containers", own)] {
        if !names.is_empty() {
            labeled_text(&mut lines, label, &names.join(", "), width, Role::Text);
        }
    }
    labeled_text(&mut lines, "uid", &row.uid, width, Role::Dim);
    kubernetes::conditions(&mut lines, &row.conditions, now, width);
    lines.push(Vec::new());
    lines.push(vec![dim("what happened")]);
    lines.extend(happened(state, row, width));
    lines
}

struct Entry {
    at: Time,
    rank: u8,
    by: String,
    words: String,
    role: Role,
}

fn happened(state: &State, row: &PodRow, width: usize) -> Lines {
    let mut entries =
        vec![Entry { at: row.created, rank: 0, by: "pod".to_owned(), words: "created".to_owned(), role: Role::Text }];
    for one in &*row.conditions {
        let Some(at) = one.since else { continue };
        let why: Vec<&str> = [&*one.reason, &*one.message].into_iter().filter(|text| !text.is_empty()).collect();
        let why = if why.is_empty() { String::new() } else { format!(": {}", why.join(", ")) };
        let state = if one.is_true() { String::new() } else { format!(" {}", one.status) };
        let role = if one.is_true() { Role::Text } else { Role::Warning };
        entries.push(Entry { at, rank: 2, by: "pod".to_owned(), words: format!("{}{state}{why}", one.kind), role });
    }
    if let Some(Ok(events)) = &state.pod.events.known {
        entries.extend(events.iter().map(|event| {
            let times = if event.count > 1 { format!(" {} times", event.count) } else { String::new() };
            let note = if event.note.is_empty() { String::new() } else { format!(": {}", event.note) };
            let role = if event.warning { Role::Warning } else { Role::Text };
            Entry {
                at: event.at,
                rank: 3,
                by: event.by.to_string(),
                words: format!("{}{times}{note}", event.reason),
                role,
            }
        }));
    }
    let about = |text: &str| *text == *row.uid;
    for (_, record) in &state.cluster.events.records {
        if about(&record.object) || about(&record.reference) {
            let more = if record.message.is_empty() { String::new() } else { format!(": {}", record.message) };
            let words = format!("{} {}{more}", record.kind, word(record));
            entries.push(Entry { at: record.at, rank: 1, by: "scheduler".to_owned(), words, role: role(record) });
        }
    }
    entries.sort_by_key(|entry| (entry.at, entry.rank));
    let now = state.cluster.at;
    let column = usize::from(format::when_width(entries.first().map(|entry| entry.at), now, 8));
    let mut lines = Lines::new();
    let indent = column + WHO + 3;
    for entry in entries {
        let words = text::wrap(&text::escape(&entry.words), width.saturating_sub(indent).max(20));
        for (at, words) in words.into_iter().enumerate() {
            let (when, by) = if at == 0 { (format::when(entry.at, now), &*entry.by) } else { (String::new(), "") };
            let by = text::cut(by, WHO, "…").into_owned();
            lines.push(vec![dim(format!(" {when:<column$} {by:<WHO$} ")), piece(entry.role, words)]);
        }
    }
    match &state.pod.events.known {
        None => lines.push(vec![dim(" loading the events of Kubernetes")]),
        Some(Err(why)) => {
            for line in text::wrap(&format!("the Kubernetes events are unknown: {why}"), width.saturating_sub(1)) {
                lines.push(vec![piece(Role::Dim, format!(" {line}"))]);
            }
        }
        Some(Ok(_)) => {}
    }
    lines
}

/// All lines of the page, for export.
pub fn all(state: &State, page: &PodPage) -> Lines {
    let whole = PodPage { top: 0, left: 0, find: String::new(), ..page.clone() };
    visible(state, &whole, usize::MAX)
}
