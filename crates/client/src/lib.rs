//! HTTP out: one scheduler's REST API, asked politely and trusted in nothing.
//!
//! [`Target`] is where to ask and as whom, [`Client`] asks, [`Fault`] is what can go wrong, described for a person; [`release`] finds
//! which release answers, by the shape of its answers.
//!
//! Invariants:
//! - a token goes over TLS or to loopback, never elsewhere, and through no proxy that would see it; it is in no message;
//! - every phase of a request has a time limit and every answer a limit of size, so nothing the other side does hangs or fills
//!   memory;
//! - no redirect is followed but the one of the state dump (`rest.md` section 9, rule 12);
//! - nothing here runs on the console's thread.

mod answer;
mod door;
mod elements;
mod fault;
mod http;
mod lines;
mod names;
pub mod release;
mod target;
mod trouble;

pub use door::Door;
pub use elements::Elements;
pub use fault::{ErrorBody, Fault};
pub use http::{Client, ClientResponse, Limits};
pub use lines::Lines;
pub use names::{encode_once, encode_twice};
pub use release::{Release, Remote};
pub use target::{Target, TargetFault, Token};
pub use trouble::Trouble;
