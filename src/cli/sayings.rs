//! What linear mode says while a tape is played, and how a tape is examined.

use std::io::{self, Write};

use console::tape::PlayResult;
use console::theme::Depth;

/// How a tape is examined.
#[derive(Clone, Copy, Debug, Default)]
pub struct Looks {
    /// How many colors who looks on can see; otherwise as the tape says.
    pub depth: Option<Depth>,
    /// What linear mode says is checked too.
    pub linear: bool,
}

/// Prints what linear mode says at the snapshots.
pub fn print(played: &PlayResult) {
    let mut out = io::stdout().lock();
    for saying in &played.sayings {
        // Who reads may have seen enough.
        let _ = writeln!(out, "{}, line {}:", saying.name, saying.at.line);
        for line in &saying.lines {
            let _ = writeln!(out, "{line}");
        }
        let _ = writeln!(out);
    }
}
