//! The layers of kornsole below the engine, as a crate of their own: the map is in `lib.rs`.
//!
//! Nothing here starts a thread, opens a connection or draws. Only `config::store` touches files.

pub mod alerts;
pub mod config;
pub mod kubernetes;
pub mod ledger;
pub mod model;
pub mod scenario;
pub mod scheduler;
pub mod shadow;
pub mod twin;
pub mod view;
pub mod whatif;
