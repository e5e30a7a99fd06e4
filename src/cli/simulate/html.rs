//! A report as a self-contained HTML page without scripts; external text is escaped.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::chart::{self, Curve};
use super::compare::{Line, lines, measures, sentences};
use super::never;
use super::sweep::Report;
use super::variant::Label;
use crate::cli::html::escaped;
use forecast::simulate::target::time;

const CURVES: usize = 14;
const GROUPS: usize = 200;
/// Maximum bytes of the page after its table, after its sentences and charts, and in total.
const MOST: [usize; 3] = [600_000, 1_300_000, 1_900_000];

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#1c1f24;background:#fff}\
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse;font-variant-numeric:tabular-nums}\
th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid #d8dce2}td.n,th.n{text-align:right}.quiet{color:#5a6270}\
svg{max-width:100%;height:auto;display:block;margin:1rem 0}";

pub(super) fn page(report: &Report) -> String {
    let (lines, measures) = (lines(report), measures(report));
    let labels: Vec<Label> = lines.iter().map(|line| line.label.clone()).collect();
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>Simulation</title><style>{STYLE}</style></head><body>\n<h1>Simulation: {} runs</h1>\n",
        report.rows.len()
    );
    list(&mut page, "quiet", &report.notes);
    let head: Vec<String> =
        std::iter::once("Run".to_owned()).chain(measures.iter().map(|one| one.title.clone())).collect();
    let row = |line: &Line<'_>| {
        let values = measures.iter().map(|measure| match line.spread(measure) {
            None => "-".to_owned(),
            Some(spread) if line.runs.len() == 1 => measure.shown(spread.median),
            Some(spread) => {
                let [median, low, high] = [spread.median, spread.p10, spread.p90].map(|value| measure.shown(value));
                format!("{median} ({low} to {high})")
            }
        });
        std::iter::once(line.label.short(&labels)).chain(values).collect::<Vec<String>>()
    };
    table(&mut page, &head, lines.iter().map(row), MOST[0]);
    if lines.iter().any(|line| line.runs.len() > 1) {
        page.push_str("<p class=\"quiet\">Median of the seeds, in brackets the 10th to the 90th percentile.</p>\n");
    }
    let mut sentences = sentences(report);
    shorten(&mut sentences, MOST[0] / 2);
    list(&mut page, "", &sentences);
    charts(&mut page, &lines, &labels);
    for (number, line) in lines.iter().enumerate() {
        if page.len() > MOST[2] {
            let _written = writeln!(
                page,
                "<p class=\"quiet\">The queues and users of {} more lines are not shown; --json has all.</p>",
                lines.len() - number
            );
            break;
        }
        groups(&mut page, line, &labels);
    }
    page.push_str("</body></html>\n");
    page
}

