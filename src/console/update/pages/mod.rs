//! The behaviour of each page ([`PageUpdate`](super::page::PageUpdate)).

mod alerts;
mod apps;
mod changed;
mod details;
mod explain;
mod forms;
mod job;
mod nodes;
mod queues;
mod records;
mod simulate;
mod users;
