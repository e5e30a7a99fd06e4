//! The dashboard around the queue tree: gauges and side lines.

use std::sync::Arc;
use std::time::Duration;

use crate::present::format;
use crate::present::lists::queue_cells::Usage;
use crate::present::meter::Meter;
use crate::present::pieces::{Lines, Piece, dim, piece, plain};
use crate::present::text;
use crate::present::trend_cells;
use crate::present::trend_cells::{largest, rings};
use crate::present::unknown;
use crate::present::weight::{Weight, role, weight};
use crate::present::words;
use crate::state::State;
use crate::state::column::QueueColumn;
use crate::state::page::Page;
use crate::theme::{Role, Symbols};
use model::{MEMORY, QueuePath, QueueState, VCORE};
use view::drain::span;
use view::overview::{WaitingIn, WaitingNow, attention};
use view::trends::{Measure, Series, Subject, SubjectKind, Value};
use view::units::{round_up, show_amount};
use view::waiting::SheetLine;
use view::{ChangeDetail, ChangeType, ObjectType, PartitionView, QueueRow, Record};

const SPAN: Duration = Duration::from_secs(600);

/// Whether the page on the screen has the dashboard.
pub fn is_shown(state: &State) -> bool {
    state.board.is_some() && matches!(state.page(), Page::Queues(_))
}

/// Whether the cursor is in ATTENTION.
pub fn is_focused(state: &State) -> bool {
    is_shown(state) && state.board.as_ref().is_some_and(|board| board.focused)
}

/// `None` without the dashboard.
pub fn title_of_first(state: &State) -> Option<&'static str> {
    state.board.is_some().then_some("Cluster")
}

/// The most severe first; `None` until known.
pub fn items(state: &State) -> Option<&[SheetLine]> {
    match &state.board.as_ref()?.overview.sheet {
        Some(Ok(sheet)) => Some(attention(sheet)),
        _ => None,
    }
}

/// A sparkline of 10 minutes; `top` is the value of the highest cell (`None`: the maximum).
fn spark(
    state: &State,
    measure: Measure,
    resource: Option<&str>,
    top: Option<i64>,
    cells: u16,
    symbols: &Symbols,
) -> String {
    let value = match resource {
        Some(name) => Value::amount(SubjectKind::Cluster, measure, name),
        None => Value::plain(SubjectKind::Cluster, measure),
    };
    trend_cells::heights(state, (&Subject::Cluster, &value), SPAN, top, cells, symbols)
}

/// The queue's CPU over 10 minutes, in the scale of its meter.
pub fn queue_spark(state: &State, queue: &QueuePath, cells: u16, symbols: &Symbols) -> String {
    trend_cells::of_queue(state, queue, SPAN, cells, symbols)
}

/// `None` until counted, and without the dashboard.
pub fn waiting(state: &State) -> Option<&WaitingNow> {
    state.board.as_ref()?.waiting.as_deref()
}

/// The pending applications of a subtree; `None` until counted.
pub fn waiting_in(state: &State, queue: &QueuePath) -> Option<WaitingIn> {
    Some(waiting(state)?.queues.get(queue).copied().unwrap_or_default())
}

/// The status for a terminal that is too small for a page.
pub fn status(state: &State) -> Vec<String> {
    let Some(part) = state.framed_part() else { return Vec::new() };
    let running = part.root().filter(|_| !state.cluster.unread.apps).map(|root| root.running);
    let known = |number: Option<u64>| number.map_or_else(|| "unknown".to_owned(), |number| number.to_string());
    let waits = || part.apps.iter().flatten().filter(|app| app.pending_asks > 0).count() as u64;
    let mut lines = vec![format!("{} running, {} waiting", known(running), known(running.map(|_| waits())))];
    if let Some(items) = items(state) {
        lines.push(format!("{} need attention", items.len()));
        lines.extend(items.first().map(|first| format!("{} {}", first.label, without_label(first)).trim().to_owned()));
    }
    lines
}

