//! Mapping of locations in an embedded text to the file.
//!
//! Invariant: a location is exact, or it is the start of the embedded text; it is never a guess.

use std::sync::Arc;

use super::runs::{Run, runs_of};
use crate::fault::Fault;
use crate::types::Place;
use crate::yaml::{Scalar, Style};

/// The mapping from a text to its file, through each text between them.
#[derive(Clone, Debug, Default)]
pub struct Places {
    steps: Vec<Arc<Step>>,
}

#[derive(Debug)]
enum Step {
    /// Lines of the outer text, indented to this column.
    Block(Place),
    /// The end of the outer text from this location on: only the columns of the first line differ.
    Tail(Place),
    /// Pieces of the outer text; before the first piece is this location.
    Runs(Vec<Run>, Place),
    /// Packed or regenerated: only the start is known.
    Whole(Place),
}

impl Step {
    fn outer(&self, inner: Place) -> Place {
        let shift = inner.column.saturating_sub(1);
        match self {
            Self::Block(at) | Self::Tail(at) | Self::Runs(_, at) if inner.line == 0 => *at,
            Self::Block(at) => Place { line: at.line + inner.line - 1, column: at.column + shift },
            Self::Tail(at) if inner.line == 1 => Place { line: at.line, column: at.column + shift },
            Self::Tail(at) => Place { line: at.line + inner.line - 1, column: inner.column },
            Self::Runs(runs, at) => Run::outer(runs, inner).unwrap_or(*at),
            Self::Whole(at) => *at,
        }
    }
}

impl Places {
    /// Maps a location to the file.
    pub fn outer(&self, inner: Place) -> Place {
        self.steps.iter().fold(inner, |place, step| step.outer(place))
    }

    /// Whether lines of the text are lines of the file.
    pub fn keeps_lines(&self) -> bool {
        self.steps.iter().all(|step| matches!(**step, Step::Block(_) | Step::Tail(_)))
    }

    /// If lines are not kept, adds the line in `name`.
    pub fn fault(&self, fault: Fault, name: &str) -> Fault {
        if self.steps.is_empty() {
            return fault;
        }
        let message = match fault.at.line {
            line if line > 0 && !self.keeps_lines() => format!("{} (line {line} of {name})", fault.message),
            _ => fault.message,
        };
        Fault { at: self.outer(fault.at), message, ..fault }
    }

    /// If all lines are lines of the file with the same indentation.
    pub(crate) fn block(&self) -> Option<Place> {
        let mut start = Place { line: 1, column: 1 };
        for step in &self.steps {
            let Step::Block(_) = **step else { return None };
            start = step.outer(start);
        }
        (!self.steps.is_empty()).then_some(start)
    }

    fn with(&self, step: Step) -> Self {
        let steps = std::iter::once(Arc::new(step)).chain(self.steps.iter().cloned()).collect();
        Self { steps }
    }

    pub(super) fn inside(&self, source: &Lines<'_>, scalar: &Scalar<'_>) -> Self {
        if scalar.style == Style::Literal {
            return self.with(Step::Block(scalar.content));
        }
        match runs_of(source, scalar) {
            Some(runs) => self.with(Step::Runs(runs, scalar.content)),
            None => self.with(Step::Whole(scalar.content)),
        }
    }

    pub(super) fn tail(&self, at: Place) -> Self {
        self.with(Step::Tail(at))
    }

    pub(super) fn made(&self, runs: Vec<Run>, at: Place) -> Self {
        self.with(Step::Runs(runs, at))
    }

    pub(super) fn packed(&self, at: Place) -> Self {
        self.with(Step::Whole(at))
    }
}

#[derive(Debug)]
pub(super) struct Lines<'t> {
    pub text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    pub fn of(text: &'t str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, starts }
    }

    /// The byte offset of a location.
    pub fn offset(&self, at: Place) -> Option<usize> {
        let line = usize::try_from(at.line).ok()?.checked_sub(1)?;
        let column = usize::try_from(at.column).ok()?.checked_sub(1)?;
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let within = self.text.get(start..end)?;
        let before: usize = within.chars().take(column).map(char::len_utf8).sum();
        Some(start + before)
    }

    /// The location of a byte offset.
    pub fn place(&self, offset: usize) -> Place {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or_default();
        let column = self.text.get(start..offset).map_or(0, |before| before.chars().count());
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Place { line: count(line), column: count(column + 1) }
    }
}
