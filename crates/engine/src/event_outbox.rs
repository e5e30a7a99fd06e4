//! Buffers events between the scheduler and the log.

use std::sync::Arc;

use super::events::{CHUNK, EventLog};
use super::setup::Setup;
use scheduler::Event;

pub(super) struct EventOutbox {
    log: Arc<EventLog>,
    /// Events of whole commands that are not in the log.
    buffer: Vec<Event>,
    buffered: Vec<Vec<Event>>,
    buffers: bool,
    tap: Option<Tap>,
}

struct Tap {
    events: Vec<Event>,
    /// Called for the first event after a take.
    wake: Box<dyn Fn() + Send>,
}

impl EventOutbox {
    pub fn new(setup: &Setup) -> Self {
        let log = Arc::new(EventLog::new(Arc::clone(&setup.instance), setup.profile, &setup.event));
        Self { log, buffer: Vec::new(), buffered: Vec::new(), buffers: false, tap: None }
    }

    pub fn log(&self) -> &Arc<EventLog> {
        &self.log
    }

    /// Sends events to [`EventOutbox::take`] instead of the log.
    pub fn hold(&mut self) {
        self.buffers = true;
    }

    /// Collects every event for [`EventOutbox::take_tapped`]. `wake` is called for the first event after a take.
    pub fn tap(&mut self, wake: Box<dyn Fn() + Send>) {
        self.tap = Some(Tap { events: Vec::new(), wake });
    }

    pub fn take_tapped(&mut self) -> Vec<Event> {
        self.tap.as_mut().map(|tap| std::mem::take(&mut tap.events)).unwrap_or_default()
    }

    pub fn is_read(&self) -> bool {
        self.tap.is_some() || self.log.is_tracking()
    }

    /// Adds the events of a whole command; the log gets none while it does not track.
    pub fn push(&mut self, mut events: Vec<Event>) {
        if let Some(tap) = self.tap.as_mut().filter(|_| !events.is_empty()) {
            let was_empty = tap.events.is_empty();
            tap.events.extend_from_slice(&events);
            if was_empty {
                (tap.wake)();
            }
        }
        if !self.log.is_tracking() {
            return;
        }
        self.buffer.append(&mut events);
        if self.buffer.len() >= CHUNK {
            self.flush();
        }
    }

    pub fn flush(&mut self) {
        if self.buffer.is_empty() {
            return;
        }
        let events = std::mem::take(&mut self.buffer);
        if self.buffers {
            self.buffered.push(events);
        } else {
            self.log.append(events);
        }
    }

    /// The held chunks, the oldest first.
    pub fn take(&mut self) -> Vec<Vec<Event>> {
        std::mem::take(&mut self.buffered)
    }

    /// Logs the held events: their records are on disk.
    pub fn release(&mut self) {
        self.take().into_iter().for_each(|events| self.log.append(events));
    }
}
