//! The HTTP client for a scheduler's REST API. It does not trust the server. Start with [`Target`] and [`Client`].
//!
//! Invariants:
//! - a token is sent only over TLS or to loopback, never through a proxy that could see it, and is in no message;
//! - every phase of a request has a timeout and every answer a maximum size;
//! - only the redirect of the state dump is followed (`rest.md` section 9, rule 12).

mod answer;
mod elements;
mod endpoint;
mod fault;
mod http;
mod lines;
mod names;
mod problem;
pub mod release;
mod target;

pub use elements::Elements;
pub use endpoint::Endpoint;
pub use fault::{ErrorBody, Fault};
pub use http::{Client, ClientResponse, Limits};
pub use lines::Lines;
pub use names::{encode_once, encode_twice};
pub use problem::Problem;
pub use release::{Release, Remote};
pub use target::{Target, TargetFault, Token};
