//! Charts of a report, as SVG.

use plotters::element::DashedPathElement;
use plotters::prelude::*;

/// The size of a chart, in pixels.
const SIZE: (u32, u32) = (960, 280);
/// Colours that people with any colour vision can distinguish (Okabe and Ito).
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(80, 80, 80),
];

/// The dashes and gaps of lines, in pixels; the first one has no gap within a chart.
const DASHES: [(u32, u32); 5] = [(1_000_000, 1), (8, 4), (2, 3), (14, 4), (5, 8)];
/// How long the example of a line in the legend is, in pixels.
const LEGEND: i32 = 28;

/// One line of a chart: its name, and its points by hours.
pub(super) struct Curve {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

/// Lines over time; `None` where there is nothing to draw.
pub(super) fn lines(title: &str, unit: &str, curves: &[Curve]) -> Option<String> {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let end = points().map(|(at, _)| *at).fold(0.0, f64::max);
    let top = points().map(|(_, value)| *value).fold(0.0, f64::max);
    if end <= 0.0 || top <= 0.0 {
        return None;
    }
    let mut svg = String::new();
    draw(&mut svg, (title, unit), (end, top), curves).ok()?;
    Some(svg)
}

fn draw(
    svg: &mut String,
    (title, unit): (&str, &str),
    (end, top): (f64, f64),
    curves: &[Curve],
) -> Result<(), Box<dyn std::error::Error>> {
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(title, ("sans-serif", 16))
        .margin(8)
        .x_label_area_size(36)
        .y_label_area_size(56)
        .build_cartesian_2d(0.0..end, 0.0..top * 1.05)?;
    chart.configure_mesh().light_line_style(WHITE).x_desc("hours").y_desc(unit).max_light_lines(1).draw()?;
    for (number, curve) in curves.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        // Lines differ in their dashes too, and those of the second seven are thinner, so that no colour is needed to know them.
        let (width, (dash, gap)) = (if number < COLOURS.len() { 2 } else { 1 }, DASHES[number % DASHES.len()]);
        let style = colour.stroke_width(width);
        chart
            .draw_series(DashedLineSeries::new(curve.points.iter().copied(), dash, gap, style))?
            .label(curve.name.clone())
            .legend(move |(x, y)| DashedPathElement::new([(x, y), (x + LEGEND, y)], dash, gap, style));
    }
    if curves.len() > 1 {
        let labels = &mut chart.configure_series_labels();
        labels.position(SeriesLabelPosition::UpperRight).background_style(WHITE.mix(0.8)).border_style(BLACK.mix(0.3));
        labels.legend_area_size(LEGEND + 6).draw()?;
    }
    area.present()?;
    Ok(())
}
