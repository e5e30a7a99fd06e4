//! The read model: a cluster at one time.
//!
//! A [`View`] is an immutable value that shares unchanged data with the previous one; untouched rows are the same
//! allocation (`Arc::ptr_eq`).
//!
//! Invariants:
//! - plain data, no serialization, no IO, no clock;
//! - values from several rows (headroom, binding maxima) are computed on demand, in [`explain`], so that a change of
//!   the root does not touch all rows;
//! - the REST client builds the same rows for a remote scheduler.

pub mod act;
pub mod audit;
pub mod build;
pub mod chapter;
pub mod clock_runs;
pub mod drain;
pub mod explain;
pub mod fairness;
pub mod health;
pub mod history;
pub mod job;
pub mod kubernetes;
pub mod limits_used;
pub mod never;
pub mod notice;
pub mod overview;
pub mod preview;
pub mod quota;
pub mod record;
mod row_builder;
pub mod rows;
mod sample;
pub mod shadowed;
mod share;
pub mod simulation;
mod snapshot;
pub mod trends;
pub mod units;
pub mod unread;
mod usage;
pub mod used;
pub mod users;
pub mod waiting;

pub use build::ViewBuilder;
pub use chapter::{Chapter, Toward};
pub use clock_runs::{ClockGap, ClockRuns};
pub use drain::drain_notice;
pub use health::{Health, HealthCheck, health, health_of_snapshot};
pub use history::History;
pub use notice::{Notice, NoticeWeight};
pub use quota::{QuotaEffects, QuotaForecast, QuotaVictim};
pub use record::{ChangeDetail, ChangeType, EventPage, ObjectType, Record};
pub use rows::{
    AppGroup, AppRow, AppSlot, AskNotes, AskRow, AskState, Failure, ForeignAllocation, NodeAllocation, NodeRow, Origin,
    PendingReason, PriorityRow, PropertyRow, QueueRow, QueueSettings, QueueSlot, StateChange,
};
pub use sample::{PartitionSample, QueueSample, Sample};
pub use scheduler::placement;
pub use snapshot::{PartitionView, View};
pub use usage::{LimitUse, QueueUsageRow, UsageRow, UsageRows};
pub use users::Side;

pub use scheduler::usage::QueueLimits;
