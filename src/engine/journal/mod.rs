//! The journal: everything that changes a scheduler, written down before it is answered.
//!
//! How it works: a [`Core`](super::Core) writes down what changes it ([`record`], [`recorder`]). An order is written and synced before it
//! is carried out, many at once where many wait; cycles, timers and what a workload does are written behind the scheduler's back by a
//! thread of its own ([`committer`]), and no view, event or answer goes out before all that it shows is on the disk. So nothing that
//! was answered can be lost, and nothing that was refused can come back. From time to time a snapshot is made by another
//! thread ([`snapshots`]) from the one before and the records since, so that a start replays little; those of a day stay, so that
//! the past can be looked at ([`JournalHistory`]).
//!
//! Where to read: [`folder`] opens a state folder, with its [`lock`], and [`look`] one that nobody runs; [`store`] is what is in it, on a [`disk`], in [`frame`]s with
//! checksums of their own; [`refused`] what is kept of refused orders; [`repair`] what is done about damage, [`last`] how a
//! missing end is noticed.
//!
//! Invariants:
//! - the records are numbered from 1 without a gap, in the order in which they were carried out;
//! - what a failed commit would have written is cut off before anything else is written;
//! - a snapshot holds what all records up to its number led to, and nothing else.

mod archive;
mod bounded;
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
pub mod refused;
pub mod repair;
pub mod snapshots;
pub mod store;
pub mod tables;
mod write_batch;

pub use committer::{Journal, JournalThread};
pub use disk::{Disk, FileDisk, MemoryDisk};
pub use folder::{Folder, MakeCore, RunningJournal};
pub use folder_error::FolderError;
pub use history::JournalHistory;
pub use inspect::FolderInspection;
pub use record::{CheckedOrder, OrderRecord, Record, RecordedCommand, RecordedRefusal, WallTime};
pub use recorder::{RecordBlock, Recorder};
pub use store::{FORMAT, Store, StoreError};
pub use tables::{Change, EntryTable, JournalHead, SnapshotIndex};
