//! The behavior of each page ([`PageUpdate`](super::page::PageUpdate)).

mod alerts;
mod apps;
mod changed;
mod clusters;
mod contexts;
mod details;
mod explain;
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
