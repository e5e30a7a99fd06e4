//! Reads a value of a subject over a time range, in a number of steps.

use imbl::Vector;
use std::sync::Arc;
use std::time::Duration;

use super::block::{Block, Stat};
use super::codec::UNKNOWN;
use super::rings::{Ring, Rings, is_setting};
use super::value::{Subject, Value};
use model::Time;

/// A line has no gap if each minute has a measurement.
const WHOLE: Duration = Duration::from_secs(60);

/// A value over a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The smallest in the step.
    pub min: i64,
    /// The mean; for a setting, the last value.
    pub mean: i64,
    /// The largest in the step.
    pub max: i64,
}

/// A value of a subject over a time range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    /// The start of the first step.
    pub from: Time,
    /// The duration of a step.
    pub step: Duration,
    /// `None` is a gap or unknown.
    pub metrics: Vec<Option<Metric>>,
}

impl Series {
    /// The start of a step.
    pub fn at(&self, step: usize) -> Time {
        let micros = self.step.as_micros().saturating_mul(step as u128);
        Time(self.from.0.saturating_add(u64::try_from(micros).unwrap_or(u64::MAX)))
    }

    /// The step that contains a time.
    pub fn step_of(&self, at: Time) -> Option<usize> {
        let past = at.0.checked_sub(self.from.0)?;
        let step = u64::try_from(self.step.as_micros()).unwrap_or(u64::MAX).max(1);
        usize::try_from(past / step).ok().filter(|step| *step < self.metrics.len())
    }
}

struct Point {
    from: Time,
    until: Time,
    stat: Stat,
}

impl Rings {
    /// Returns a value between two times in at most `steps` steps, from the ring with cells of about that duration, and
    /// from the other rings outside its time range.
    pub fn series(&self, subject: &Subject, value: &Value, from: Time, to: Time, steps: usize) -> Series {
        let span = to.since(from);
        let wanted = span.div_f64(steps.max(1) as f64);
        let ring = Ring::ALL.into_iter().rev().find(|ring| ring.cell() <= wanted).unwrap_or(Ring::Fine);
        let most = usize::try_from(span.as_micros().div_ceil(ring.cell().as_micros())).unwrap_or(usize::MAX);
        let count = steps.min(most).max(1);
        let step = span.div_f64(count as f64).max(Duration::from_micros(1));
        let mut series = Series { from, step, metrics: vec![None; count] };
        let Some(id) = self.subjects.get(subject) else { return series };
        let points = self.points(*id, value, (from, to), ring);
        let setting = self.layout().and_then(|layout| Some(is_setting(layout, layout.place(value)?))).unwrap_or(false);
        let mut steps: Vec<Vec<Stat>> = vec![Vec::new(); count];
        for point in points {
            let first = series.step_of(point.from.max(from));
            let last = series.step_of(Time(point.until.0.saturating_sub(1)).min(Time(to.0.saturating_sub(1))));
            let Some(first) = first else { continue };
            // A point that spans several steps applies to each.
            for own in steps.iter_mut().take(last.map_or(count, |last| last + 1)).skip(first) {
                own.push(point.stat);
            }
        }
        for (own, metric) in steps.into_iter().zip(&mut series.metrics) {
            let merged = Stat::merge(own.into_iter(), setting);
            *metric = merged.is_known().then_some(Metric { min: merged.min, mean: merged.mean, max: merged.max });
        }
        series
    }

    /// The points of a time range, the oldest first: of `ring`, coarser rings before its start, and finer rings after
    /// its end.
    fn points(&self, id: u32, value: &Value, (from, to): (Time, Time), ring: Ring) -> Vec<Point> {
        let mut points: Vec<Point> = Vec::new();
        let coarse = Ring::ALL.into_iter().rev().filter(|own| *own >= ring);
        for own in coarse {
            let finer = Ring::ALL.into_iter().filter(|finer| *finer >= ring && *finer < own);
            let until = finer.filter_map(|finer| self.oldest(finer)).min().unwrap_or(to).min(to);
            self.add_blocks(&mut points, own, id, value, (from, until));
        }
        for own in Ring::ALL.into_iter().rev().filter(|own| *own < ring) {
            let since = self.end_of(own, ring).max(from);
            self.add_blocks(&mut points, own, id, value, (since, to));
        }
        let since = self.end_of(Ring::Fine, ring).max(from);
        self.add_open(&mut points, id, value, (since, to));
        extend(&mut points);
        points
    }

    fn end_of(&self, below: Ring, ring: Ring) -> Time {
        let read = Ring::ALL.into_iter().filter(|own| *own <= ring && (*own > below || below == Ring::Fine));
        let end = |own: Ring| Some(own.start(*self.rings[own as usize].back()?.cells.last()? + 1));
        read.filter_map(end).max().unwrap_or(Time::ZERO)
    }

    fn add_blocks(&self, points: &mut Vec<Point>, ring: Ring, id: u32, value: &Value, (from, until): (Time, Time)) {
        let blocks: &Vector<Arc<Block>> = &self.rings[ring as usize];
        let inside = |block: &&Arc<Block>| {
            let starts = block.cells.first().is_some_and(|first| ring.start(*first) < until);
            starts && block.cells.last().is_some_and(|last| ring.start(last + 1) > from)
        };
        for block in blocks.iter().filter(inside) {
            let Some(place) = block.layout.place(value) else { continue };
            for (cell, stat) in block.cells.iter().zip(block.column(id, place)) {
                let (start, end) = (ring.start(*cell), ring.start(cell + 1));
                if start < until && end > from {
                    points.push(Point { from: start, until: end, stat });
                }
            }
        }
    }

    fn add_open(&self, points: &mut Vec<Point>, id: u32, value: &Value, (from, to): (Time, Time)) {
        let mut metric = UNKNOWN;
        for open in &self.open {
            let Some(place) = open.layout.place(value) else { continue };
            if let Some(row) = open.row(id) {
                metric = row.and_then(|row| row.get(place)).copied().unwrap_or(UNKNOWN);
            }
            let (start, end) = (Ring::Fine.start(open.cell), Ring::Fine.start(open.cell + 1));
            if start < to && end > from {
                points.push(Point { from: start, until: end, stat: Stat::of(metric) });
            }
        }
    }
}

fn extend(points: &mut [Point]) {
    for at in 1..points.len() {
        let next = points[at].from;
        let before = &mut points[at - 1];
        if next > before.until && next.since(before.from) <= WHOLE {
            before.until = next;
        }
    }
}
