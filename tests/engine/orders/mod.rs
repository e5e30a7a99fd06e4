//! Operations: a rejected one changes nothing, and an acknowledged one is in effect.

mod api;
mod apps;
mod audit;
mod configure;
mod engine;
mod ledger;
mod removal;
mod rights;
mod stage;
mod workload;
