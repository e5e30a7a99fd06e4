//! The scheduler: a state machine without IO, clock, thread or randomness.

pub mod place;
