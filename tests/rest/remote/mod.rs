//! A scheduler somewhere else, as the console sees it: recorded answers of real cores served over a real socket, and everything that can
//! go wrong on the way.

mod apply;
mod between;
mod commands;
mod explain;
mod faults;
mod followed;
mod forecast;
mod odd;
mod own;
mod picture;
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
