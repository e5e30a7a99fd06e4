//! The journal: everything that changes a scheduler, written down before it is answered.
//!
//! How it works: a [`Core`](super::Core) records its changes ([`record`], [`recorder`]). An order is written and synced before it
//! is carried out, many at once where many wait. Cycles, timers and the workload's commands are written in the background by a
//! thread of its own ([`committer`]). No view, event or answer goes out before all of its data are on the disk. So an answered order
//! cannot be lost, and a refused one cannot return. From time to time another thread makes a snapshot
//! ([`snapshots`]) from the one before and the records since, so that a start replays little. The snapshots of a day stay, so that
//! the past can be shown ([`JournalHistory`]).
//!
//! Where to read: [`folder`] opens a state directory, with its [`lock`], and [`inspect`] one that no one runs; [`audit_folder`] keeps the audit of a
//! scheduler whose state is elsewhere; [`recording`] reads a span of either. [`store`] is its content, on a
//! [`disk`], in [`frame`]s with checksums of their own. [`refused`] has the records of refused orders, [`repair`] repairs damage, [`last`]
//! notices a missing end.
//!
//! Invariants:
//! - the records are numbered from 1 without a gap, in the order in which they were carried out;
//! - the data of a failed commit are cut off before anything else is written;
//! - a snapshot holds the result of all records up to its number, and nothing else.

mod archive;
pub mod audit_folder;
pub mod bounded;
pub mod committer;
pub mod disk;
pub mod folder;
pub mod folder_error;
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

pub use audit_folder::{AuditFolder, AuditInspection, AuditWriter};
pub use committer::{Journal, JournalThread};
pub use disk::{Disk, FileDisk, MemoryDisk};
pub use folder::{Folder, MakeCore, RunningJournal};
pub use folder_error::FolderError;
pub use history::JournalHistory;
pub use inspect::{FolderInspection, Inspected};
pub use record::{CheckedOrder, OrderRecord, Record, RecordedCommand, RecordedRefusal, WallTime};
pub use recorder::{RecordBlock, Recorder};
pub use recording::Recording;
pub use salvage::SalvagedFolder;
pub use store::{FORMAT, Store, StoreError};
pub use tables::{Change, EntryTable, JournalHead, SnapshotIndex};
