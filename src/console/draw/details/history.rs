//! What the cluster, or one queue, looked like minute by minute: a plot of the use of cpu, a line for each other figure.
//!
//! ```text
//!  cpu used      443 of 512      ▂▃▅▆▇▇█▇▆▇▇
//!  mem used     2.5T of 3T       ▂▃▅▅▆▇▇▇▆▆▇
//!  pending asks     12           ▁▁▂▁▁▃▂▁▁▁▁
//! ```

use std::sync::Arc;

use super::super::super::format;
use super::super::super::model::Model;
use super::super::super::theme::{Role, Signs};
use super::super::pen::{Piece, dim, piece, plain};
use super::Sheet;
use crate::model::quantity::show_amount;
use crate::model::{MEMORY, QueuePath, VCORE};
use crate::view::Sample;

/// How many lines the plot is high.
const PLOT: i64 = 5;
/// Where a line of small bars begins.
const LABEL: usize = 15;
const VALUE: usize = 20;

/// One figure over time.
struct Series {
    label: &'static str,
    values: Vec<i64>,
    /// What the whole height stands for; the largest value where nothing is known.
    base: Option<i64>,
    show: fn(i64) -> String,
}

/// The sheet of the cluster's history, or of a queue's.
pub fn sheet(model: &Model, queue: Option<&QueuePath>, width: usize, signs: &Signs) -> Sheet {
    let title = queue.map_or_else(|| "History".to_owned(), |path| format!("History of {path}"));
    let samples: Vec<&Arc<Sample>> = model.cluster.view.history.iter().collect();
    let mut sheet = Sheet { title: vec![piece(Role::Title, title)], ..Sheet::default() };
    let room = width.saturating_sub(LABEL + VALUE + 1).max(8);
    let shown = &samples[samples.len().saturating_sub(room)..];
    let (Some(first), Some(last)) = (shown.first(), shown.last()) else {
        sheet.what = vec![dim("no sample is taken yet; there is one a minute")];
        return sheet;
    };
    let span = format::duration(model.cluster.at.since(first.at));
    sheet.what = vec![dim(format!("{}, the last {span}, one a minute", format::count(shown.len() as u64, "sample")))];
    let ago = format::duration(model.cluster.at.since(last.at));
    let all = series(model, queue, shown);
    sheet.left.push(Vec::new());
    if let Some(cpu) = all.first() {
        sheet.left.extend(plot(cpu, signs));
        sheet.left.push(Vec::new());
    }
    for series in &all {
        sheet.left.push(line(series, signs));
    }
    sheet.left.push(Vec::new());
    sheet
        .left
        .push(vec![dim(format!("the last one {ago} ago; a bar is as high as its share of the figure behind it"))]);
    sheet
}

/// The figures of all samples.
fn series(model: &Model, queue: Option<&QueuePath>, samples: &[&Arc<Sample>]) -> Vec<Series> {
    let name = &model.cluster.partition;
    let of_resource =
        |sample: &Sample, resource: &str, pending: bool| -> i64 {
            let Some(part) = sample.partitions.iter().find(|part| part.name == *name) else { return 0 };
            match queue {
                None if pending => part.pending.amount(resource),
                None => part.allocated.amount(resource),
                Some(path) => part.queues.iter().find(|row| row.queue == *path).map_or(0, |row| {
                    if pending { row.pending.amount(resource) } else { row.allocated.amount(resource) }
                }),
            }
        };
    let values = |of: &dyn Fn(&Sample) -> i64| samples.iter().map(|sample| of(sample)).collect::<Vec<i64>>();
    let base = |resource: &str| {
        let part = model.cluster.part()?;
        let max = match queue {
            None => part.capacity.get(resource),
            Some(path) => part.queue_at(path).and_then(|row| part.effective_max(row, resource)).map(|(_, max)| max),
        };
        max.filter(|max| *max > 0)
    };
    let count = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
    let mut all = vec![
        Series {
            label: "cpu used",
            values: values(&|s| of_resource(s, VCORE, false)),
            base: base(VCORE),
            show: |v| show_amount(VCORE, v),
        },
        Series {
            label: "mem used",
            values: values(&|s| of_resource(s, MEMORY, false)),
            base: base(MEMORY),
            show: |v| show_amount(MEMORY, v),
        },
        Series {
            label: "cpu pending",
            values: values(&|s| of_resource(s, VCORE, true)),
            base: None,
            show: |v| show_amount(VCORE, v),
        },
        Series {
            label: "mem pending",
            values: values(&|s| of_resource(s, MEMORY, true)),
            base: None,
            show: |v| show_amount(MEMORY, v),
        },
    ];
    let plain = |value: i64| value.to_string();
    match queue {
        Some(path) => {
            let running = |s: &Sample| {
                let queues = s.partitions.iter().filter(|part| part.name == *name).flat_map(|part| part.queues.iter());
                queues.into_iter().find(|row| row.queue == *path).map_or(0, |row| count(row.running))
            };
            all.push(Series { label: "running", values: values(&running), base: None, show: plain });
        }
        None => {
            all.push(Series { label: "running", values: values(&|s| count(s.running)), base: None, show: plain });
            all.push(Series {
                label: "pending asks",
                values: values(&|s| count(s.pending_asks)),
                base: None,
                show: plain,
            });
            let made: Vec<u64> = samples.iter().map(|sample| sample.made).collect();
            let mut per_minute = vec![0];
            per_minute.extend(made.windows(2).map(|pair| count(pair[1].saturating_sub(pair[0]))));
            all.push(Series { label: "alloc/min", values: per_minute, base: None, show: plain });
        }
    }
    all
}

/// A value in eighths of a line.
fn eighths(value: i64, base: i64, lines: i64) -> i64 {
    if value <= 0 || base <= 0 {
        return 0;
    }
    let full = i128::from(lines) * 8;
    i64::try_from((i128::from(value) * full).div_euclid(i128::from(base)).clamp(1, full)).unwrap_or(0)
}

fn base_of(series: &Series) -> i64 {
    series.base.unwrap_or_else(|| series.values.iter().copied().max().unwrap_or(0)).max(1)
}

fn bar(eighths: i64, signs: &Signs) -> &'static str {
    match usize::try_from(eighths) {
        Ok(0) | Err(_) => " ",
        Ok(height) => signs.bars[height.min(8) - 1],
    }
}

/// One figure in one line: its last value, and a small bar for each sample.
fn line(series: &Series, signs: &Signs) -> Vec<Piece> {
    let base = base_of(series);
    let last = series.values.last().copied().unwrap_or(0);
    let most = if series.base.is_some() { "of" } else { "most" };
    let value = format!("{} {most} {}", (series.show)(last), (series.show)(base));
    let bars: String = series.values.iter().map(|value| bar(eighths(*value, base, 1), signs)).collect();
    vec![dim(format!("{:<LABEL$}", series.label)), plain(format!("{value:<VALUE$} ")), piece(Role::UsageNormal, bars)]
}

/// One figure as a plot of several lines.
fn plot(series: &Series, signs: &Signs) -> Vec<Vec<Piece>> {
    let base = base_of(series);
    let row = |at: i64| {
        let bars: String =
            series.values.iter().map(|value| bar((eighths(*value, base, PLOT) - at * 8).clamp(0, 8), signs)).collect();
        let label = if at == PLOT - 1 { (series.show)(base) } else { String::new() };
        let label = if at == 0 { series.label.to_owned() } else { label };
        vec![dim(format!("{label:>width$} ", width = LABEL + VALUE)), piece(Role::UsageNormal, bars)]
    };
    (0..PLOT).rev().map(row).collect()
}
