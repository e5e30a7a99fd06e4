//! Sheets from explanations of the native API.

use super::time;
use crate::dto::native as dto;
use model::{Time, VCORE};
use view::waiting::{Sheet, SheetLine, Target};

const MOST_NODES: usize = 3;

/// The sheet of an application.
pub fn sheet(found: &dto::Explained) -> Sheet {
    let mut lines = Vec::new();
    for ask in &found.asks {
        lines.extend(of_ask(found, ask));
    }
    if found.left_out > 0 {
        lines.push(SheetLine::new("more", format!("{} more requests of other kinds wait", found.left_out)));
    }
    for blocked in &found.submission {
        lines.push(SheetLine::new("submission", blocked.text.as_str()).to(target(&blocked.names)));
        if let Some(line) = blocked.line {
            lines.push(SheetLine::new("", format!("on line {line}")).below(1).to(Some(Target::Line(line))));
        }
    }
    if found.asks.is_empty() {
        for blocked in &found.blocked_by {
            lines.push(SheetLine::new(blocked.level.as_str(), blocked.text.as_str()).to(target(&blocked.names)));
        }
    }
    for (at, got) in found.got.iter().enumerate() {
        let app = found.application_id.as_str().into();
        let holder = if got.placeholder { ", a placeholder" } else { "" };
        let name = got.pod.as_deref().unwrap_or(&got.allocation_key);
        let text = format!("{name} on {}{holder}", got.node_id);
        let label = if at == 0 { "allocated" } else { "" };
        let to = Some(Target::App(app, Some(got.allocation_key.as_str().into())));
        lines.push(SheetLine::new(label, text).below(u8::from(at > 0)).to(to).since(known(got.since)));
    }
    lines.extend(found.notes.iter().map(|note| SheetLine::new("note", note.as_str())));
    lines.extend(unknown(&found.unknown));
    Sheet {
        at: time(found.at),
        title: found.application_id.clone(),
        sentence: found.text.clone(),
        waits: found.waits,
        cause: found.blocked_by.first().filter(|_| found.waits).map(cause).unwrap_or_default(),
        lines,
    }
}

/// The cause without values, to detect a change.
fn cause(blocked: &dto::BlockedBy) -> String {
    let of = blocked.resource.as_deref().map(|name| format!("{} in ", if name == VCORE { "cpu" } else { name }));
    format!("{}{} ({})", of.unwrap_or_default(), blocked.place, blocked.level)
}

fn of_ask(found: &dto::Explained, ask: &dto::ExplainedAsk) -> Vec<SheetLine> {
    let to = Target::App(found.application_id.as_str().into(), Some(ask.allocation_key.as_str().into()));
    let like = if ask.identical > 1 { format!(" (and {} like it)", ask.identical - 1) } else { String::new() };
    let mut lines = vec![SheetLine::new("request", format!("{}{like}", ask.text)).to(Some(to)).since(known(ask.since))];
    lines.extend(
        ask.reported.iter().map(|reported| SheetLine::new("scheduler", format!("reports: {reported}")).below(1)),
    );
    for blocked in &ask.blocked_by {
        lines.extend(of_blocker(blocked));
    }
    let alone = ask.changes.len() == 1;
    for (number, change) in ask.changes.iter().enumerate() {
        let (label, when) = match number {
            0 if alone => ("cause", "since the first attempt: "),
            0 => ("causes", "first: "),
            _ => ("", "then: "),
        };
        let text = format!("{when}{}", change.text);
        lines.push(SheetLine::new(label, text).below(if number == 0 { 1 } else { 2 }).since(known(change.since)));
    }
    for failed in &ask.nodes {
        let (few, more) = failed.examples.split_at(failed.examples.len().min(MOST_NODES));
        let more = if more.is_empty() { "" } else { ", ..." };
        let text = format!("{} {}: {}{more}", failed.count, reason(&failed.reason), few.join(", "));
        let to = few.first().map(|node| Target::Node(node.as_str().into()));
        lines.push(SheetLine::new("nodes", text).below(1).to(to));
    }
    lines.extend(ask.waiting.iter().map(|waits| SheetLine::new("waiting", waits.as_str()).below(1)));
    if !ask.position.text.is_empty() {
        lines.push(SheetLine::new("before it", ask.position.text.as_str()).below(1));
        for app in &ask.position.first_applications {
            lines.push(SheetLine::new("", app.as_str()).below(2).to(Some(Target::App(app.as_str().into(), None))));
        }
    }
    if !ask.preemption.why.is_empty() {
        lines.push(SheetLine::new("preemption", ask.preemption.why.as_str()).below(1));
        let retained = |retained: &dto::RetainedText| {
            SheetLine::new("", retained.text.as_str()).below(2).to(target(&retained.names))
        };
        lines.extend(ask.preemption.retained.iter().map(retained));
    }
    for cause in &ask.causes {
        let cycles = if cause.count == 1 { "1 cycle".to_owned() } else { format!("{} cycles", cause.count) };
        let text = format!("{} ({cycles})", cause.text);
        lines.push(SheetLine::new("found", text).below(1).since(known(cause.last)));
    }
    lines.extend(ask.next.iter().map(|next| SheetLine::new("next", next.as_str()).below(1)));
    for remedy in &ask.remedies {
        lines.push(SheetLine::new("would help", remedy.text.as_str()).below(1).to(target(&remedy.names)));
        lines.extend(remedy.effects.iter().map(|effect| SheetLine::new("", effect.as_str()).below(2)));
    }
    lines
}