/// A queue's CPU over the last 10 minutes.
pub struct History {
    /// Label, role, values; usage is first.
    pub lines: [(&'static str, Role, Series); 4],
    /// The current values of the lines.
    pub now: [Option<i64>; 4],
    /// The value at the top of the scale.
    pub top: i64,
}

/// `None` without data.
pub fn history(state: &State, queue: &QueuePath, columns: usize) -> Option<History> {
    let (rings, to, part) = (rings(state)?, state.cluster.at, state.framed_part()?);
    let row = part.queue_at(queue)?;
    let usage = Usage::of(part, row, VCORE);
    let now = [Some(usage.used()), Some(row.pending.amount(VCORE)), usage.guaranteed(), usage.base()];
    let line = |name, role, measure| {
        let value = Value::amount(SubjectKind::Queue, measure, VCORE);
        (name, role, rings.series(&Subject::Queue(queue.clone()), &value, to - SPAN, to, columns))
    };
    let lines = [
        line("used", Role::Accent, Measure::Use),
        line("pending", Role::Warning, Measure::Pending),
        line("guar", Role::Good, Measure::Guarantee),
        line("max", Role::Dim, Measure::Maximum),
    ];
    let top = lines.iter().map(|(.., series)| largest(series)).max().unwrap_or(0);
    Some(History { lines, now, top: round_up(VCORE, top) })
}

impl History {
    /// The legend with the queue and the current values.
    pub fn legend(&self, queue: &QueuePath, width: usize, symbols: &'static Symbols) -> Vec<Piece> {
        let mut pieces = vec![piece(Role::Title, "CPU 10m")];
        for ((name, role, _), now) in self.lines.iter().zip(self.now) {
            let now = now.map_or_else(|| symbols.nothing.to_owned(), |amount| show_amount(VCORE, amount));
            pieces.push(piece(*role, format!("  {name} {now}")));
        }
        let space = width.saturating_sub(crate::present::pieces::width(&pieces) + 2);
        let queue = queue.to_string();
        if text::width(&queue) <= space {
            pieces.insert(0, plain(format!("{queue}  ")));
        }
        pieces
    }
}

/// The nodes, and how many of them are schedulable, for the header.
pub fn nodes(state: &State, symbols: &'static Symbols) -> Vec<Piece> {
    let Some(part) = state.framed_part().filter(|part| !(state.cluster.unread.nodes && part.nodes.is_empty())) else {
        return vec![dim(format!("{} nodes", symbols.none))];
    };
    let open = part.nodes.values().filter(|node| node.is_open()).count();
    let role = if open == part.nodes.len() { Role::StateActive } else { Role::Warning };
    vec![
        plain(format!("{} ", format::count(part.nodes.len() as u64, "node"))),
        piece(role, symbols.active),
        plain(format!(" {open} schedulable")),
    ]
}

/// The revision of the configuration and the time of the frame, for the header.
pub fn at(state: &State) -> Vec<Piece> {
    let revision = state.cluster.configuration().map(|running| dim(format!("  revision {}", running.revision)));
    let time = dim(format!("  {}", format::when(state.cluster.at, state.cluster.past.live)));
    revision.into_iter().chain([time]).collect()
}

#[derive(Clone, Copy)]
struct Form {
    meter: u16,
    spark: u16,
    second: u16,
    short: bool,
    /// Without the median of the waits.
    least: bool,
}

/// The two lines of gauges.
pub fn gauges(state: &State, width: usize, symbols: &'static Symbols) -> [Vec<Piece>; 2] {
    let long = |meter, spark, second| Form { meter, spark, second, short: false, least: false };
    let short = |meter| Form { short: true, ..long(meter, 0, 0) };
    let forms = [long(20, 20, 14), long(14, 14, 10), long(10, 10, 8), long(8, 8, 0), long(6, 6, 0), long(6, 0, 0)];
    let least = Form { least: true, ..short(4) };
    let forms = forms.into_iter().chain([short(8), short(6), short(4), least, Form { least: true, ..short(0) }]);
    let fits = |lines: &[Vec<Piece>; 2]| lines.iter().all(|line| crate::present::pieces::width(line) <= width);
    let mut made = [Vec::new(), Vec::new()];
    for form in forms {
        made = lines_of(state, form, symbols);
        if fits(&made) {
            break;
        }
    }
    made
}

fn lines_of(state: &State, form: Form, symbols: &'static Symbols) -> [Vec<Piece>; 2] {
    let Some(part) = state.framed_part() else { return [vec![dim(symbols.none)], Vec::new()] };
    let mut first = gauge(state, part, VCORE, form, symbols);
    let mut second = gauge(state, part, MEMORY, form, symbols);
    let wide = crate::present::pieces::width(&first).max(crate::present::pieces::width(&second));
    for line in [&mut first, &mut second] {
        let space = wide - crate::present::pieces::width(line);
        line.push(dim(format!("{} {} ", " ".repeat(space), symbols.wall)));
    }
    first.extend(pending(state, part, form, symbols));
    second.extend(counts(state, part, form, symbols));
    [first, second]
}

/// The allocated quantity of the partition: of the root, as in the tree. A remote reports its totals at another time.
pub fn used(part: &PartitionView, name: &str) -> i64 {
    let column = if name == VCORE { QueueColumn::Cpu } else { QueueColumn::Memory };
    let root = part.root().filter(|root| unknown::of_queue(part, root, column).is_none());
    root.map_or_else(|| part.allocated.amount(name), |root| root.allocated.amount(name))
}

/// `CPU  ▰▰▰▰▱▱ 23.5/40  58% ▁▂▃▅ 10m`
fn gauge(state: &State, part: &PartitionView, name: &str, form: Form, symbols: &'static Symbols) -> Vec<Piece> {
    let lost = [true, false].into_iter().any(|used| unknown::of_partition(part, used, name).is_some());
    let label = if name == VCORE { "CPU " } else { "MEM " };
    let (used, all) = (used(part, name), part.capacity.get(name).filter(|all| *all > 0));
    let Some(all) = all.filter(|_| !lost) else { return vec![dim(label), dim(symbols.none)] };
    let level = Meter { used, base: Some(all), guaranteed: None };
    let mut pieces = vec![dim(label)];
    pieces.extend(level.pieces(form.meter, symbols));
    let gap = if form.meter > 0 { " " } else { "" };
    let role = if level.role() == Role::UsageNormal { Role::Text } else { level.role() };
    let percent = i128::from(used) * 100 / i128::from(all);
    let metrics = format!("{}/{}", show_amount(name, used), show_amount(name, all));
    let columns = if form.short { 9 } else { 12 };
    pieces.push(plain(format!("{gap}{metrics:>columns$} ")));
    pieces.push(piece(role, format!("{percent:>3}%")));
    if form.spark > 0 {
        let cells = spark(state, Measure::Use, Some(name), Some(all), form.spark, symbols);
        pieces.extend([plain(" "), piece(Role::UsageNormal, cells), dim(" 10m")]);
    }
    pieces
}

fn pending(state: &State, part: &PartitionView, form: Form, symbols: &'static Symbols) -> Vec<Piece> {
    let mut pieces = vec![dim("PENDING ")];
    let lost = |root: &QueueRow, column| unknown::of_queue(part, root, column).is_some();
    let lost = |root: &QueueRow| lost(root, QueueColumn::Pending) || lost(root, QueueColumn::PendingMemory);
    match part.root().filter(|root| !state.cluster.unread.apps && !lost(root)) {
        Some(root) => {
            let (cpu, memory) = (root.pending.amount(VCORE), root.pending.amount(MEMORY));
            pieces.push(plain(format!("{} cpu {}", show_amount(VCORE, cpu), show_amount(MEMORY, memory))));
        }
        None => pieces.push(dim(symbols.none)),
    }
    if form.second > 0 {
        let cells = spark(state, Measure::Pending, Some(VCORE), None, form.second, symbols);
        pieces.extend([plain(" "), piece(Role::UsageNormal, cells)]);
    }
    pieces.push(dim(format!(" {} ALLOC/S ", symbols.wall)));
    pieces.push(plain(format::rate(state.framed().allocation_rate)));
    if form.second > 0 {
        let cells = spark(state, Measure::Allocations, None, None, form.second, symbols);
        pieces.extend([plain(" "), piece(Role::UsageNormal, cells)]);
    }
    pieces
}

fn counts(state: &State, part: &PartitionView, form: Form, symbols: &'static Symbols) -> Vec<Piece> {
    let waiting = waiting(state);
    let number = |known: Option<u64>| known.map_or_else(|| dim(symbols.none), |number| plain(number.to_string()));
    let lost = |root: &QueueRow| unknown::of_queue(part, root, QueueColumn::Apps).is_some();
    let running = part.root().filter(|root| !state.cluster.unread.apps && !lost(root)).map(|root| root.running);
    let draining = part.walk().filter(|queue| queue.state == QueueState::Draining).count() as u64;
    let age = |known: Option<Duration>| known.map_or_else(|| dim(symbols.none), |age| plain(span(age)));
    let median = match form.least {
        true => Vec::new(),
        false => vec![dim("p50 "), age(waiting.and_then(|waiting| waiting.p50)), plain(" ")],
    };
    let mut pieces = vec![
        dim(if form.short { "RUN " } else { "RUNNING " }),
        number(running),
        dim(if form.short { "  WAIT " } else { "  WAITING " }),
        number(waiting.map(|waiting| waiting.apps)),
        dim(if form.short { "  DRAIN " } else { "  DRAINING " }),
        number(Some(draining)),
        dim(format!(" {} WAIT ", symbols.wall)),
    ];
    pieces.extend(median);
    pieces.extend([dim("p95 "), age(waiting.and_then(|waiting| waiting.p95))]);
    pieces
}

fn without_label(line: &SheetLine) -> &str {
    line.text.strip_prefix(line.label.as_str()).and_then(|rest| rest.strip_prefix(' ')).unwrap_or(&line.text)
}

/// One attention item.
pub fn item(state: &State, line: &SheetLine) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if !line.label.is_empty() {
        pieces.push(piece(Role::Warning, format!("{} ", line.label)));
    }
    pieces.push(plain(without_label(line).to_owned()));
    if let Some(since) = line.since {
        pieces.push(dim(format!(" ({})", span(state.cluster.at.since(since)))));
    }
    pieces
}

/// The title, with the age if older than the tree.
pub fn title(state: &State, symbols: &'static Symbols) -> Vec<Piece> {
    let count = items(state).map_or_else(|| symbols.none.to_owned(), |items| items.len().to_string());
    let mut pieces = vec![piece(Role::Title, "ATTENTION "), dim(count)];
    let made =
        state.board.as_ref().and_then(|board| board.overview.sheet.as_ref()?.as_ref().ok().map(|sheet| sheet.at));
    if let Some(at) = made.filter(|at| state.cluster.at.since(*at) >= Duration::from_secs(1)) {
        pieces.push(dim(format!(", {} ago", span(state.cluster.at.since(at)))));
    }
    pieces
}

/// The attention items with item numbers; at most two lines each.
pub fn attention_lines(state: &State, width: usize, symbols: &'static Symbols) -> Vec<(usize, Vec<Piece>)> {
    let Some(items) = items(state) else { return vec![(usize::MAX, vec![dim(symbols.none)])] };
    if items.is_empty() {
        return vec![(usize::MAX, vec![dim("No issues")])];
    }
    let mut lines = Vec::new();
    for (at, line) in items.iter().enumerate() {
        let since = line.since.map(|since| format!(" ({})", span(state.cluster.at.since(since)))).unwrap_or_default();
        let label = if line.label.is_empty() { String::new() } else { format!("{} ", line.label) };
        let wrapped = text::wrap(&format!("{label}{}{since}", without_label(line)), width.saturating_sub(2).max(1));
        for (nth, words) in wrapped.into_iter().enumerate() {
            let whole = match words.strip_prefix(label.as_str()).filter(|_| nth == 0 && !label.is_empty()) {
                Some(rest) => vec![piece(Role::Warning, label.clone()), plain(rest.to_owned())],
                None => vec![plain(format!("{}{words}", if nth > 0 { "  " } else { "" }))],
            };
            lines.push((at, whole));
        }
    }
    lines
}

/// Pending applications by cause.
pub fn waiting_lines(state: &State, width: usize, symbols: &'static Symbols) -> Lines {
    let metrics = 14;
    let cause = width.saturating_sub(metrics);
    let mut lines = vec![vec![
        piece(Role::Title, format!("{:<cause$}", "WAITING BY CAUSE")),
        dim(format!("{:>6}{:>8}", "apps", "cpu")),
    ]];
    let Some(waiting) = waiting(state) else {
        lines.push(vec![dim(symbols.none)]);
        return lines;
    };
    if waiting.causes.is_empty() {
        lines.push(vec![dim("No waiting applications")]);
    }
    for row in &waiting.causes {
        let name = text::cut(row.cause, cause, symbols.ellipsis).into_owned();
        let name = format!("{name}{}", " ".repeat(cause.saturating_sub(text::width(&name))));
        lines.push(vec![plain(name), plain(format!("{:>6}{:>8}", row.apps, show_amount(VCORE, row.cpu)))]);
    }
    lines
}

/// A flag that is set differs from one that is cleared.
fn kind(record: &Record) -> (ObjectType, ChangeType, ChangeDetail, bool) {
    (record.kind, record.change, record.detail, record.message.ends_with("false"))
}

/// Important events, the newest first; runs of one type are counted.
pub fn event_lines(state: &State, most: usize) -> Lines {
    let mut lines = vec![vec![piece(Role::Title, "EVENTS")]];
    let until = state.cluster.until();
    let shown = state.cluster.events.iter().rev().map(|(_, record)| record);
    let matters = |record: &&Arc<Record>| record.is_important() && weight(record) != Weight::Routine;
    let shown = shown.filter(|record| until.is_none_or(|until| record.at <= until)).filter(matters);
    let mut runs: Vec<(&Arc<Record>, usize)> = Vec::new();
    for record in shown {
        let full = runs.len() + 1 >= most;
        match runs.last_mut() {
            Some((last, more)) if kind(last) == kind(record) => *more += 1,
            _ if full => break,
            _ => runs.push((record, 0)),
        }
    }
    for (record, more) in runs {
        let more = if more > 0 { format!("+{more} ") } else { String::new() };
        let when = format::when(record.at, state.cluster.at);
        let about = words::about(record);
        lines.push(vec![
            dim(format!("{when} ")),
            plain(format!("{} ", record.object)),
            dim(more),
            piece(role(record), words::happened(record)),
            dim(format!(" {about}")),
        ]);
    }
    if lines.len() == 1 {
        lines.push(vec![dim("No events")]);
    }
    lines
}
