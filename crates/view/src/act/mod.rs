//! What a person, a script or a file asks of a running scheduler, who asks, and the outcome.
//!
//! There is one road for all of them: an [`Order`] of an [`Actor`] goes to the scheduler's owner, which checks every right,
//! carries it out whole or not at all, and answers with [`Done`] or a [`Refusal`]. [`may`] asks the same of a view, to gray out
//! what would be refused.
//!
//! Invariants:
//! - plain data, the same for a scheduler in this process and one elsewhere; no serialization;
//! - a rejection says which check refused and what would be needed, and names no one else from an access list (ACL-029).

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
