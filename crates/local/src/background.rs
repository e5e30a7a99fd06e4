//! Bytes on their way to a file, written by a thread of its own: a write can take forever, and the clock of a job must not wait for it.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

/// How many bytes may wait to be written before the job has to wait.
const WAITING: usize = 1 << 20;
/// How long the end of an attempt waits for the last of them.
const LAST: Duration = Duration::from_secs(5);

/// A thread that writes what it is given, in order.
pub(super) struct Background {
    /// `None` when nothing more comes, or no thread can be made.
    chunks: Option<Sender<Vec<u8>>>,
    progress: Arc<Progress>,
}

/// How far the thread is.
#[derive(Default)]
struct Progress {
    state: Mutex<State>,
    written: Condvar,
}

#[derive(Default)]
struct State {
    /// Bytes that wait to be written.
    waiting: usize,
    lost: u64,
    why: String,
}

impl State {
    fn lose(&mut self, bytes: usize, why: &str) {
        self.lost += bytes as u64;
        if self.why.is_empty() && bytes > 0 {
            why.clone_into(&mut self.why);
        }
    }
}

impl Progress {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Background {
    /// Starts the thread. It does `first`, then gives each chunk to what that returned; a chunk that is not written counts as lost, all
    /// of it: how much of it was written is unknown.
    pub fn start<W, F>(first: F) -> Self
    where
        W: FnMut(&[u8]) -> Result<(), String>,
        F: FnOnce() -> W + Send + 'static,
    {
        let (sender, chunks) = channel::<Vec<u8>>();
        let progress = Arc::<Progress>::default();
        let done = Arc::clone(&progress);
        let work = move || {
            let mut write = first();
            for chunk in chunks {
                let written = write(&chunk);
                let mut state = done.state();
                // A chunk that took too long counts already.
                if state.waiting >= chunk.len() {
                    state.waiting -= chunk.len();
                    written.err().into_iter().for_each(|why| state.lose(chunk.len(), &why));
                }
                done.written.notify_all();
            }
        };
        if let Err(why) = Builder::new().name("local-output".to_owned()).spawn(work) {
            // Without its receiver each chunk counts as lost.
            progress.state().why = why.to_string();
        }
        Self { chunks: Some(sender), progress }
    }

    /// Whether more can be taken in; if not, the job has to wait with its output.
    pub fn is_ready(&self) -> bool {
        self.progress.state().waiting < WAITING
    }

    /// Takes bytes in, and never waits.
    pub fn write(&self, bytes: &[u8]) {
        let mut state = self.progress.state();
        let sent = self.chunks.as_ref().is_some_and(|chunks| chunks.send(bytes.to_vec()).is_ok());
        if sent {
            state.waiting += bytes.len();
        } else {
            state.lose(bytes.len(), "cannot write it");
        }
    }

    /// Waits for a moment until all is written; other bytes count as lost.
    pub fn finish(&mut self) {
        self.chunks = None;
        let state = self.progress.state();
        let wait = self.progress.written.wait_timeout_while(state, LAST, |state| state.waiting > 0);
        let (mut state, _) = wait.unwrap_or_else(PoisonError::into_inner);
        let waiting = std::mem::take(&mut state.waiting);
        state.lose(waiting, "writing took too long");
    }

    /// How many bytes were not written, and why.
    pub fn lost(&self) -> (u64, String) {
        let state = self.progress.state();
        (state.lost, state.why.clone())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::Receiver;

    use super::*;

    #[test]
    fn bytes_are_written_in_order_and_faults_are_counted() {
        let (sender, written) = channel();
        let mut background = Background::start(move || {
            move |bytes: &[u8]| {
                if bytes.starts_with(b"x") {
                    Err("full".to_owned())
                } else {
                    sender.send(bytes.to_vec()).map_err(|why| why.to_string())
                }
            }
        });
        for chunk in ["a", "xyz", "b"] {
            background.write(chunk.as_bytes());
        }
        background.finish();
        assert_eq!(written.iter().collect::<Vec<_>>(), [b"a", b"b"]);
        assert_eq!(background.lost(), (3, "full".to_owned()));
        background.write(b"late");
        assert_eq!(background.lost().0, 7);
    }

    #[test]
    fn a_write_that_takes_forever_does_not_keep_the_giver() {
        let (_never, forever): (Sender<()>, Receiver<()>) = channel();
        let mut background = Background::start(move || {
            move |_: &[u8]| {
                let _ = forever.recv();
                Ok(())
            }
        });
        background.write(&vec![0; WAITING - 1]);
        assert!(background.is_ready());
        background.write(&[0]);
        assert!(!background.is_ready(), "memory is bounded");
        background.finish();
        assert_eq!(background.lost(), (WAITING as u64, "writing took too long".to_owned()));
    }
}
