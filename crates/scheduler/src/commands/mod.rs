//! Commands of resource managers and administrators: the handlers of
//! [`PartitionCommand`](super::interface::command::PartitionCommand).

pub(super) mod admin;
pub(super) mod asks;
pub(super) mod namespace_quota;
pub(super) mod nodes;
pub(super) mod release;
pub(super) mod spent;
pub(super) mod submit;
