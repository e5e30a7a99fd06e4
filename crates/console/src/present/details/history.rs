//! The history of the cluster or one queue: a chart per value, the present at the right.
//!
//! A column is one time step, blank without samples.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use crate::present::details::sheet::Sheet;
use crate::present::format;
use crate::present::layout;
use crate::present::pieces::{Piece, dim, piece, plain};
use crate::state::State;
use crate::theme::{Role, Symbols};
use model::{MEMORY, QueuePath, Time, VCORE};
use view::Sample;
use view::history::SAMPLE_EVERY;
use view::units::show_amount;

const HEIGHT: (usize, usize) = (3, 7);
const SCALE: usize = 16;
const PLOT: usize = SCALE + 10;
/// Below a minute only for the last hour, which has fine samples.
const STEPS: [u64; 9] = [10, 20, 30, 60, 120, 300, 600, 900, 1800];
const HOUR: Duration = Duration::from_secs(3600);
const MINUTE: Duration = Duration::from_secs(60);

pub(super) struct Series {
    pub label: Cow<'static, str>,
    /// One value per column, the present last.
    pub values: Vec<Option<i64>>,
    /// Full height; the maximum if unknown.
    pub base: Option<i64>,
    pub show: fn(i64) -> String,
}

struct Columns<'s> {
    every: Duration,
    samples: Vec<Option<&'s Arc<Sample>>>,
    before: Vec<Option<&'s Arc<Sample>>>,
}

impl<'s> Columns<'s> {
    /// Uses the smallest step with which the oldest sample fits.
    fn of(samples: impl Iterator<Item = &'s Arc<Sample>> + Clone, now: &'s Arc<Sample>, space: usize) -> Option<Self> {
        let first = samples.clone().next()?.at;
        let (samples, now) = (samples.filter(|sample| sample.at < now.at).chain([now]), now.at);
        let wide = |every: Duration| {
            let steps = now.since(first).as_micros() / every.as_micros() + 1;
            usize::try_from(steps).unwrap_or(usize::MAX)
        };
        let steps = STEPS.map(Duration::from_secs);
        let whole = |every: &Duration| *every >= Duration::from_secs(60) || now.since(first) <= HOUR;
        let fits = |every: &Duration| whole(every) && wide(*every) <= space;
        let every = steps.into_iter().find(fits).unwrap_or(steps[STEPS.len() - 1]);
        let mut columns = Self { every, samples: vec![None; space], before: vec![None; space] };
        let column = |at: Time| at.0 / u64::try_from(every.as_micros()).unwrap_or(u64::MAX);
        let newest = column(now);
        let mut last = None;
        for sample in samples {
            let ago = usize::try_from(newest.saturating_sub(column(sample.at))).unwrap_or(usize::MAX);
            if let Some(at) = space.checked_sub(ago.saturating_add(1)) {
                if columns.samples[at].is_none() {
                    columns.before[at] = last;
                }
                columns.samples[at] = Some(sample);
            }
            last = Some(sample);
        }
        columns.close_gaps();
        Some(columns)
    }

    fn unsampled(&self) -> usize {
        self.samples.iter().position(Option::is_some).unwrap_or(self.samples.len())
    }

    fn axis(&self) -> String {
        let steps = |columns: usize| self.every * u32::try_from(columns).unwrap_or(u32::MAX);
        let (all, empty) = (self.samples.len(), self.unsampled());
        let oldest = format::duration(steps(all - empty));
        let start = if empty == 0 { format!("{oldest} ago") } else { format!("no data before {oldest} ago") };
        let now = "now";
        let end = empty.min(all.saturating_sub(now.len() + 1));
        let start = format!("{start:>end$}");
        format!("{start:<space$}{now}", space = all.saturating_sub(now.len()).max(start.len() + 1))
    }

    /// Fills single columns from the one before, because sample times do not match column times.
    fn close_gaps(&mut self) {
        let beat = self.every.max(SAMPLE_EVERY) * 2 + SAMPLE_EVERY / 2;
        for at in 1..self.samples.len() {
            let Some(before) = self.samples[at - 1].filter(|_| self.samples[at].is_none()) else { continue };
            let next = self.samples[at..].iter().flatten().next();
            if next.is_some_and(|next| next.at.since(before.at) <= beat.max(MINUTE * 2)) {
                (self.samples[at], self.before[at]) = (Some(before), self.before[at - 1]);
            }
        }
    }

