//! What the console wants done that takes time or touches the world outside, and what came of it. The update asks for it
//! ([`crate::console::state::State::work`]), the runtime has it done beside the draw loop, and the outcome comes back as an action.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;

use crate::console::present::queue_form;
use crate::console::present::queue_form::Drafted;
use crate::console::state::State;
use crate::console::state::editor::{Checked, Job};
use crate::console::state::past::Moment;
use crate::console::state::placement::WantedFile;
use crate::console::state::records::Compared;
use crate::console::update::{long, names};
use crate::model::{Profile, Time};
use crate::source::Source;
use crate::view::{EventPage, View};

/// Something to be done.
#[derive(Clone, Debug)]
pub enum Work {
    /// Read a configuration that a person named.
    Read(WantedFile),
    /// Make the rows of a long list.
    List(Box<long::Job>),
    /// Find names that complete what is written.
    Names(Box<names::Job>),
    /// Let go of something large that nobody looks at any more.
    Forget(Forgotten),
    /// Look at an edited configuration.
    Check(Box<Job>),
    /// Look at a form on a queue.
    Draft(Box<queue_form::Job>),
    /// Have a text edited in the person's own editor.
    Edit(String),
    /// Open another scheduler, by the name of its context.
    Context(String),
    /// Compare two configurations that were in force.
    Compare {
        /// The numbers of the old one and the new one.
        of: (u64, u64),
        /// Their texts.
        texts: (Arc<str>, Arc<str>),
        /// By which rules they are read.
        profile: Profile,
        /// Which entry of a manifest they are.
        policy_group: String,
    },
    /// Look for what mattered among the events from this number on. The session says of which source.
    Moments(u64),
    /// The same, of this source.
    MomentsOf(Watched, u64),
    /// Take the events of a source from this number on, at most so many.
    EventsOf(Watched, u64, usize),
    /// Put a text into the terminal's clipboard.
    Copy(String),
    /// Write what a list shows into a new file, as CSV, JSON or text by its name.
    Export {
        /// The console as it was.
        state: Box<State>,
        /// Which file.
        file: PathBuf,
        /// What is written, in words.
        what: String,
    },
    /// Write a file anew.
    Write {
        /// Which; one that is there already is left alone.
        file: PathBuf,
        /// What.
        text: String,
        /// What that is, in words: `14 queues`.
        what: String,
    },
}

/// What came of it.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A configuration that was asked for: its name, and a cluster with it in force or why there is none.
    Read(String, Result<Arc<View>, String>),
    /// The rows of a long list.
    Listed(Box<long::Listed>),
    /// Names that complete what was written.
    Named(names::Names),
    /// Events that came since the last ones.
    Events(EventPage),
    /// What an edited configuration would mean.
    Checked(Box<Checked>),
    /// What a form on a queue comes to.
    Drafted(Box<Drafted>),
    /// The text as it came out of the person's own editor.
    Edited(Result<String, String>),
    /// What is different between two configurations.
    Compared(Compared),
    /// What mattered.
    Looked(Looked),
    /// A file was written: what it is now called and what is in it; or why not.
    Written(Result<String, String>),
}

/// Something large that is let go: taking it apart takes longer than a frame may.
#[derive(Clone)]
pub struct Forgotten {
    /// Never looked at: it is held until it is done with.
    _thing: Arc<dyn Any + Send + Sync>,
}

impl Forgotten {
    /// Takes what is let go.
    pub fn of<T: Send + Sync + 'static>(thing: T) -> Self {
        Self { _thing: Arc::new(thing) }
    }
}

impl std::fmt::Debug for Forgotten {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Forgotten")
    }
}

/// A source that is looked at.
#[derive(Clone)]
pub struct Watched(pub Arc<dyn Source>);

impl std::fmt::Debug for Watched {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Watched").field(self.0.about()).finish()
    }
}

/// What mattered among the events that came since one looked last.
#[derive(Clone, Debug)]
pub struct Looked {
    /// Which run of a scheduler it is.
    pub instance: Arc<str>,
    /// The lowest number that was there.
    pub lowest: u64,
    /// The number of the first event that was not looked at.
    pub next: u64,
    /// When the first of those happened that were looked at.
    pub first: Option<Time>,
    /// What mattered, the oldest first.
    pub moments: Vec<Moment>,
}
