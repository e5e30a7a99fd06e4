//! The REST API's types for server and client.
//!
//! - [`dto`] has the transfer types.
//! - [`convert`] converts between views and transfer types.
//!
//! Invariants:
//! - only [`dto`] knows the keys of the wire;
//! - written documents have the keys, order, omissions, and escapes of YuniKorn 1.8.0, byte for byte; documents of the
//!   releases 1.4 to 1.9 can be read, and unknown keys and values are kept;
//! - this crate is independent of the engine.

pub mod convert;
pub mod dto;