/// Why nodes reject a request, as a phrase after their number.
fn reason(reason: &str) -> &str {
    match reason {
        "required" => "other than the required one",
        "reserved" => "reserved for others",
        "capacity" => "too small",
        "free" => "with too little free",
        "predicate" => "excluded by conditions",
        other => other,
    }
}

fn of_blocker(blocked: &dto::BlockedBy) -> Vec<SheetLine> {
    let mut lines =
        vec![SheetLine::new(blocked.level.as_str(), blocked.text.as_str()).below(1).to(target(&blocked.names))];
    if let Some(line) = blocked.line {
        lines.push(SheetLine::new("", format!("on line {line}")).below(2).to(Some(Target::Line(line))));
    }
    for holder in &blocked.holders {
        let amount = blocked.resource.as_deref().map(|name| view::units::show_amount(name, holder.amount));
        let amount = amount.map(|amount| format!(" uses {amount}")).unwrap_or_default();
        let text = format!("{} in {}{amount}", holder.application_id, holder.queue_name);
        let to = Some(Target::App(holder.application_id.as_str().into(), None));
        lines.push(SheetLine::new("", text).below(2).to(to));
    }
    lines
}

/// The sheet of all pending requests.
pub fn overview(found: &dto::Waiting) -> Sheet {
    let mut lines = Vec::new();
    for group in &found.groups {
        let blocked = group.blocked_by.as_ref();
        let level = blocked.map_or("next", |blocked| blocked.level.as_str());
        let to = blocked.and_then(|blocked| target(&blocked.names));
        lines.push(SheetLine::new(level, group.text.as_str()).to(to).since(known(group.since)));
        for example in &group.examples {
            let asks = if example.asks == 1 { "1 request".to_owned() } else { format!("{} requests", example.asks) };
            let text = format!("{} in {}: {asks}", example.application_id, example.queue_name);
            let to = Some(Target::Why(example.application_id.as_str().into()));
            lines.push(SheetLine::new("", text).below(1).to(to));
        }
        let more = group.applications.saturating_sub(group.examples.len() as u64);
        if more > 0 {
            lines.push(SheetLine::new("", format!("and {more} more")).below(1));
        }
    }
    if found.left_out > 0 {
        lines.push(SheetLine::new("more", format!("{} more causes, with fewer requests each", found.left_out)));
    }
    lines.extend(unknown(&found.unknown));
    let title = if found.queue_name.is_empty() { "pending requests".to_owned() } else { found.queue_name.clone() };
    let waits = found.groups.iter().any(|group| group.blocked_by.is_some());
    Sheet { at: time(found.at), title, sentence: found.text.clone(), waits, cause: String::new(), lines }
}

/// Inputs that the explanation could not use, under one heading.
fn unknown(all: &[String]) -> impl Iterator<Item = SheetLine> {
    let heading = (!all.is_empty()).then(|| SheetLine::new("unknown", "the explanation does not include:"));
    heading.into_iter().chain(all.iter().map(|one| SheetLine::new("", one.as_str()).below(1)))
}

fn known(nanos: i64) -> Option<Time> {
    Some(time(nanos))
}

/// A limit leads to its user or group.
fn target(names: &dto::Named) -> Option<Target> {
    let dto::Named { queue, user, group, node_id, application_id, allocation_key } = names;
    let given = |text: &String| (!text.is_empty()).then(|| text.clone());
    given(user)
        .map(Target::User)
        .or_else(|| given(group).map(Target::Group))
        .or_else(|| given(queue).map(|queue| Target::Queue(queue.as_str().into())))
        .or_else(|| given(node_id).map(|node| Target::Node(node.as_str().into())))
        .or_else(|| {
            let app = given(application_id)?;
            Some(Target::App(app.as_str().into(), given(allocation_key).map(|ask| ask.as_str().into())))
        })
}
