//! Where in the file a place of an embedded text is.
//!
//! Invariant: a place is exact, or it is where the embedded text starts; it is never a guess.

use std::sync::Arc;

use super::runs::{Run, runs_of};
use crate::fault::Fault;
use crate::types::Place;
use crate::yaml::{Scalar, Style};

/// The way from a text to the file that it is embedded in, through each text between them.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// The innermost first.
    steps: Vec<Arc<Step>>,
}

#[derive(Debug)]
enum Step {
    /// Lines of the text are lines of the outer text, all indented to the column of this place, where the first one starts.
    Block(Place),
    /// The text is the end of the outer one, which starts at this place: only its first line is moved in its columns.
    Tail(Place),
    /// Pieces of the text are pieces of the outer text; before the first of them is this place.
    Runs(Vec<Run>, Place),
    /// Packed or made again: only where it starts is known.
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
    /// The place in the file of a place in the text.
    pub fn outer(&self, inner: Place) -> Place {
        self.steps.iter().fold(inner, |place, step| step.outer(place))
    }

    /// Whether a line of the text is a line of the file, so that the line of the file says enough.
    pub fn keeps_lines(&self) -> bool {
        self.steps.iter().all(|step| matches!(**step, Step::Block(_) | Step::Tail(_)))
    }

    /// A fault of the text as one of the file; where a line of the file says too little, with the line in `name`.
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

    /// The column and line of a text of which every line is a line of the file, indented alike: where it starts.
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

    /// The places of the text of a scalar of this text.
    pub(super) fn inside(&self, source: &Lines<'_>, scalar: &Scalar<'_>) -> Self {
        if scalar.style == Style::Literal {
            return self.with(Step::Block(scalar.content));
        }
        match runs_of(source, scalar) {
            Some(runs) => self.with(Step::Runs(runs, scalar.content)),
            None => self.with(Step::Whole(scalar.content)),
        }
    }

    /// The places of a text that is the end of this one, from `at` on.
    pub(super) fn tail(&self, at: Place) -> Self {
        self.with(Step::Tail(at))
    }

    /// The places of a text of which pieces were written at other places of this text.
    pub(super) fn made(&self, runs: Vec<Run>, at: Place) -> Self {
        self.with(Step::Runs(runs, at))
    }

    /// The places of a text that is packed at `at`.
    pub(super) fn packed(&self, at: Place) -> Self {
        self.with(Step::Whole(at))
    }
}

/// A text with the offsets of its lines.
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

    /// The offset in bytes of a place.
    pub fn offset(&self, at: Place) -> Option<usize> {
        let line = usize::try_from(at.line).ok()?.checked_sub(1)?;
        let column = usize::try_from(at.column).ok()?.checked_sub(1)?;
        let start = *self.starts.get(line)?;
        let end = self.starts.get(line + 1).copied().unwrap_or(self.text.len());
        let within = self.text.get(start..end)?;
        let before: usize = within.chars().take(column).map(char::len_utf8).sum();
        Some(start + before)
    }

    /// The place of an offset in bytes.
    pub fn place(&self, offset: usize) -> Place {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or_default();
        let column = self.text.get(start..offset).map_or(0, |before| before.chars().count());
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Place { line: count(line), column: count(column + 1) }
    }
}
