//! The REST API's types, once for server and client.
//!
//! - [`dto`] are the shapes on the wire, the same for server and client.
//! - [`convert`] writes a view in them and reads a view from them.
//!
//! Invariants:
//! - [`dto`] is the only place that knows a key of the wire; no other layer serializes for it;
//! - what is written has YuniKorn's 1.8.0 keys, order, omissions and escapes, byte for byte; what is read may be any release
//!   from 1.4 to 1.9, and keys and values that no one knows are carried and not dropped;
//! - nothing here knows the engine: only the server does.

pub mod convert;
pub mod dto;
