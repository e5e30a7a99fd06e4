//! Regular expressions in the syntax of RE2 and Go (PLC-056), run by the `regex` crate.
//!
//! Both engines are linear and fold case by Unicode. A pattern is rewritten for `regex`: perl classes and word
//! boundaries are ASCII, `{` without a repetition and `[` inside brackets are literal, and repetitions do not stack.

mod translate;

#[cfg(test)]
mod tests;

use std::fmt;

use regex::{Regex, RegexBuilder};

use translate::translate;

const SIZE_LIMIT: usize = 10 << 20;

const SPACE: usize = 64 << 20;

const NO_SPACE: &str = "all expressions of the file together are too large";

/// Tried in turn, so that each expression reserves about what it needs.
const SIZES: [usize; 3] = [16 << 10, 256 << 10, SIZE_LIMIT];

/// One of these makes the only entry of a filter an expression (PLC-053).
const SYMBOLS: &[char] = &['^', '$', '*', '+', '?', '(', ')', '[', '{', '}', '|'];

/// Why a pattern is invalid, as text after a colon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionFault(String);

impl fmt::Display for ExpressionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ExpressionFault {}

/// PLC-053: only for the only entry of a filter; a dot alone does not make one.
pub fn is_expression(text: &str) -> bool {
    text.contains(SYMBOLS)
}

/// Matches anywhere in a text, case-sensitive by default (PLC-055).
///
/// # Errors
/// The error in the pattern.
pub fn compile(pattern: &str) -> Result<Regex, ExpressionFault> {
    build(&translate(pattern)?, SIZE_LIMIT)
}

/// Compiles expressions with a common size limit, so that no file can use all memory.
#[derive(Clone, Debug)]
pub struct Compiler {
    space: usize,
}

impl Default for Compiler {
    fn default() -> Self {
        Self { space: SPACE }
    }
}

impl Compiler {
    /// Fails as [`compile`], or if earlier patterns used up the size limit.
    pub fn compile(&mut self, pattern: &str) -> Result<Regex, ExpressionFault> {
        if self.space == 0 {
            return fault(NO_SPACE);
        }
        let pattern = translate(pattern)?;
        for size in SIZES {
            if size > self.space {
                // Stops further attempts.
                self.space = 0;
                return fault(NO_SPACE);
            }
            match build(&pattern, size) {
                Err(why) if why == too_large() && size < SIZE_LIMIT => {}
                other => {
                    self.space -= size;
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
        // The engine's message draws the pattern; only its last line is text.
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
