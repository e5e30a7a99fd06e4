//! Values over time as sentences.

use crate::linear::plain;
use crate::present::format;
use crate::present::trends::{Picture, footer, nothing, picture, title};
use crate::state::State;
use crate::state::trends::TrendsPage;
use model::Time;
use view::drain::span;
use view::trends::{Figure, Series, Value};

const MOMENTS: usize = 7;
const MARKS: usize = 20;

/// The lines of the page.
pub fn lines(state: &State, page: &TrendsPage) -> Vec<String> {
    let picture = picture(state, page);
    let mut lines = vec![plain::line(&title(page, picture.as_ref()))];
    let Some(picture) = picture else {
        lines.push(nothing(state).to_owned());
        return lines;
    };
    lines.push(format!("Time range: {}", span(page.length())));
    lines.push(format!("At the cursor: {}", plain::line(&picture.reading(state, page))));
    values(&mut lines, state, &page.value, &picture.first);
    if let (Some(value), Some(series)) = (&page.second, &picture.second) {
        values(&mut lines, state, value, series);
    }
    bounds(&mut lines, state, page, &picture);
    marks(&mut lines, state, &picture);
    lines.push(plain::line(&footer(state)));
    lines.retain(|line| !line.is_empty());
    lines
}

fn known(series: &Series) -> Vec<(usize, Figure)> {
    series.figures.iter().enumerate().filter_map(|(step, figure)| Some((step, (*figure)?))).collect()
}

fn values(lines: &mut Vec<String>, state: &State, value: &Value, series: &Series) {
    let name = value.title();
    let known = known(series);
    let (Some((first, from)), Some((last, to))) = (known.first(), known.last()) else {
        return lines.push(format!("{name}: no data in this time range"));
    };
    let at = |step: usize| when(state, series.at(step));
    let least = known.iter().min_by_key(|(_, figure)| figure.min).copied().unwrap_or((*first, *from));
    let greatest = known.iter().max_by_key(|(_, figure)| figure.max).copied().unwrap_or((*first, *from));
    lines.push(format!(
        "{name}: first {} at {}, last {} at {}, least {} at {}, greatest {} at {}",
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
    let said = (0..moments)
        .map(|nth| known[pick(nth)])
        .map(|(step, figure)| format!("{} at {}", value.show(figure.mean), at(step)));
    lines.push(format!("{name} over time: {}", said.collect::<Vec<_>>().join(", ")));
    let between = last - first + 1 - known.len();
    if between > 0 {
        lines.push(format!("{name}: unknown for {} in between", format::count(between as u64, "step")));
    }
}

fn bounds(lines: &mut Vec<String>, state: &State, page: &TrendsPage, picture: &Picture) {
    for bound in &picture.bounds {
        if let Some((step, figure)) = known(bound).last() {
            let shown = page.value.show(figure.mean);
            lines.push(format!("Its bound: {shown} at {}", when(state, bound.at(*step))));
        }
    }
}

fn marks(lines: &mut Vec<String>, state: &State, picture: &Picture) {
    let left_out = picture.marks.len().saturating_sub(MARKS);
    if left_out > 0 {
        lines.push(format!("{} earlier ones not shown", format::count(left_out as u64, "mark")));
    }
    let said = picture.marks.iter().skip(left_out);
    lines.extend(said.map(|(_, mark)| plain::text(&format!("Mark at {}: {}", when(state, mark.at), mark.words()))));
}

fn when(state: &State, at: Time) -> String {
    format::when(at, state.cluster.past.live)
}
