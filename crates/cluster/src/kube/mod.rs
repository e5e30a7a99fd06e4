//! A Kubernetes cluster by a kubeconfig: the path to its scheduler, and changes of its objects.
//!
//! Invariants:
//! - only the exec plugins of the kubeconfig are spawned;
//! - no message, log, or debug text contains a token, certificate, key, or line of a kubeconfig;
//! - a rejection names the verb, the resource, the namespace, the user's identity, and the rule that would allow it;
//! - a write names the version or the UID of its object.

mod access;
mod address;
mod bounds;
mod cluster;
mod config_map;
mod connect;
mod event;
mod fault;
mod find;
mod found;
mod items;
pub mod kinds;
mod kubeconfig_field;
mod list;
mod nodes;
mod objects;
mod owners;
mod page;
mod pipe;
mod plugin;
mod pods;
mod pulse;
mod read;
mod reader;
mod refusal_log;
mod review;
pub mod roles;
pub mod settings;
mod uses;
mod via;
mod watch;
mod who;
mod writer;

pub use access::{ContextInfo, Known};
pub use address::{Address, SCHEME};
pub use bounds::Bounds;
pub use cluster::{Cluster, Wanted};
pub use config_map::{CONFIGS, LARGEST, Note, Owner, TextSource, WrittenBy, WrittenConfig};
pub use fault::{Asked, KubeFault};
pub use found::Found;
pub use objects::{Followed, NamedNamespace, NamedNode, PriorityClass, Texts};
pub use page::Pace;
pub use pods::{Deletions, PodOutcome, PodRef};
pub use read::Log;
pub use reader::Reader;
pub use uses::UsedRight;
pub use via::Via;
pub use watch::{Change, Shown, follow_at};
pub use who::Who;
pub use writer::{Content, Writer};
