//! kornsole: a console for people who run an Apache YuniKorn scheduler, with the scheduler inside.

pub mod cli;
pub mod config;
pub mod model;
