//! Charts of a report as SVG.

use plotters::prelude::*;

const SIZE: (u32, u32) = (960, 280);
/// Colors that are distinguishable with any color vision (Okabe and Ito).
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(80, 80, 80),
];

/// SVG dash patterns; the first line is solid.
const DASHES: [&str; 5] = ["none", "8 4", "2 3", "14 4", "5 8"];
/// Length of a line in the legend, in pixels.
const LEGEND: i32 = 28;

pub(super) struct Curve {
    pub name: String,
    pub points: Vec<(f64, f64)>,
}

pub(super) fn lines(title: &str, unit: &str, curves: &[Curve]) -> Option<String> {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let end = points().map(|(at, _)| *at).fold(0.0, f64::max);
    let top = points().map(|(_, value)| *value).fold(0.0, f64::max);
    if end <= 0.0 || top <= 0.0 {
        return None;
    }
    let mut svg = String::new();
    draw(&mut svg, (title, unit), (end, top), curves).ok()?;
    for (number, (color, width)) in (0..curves.len()).map(|number| (number, pen(number))) {
        // The library would draw each dash as an element.
        let RGBColor(red, green, blue) = color;
        let stroke = format!("stroke=\"#{red:02X}{green:02X}{blue:02X}\" stroke-width=\"{width}\"");
        let dashed = format!("{stroke} stroke-dasharray=\"{}\"", DASHES[number % DASHES.len()]);
        svg = svg.replace(&stroke, &dashed);
    }
    Some(svg)
}

/// The second seven lines are thinner and have dashes, so that color is not the only difference.
const fn pen(number: usize) -> (RGBColor, u32) {
    (COLORS[number % COLORS.len()], if number < COLORS.len() { 2 } else { 1 })
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
        let (color, width) = pen(number);
        let style = color.stroke_width(width);
        chart
            .draw_series(LineSeries::new(curve.points.iter().copied(), style))?
            .label(curve.name.clone())
            .legend(move |(x, y)| PathElement::new([(x, y), (x + LEGEND, y)], style));
    }
    if curves.len() > 1 {
        let labels = &mut chart.configure_series_labels();
        labels.position(SeriesLabelPosition::UpperRight).background_style(WHITE.mix(0.8)).border_style(BLACK.mix(0.3));
        labels.legend_area_size(LEGEND + 6).draw()?;
    }
    area.present()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_identified_without_their_colors() {
        let curve = |number: usize| Curve {
            name: format!("run {number}"),
            points: (0..256).map(|at| (f64::from(at), f64::from(at % 7 * 10))).collect(),
        };
        let curves: Vec<Curve> = (0..14).map(curve).collect();
        let svg = lines("cpu in use", "%", &curves).unwrap();
        for number in 0..14 {
            let (_, width) = pen(number);
            let marks = format!("stroke-width=\"{width}\" stroke-dasharray=\"{}\"", DASHES[number % DASHES.len()]);
            assert!(svg.contains(&marks), "{number}: {marks}");
        }
        // Each line has two elements, itself and its legend.
        assert_eq!(svg.matches("stroke-dasharray").count(), 28);
        assert!(svg.len() < 100_000, "{}", svg.len());
        assert_eq!(lines("nothing", "%", &[Curve { name: String::new(), points: Vec::new() }]), None);
    }
}
