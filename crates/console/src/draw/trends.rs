//! The trends page: lines over a time axis, with marks.

use ratatui::layout::Rect;
use ratatui::symbols::Marker;
use ratatui::widgets::{Axis, Chart, Dataset, GraphType};

use crate::draw::pen::Pen;
use crate::present::format;
use crate::present::pieces::{dim, piece};
use crate::present::trends::{GUTTER, TrendChart, footer, nothing, title, trend_chart};
use crate::state::State;
use crate::state::trends::TrendsPage;
use crate::theme::Role;
use view::trends::Series;

const AROUND: u16 = 6;

/// Draws the page.
pub fn draw(pen: &mut Pen<'_>, state: &State, page: &TrendsPage, area: Rect) {
    let trend_chart = trend_chart(state, page);
    let (left, wide) = (area.x + 1, area.width.saturating_sub(2));
    pen.pieces(left, area.y, wide, &title(page, trend_chart.as_ref()));
    let Some(trend_chart) = trend_chart else {
        pen.text(left, area.y + 2, wide, nothing(state), Role::Dim);
        return;
    };
    pen.pieces(left, area.y + 1, wide, &trend_chart.reading(state, page));
    let columns = u16::try_from(trend_chart.first.metrics.len()).unwrap_or(u16::MAX);
    let tall = area.height.saturating_sub(AROUND);
    if tall < 2 {
        return;
    }
    let full = wide.saturating_sub(GUTTER);
    let chart = Rect { x: left + GUTTER, y: area.y + 2, width: full, height: tall };
    scale(pen, page, &trend_chart, chart);
    lines(pen, &trend_chart, chart);
    let column = |step: usize| chart.x + place(step, columns, full);
    let below = chart.bottom();
    for (step, mark) in &trend_chart.marks {
        pen.text(column(*step), below, 1, &mark.kind.letter().to_string(), Role::Warning);
    }
    pen.style(Rect { x: column(trend_chart.cursor), width: 1, height: tall + 1, ..chart }, Role::Selection);
    times(pen, state, &trend_chart.first, Rect { y: below + 1, height: 1, ..chart });
    pen.pieces(left, below + 2, wide, &trend_chart.mark_words(state));
    pen.pieces(left, below + 3, wide, &footer(state));
}

fn place(step: usize, steps: u16, columns: u16) -> u16 {
    let steps = usize::from(steps.max(1));
    u16::try_from((step * usize::from(columns) + usize::from(columns) / 2) / steps)
        .unwrap_or(0)
        .min(columns.saturating_sub(1))
}

fn scale(pen: &mut Pen<'_>, page: &TrendsPage, trend_chart: &TrendChart, chart: Rect) {
    let half = chart.height / 2;
    for (y, metric) in [(0, trend_chart.top), (half, trend_chart.top / 2), (chart.height - 1, 0)] {
        if y == half && (chart.height < 5 || trend_chart.top < 2) {
            continue;
        }
        pen.pieces_right(chart.x - GUTTER, chart.y + y, GUTTER - 1, &[dim(page.value.show(metric))]);
    }
}

pub(super) struct Line<'s> {
    /// The values, with gaps.
    pub series: &'s Series,
    /// The factor to the scale of the other lines.
    pub factor: f64,
    pub role: Role,
    /// The ASCII symbol.
    pub symbol: char,
    pub marker: Marker,
}

fn lines(pen: &mut Pen<'_>, trend_chart: &TrendChart, chart: Rect) {
    let line = |series, role, symbol, marker| Line { series, factor: 1.0, role, symbol, marker };
    let mut all: Vec<Line<'_>> =
        trend_chart.bounds.iter().map(|bound| line(bound, Role::Dim, '-', Marker::Dot)).collect();
    if let Some(second) = &trend_chart.second {
        let factor = trend_chart.top as f64 / trend_chart.second_top as f64;
        all.push(Line { factor, ..line(second, Role::Warning, '+', Marker::Dot) });
    }
    all.push(line(&trend_chart.first, Role::Accent, '*', Marker::Braille));
    plot(pen, &all, trend_chart.top, chart);
}

/// Draws lines on a scale from 0 to `top`, the last line on top.
pub(super) fn plot(pen: &mut Pen<'_>, lines: &[Line<'_>], top: i64, chart: Rect) {
    let ascii = pen.is_ascii();
    let parts: Vec<(Run, Role, Marker)> = lines
        .iter()
        .flat_map(|line| {
            let marker = if ascii { Marker::Custom(line.symbol) } else { line.marker };
            runs(line.series, line.factor).into_iter().map(move |run| (run, line.role, marker))
        })
        .collect();
    let sets = parts.iter().map(|(run, role, marker)| {
        let kind = if run.len() > 1 { GraphType::Line } else { GraphType::Scatter };
        Dataset::default().data(run).marker(*marker).graph_type(kind).style(pen.role(*role))
    });
    let steps = lines.iter().map(|line| line.series.metrics.len()).max().unwrap_or(0);
    let widget = Chart::new(sets.collect())
        // Without a background, the canvas resets that of the page.
        .style(pen.role(Role::Page))
        .legend_position(None)
        .x_axis(Axis::default().bounds([0.0, steps.saturating_sub(1).max(1) as f64]))
        .y_axis(Axis::default().bounds([0.0, top as f64]));
    pen.widget(widget, chart);
}

type Run = Vec<(f64, f64)>;

fn runs(series: &Series, factor: f64) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    let mut whole = false;
    for (step, metric) in series.metrics.iter().enumerate() {
        let Some(metric) = metric else {
            whole = false;
            continue;
        };
        let point = (step as f64, metric.mean as f64 * factor);
        match runs.last_mut().filter(|_| whole) {
            Some(run) => run.push(point),
            None => runs.push(vec![point]),
        }
        whole = true;
    }
    runs
}

fn times(pen: &mut Pen<'_>, state: &State, series: &Series, area: Rect) {
    let count = usize::from(area.width / 20).clamp(2, 8);
    let steps = series.metrics.len();
    for nth in 0..count {
        let step = (steps - 1) * nth / (count - 1);
        let text = format::when(series.at(step), state.cluster.past.live);
        let wide = u16::try_from(text.len()).unwrap_or(area.width);
        let x = area.x + place(step, u16::try_from(steps).unwrap_or(u16::MAX), area.width);
        let x = x.saturating_sub(wide / 2).clamp(area.x, area.right().saturating_sub(wide).max(area.x));
        pen.pieces(x, area.y, wide, &[piece(Role::Dim, text)]);
    }
}
