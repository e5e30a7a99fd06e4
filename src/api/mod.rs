//! The REST API: the transfer types once, and who writes or reads them.
//!
//! - [`dto`] are the shapes on the wire, the same for server and client.
//! - [`convert`] says a view in them.
//! - [`auth`] knows who is asking, by the token.
//!
//! Invariants:
//! - [`dto`] is the only place that knows a key of the wire; no other layer serializes for it;
//! - what is written has YuniKorn's 1.8.0 keys, order, omissions and escapes, byte for byte; what is read may be any release
//!   from 1.4 to 1.9, and keys and values that nobody knows are carried and not dropped;
//! - the parts for both sides (`dto`, `convert`) know nothing of the engine: only the server does;
//! - nothing of the crate below `cli` and `source` uses this layer.

pub mod auth;
pub mod client;
pub mod convert;
pub mod dto;
mod private_file;
pub mod server;
