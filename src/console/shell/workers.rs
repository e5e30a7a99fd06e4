//! Who does what the console wants done beside its draw loop: a thread of its own for long lists and for what is let go, and one for
//! each other piece of work, which may take as long as a file or a text does.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::Builder;

use crate::console::shell::perform;
use crate::console::state::work::{Outcome, Work};

/// Does a piece of work here and now, as far as it needs no terminal. `None` when nothing comes of it.
pub fn perform(work: Work) -> Option<Outcome> {
    perform::perform(work)
}

/// The threads beside a draw loop. The first of them ends with this.
pub struct Hands {
    quick: Sender<(u64, Work)>,
    tell: Arc<dyn Fn(u64, Outcome) + Send + Sync>,
}

impl Hands {
    /// Begins. `tell` is called with what came of each piece of work and the era of the session that it is of, from any thread.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn new(tell: impl Fn(u64, Outcome) + Send + Sync + 'static) -> io::Result<Self> {
        let tell: Arc<dyn Fn(u64, Outcome) + Send + Sync> = Arc::new(tell);
        let (quick, works) = channel::<(u64, Work)>();
        let told = Arc::clone(&tell);
        let done = |(era, work)| perform(work).map(|outcome| (era, outcome));
        let make = move || works.into_iter().filter_map(done).for_each(|(era, outcome)| told(era, outcome));
        Builder::new().name("console-lists".to_owned()).spawn(make)?;
        Ok(Self { quick, tell })
    }

    /// Has something done that needs no terminal, for an era of the session.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn give(&self, era: u64, work: Work) -> io::Result<()> {
        if let Work::List(_) | Work::Names(_) | Work::Forget(_) | Work::EventsOf(..) = work {
            // The thread waits for as long as there is a sender.
            let _ = self.quick.send((era, work));
            return Ok(());
        }
        let tell = Arc::clone(&self.tell);
        let make = move || {
            if let Some(outcome) = perform(work) {
                tell(era, outcome);
            }
        };
        Builder::new().name("console-work".to_owned()).spawn(make).map(drop)
    }
}
