//! A report as a table, as JSON lines, and as CSV.

use std::fmt::Write as _;

use super::compare::{Line, Measure, lines, measures, sentences};
use super::sweep::Report;
use super::variant::Label;
use super::{SimulateArgs, never};
use crate::cli::node_groups;
use forecast::simulate::backtest::Backtest;
use forecast::simulate::target::time;

const QUEUES: usize = 15;

/// The accuracy of a forecast, as a table or a line of JSON.
pub(super) fn backtest(args: &SimulateArgs, notes: &[String], backtest: &Backtest) -> String {
    let Backtest { was, forecast, replayed } = backtest;
    if args.json {
        return format!("{}\n", serde_json::json!({"was": was, "forecast": forecast, "replayed": replayed}));
    }
    let head = ["second half of the time range", "forecast", "off by", "same jobs, simulated", "off by", "recorded"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(backtest.rows().into_iter().map(|row| row.to_vec()));
    // The table replaces the sentences.
    let first = notes.iter().filter(|note| !backtest.sentences().contains(note)).map(|note| format!("{note}\n"));
    format!("{}\n{}", first.collect::<String>(), table(&rows))
}

pub(super) fn text(report: &Report) -> String {
    let mut out = String::new();
    for note in &report.notes {
        let _written = writeln!(out, "{note}");
    }
    if !report.notes.is_empty() {
        out.push('\n');
    }
    let (lines, measures) = (lines(report), measures(report));
    let labels: Vec<Label> = lines.iter().map(|line| line.label.clone()).collect();
    let mut rows =
        vec![std::iter::once("run".to_owned()).chain(measures.iter().map(|one| one.title.clone())).collect()];
    for line in &lines {
        let cells = measures.iter().map(|measure| cell(line, measure));
        rows.push(std::iter::once(line.label.short(&labels)).chain(cells).collect());
    }
    out.push_str(&table(&rows));
    if lines.iter().any(|line| line.runs.len() > 1) {
        out.push_str("median of the seeds, in brackets the 10th to the 90th percentile\n");
    }
    for line in &lines {
        refusals(&mut out, line, &labels);
    }
    if let [line] = lines.as_slice() {
        queues(&mut out, line);
    }
    let sentences = sentences(report);
    if !sentences.is_empty() {
        let _written = write!(out, "\n{}\n", sentences.join("\n"));
    }
    out
}

fn cell(line: &Line<'_>, measure: &Measure) -> String {
    let Some(spread) = line.spread(measure) else { return "-".to_owned() };
    let median = measure.shown(spread.median);
    if line.runs.len() == 1 {
        return median;
    }
    format!("{median} ({} to {})", measure.shown(spread.p10), measure.shown(spread.p90))
}

fn refusals(out: &mut String, line: &Line<'_>, labels: &[Label]) {
    let Some(row) = line.runs.first() else { return };
    let (name, metrics) = (line.label.short(labels), &row.metrics);
    if let Some(why) = &metrics.rejected_because {
        let _written = writeln!(out, "{name}: {} applications were rejected, the first: {why}", metrics.rejected);
    }
    if metrics.asks_rejected > 0 {
        let _written = writeln!(out, "{name}: {} requests were rejected", metrics.asks_rejected);
    }
    if let Some((ask, _)) = &metrics.largest_waiting {
        let _written =
            writeln!(out, "{name}: {} requests wait at the end, the largest {ask}", metrics.total.waits.waiting);
    }
    for sentence in never::sentences(metrics) {
        let _written = writeln!(out, "{name}: {sentence}");
    }
    for sentence in metrics.node_groups.iter().flat_map(node_groups::sentences) {
        let _written = writeln!(out, "{name}: {sentence}");
    }
}

fn queues(out: &mut String, line: &Line<'_>) {
    let Some(row) = line.runs.first() else { return };
    for (title, groups) in [("queue", &row.metrics.queues), ("user", &row.metrics.users)] {
        let head = [title, "requests", "wait p50", "p95", "p99", "longest", "waiting", "preempted"];
        let mut rows: Vec<Vec<String>> = vec![head.map(str::to_owned).to_vec()];
        for group in groups.iter().take(QUEUES) {
            let waits = &group.waits;
            let times = [waits.p50, waits.p95, waits.p99, waits.max].map(time);
            let mut cells = vec![group.name.clone(), waits.count.to_string()];
            cells.extend(times);
            cells.extend([waits.waiting.to_string(), group.preempted.to_string()]);
            rows.push(cells);
        }
        let _written = write!(out, "\n{}", table(&rows));
        if groups.len() > QUEUES {
            let _written = writeln!(out, "and {} more; --json has all", groups.len() - QUEUES);
        }
    }
}

/// Rows with a heading; the first column is left-aligned, the others right-aligned.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map_or(0, Vec::len);
    let wide = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns).map(wide).collect();
    let mut out = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, wide))| {
            if column == 0 { format!("{cell:<wide$}") } else { format!("{cell:>wide$}") }
        });
        let _written = writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end());
    }
    out
}

pub(super) fn json_lines(report: &Report) -> String {
    let lines = report.rows.iter().map(|row| serde_json::json!({"run": row.label, "figures": row.metrics}));
    lines.map(|line| format!("{line}\n")).collect()
}

/// Base units, and shares from 0 to 1.
pub(super) fn csv(report: &Report) -> String {
    let measures = measures(report);
    let head = ["workload", "config", "core", "nodes", "load", "seed"];
    let names = head.map(str::to_owned).into_iter().chain(measures.iter().map(|measure| measure.key.clone()));
    let mut out = names.map(|name| quoted(&name)).collect::<Vec<_>>().join(",");
    out.push_str("\r\n");
    for row in &report.rows {
        let Label { workload, config, core, nodes, load, seed } = &row.label;
        let mut cells = vec![quoted(workload), quoted(config), quoted(core)];
        cells.push(nodes.map(|nodes| nodes.to_string()).unwrap_or_default());
        cells.push(load.map(|load| load.to_string()).unwrap_or_default());
        cells.push(seed.to_string());
        let of = |measure: &Measure| (measure.of)(&row.metrics).map(|value| measure.raw(value)).unwrap_or_default();
        cells.extend(measures.iter().map(of));
        out.push_str(&cells.join(","));
        out.push_str("\r\n");
    }
    out
}

fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\r', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
