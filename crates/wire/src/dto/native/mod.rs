//! The transfer types of the native API under `/kornsole/v1`: bodies in `request`, answers in `response`,
//! `results`, and `explain`.
//!
//! Requests are read strictly, so that a misspelled option is noticed. Times are ns since 1970.

mod alerts;
mod cause;
mod explain;
mod fairness;
mod request;
mod response;
mod results;
mod shadow;
mod strict_map;
mod usage;
mod whatif;

/// The header that allows an empty configuration: `true` or `false`.
pub const ALLOW_EMPTY: &str = "kornsole-allow-empty";
/// The header that allows a configuration to remove queues: the maximum number.
pub const ALLOW_REMOVAL: &str = "kornsole-allow-removal";

pub use alerts::*;
pub use cause::*;
pub use explain::*;
pub use fairness::*;
pub use request::*;
pub use response::*;
pub use results::*;
pub use shadow::*;
pub use usage::*;
pub use whatif::*;
