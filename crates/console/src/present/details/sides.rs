//! The two sides of a what-if by queue, application, user, and node.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::present::details::sheet::Sheet;
use crate::present::details::sides_tree;
use crate::present::format;
use crate::present::pieces::{Lines, Piece, dim, piece, plain};
use crate::present::text;
use crate::state::State;
use crate::theme::{Role, Symbols};
use model::Resource;
use source::{AppTally, Comparison, Effect, FirstDifference, Metrics, NodeTally};
use view::units::show_amount;

const MOST_THINGS: usize = 50;
const MOST_APPS: usize = 200;

#[derive(Clone, Copy)]
struct Columns {
    name: usize,
    side: usize,
    ellipsis: &'static str,
    in_tree: bool,
}

impl Columns {
    fn of(width: usize, symbols: &Symbols) -> Self {
        let side = (width / 4).clamp(12, 34);
        Self {
            name: width.saturating_sub(2 * (side + 1)).clamp(12, 48),
            side,
            ellipsis: symbols.ellipsis,
            in_tree: false,
        }
    }

    fn line(&self, name: Piece, without: Piece, with: Piece) -> Vec<Piece> {
        let cell = |cell: Piece, width: usize| {
            let cut = text::cut(&text::escape(&cell.text), width, self.ellipsis).into_owned();
            let pad = width.saturating_sub(text::width(&cut)) + 1;
            (piece(cell.role, cut), plain(" ".repeat(pad)))
        };
        let ((name, after_name), (without, after_without)) = (cell(name, self.name), cell(without, self.side));
        vec![name, after_name, without, after_without, cell(with, self.side).0]
    }

    fn metric(&self, name: String, without: String, with: String) -> Vec<Piece> {
        let role = if without == with { Role::Dim } else { Role::DiffChange };
        self.line(dim(format!("  {name}")), piece(Role::Text, without), piece(role, with))
    }
}

/// The sheet of both sides.
pub fn sheet(state: &State, width: usize, symbols: &'static Symbols) -> Sheet {
    let title = vec![piece(Role::Title, "Without and with the changes")];
    let Some(trial) = &state.cluster.trial else {
        return Sheet { title, what: vec![dim("not a what-if")], ..Sheet::default() };
    };
    let after = format::duration(trial.now.since(trial.started_at));
    let what = vec![dim(format!("after {after}, {}", format::count(trial.changes.len() as u64, "change")))];
    let mut left = Lines::new();
    for (number, change) in trial.changes.iter().enumerate() {
        wrapped(&mut left, &format!("{}  {change}", number + 1), width, Role::Text);
    }
    match &trial.comparison {
        None => left.push(vec![dim("comparing both sides")]),
        Some(comparison) => compared(&mut left, state, comparison, width, symbols),
    }
    left.push(Vec::new());
    wrapped(&mut left, &trial.assumed, width, Role::Dim);
    Sheet { title, what, left, right: Lines::new() }
}

fn wrapped(lines: &mut Lines, words: &str, width: usize, role: Role) {
    let words = text::escape(words).into_owned();
    lines.extend(text::wrap(&words, width).into_iter().map(|line| vec![piece(role, line)]));
}

