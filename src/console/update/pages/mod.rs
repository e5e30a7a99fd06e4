//! What each page does ([`PageUpdate`](super::page::PageUpdate)).

mod apps;
mod changed;
mod details;
mod forms;
mod nodes;
mod queues;
mod records;
mod users;
