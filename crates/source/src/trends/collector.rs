//! The measuring thread.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;

use super::Trends;
use crate::Source;

/// The check interval; at 40 times the speed, it is 10 seconds of cluster time.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// Measures a source until it or the source is dropped, and then writes the rest.
#[derive(Debug)]
pub struct Collector {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Collector {
    /// Starts to measure. Without a thread nothing is measured; everything else continues.
    pub fn start(source: &Arc<dyn Source>, trends: Arc<Trends>) -> Self {
        let (stop, stopped) = channel();
        let source = Arc::downgrade(source);
        let work = move || work(&source, &trends, &stopped);
        let thread = std::thread::Builder::new().name("trends".to_owned()).spawn(work).ok();
        Self { stop: Some(stop), thread }
    }

    /// As [`Self::start`], until the source is dropped.
    pub fn detached(source: &Arc<dyn Source>, trends: Arc<Trends>) {
        let (stop, stopped) = channel();
        let source = Arc::downgrade(source);
        let work = move || {
            work(&source, &trends, &stopped);
            drop(stop);
        };
        let _ = std::thread::Builder::new().name("trends".to_owned()).spawn(work);
    }
}

fn work(source: &Weak<dyn Source>, trends: &Trends, stopped: &Receiver<()>) {
    trends.open();
    while stopped.recv_timeout(CHECK_INTERVAL) == Err(RecvTimeoutError::Timeout) {
        let Some(source) = source.upgrade() else { break };
        trends.observe(&*source);
    }
    trends.finish();
}

impl Drop for Collector {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
