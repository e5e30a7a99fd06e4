//! Values over time as sentences.

use crate::linear::plain;
use crate::present::format;
use crate::present::trends::{TrendChart, footer, nothing, title, trend_chart};
use crate::state::State;
use crate::state::trends::TrendsPage;
use model::Time;
use view::drain::span;
use view::trends::{Metric, Series, Value};

const MOMENTS: usize = 7;
const MARKS: usize = 20;

/// The lines of the page.
pub fn lines(state: &State, page: &TrendsPage) -> Vec<String> {
    let trend_chart = trend_chart(state, page);
    let mut lines = vec![plain::line(&title(page, trend_chart.as_ref()))];
    let Some(trend_chart) = trend_chart else {
        lines.push(nothing(state).to_owned());
        return lines;
    };
    lines.push(format!("Time range: {}", span(page.length())));
    lines.push(format!("At the cursor: {}", plain::line(&trend_chart.reading(state, page))));
    values(&mut lines, state, &page.value, &trend_chart.first);
    if let (Some(value), Some(series)) = (&page.second, &trend_chart.second) {
        values(&mut lines, state, value, series);
    }
    bounds(&mut lines, state, page, &trend_chart);
    marks(&mut lines, state, &trend_chart);
    lines.push(plain::line(&footer(state)));
    lines.retain(|line| !line.is_empty());
    lines
}

fn known(series: &Series) -> Vec<(usize, Metric)> {
    series.metrics.iter().enumerate().filter_map(|(step, metric)| Some((step, (*metric)?))).collect()
}

fn values(lines: &mut Vec<String>, state: &State, value: &Value, series: &Series) {
    let name = value.title();
    let known = known(series);
    let (Some((first, from)), Some((last, to))) = (known.first(), known.last()) else {
        return lines.push(format!("{name}: no data in this time range"));
    };
    let at = |step: usize| when(state, series.at(step));
    let least = known.iter().min_by_key(|(_, metric)| metric.min).copied().unwrap_or((*first, *from));
    let greatest = known.iter().max_by_key(|(_, metric)| metric.max).copied().unwrap_or((*first, *from));
    lines.push(format!(
        "{name}: first {} at {}, last {} at {}, minimum {} at {}, maximum {} at {}",
        value.show(from.mean),
        at(*first),
        value.show(to.mean),
        at(*last),
        value.show(least.1.min),
        at(least.0),
        value.show(greatest.1.max),
        at(greatest.0),
    ));
    let moments = MOMENTS.min(known.len());
    let pick = |nth: usize| if moments < 2 { 0 } else { nth * (known.len() - 1) / (moments - 1) };
    let reported = (0..moments)
        .map(|nth| known[pick(nth)])
        .map(|(step, metric)| format!("{} at {}", value.show(metric.mean), at(step)));
    lines.push(format!("{name} over time: {}", reported.collect::<Vec<_>>().join(", ")));
    let between = last - first + 1 - known.len();
    if between > 0 {
        lines.push(format!("{name}: unknown for {} in between", format::count(between as u64, "step")));
    }
}

fn bounds(lines: &mut Vec<String>, state: &State, page: &TrendsPage, trend_chart: &TrendChart) {
    for bound in &trend_chart.bounds {
        if let Some((step, metric)) = known(bound).last() {
            let shown = page.value.show(metric.mean);
            lines.push(format!("Its bound: {shown} at {}", when(state, bound.at(*step))));
        }
    }
}

fn marks(lines: &mut Vec<String>, state: &State, trend_chart: &TrendChart) {
    let left_out = trend_chart.marks.len().saturating_sub(MARKS);
    if left_out > 0 {
        lines.push(format!("{} earlier not shown", format::count(left_out as u64, "mark")));
    }
    let reported = trend_chart.marks.iter().skip(left_out);
    lines.extend(reported.map(|(_, mark)| plain::text(&format!("Mark at {}: {}", when(state, mark.at), mark.words()))));
}

fn when(state: &State, at: Time) -> String {
    format::when(at, state.cluster.past.live)
}
