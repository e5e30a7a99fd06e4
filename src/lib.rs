//! kornsole: a console for people who run an Apache YuniKorn scheduler, with the scheduler inside.

pub mod api;
pub mod cli;
pub mod config;
pub mod console;
pub mod engine;
pub mod model;
pub mod scenario;
pub mod scheduler;
pub mod source;
pub mod tape;
pub mod view;