    fn values(&self, of: impl Fn(&Sample) -> i64) -> Vec<Option<i64>> {
        self.samples.iter().map(|sample| sample.map(|sample| of(sample))).collect()
    }

    /// Allocations per second, in thousandths.
    fn rate(&self) -> Vec<Option<i64>> {
        let rate = |(before, sample): (&Option<&Arc<Sample>>, &Option<&Arc<Sample>>)| {
            let (before, sample) = ((*before)?, (*sample)?);
            let span = u64::try_from(sample.at.since(before.at).as_millis()).ok().filter(|span| *span > 0)?;
            i64::try_from(sample.made.saturating_sub(before.made).saturating_mul(1_000_000) / span).ok()
        };
        self.before.iter().zip(&self.samples).map(rate).collect()
    }
}

/// The sheet of the cluster's or a queue's history.
pub fn sheet(state: &State, queue: Option<&QueuePath>, width: usize, symbols: &Symbols) -> Sheet {
    let title = queue.map_or_else(|| "History".to_owned(), |path| format!("History of {path}"));
    let mut sheet = Sheet { title: vec![piece(Role::Title, title)], ..Sheet::default() };
    let space = width.saturating_sub(PLOT).max(8);
    let view = &state.cluster.view;
    let now = Arc::new(state.cluster.sample());
    let Some(columns) = Columns::of(view.history.iter(), &now, space) else {
        let every = format::duration(SAMPLE_EVERY);
        sheet.what = vec![dim(format!("no samples yet; a sample is taken every {every}"))];
        return sheet;
    };
    let every = format::duration(columns.every);
    let several = if queue.is_none() && state.cluster.view.partitions.len() > 1 {
        "; pending requests and alloc/s are of all partitions"
    } else {
        ""
    };
    let retained = "the last hour in steps of 10s, the last day in steps of 1m";
    sheet.what = vec![dim(format!("a column is {every}; {retained}{several}"))];
    let all = series(state, queue, &columns);
    let lines = layout::rows_on_screen(state).saturating_sub(4) / all.len().max(1);
    let height = lines.saturating_sub(1).clamp(HEIGHT.0, HEIGHT.1);
    for series in &all {
        sheet.left.push(Vec::new());
        sheet.left.extend(plot(series, (1, height), symbols));
    }
    if symbols.are_words() {
        let sampled = columns.samples.len() - columns.unsampled();
        let span = columns.every * u32::try_from(sampled).unwrap_or(u32::MAX);
        sheet.left.push(vec![dim(format!("The oldest sample is {} ago", format::duration(span)))]);
    } else {
        sheet.left.push(vec![dim(format!("{}{}", " ".repeat(PLOT), columns.axis()))]);
    }
    sheet
}

fn series(state: &State, queue: Option<&QueuePath>, columns: &Columns<'_>) -> Vec<Series> {
    let name = &state.cluster.partition;
    let part = |sample: &Sample| sample.partitions.iter().position(|part| part.name == *name);
    let amount =
        |sample: &Sample, resource: &str, pending: bool| -> i64 {
            let Some(part) = part(sample).map(|at| &sample.partitions[at]) else { return 0 };
            match queue {
                None if pending => part.pending.amount(resource),
                None => part.allocated.amount(resource),
                Some(path) => part.queues.iter().find(|row| row.queue == *path).map_or(0, |row| {
                    if pending { row.pending.amount(resource) } else { row.allocated.amount(resource) }
                }),
            }
        };
    let of_resource = |label: &'static str, resource: &'static str, pending, show| Series {
        label: label.into(),
        values: columns.values(|sample| amount(sample, resource, pending)),
        base: if pending { None } else { whole(state, queue, resource) },
        show,
    };
    let count = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let counted = |label: &'static str, values| Series {
        label: label.into(),
        values,
        base: None,
        show: |value| value.to_string(),
    };
    let several = state.cluster.view.partitions.len() > 1;
    let root = QueuePath::root();
    let running = |sample: &Sample| match queue.or(several.then_some(&root)) {
        None => count(sample.running),
        Some(path) => {
            let rows = part(sample).map(|at| &sample.partitions[at].queues);
            rows.and_then(|rows| rows.iter().find(|row| row.queue == *path)).map_or(0, |row| count(row.running))
        }
    };
    let mut all = vec![
        of_resource("cpu used", VCORE, false, |amount| show_amount(VCORE, amount)),
        of_resource("mem used", MEMORY, false, |amount| show_amount(MEMORY, amount)),
        of_resource("cpu pending", VCORE, true, |amount| show_amount(VCORE, amount)),
        of_resource("mem pending", MEMORY, true, |amount| show_amount(MEMORY, amount)),
        counted("running", columns.values(running)),
    ];
    if queue.is_none() {
        all.push(counted("pending requests", columns.values(|sample| count(sample.pending_asks))));
        let show = |thousandths: i64| format::rate(thousandths as f64 / 1000.0);
        let mut values = columns.rate();
        if let Some(now) = values.last_mut() {
            // As in the header; a sample right after the previous one is imprecise.
            *now = Some((state.cluster.view.allocation_rate * 1000.0).round() as i64);
        }
        all.push(Series { label: "alloc/s".into(), values, base: None, show });
    }
    all
}

