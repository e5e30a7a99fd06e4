//! Remote schedulers: recorded answers of real cores, and connection failures.

mod apply;
mod between;
mod commands;
mod explain;
mod faults;
mod followed;
mod forecast;
mod observer;
mod odd;
mod one_gone;
mod own;
mod pods;
mod records;
mod releases;
mod saved;
mod serve;
mod sets;
mod shadow;
mod silences;
mod tls;
mod usage;
