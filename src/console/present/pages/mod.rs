//! The parts of each page ([`Present`](super::page::Present)).

mod alerts;
mod apps;
mod details;
mod explain;
mod facts;
mod forms;
mod job;
mod nodes;
mod queues;
mod records;
mod simulate;
mod users;
