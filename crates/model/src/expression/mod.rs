//! Regular expressions as RE2 and Go read them (PLC-056), run by the `regex` crate.
//!
//! Both engines work in linear time and fold case by Unicode; they differ in some of the syntax. A pattern is therefore
//! read here by the rules of the former and rewritten for the latter: perl classes and word boundaries are ASCII,
//! `{` that starts no repetition is a letter, `[` inside brackets is one too, repetitions do not stack.

mod translate;

#[cfg(test)]
mod tests;

use std::fmt;

use regex::{Regex, RegexBuilder};

use translate::translate;

/// The most that one compiled expression may take, in bytes.
const SIZE_LIMIT: usize = 10 << 20;

/// What all expressions of one file may take together, in bytes.
const ROOM: usize = 64 << 20;

const NO_ROOM: &str = "all expressions of the file together are too large";

/// Sizes that expressions are tried at, so that each takes about as much of the room as it needs.
const SIZES: [usize; 3] = [16 << 10, 256 << 10, SIZE_LIMIT];

/// Signs that make the only entry of a filter an expression (PLC-053).
const SIGNS: &[char] = &['^', '$', '*', '+', '?', '(', ')', '[', '{', '}', '|'];

/// Why a pattern is no expression, in words that can follow a colon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionFault(String);

impl fmt::Display for ExpressionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ExpressionFault {}

/// Whether the only entry of a filter is an expression and not a name (PLC-053); a dot alone does not make one.
pub fn is_expression(text: &str) -> bool {
    text.contains(SIGNS)
}

/// Compiles a pattern. It searches anywhere in a text, with case, unless it says otherwise (PLC-055).
///
/// # Errors
/// What is wrong with the pattern.
pub fn compile(pattern: &str) -> Result<Regex, ExpressionFault> {
    build(&translate(pattern)?, SIZE_LIMIT)
}

/// Compiles the expressions of one file, which have so much room together that no file can take all memory.
#[derive(Clone, Debug)]
pub struct Compiler {
    room: usize,
}

impl Default for Compiler {
    fn default() -> Self {
        Self { room: ROOM }
    }
}

impl Compiler {
    /// Compiles one more pattern, as [`compile`] does.
    ///
    /// # Errors
    /// What is wrong with the pattern; or that those before it took up all the room.
    pub fn compile(&mut self, pattern: &str) -> Result<Regex, ExpressionFault> {
        if self.room == 0 {
            return fault(NO_ROOM);
        }
        let pattern = translate(pattern)?;
        for size in SIZES {
            if size > self.room {
                // Nothing more is tried, however many there are.
                self.room = 0;
                return fault(NO_ROOM);
            }
            match build(&pattern, size) {
                Err(why) if why == too_large() && size < SIZE_LIMIT => {}
                other => {
                    self.room -= size;
                    return other;
                }
            }
        }
        Err(too_large())
    }
}

fn build(pattern: &str, size: usize) -> Result<Regex, ExpressionFault> {
    RegexBuilder::new(pattern).size_limit(size).build().map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => too_large(),
        // The engine draws the pattern with a marker below; only its last line is words.
        other => ExpressionFault(
            other.to_string().lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned(),
        ),
    })
}

fn too_large() -> ExpressionFault {
    ExpressionFault("the expression is too large".to_owned())
}

fn fault<T>(text: impl Into<String>) -> Result<T, ExpressionFault> {
    Err(ExpressionFault(text.into()))
}