fn charts(page: &mut String, lines: &[Line<'_>], labels: &[Label]) {
    let first = || lines.iter().take(CURVES).filter_map(|line| Some((line, line.runs.first()?)));
    let names: BTreeSet<&String> = first().flat_map(|(_, row)| row.metrics.series.used.keys()).collect();
    page.push_str("<h2>Over time</h2>\n");
    if lines.len() > CURVES {
        let _written = writeln!(page, "<p class=\"quiet\">The first {CURVES} of {} lines.</p>", lines.len());
    }
    let hours = |every: u64, number: usize| (every * number as u64) as f64 / 3_600_000.0;
    for name in names.into_iter().filter(|name| *name != "pods") {
        let curve = |(line, row): (&Line<'_>, &&super::sweep::Row)| {
            let series = &row.metrics.series;
            let values = series.used.get(name)?;
            let points = values.iter().enumerate();
            let points =
                points.map(|(number, value)| (hours(series.every, number), f64::from(*value) / 10.0)).collect();
            Some(Curve { name: line.label.short(labels), points })
        };
        let curves: Vec<Curve> = first().filter_map(curve).collect();
        if page.len() < MOST[1] {
            page.extend(chart::lines(&format!("{name} in use"), "% of all nodes", &curves));
        }
    }
    let curves: Vec<Curve> = first()
        .map(|(line, row)| {
            let series = &row.metrics.series;
            let points = series.waiting.iter().enumerate();
            let points = points.map(|(number, waiting)| (hours(series.every, number), *waiting as f64)).collect();
            Curve { name: line.label.short(labels), points }
        })
        .collect();
    page.extend(chart::lines("Pending requests", "requests", &curves));
}

fn groups(page: &mut String, line: &Line<'_>, labels: &[Label]) {
    let Some(row) = line.runs.first() else { return };
    let seed = if line.runs.len() > 1 { format!(", seed {}", row.label.seed) } else { String::new() };
    let _written = writeln!(page, "<h2>{}{seed}</h2>", escaped(&line.label.short(labels)));
    for sentence in never::sentences(&row.metrics) {
        let _written = writeln!(page, "<p>{}</p>", escaped(&sentence));
    }
    for (title, groups) in [("Queue", &row.metrics.queues), ("User", &row.metrics.users)] {
        let head = [title, "requests", "wait p50", "p95", "p99", "longest", "waiting", "preempted"].map(str::to_owned);
        let cells = groups.iter().take(GROUPS).map(|group| {
            let waits = &group.waits;
            let times = [waits.p50, waits.p95, waits.p99, waits.max].map(time);
            let mut cells = vec![group.name.clone(), waits.count.to_string()];
            cells.extend(times);
            cells.extend([waits.waiting.to_string(), group.preempted.to_string()]);
            cells
        });
        table(page, &head, cells, MOST[2]);
    }
}

fn shorten(sentences: &mut Vec<String>, most: usize) {
    let mut bytes = 0;
    let fit = sentences.iter().take_while(|sentence| {
        bytes += sentence.len();
        bytes <= most
    });
    let (fit, all) = (fit.count(), sentences.len());
    sentences.truncate(fit);
    if fit < all {
        sentences.push(format!("{} more sentences are not shown; the text without --html has them.", all - fit));
    }
}

fn list(page: &mut String, class: &str, sentences: &[String]) {
    if !sentences.is_empty() {
        let items: String = sentences.iter().map(|one| format!("<li>{}</li>", escaped(one))).collect();
        let _written = writeln!(page, "<ul class=\"{class}\">{items}</ul>");
    }
}

fn table(page: &mut String, head: &[String], rows: impl ExactSizeIterator<Item = Vec<String>>, most: usize) {
    let cell = |tag: &str, column: usize, text: &str| {
        let class = if column > 0 { " class=\"n\"" } else { "" };
        format!("<{tag}{class}>{}</{tag}>", escaped(text))
    };
    let row = |tag: &str, cells: &[String]| {
        let cells: String = cells.iter().enumerate().map(|(column, text)| cell(tag, column, text)).collect();
        format!("<tr>{cells}</tr>\n")
    };
    let _written = write!(page, "<table>{}", row("th", head));
    let mut left = rows.len();
    for cells in rows {
        if page.len() > most {
            break;
        }
        page.push_str(&row("td", &cells));
        left -= 1;
    }
    page.push_str("</table>\n");
    if left > 0 {
        let _written = writeln!(page, "<p class=\"quiet\">{left} more rows are not shown; --json has all.</p>");
    }
}

#[cfg(test)]
mod tests {
    use super::super::sweep::Row;
    use super::*;
    use forecast::simulate::metrics::Series;
    use forecast::simulate::{Group, Metrics};

    #[test]
    fn a_page_of_any_sweep_is_below_two_megabytes_and_shows_what_it_omits() {
        let group = |number: usize| Group { name: format!("root.{}.{number}", "long".repeat(40)), ..Group::default() };
        let used = ["cpu", "gpu", "memory", "disk", "licences"];
        let series = Series {
            every: 60_000,
            used: used.map(|name| (name.to_owned(), (0..256).map(|at| at * 37 % 1000).collect())).into(),
            waiting: (0..256).map(|at| at * 7919 % 100_000).collect(),
        };
        let row = |number: usize| {
            let mut row = Row::default();
            row.label.config = format!("{}-{number}.yaml", "configuration".repeat(8));
            row.label.nodes = Some(number);
            row.metrics = Metrics {
                ended: number as u64 * 1000,
                queues: (0..250).map(group).collect(),
                users: (0..250).map(group).collect(),
                series: series.clone(),
                ..Metrics::default()
            };
            row
        };
        let report = Report { rows: (1..1500).map(row).collect(), notes: Vec::new() };
        let page = page(&report);
        assert!(page.len() < 2_000_000, "{}", page.len());
        assert!(page.contains("more rows are not shown") && page.contains("more lines are not shown; --json has all"));
        assert_eq!(page.matches("<svg").count(), used.len() + 1);
    }
}
