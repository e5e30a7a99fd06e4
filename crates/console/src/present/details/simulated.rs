//! One simulation run: values, charts, and waits.

use crate::present::details::history::{Series, plot};
use crate::present::details::sheet::{Sheet, labeled};
use crate::present::format::{count, resource_name};
use crate::present::lists::simulate::{share, time};
use crate::present::pieces::{Lines, dim, piece, plain};
use crate::present::text;
use crate::theme::{Role, Symbols};
use view::simulation::{SimulatedGroup, SimulatedRun, SimulatedWaits};

const HEIGHT: usize = 4;
const BEFORE: usize = 26;
const COLUMNS: [&str; 7] = ["requests", "p50", "p95", "p99", "longest", "waiting", "preempted"];
const WIDE: usize = 9;

/// The sheet of a run.
pub fn sheet(run: &SimulatedRun, width: usize, symbols: &Symbols) -> Sheet {
    let mut sheet = Sheet { title: vec![piece(Role::Title, run.name.clone())], ..Sheet::default() };
    sheet.what =
        vec![dim(format!("{}, the last event after {}", count(run.waits.count, "request"), time(run.makespan)))];
    let waits = &run.waits;
    let percentiles = [("p50", waits.p50), ("p95", waits.p95), ("p99", waits.p99), ("longest", waits.max)];
    let percentiles: Vec<String> = percentiles.iter().map(|(name, wait)| format!("{name} {}", time(*wait))).collect();
    labeled(&mut sheet.left, "wait", vec![plain(percentiles.join(", "))]);
    let role = if waits.waiting > 0 { Role::Warning } else { Role::Text };
    labeled(&mut sheet.left, "at the end", vec![piece(role, format!("{} wait", waits.waiting))]);
    labeled(&mut sheet.left, "preempted", vec![plain(run.preempted.to_string())]);
    let role = if run.rejected > 0 { Role::Warning } else { Role::Text };
    labeled(&mut sheet.left, "rejected", vec![piece(role, run.rejected.to_string())]);
    if let Some(fairness) = run.fairness {
        labeled(
            &mut sheet.left,
            "fairness",
            vec![plain(share(i64::from(fairness))), dim("  100% if all users have the same share")],
        );
    }
    plots(&mut sheet.left, run, width, symbols);
    for (title, groups) in [("queue", &run.queues), ("user", &run.users)] {
        groups_of(&mut sheet.right, (title, groups), width, symbols);
    }
    for note in &*run.notes {
        sheet.right.push(Vec::new());
        let lines = text::wrap(&text::escape(note), width);
        sheet.right.extend(lines.into_iter().map(|line| vec![plain(line)]));
    }
    sheet
}

fn plots(lines: &mut Lines, run: &SimulatedRun, width: usize, symbols: &Symbols) {
    let space = width.saturating_sub(BEFORE).max(8);
    let stretches = run.waiting.len().max(1);
    let of_each = stretches.div_ceil(space);
    let wide = (space / stretches.div_ceil(of_each)).max(1);
    let mean = |values: &[i64]| Some(values.iter().sum::<i64>() / i64::try_from(values.len().max(1)).unwrap_or(1));
    let columns = |values: Vec<i64>| values.chunks(of_each).map(mean).collect::<Vec<Option<i64>>>();
    let used = run.resources.iter().filter(|used| used.name != "pods").map(|used| Series {
        label: format!("{} in use", resource_name(&used.name)).into(),
        values: columns(used.series.iter().map(|share| i64::from(*share)).collect()),
        base: Some(1000),
        show: share,
    });
    let waiting = Series {
        label: "requests waiting".into(),
        values: columns(run.waiting.iter().map(|count| i64::try_from(*count).unwrap_or(i64::MAX)).collect()),
        base: None,
        show: |count| count.to_string(),
    };
    for series in used.chain([waiting]) {
        lines.push(Vec::new());
        lines.extend(plot(&series, (wide, HEIGHT), symbols));
    }
    let span = time(run.every.saturating_mul(stretches as u64));
    let shown = stretches.div_ceil(of_each) * wide;
    let gap = " ".repeat(shown.saturating_sub(span.len() + 1));
    lines.push(vec![dim(format!("{}0{gap}{span}", " ".repeat(BEFORE)))]);
}

fn groups_of(lines: &mut Lines, (title, groups): (&str, &[SimulatedGroup]), width: usize, symbols: &Symbols) {
    let name = width.saturating_sub(COLUMNS.len() * WIDE).clamp(8, 40);
    let heads: String = COLUMNS.iter().map(|head| format!("{head:>WIDE$}")).collect();
    lines.push(Vec::new());
    lines.push(vec![dim(format!("{title:<name$}{heads}"))]);
    for group in groups {
        let SimulatedWaits { count, waiting, p50, p95, p99, max } = group.waits;
        let cells = [
            count.to_string(),
            time(p50),
            time(p95),
            time(p99),
            time(max),
            waiting.to_string(),
            group.preempted.to_string(),
        ];
        let cells: String = cells.iter().map(|cell| format!("{cell:>WIDE$}")).collect();
        let shown = text::escape(&group.name);
        let shown = text::cut_name(&shown, name - 1, symbols.ellipsis);
        let pad = " ".repeat(name.saturating_sub(text::width(&shown)));
        lines.push(vec![plain(format!("{shown}{pad}{cells}"))]);
    }
}
