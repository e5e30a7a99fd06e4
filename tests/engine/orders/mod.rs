//! Orders: who may change a running scheduler how, that what is refused changes nothing, and that what is answered is so.

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
