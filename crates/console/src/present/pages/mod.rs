//! The parts of each page ([`Present`](super::page::Present)).

mod alerts;
mod apps;
mod clusters;
mod contexts;
mod details;
mod explain;
mod facts;
mod forms;
mod job;
mod nodes;
mod pod;
mod queues;
mod records;
mod shadow;
mod simulate;
mod trends;
mod usage;
mod users;
