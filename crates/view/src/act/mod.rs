//! Orders to a running scheduler. An [`Order`] of an [`Actor`] is answered with [`Done`] or a [`Refusal`]; [`may`]
//! predicts rejections.
//!
//! Invariants:
//! - plain data, the same for an embedded and a remote scheduler; no serialization;
//! - a rejection names the check and what is needed, and no other member of an access list (ACL-029).

mod decided;
mod done;
pub mod may;
mod order;
mod permission;
mod refusal;
pub mod rights;

pub use self::decided::{Granted, KillPermission, ServerPermissions};
pub use self::done::{
    Answer, ChangeLine, Cleaned, ConfigMapEntry, Configuration, Configured, Done, DrainingQueue, Killed, LoadedBy,
    Moved, NodeDone, PendingAsks, PodEnd, Released, Submitted,
};
pub use self::order::{Act, Actor, ActsFrom, LONGEST_REASON, MOST_ASKS, Order, PartitionAct};
pub use self::permission::{ConfigRights, may_configure};
pub use self::refusal::{Code, Details, FoundFault, Reason, Refusal};
pub use self::rights::{ClusterRights, EnforceAcl, Right};
pub use scheduler::placement::access::AclKind;
pub use scheduler::{AskSpec, GangStyle, NodeSpec, Submission};
