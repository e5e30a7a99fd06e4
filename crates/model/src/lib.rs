//! The shared vocabulary: resources, paths, priorities, identities, access lists, time.
//!
//! Invariants:
//! - only value types: parsing, arithmetic, display;
//! - no IO, no clock, no thread, no randomness;
//! - no dependency on other crates of the project.

pub mod acl;
pub mod allowed_value;
pub mod expression;
pub mod id;
pub mod identity;
pub mod messagepack;
pub mod name;
pub mod path;
pub mod priority;
pub mod profile;
pub mod quantity;
pub mod resource;
pub mod saved;
pub mod shared;
pub mod spelling;
pub mod state;
pub mod tags;
pub mod time;

pub use acl::Acl;
pub use allowed_value::{AllowedValue, Readers};
pub use id::{AppId, AskId, NodeId};
pub use identity::Identity;
pub use path::QueuePath;
pub use priority::{Priority, PriorityPolicy};
pub use profile::Profile;
pub use quantity::{QuantityFault, parse_quantity};
pub use resource::{MEMORY, Resource, VCORE};
pub use shared::Shared;
pub use state::{AppState, QueueState};
pub use tags::Tags;
pub use time::Time;
