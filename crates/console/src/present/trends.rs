//! The content of the trends page.

use std::sync::Arc;

use crate::present::format;
use crate::present::pieces::{Piece, dim, piece, plain};
pub use crate::present::trend_cells::rings;
use crate::state::State;
use crate::state::page::{Page, Subject as Shown};
use crate::state::trends::TrendsPage;
use crate::theme::Role;
use model::Time;
use source::trends::Storage;
use view::Side;
use view::trends::{Mark, Measure, Metric, Ring, Series, Subject, Unit, Value};
use view::units::round_up;

/// The width of the scale at the left.
pub const GUTTER: u16 = 9;
/// A larger ratio would flatten the usage line.
const MOST_ABOVE: i64 = 4;

/// The lines of a page for a width.
pub struct TrendChart {
    /// The first value.
    pub first: Series,
    /// The second value, with its own scale if the unit differs.
    pub second: Option<Series>,
    /// Guaranteed and maximum.
    pub bounds: Vec<Series>,
    /// The value at the top of the scale.
    pub top: i64,
    /// The top of the second scale.
    pub second_top: i64,
    /// Important events by column.
    pub marks: Vec<(usize, Arc<Mark>)>,
    /// The column under the cursor.
    pub cursor: usize,
}

/// The number of columns.
pub fn columns(state: &State) -> usize {
    usize::from(state.size.width.saturating_sub(GUTTER + 2)).max(1)
}

/// The time range in whole steps, so that lines do not move continuously.
pub fn span(state: &State, page: &TrendsPage) -> (Time, Time) {
    let step = u64::try_from(page.length().as_micros()).unwrap_or(u64::MAX) / columns(state) as u64;
    let step = step.max(1);
    let end = page.end.unwrap_or(state.cluster.at).0;
    let to = Time((end / step + 1).saturating_mul(step));
    (to - page.length(), to)
}

/// The lines, if measured.
pub fn trend_chart(state: &State, page: &TrendsPage) -> Option<TrendChart> {
    let (rings, (from, to), columns) = (rings(state)?, span(state, page), columns(state));
    let read = |value: &Value| rings.series(&page.of, value, from, to, columns);
    let first = read(&page.value);
    let second = page.second.as_ref().map(read);
    let mut top = largest(&first);
    let mut second_top = second.as_ref().map_or(0, largest);
    if page.second.as_ref().is_some_and(|second| same_scale(second, &page.value)) {
        top = top.max(second_top);
        second_top = top;
    }
    let bound = |measure| Value { measure, ..page.value.clone() };
    let bounds = [Measure::Guarantee, Measure::Maximum].into_iter().filter(|bound| {
        matches!(page.value.measure, Measure::Use | Measure::Pending) && bound.kinds().contains(&page.of.kind())
    });
    let near = top.saturating_mul(MOST_ABOVE);
    let bounds: Vec<Series> = bounds.map(|measure| read(&bound(measure))).filter(|one| largest(one) <= near).collect();
    top = bounds.iter().map(largest).max().unwrap_or(0).max(top);
    if page.value.measure.unit() == Unit::Share {
        top = top.max(1000);
    }
    let marks = rings.marks().filter_map(|mark| Some((first.step_of(mark.at)?, Arc::clone(mark)))).collect();
    let last = first.metrics.len().saturating_sub(1);
    // Another process may lag by a minute, or the connection may be down.
    let newest = first.metrics.iter().rposition(Option::is_some).unwrap_or(last);
    let cursor = page.cursor.map_or(newest, |at| first.step_of(at).unwrap_or(if at < from { 0 } else { last }));
    let round = |value: &Value, top: i64| match value.measure.unit() {
        Unit::Share => top.max(1),
        _ => round_up(value.resource.as_deref().unwrap_or_default(), top),
    };
    let second_top = page.second.as_ref().map_or(1, |second| round(second, second_top));
    Some(TrendChart { bounds, top: round(&page.value, top), second_top, first, second, marks, cursor })
}

fn same_scale(one: &Value, other: &Value) -> bool {
    one.measure.unit() == other.measure.unit() && one.resource == other.resource
}

fn largest(series: &Series) -> i64 {
    series.metrics.iter().flatten().map(|metric| metric.max).max().unwrap_or(0)
}