fn compared(lines: &mut Lines, state: &State, comparison: &Comparison, width: usize, symbols: &'static Symbols) {
    lines.push(Vec::new());
    wrapped(lines, &comparison.verdict, width, Role::Strong);
    let in_tree = !symbols.are_words();
    if in_tree {
        lines.push(Vec::new());
        lines.extend(sides_tree::lines(state, comparison, width, symbols));
    }
    let columns = Columns { in_tree, ..Columns::of(width, symbols) };
    let head = |word: &'static str| piece(Role::Title, word);
    lines.push(Vec::new());
    lines.push(columns.line(plain(""), head("WITHOUT"), head("WITH")));
    let [without, with] = &comparison.total;
    lines.push(vec![piece(Role::Strong, "the whole partition")]);
    lines.extend(metrics(columns, (without, with), comparison.long_wait, true));
    if let Some(first) = &comparison.first {
        first_difference(lines, first, width);
    }
    for app in comparison.apps.iter().take(MOST_APPS) {
        let name = piece(Role::Strong, format!("{}  {}", app.app, effect(app.effect)));
        lines.push(columns.line(name, course(app.without.as_ref()), course(app.with.as_ref())));
    }
    more(lines, comparison.apps.len(), MOST_APPS);
    let shares = |lines: &mut Lines, kind: &str, all: Vec<(String, Metrics, Metrics)>| {
        let count = all.len();
        for (name, without, with) in all.into_iter().take(MOST_THINGS) {
            let columns = Columns { in_tree: in_tree && kind.is_empty(), ..columns };
            let metrics = metrics(columns, (&without, &with), comparison.long_wait, false);
            if !metrics.is_empty() {
                lines.push(vec![piece(Role::Strong, format!("{kind}{name}"))]);
                lines.extend(metrics);
            }
        }
        more(lines, count, MOST_THINGS);
    };
    let both = |pair: &(Option<Metrics>, Option<Metrics>)| {
        (pair.0.clone().unwrap_or_default(), pair.1.clone().unwrap_or_default())
    };
    let named = |name: String, pair: &(Option<Metrics>, Option<Metrics>)| {
        let (without, with) = both(pair);
        (name, without, with)
    };
    let queues = comparison.queues.iter().filter(|(queue, _)| queue.parent().is_some());
    shares(lines, "", queues.map(|(queue, pair)| named(queue.to_string(), pair)).collect());
    shares(lines, "user ", comparison.users.iter().map(|(user, pair)| named(user.to_string(), pair)).collect());
    for (node, (without, with)) in comparison.nodes.iter().take(MOST_THINGS) {
        nodes(lines, columns, node.as_str(), (without.as_ref(), with.as_ref()));
    }
    more(lines, comparison.nodes.len(), MOST_THINGS);
}

fn more(lines: &mut Lines, count: usize, most: usize) {
    if count > most {
        lines.push(vec![dim(format!("and {} more", count - most))]);
    }
}

fn first_difference(lines: &mut Lines, first: &FirstDifference, width: usize) {
    let words = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
    lines.push(Vec::new());
    lines.push(vec![dim("the first decision that differs")]);
    wrapped(lines, &format!("  without: {}", words(&first.without)), width, Role::Text);
    wrapped(lines, &format!("  with: {}", words(&first.with)), width, Role::Text);
    for (side, why) in [("without", &first.why_not_without), ("with", &first.why_not_with)] {
        if let Some(why) = why {
            wrapped(lines, &format!("  why not {side}: {why}"), width, Role::Dim);
        }
    }
    lines.push(Vec::new());
}

/// `all`: also equal counts.
fn metrics(columns: Columns, (without, with): (&Metrics, &Metrics), long_wait: Duration, all: bool) -> Lines {
    let mut lines = Lines::new();
    let mut add = |name: &str, one: String, other: String, retained: bool| {
        let in_tree = columns.in_tree && IN_TREE.contains(&name);
        if !in_tree && (one != other || retained) {
            lines.push(columns.metric(name.to_owned(), one, other));
        }
    };
    let long = format!("requests that waited over {}", format::duration(long_wait));
    for (name, metric) in [
        ("applications that start", (|one| one.started) as fn(&Metrics) -> u64),
        ("applications that end", |one| one.ended),
        ("allocations preempted", |one| one.preempted),
        ("pending requests", |one| one.waiting),
        (&long, |one| one.long_waits),
    ] {
        add(name, metric(without).to_string(), metric(with).to_string(), all);
    }
    add("average wait of a request", exact(without.mean_wait()), exact(with.mean_wait()), all);
    add("time below its guarantee", exact(without.below_guarantee), exact(with.below_guarantee), false);
    for (words, one, other) in [
        ("in use on average", &without.used, &with.used),
        ("in use now", &without.allocated, &with.allocated),
        ("requested now", &without.pending, &with.pending),
        ("gained by preemption", &without.taken, &with.taken),
    ] {
        for (resource, one, other) in amounts(one, other) {
            add(&format!("{} {words}", format::resource_name(&resource)), one, other, false);
        }
    }
    lines
}

