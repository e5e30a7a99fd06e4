//! The journal: every change of a scheduler, written before it is answered.
//!
//! A [`Core`](super::Core) records its changes ([`record`], [`recorder`]). An order is written and synced before its
//! execution. Cycles, timers, and workload commands are written in the background ([`committer`]). Views, events, and
//! answers go out only when all their data is on disk, so an answered order cannot be lost, and a rejected one cannot
//! return. [`snapshots`] keep a start short.
//!
//! [`dir`] opens a state directory with its [`lock`], [`inspect`] an unused one, [`audit_dir`] one with only the audit;
//! [`store`] is the content, on a [`disk`], in [`frame`]s; [`repair`] repairs damage.
//!
//! Invariants:
//! - records are numbered from 1 without a gap, in execution order;
//! - the data of a failed commit is cut off before anything else is written;
//! - a snapshot contains the result of exactly the records up to its number.

mod archive;
pub mod audit_dir;
pub mod bounded;
pub mod committer;
pub mod dir;
pub mod dir_error;
pub mod disk;
pub mod frame;
pub mod history;
pub mod inspect;
pub mod last;
pub mod lock;
pub mod record;
pub mod recorder;
pub mod recording;
pub mod refused;
pub mod repair;
pub mod salvage;
pub mod snapshots;
pub mod store;
pub mod tables;
mod write_batch;

pub use audit_dir::{AuditDir, AuditInspection, AuditWriter};
pub use committer::{Journal, JournalThread};
pub use dir::{Dir, MakeCore, RunningJournal};
pub use dir_error::DirError;
pub use disk::{Disk, FileDisk, MemoryDisk};
pub use history::JournalHistory;
pub use inspect::{DirInspection, Inspected};
pub use record::{CheckedOrder, OrderRecord, Record, RecordedCommand, RecordedRefusal, WallTime};
pub use recorder::{RecordBlock, Recorder};
pub use recording::Recording;
pub use salvage::SalvagedDir;
pub use store::{FORMAT, Store, StoreError};
pub use tables::{Change, EntryTable, JournalHead, SnapshotIndex};