fn whole(state: &State, queue: Option<&QueuePath>, resource: &str) -> Option<i64> {
    let part = state.cluster.part()?;
    let whole = match queue {
        None => part.capacity.get(resource),
        Some(path) => part.queue_at(path).and_then(|row| part.effective_max(row, resource)).map(|(_, max)| max),
    };
    whole.filter(|whole| *whole > 0)
}

fn eighths(value: i64, base: i64, lines: usize) -> usize {
    if value <= 0 || base <= 0 {
        return 0;
    }
    let full = i128::try_from(lines * 8).unwrap_or(i128::MAX);
    let share = (i128::from(value) * full).div_euclid(i128::from(base)).clamp(1, full);
    usize::try_from(share).unwrap_or(0)
}

pub(super) fn plot(series: &Series, (wide, height): (usize, usize), symbols: &Symbols) -> Vec<Vec<Piece>> {
    let seen = || series.values.iter().flatten().copied();
    let most = seen().max().unwrap_or(0);
    let base = series.base.unwrap_or(most).max(1);
    let now = series.values.iter().rev().copied().flatten().next();
    let share = |value: i64| series.base.map_or_else(String::new, |base| format!(", {}%", percent(value, base)));
    let message =
        now.map_or_else(|| symbols.none.to_owned(), |value| format!("{}{}", (series.show)(value), share(value)));
    if symbols.are_words() {
        return vec![in_words(series, &message, most)];
    }
    (0..height)
        .map(|line| {
            let (label, role) = match line {
                0 => (series.label.to_string(), Role::Dim),
                1 => (message.clone(), Role::Text),
                2 => (format!("peak {}", (series.show)(most)), Role::Dim),
                _ => (String::new(), Role::Dim),
            };
            let scale =
                if line == 0 && (most > 0 || series.base.is_some()) { (series.show)(base) } else { String::new() };
            let scale = if line == height - 1 { "0".to_owned() } else { scale };
            let from = (height - 1 - line) * 8;
            let bar = |value: &Option<i64>| match value.map(|value| eighths(value, base, height)) {
                Some(full) if full > from => symbols.bars[(full - from).min(8) - 1],
                _ => " ",
            };
            vec![
                piece(role, format!("{label:<SCALE$}")),
                dim(format!("{scale:>width$} {}", symbols.wall, width = PLOT - SCALE - 2)),
                piece(Role::UsageNormal, series.values.iter().map(|value| bar(value).repeat(wide)).collect::<String>()),
            ]
        })
        .collect()
}

const MOMENTS: usize = 8;

fn in_words(series: &Series, now: &str, most: i64) -> Vec<Piece> {
    let known: Vec<i64> = series.values.iter().flatten().copied().collect();
    let least = known.iter().copied().min().unwrap_or(0);
    let moments = MOMENTS.min(known.len());
    let pick = |nth: usize| known[if moments < 2 { 0 } else { nth * (known.len() - 1) / (moments - 1) }];
    let over: Vec<String> = (0..moments).map(|nth| (series.show)(pick(nth))).collect();
    let base = series.base.map_or_else(String::new, |base| format!(" of {}", (series.show)(base)));
    let (least, most) = ((series.show)(least), (series.show)(most));
    let text = format!("now {now}{base}; minimum {least}, maximum {most}; from the oldest: {}", over.join(", "));
    vec![dim(format!("{} ", series.label)), plain(text)]
}

fn percent(value: i64, base: i64) -> i64 {
    i64::try_from(i128::from(value) * 100 / i128::from(base.max(1))).unwrap_or(i64::MAX)
}
