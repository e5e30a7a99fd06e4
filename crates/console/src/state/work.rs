//! Work of the worker threads, because it takes time or touches files. An update requests it by
//! [`super::effect::Effect::Work`]; the result returns as a [`super::reply::Reply`].

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
use source::Source;
use view::overview::Given;

/// A piece of work for a worker thread.
#[derive(Clone, Debug)]
pub enum Work {
    /// Read a configuration that a person named.
    ReadConfig(WantedFile),
    /// Make the rows of a long list.
    List(Box<ListJob>),
    /// Find names that complete what is written.
    Names(Box<NamesJob>),
    /// Drop something large that is not on the screen any more.
    Discard(Discarded),
    /// Look at an edited configuration.
    Check(Box<CheckJob>),
    /// Look at a form on a queue.
    Draft(Box<DraftJob>),
    /// Compare two configurations that were active.
    Compare {
        /// The numbers of the old one and the new one.
        of: (u64, u64),
        /// Their texts, the older one first.
        texts: (Arc<str>, Arc<str>),
        /// By which rules they are read.
        profile: Profile,
        /// Which entry of a manifest they are.
        policy_group: String,
    },
    /// Change the silences of a source's alerts: that is written to the disk.
    Silence(SourceHandle, SilenceStep),
    /// Make an overview.
    Overview(Box<Given>),
    /// Find what mattered among the events of a source from this number on.
    FindMoments(SourceHandle, u64),
    /// Read the events of a source from this number on, at most this many.
    ReadEvents(SourceHandle, u64, usize),
    /// Write what a list shows into a new file, as CSV, JSON or text by its name.
    Export {
        /// A copy of the console's state.
        state: Box<State>,
        /// Where it is written; one that is there already is unchanged.
        file: PathBuf,
        /// What is written, in words.
        what: String,
    },
    /// Write a value into the person's settings, or take it out.
    KeepSetting {
        /// The file of the settings; made where it is not there.
        file: PathBuf,
        /// The table of the settings that the key is in, as `views`.
        table: &'static str,
        /// The key in it.
        key: String,
        /// The value in TOML; `None` takes the key out.
        value: Option<String>,
    },
    /// Open a cluster next to the one on the screen, by the name of its context.
    OpenCluster(Opener, String),
    /// Run a workload in virtual time.
    Simulate(Box<SimulateJob>),
    /// Run a person's own command next to the console.
    RunOwn(Box<OwnRun>),
    /// Write a new file.
    Write {
        /// Which; one that is there already is unchanged.
        file: PathBuf,
        /// What is written into it, to the last byte.
        text: String,
        /// What that is, in words: `14 queues`.
        what: String,
    },
}

/// Something large to be dropped: that takes longer than a frame may.
#[derive(Clone)]
pub struct Discarded {
    /// Never examined: it is held until it is done with.
    _thing: Arc<dyn Any + Send + Sync>,
}

impl Discarded {
    /// Takes what is to be dropped.
    pub fn of<T: Send + Sync + 'static>(thing: T) -> Self {
        Self { _thing: Arc::new(thing) }
    }
}

impl std::fmt::Debug for Discarded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Discarded")
    }
}

/// A source, in values that can be printed.
#[derive(Clone)]
pub struct SourceHandle(pub Arc<dyn Source>);

impl std::fmt::Debug for SourceHandle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("SourceHandle").field(self.0.about()).finish()
    }
}

/// What mattered among the events that were looked through.
#[derive(Clone, Debug)]
pub struct MomentPage {
    /// Which run of a scheduler it is.
    pub instance: Arc<str>,
    /// The lowest number that was there.
    pub lowest: u64,
    /// The number of the first event that was not examined.
    pub next: u64,
    /// When the first of those happened that were examined.
    pub first: Option<Time>,
    /// What mattered, the oldest first.
    pub moments: Vec<Moment>,
}
