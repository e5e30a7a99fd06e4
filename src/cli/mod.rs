//! The command line: arguments and wiring, one file per subcommand.
//!
//! Invariants:
//! - nothing is decided here that a layer below decides;
//! - exit codes: 0 done, 1 the input is refused, 2 wrong use.

pub mod check;
