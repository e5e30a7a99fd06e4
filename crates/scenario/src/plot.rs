//! Plots shares over time with block characters.

use std::fmt;

use model::Time;

const COLUMNS: u64 = 64;
const LINES: u64 = 5;
const EIGHTHS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

pub(super) struct Plot<'v> {
    /// In thousandths, each from its time on.
    pub values: &'v [(Time, u32)],
    pub end: Time,
}

impl Plot<'_> {
    fn columns(&self) -> Vec<u32> {
        let span = self.end.0.max(COLUMNS);
        let edge = |column: u64| u64::try_from(u128::from(span) * u128::from(column) / u128::from(COLUMNS));
        let edge = |column: u64| Time(edge(column).unwrap_or(u64::MAX));
        let mut columns = Vec::new();
        let mut at = 0;
        let mut value = 0;
        for column in 0..COLUMNS {
            let mut highest = value;
            let last = column + 1 == COLUMNS;
            while let Some((since, new)) = self.values.get(at).filter(|(since, _)| last || *since < edge(column + 1)) {
                // Values have different times, so the highest one lasted for a while.
                highest = if *since <= edge(column) { *new } else { highest.max(*new) };
                value = *new;
                at += 1;
            }
            columns.push(highest);
        }
        columns
    }

    fn mean(&self) -> u128 {
        let ends = self.values.iter().skip(1).map(|(since, _)| *since).chain([self.end]);
        let spans = self.values.iter().zip(ends).map(|((since, value), end)| (end.0.saturating_sub(since.0), *value));
        let sum: u128 = spans.map(|(span, value)| u128::from(span) * u128::from(value)).sum();
        sum / u128::from(self.end.0.max(1))
    }
}

impl fmt::Display for Plot<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns = self.columns();
        for line in (0..LINES).rev() {
            let label = (line + 1) * 100 / LINES;
            let bar: String = columns
                .iter()
                .map(|value| {
                    // A small value is visible.
                    let eighths = (u64::from(*value) * LINES * 8).div_ceil(1000).saturating_sub(line * 8).min(8);
                    EIGHTHS[usize::try_from(eighths).unwrap_or(8)]
                })
                .collect();
            writeln!(f, "{label:>3} |{}", bar.trim_end())?;
        }
        let width = usize::try_from(COLUMNS).unwrap_or(64);
        writeln!(f, "    +{}", "-".repeat(width))?;
        let (start, end) = (Time::ZERO.to_string(), self.end.to_string());
        let gap = (width + 1).saturating_sub(start.len());
        writeln!(f, "    {start}{end:>gap$}")?;
        let percent = |thousandths: u128| format!("{}.{}", thousandths / 10, thousandths % 10);
        let peak = self.values.iter().map(|(_, value)| u128::from(*value)).max().unwrap_or(0);
        writeln!(f, "    mean {} %, highest {} %", percent(self.mean()), percent(peak))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plot_shows_rise_and_fall() {
        let values = [(Time(0), 0), (Time(16), 500), (Time(32), 1000), (Time(48), 10)];
        let plot = Plot { values: &values, end: Time(64) };
        insta::assert_snapshot!(plot.to_string(), @r"
        100 |                                ████████████████
         80 |                                ████████████████
         60 |                ▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄▄████████████████
         40 |                ████████████████████████████████
         20 |                ████████████████████████████████▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁
            +----------------------------------------------------------------
            0.000s                                                     0.000s
            mean 37.7 %, highest 100.0 %
        ");
    }

    #[test]
    fn a_short_peak_is_not_lost_and_nothing_is_no_fault() {
        let values = [(Time(0), 0), (Time(500), 1000), (Time(501), 0)];
        let columns = Plot { values: &values, end: Time(64_000) }.columns();
        assert_eq!((columns[0], columns[1], columns.len()), (1000, 0, 64));
        let empty = Plot { values: &[], end: Time::ZERO };
        assert_eq!(empty.columns(), [0; 64]);
        assert!(empty.to_string().ends_with("mean 0.0 %, highest 0.0 %\n"));
        let one = [(Time(0), 250)];
        assert_eq!(Plot { values: &one, end: Time::ZERO }.columns()[0], 250, "all at one moment");
    }
}
