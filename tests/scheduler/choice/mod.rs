//! What a cycle chooses, against a slow reading of the specification, and shortcuts against their absence.
//!
//! Goal: no index and nothing that is skipped may change a decision, under any profile. Method: [`model`] works out from the plain counters
//! of a scheduler what its next cycle has to do, sorting everything again by plain insertion; [`shortcuts`] runs one scheduler that
//! remembers what failed beside one that is made to forget before every cycle.

mod model;
mod order;
mod shortcuts;
mod stream;
