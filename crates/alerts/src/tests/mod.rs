//! Tests of parsing, firing, inhibitions, restarts, and clock jumps.

mod reading;
mod stage;
mod steps;
