//! Slow work and file access for workers: [`super::effect::Effect::Work`] requests it, a [`super::reply::Reply`]
//! returns the result.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use crate::state::State;
use crate::state::change::DraftJob;
use crate::state::editor::CheckJob;
use crate::state::effect::SilenceStep;
use crate::state::jobs::{ListJob, NamesJob};
use crate::state::opener::Opener;
use crate::state::own_command::OwnRun;
use crate::state::past::Moment;
use crate::state::placement::WantedFile;
use crate::state::simulate::SimulateJob;
use model::{Profile, Time};
use source::{OwnHealth, Source};
use view::View;
use view::overview::Given;

/// A task for a worker thread.
#[derive(Clone, Debug)]
pub enum Work {
    /// Read a configuration file that the user named.
    ReadConfig(WantedFile),
    /// Make a long list.
    List(Box<ListJob>),
    /// Find names that complete what is written.
    Names(Box<NamesJob>),
    /// Drop a large value.
    Discard(Discarded),
    /// Check an edited configuration.
    Check(Box<CheckJob>),
    /// Check a form on a queue.
    Draft(Box<DraftJob>),
    /// Compare two revisions.
    Compare {
        /// The numbers of the old and the new revision.
        of: (u64, u64),
        /// Their texts, the old one first.
        texts: (Arc<str>, Arc<str>),
        /// The profile that reads them.
        profile: Profile,
        /// The policy group in a manifest.
        policy_group: String,
    },
    /// Run the health checks of a view with many applications.
    CheckUp(Arc<View>, Time, OwnHealth),
    /// Change silences; this writes to the disk.
    Silence(SourceHandle, SilenceStep),
    /// Make an overview.
    Overview(Box<Given>),
    /// Find important events from this number.
    FindMoments(SourceHandle, u64),
    /// Read events from this number, with a maximum count.
    ReadEvents(SourceHandle, u64, usize),
    /// CSV, JSON, or text by extension.
    Export {
        /// A copy of the console's state.
        state: Box<State>,
        /// The file; an existing file is not modified.
        file: PathBuf,
        /// The description of the content.
        what: String,
    },
    /// Set or remove a value in the user's settings.
    KeepSetting {
        /// The settings file; created if missing.
        file: PathBuf,
        /// The table of the key, for example `views`.
        table: &'static str,
        /// The key in it.
        key: String,
        /// TOML; `None` removes the key.
        value: Option<String>,
    },
    /// Open a cluster for the clusters page, by context.
    OpenCluster(Opener, String),
    /// Run a workload in virtual time.
    Simulate(Box<SimulateJob>),
    /// Run a user's own command in the background.
    RunOwn(Box<OwnRun>),
    /// Write a new file.
    Write {
        /// The file; an existing file is not modified.
        file: PathBuf,
        /// The exact content.
        text: String,
        /// The description of the content: `14 queues`.
        what: String,
    },
}

/// The drop takes longer than a frame.
#[derive(Clone)]
pub struct Discarded {
    /// Held only until the drop.
    _thing: Arc<dyn Any + Send + Sync>,
}

impl Discarded {
    /// Wraps a value to drop.
    pub fn of<T: Send + Sync + 'static>(thing: T) -> Self {
        Self { _thing: Arc::new(thing) }
    }
}

impl std::fmt::Debug for Discarded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Discarded")
    }
}

/// A source with a `Debug` implementation.
#[derive(Clone)]
pub struct SourceHandle(pub Arc<dyn Source>);

impl std::fmt::Debug for SourceHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SourceHandle").field(self.0.about()).finish()
    }
}

/// The important events of a range.
#[derive(Clone, Debug)]
pub struct MomentPage {
    /// The scheduler instance.
    pub instance: Arc<str>,
    /// The lowest available number.
    pub lowest: u64,
    /// The number of the first unexamined event.
    pub next: u64,
    /// The time of the first examined event.
    pub first: Option<Time>,
    /// The important events, the oldest first.
    pub moments: Vec<Moment>,
}
