//! Writes in a thread: a write can block forever, but a job's clock must not.

use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

const WAITING: usize = 1 << 20;
const LAST: Duration = Duration::from_secs(5);

pub(super) struct Background {
    /// `None` after the last chunk, or if no thread can be started.
    chunks: Option<Sender<Vec<u8>>>,
    progress: Arc<Progress>,
}

#[derive(Default)]
struct Progress {
    state: Mutex<State>,
    written: Condvar,
}

#[derive(Default)]
struct State {
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
    /// Starts a thread that runs `first`, then passes each chunk to the returned function. A failed chunk is lost as a
    /// whole: the written part is unknown.
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
                // A timed-out chunk is already counted.
                if state.waiting >= chunk.len() {
                    state.waiting -= chunk.len();
                    written.err().into_iter().for_each(|why| state.lose(chunk.len(), &why));
                }
                done.written.notify_all();
            }
        };
        if let Err(why) = Builder::new().name("local-output".to_owned()).spawn(work) {
            progress.state().why = why.to_string();
        }
        Self { chunks: Some(sender), progress }
    }

    /// Returns false if the job must wait with its output.
    pub fn is_ready(&self) -> bool {
        self.progress.state().waiting < WAITING
    }

    /// Accepts bytes without blocking.
    pub fn write(&self, bytes: &[u8]) {
        let mut state = self.progress.state();
        let sent = self.chunks.as_ref().is_some_and(|chunks| chunks.send(bytes.to_vec()).is_ok());
        if sent {
            state.waiting += bytes.len();
        } else {
            state.lose(bytes.len(), "cannot write the output");
        }
    }

    /// Waits briefly; unwritten bytes are lost.
    pub fn finish(&mut self) {
        self.chunks = None;
        let state = self.progress.state();
        let wait = self.progress.written.wait_timeout_while(state, LAST, |state| state.waiting > 0);
        let (mut state, _) = wait.unwrap_or_else(PoisonError::into_inner);
        let waiting = std::mem::take(&mut state.waiting);
        state.lose(waiting, "writing took too long");
    }

    /// Returns the lost bytes, and the reason.
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
    fn an_endless_write_does_not_block_its_caller() {
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