impl TrendChart {
    /// The time, values, and marks under the cursor.
    pub fn reading(&self, state: &State, page: &TrendsPage) -> Vec<Piece> {
        let at = self.first.at(self.cursor);
        let mut pieces = vec![piece(Role::Strong, format::when(at, state.cluster.past.live))];
        let mut add = |value: &Value, series: &Series, role: Role| {
            let metric = series.metrics.get(self.cursor).copied().flatten();
            pieces.extend([dim(format!("   {} ", value.title())), piece(role, metric_words(value, metric))]);
        };
        add(&page.value, &self.first, Role::Accent);
        if let (Some(value), Some(series)) = (&page.second, &self.second) {
            add(value, series, Role::Warning);
        }
        pieces
    }

    /// The marks in the cursor's column, otherwise the last ones before.
    pub fn mark_words(&self, state: &State) -> Vec<Piece> {
        let mut here = self.marks.iter().filter(|(column, _)| *column == self.cursor).peekable();
        if here.peek().is_none() {
            let kinds = self.kinds();
            let legend: Vec<String> = kinds.iter().map(|kind| format!("{} {}", kind.letter(), kind.word())).collect();
            return vec![dim(legend.join("   "))];
        }
        let words = |mark: &Arc<Mark>| format!("{} {}", format::when(mark.at, state.cluster.past.live), mark.words());
        let all: Vec<String> = here.map(|(_, mark)| words(mark)).collect();
        vec![plain(all.join("; "))]
    }

    fn kinds(&self) -> Vec<view::trends::MarkKind> {
        let mut kinds: Vec<_> = self.marks.iter().map(|(_, mark)| mark.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        kinds
    }
}

/// A value, with minimum and maximum if they differ.
fn metric_words(value: &Value, metric: Option<Metric>) -> String {
    match metric {
        None => "unknown".to_owned(),
        Some(metric) if metric.min == metric.max => value.show(metric.mean),
        Some(metric) => {
            format!("{} ({} to {})", value.show(metric.mean), value.show(metric.min), value.show(metric.max))
        }
    }
}

/// The subject, the values, and their meaning.
pub fn title(page: &TrendsPage, trend_chart: Option<&TrendChart>) -> Vec<Piece> {
    let mut pieces = vec![piece(Role::Title, page.of.to_string()), plain("  ")];
    pieces.push(piece(Role::Accent, page.value.title()));
    if let Some(second) = &page.second {
        pieces.extend([dim(" and "), piece(Role::Warning, second.title())]);
        if let Some(trend_chart) = trend_chart.filter(|_| !same_scale(second, &page.value)) {
            pieces.push(dim(format!(" (top: {})", second.show(trend_chart.second_top))));
        }
    }
    pieces.push(dim(format!("  {}", page.value.measure.means())));
    pieces
}

/// How far the data reaches back.
pub fn footer(state: &State) -> Vec<Piece> {
    if let Some(problem) = state.cluster.trends.storage.problem() {
        return vec![piece(Role::Warning, problem)];
    }
    let Some(rings) = rings(state) else { return Vec::new() };
    let live = state.cluster.past.live;
    let words = |(ring, name): (Ring, &str)| Some(format!("{name} since {}", format::when(rings.oldest(ring)?, live)));
    let all = [(Ring::Fine, "10 s"), (Ring::Minute, "1 min"), (Ring::Hour, "1 h")];
    let mut text = all.into_iter().filter_map(words).collect::<Vec<_>>().join(", ");
    if let Storage::Reads(_) = &*state.cluster.trends.storage {
        text += "; another process writes them, once a minute";
    }
    if rings.left_out() > 0 {
        text += &format!("; {} not shown: too many", rings.left_out());
    }
    vec![dim(text)]
}

/// Why no lines exist.
pub fn nothing(state: &State) -> &'static str {
    match &state.cluster.trends.rings {
        None => "no trends for this source",
        Some(_) => "no data yet: the first values appear within 10 seconds",
    }
}

/// A queue, user, or node, otherwise the cluster.
pub fn subject(state: &State) -> Subject {
    if let Page::Trends(page) = state.page() {
        return page.of.clone();
    }
    match crate::present::subject::of(state) {
        Some(Shown::Queue(path)) => Subject::Queue(path),
        Some(Shown::App(app)) if !app.queue.as_str().is_empty() => Subject::Queue(app.queue.clone()),
        Some(Shown::Node(node)) => Subject::Node(node),
        Some(Shown::Account(account)) if account.side == Side::User => Subject::User(account.name),
        _ => Subject::Cluster,
    }
}
