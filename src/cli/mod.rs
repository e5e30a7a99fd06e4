//! The command line: arguments, and the wiring of the layers for each command.
//!
//! Invariants:
//! - wiring only: what a command does stands in the layers below;
//! - bad input ends with exit code 1 and a place, wrong use with 2, both on stderr.

pub mod check;
