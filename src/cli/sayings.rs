//! Output of linear mode during a tape, and options for examining a tape.

use std::io::Write;

use console::tape::PlayResult;
use console::theme::Depth;

/// Options for examining a tape.
#[derive(Clone, Copy, Debug, Default)]
pub struct Looks {
    /// The viewer's color depth; default: the tape's.
    pub depth: Option<Depth>,
    /// Whether to check linear mode, too.
    pub linear: bool,
}

/// Prints the output of linear mode at the snapshots.
pub fn print(played: &PlayResult) {
    let mut out = super::printed::out();
    for reporting in &played.sayings {
        // The reader may have closed the pipe.
        let _ = writeln!(out, "{}, line {}:", reporting.name, reporting.at.line);
        for line in &reporting.lines {
            let _ = writeln!(out, "{line}");
        }
        let _ = writeln!(out);
    }
}
