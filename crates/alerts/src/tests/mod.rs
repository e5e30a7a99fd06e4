//! Rules are read with their faults; alerts fire once, block, and survive restarts and clocks that jump.

mod reading;
mod stage;
mod steps;