const IN_TREE: [&str; 3] = ["pending requests", "cpu in use now", "mem in use now"];

fn exact(time: Duration) -> String {
    match time.as_secs() {
        0..60 => format!("{:.1}s", time.as_secs_f64()),
        _ => format::duration(time),
    }
}

fn amounts(one: &Resource, other: &Resource) -> Vec<(String, String, String)> {
    let names: BTreeSet<&str> = one.iter().chain(other.iter()).map(|(name, _)| name).collect();
    let shown = |name: &str, of: &Resource| show_amount(name, of.get(name).unwrap_or_default());
    names.into_iter().map(|name| (name.to_owned(), shown(name, one), shown(name, other))).collect()
}

fn nodes(lines: &mut Lines, columns: Columns, node: &str, sides: (Option<&NodeTally>, Option<&NodeTally>)) {
    let (Some(without), Some(with)) = sides else {
        let side = |there: bool| plain(if there { "there" } else { "not there" });
        let name = piece(Role::Strong, format!("node {node}"));
        return lines.push(columns.line(name, side(sides.0.is_some()), side(sides.1.is_some())));
    };
    lines.push(vec![piece(Role::Strong, format!("node {node}"))]);
    for (words, one, other) in
        [("has", &without.capacity, &with.capacity), ("in use now", &without.allocated, &with.allocated)]
    {
        for (resource, one, other) in amounts(one, other).into_iter().filter(|(_, one, other)| one != other) {
            lines.push(columns.metric(format!("{} {words}", format::resource_name(&resource)), one, other));
        }
    }
    if without.allocations != with.allocations {
        let (one, other) = (without.allocations.to_string(), with.allocations.to_string());
        lines.push(columns.metric("allocations".to_owned(), one, other));
    }
    if without.schedulable != with.schedulable {
        let words = |accepts: bool| if accepts { "yes" } else { "no" }.to_owned();
        let (one, other) = (words(without.schedulable), words(with.schedulable));
        lines.push(columns.metric("takes allocations".to_owned(), one, other));
    }
}

fn effect(effect: Effect) -> String {
    match effect {
        Effect::Rejected => "is rejected".to_owned(),
        Effect::Killed => "is killed".to_owned(),
        Effect::Preempted => "is preempted more".to_owned(),
        Effect::NotStarted => "does not start".to_owned(),
        Effect::Started => "starts".to_owned(),
        Effect::Later(by) => format!("starts {} later", exact(by)),
        Effect::Sooner(by) => format!("starts {} sooner", exact(by)),
        Effect::Spared => "is preempted less".to_owned(),
        Effect::EndsLater => "ends later".to_owned(),
        Effect::EndsSooner => "ends sooner".to_owned(),
        Effect::WaitsLonger => "waits longer".to_owned(),
        Effect::WaitsLess => "waits less".to_owned(),
        Effect::Other => "is otherwise".to_owned(),
    }
}

fn course(tally: Option<&AppTally>) -> Piece {
    let Some(tally) = tally else { return dim("not there") };
    if tally.rejected.is_some() {
        return piece(Role::Warning, "refused");
    }
    if tally.killed {
        return piece(Role::Warning, "killed");
    }
    let mut parts = Vec::new();
    let mut add_words = |count: u64, words: &str| {
        if count > 0 {
            parts.push(format!("{count} {words}"));
        }
    };
    add_words(tally.running, "run");
    add_words(tally.waiting, "wait");
    add_words(tally.preempted, "preempted");
    if tally.ended.is_some() {
        parts.push("ended".to_owned());
    }
    if parts.is_empty() { dim("nothing of it") } else { plain(parts.join(", ")) }
}
