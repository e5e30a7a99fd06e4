//! Pauses the input thread while another program reads the terminal.
//!
//! The thread blocks in the terminal driver. A resize signal wakes it, after which it reaches the gate.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use signal_hook::consts::SIGWINCH;
use signal_hook::low_level;

/// Without pausing, the other program still receives most keys.
const PATIENCE: Duration = Duration::from_millis(500);

#[derive(Default)]
struct GateState {
    closed: bool,
    waiting: bool,
}

/// A gate that a thread passes before each read.
#[derive(Clone, Default)]
pub struct InputGate(Arc<(Mutex<GateState>, Condvar)>);

impl InputGate {
    /// Waits while the gate is closed.
    pub fn pass(&self) {
        let (state, changed) = &*self.0;
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.closed {
            state.waiting = true;
            changed.notify_all();
            state = changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.waiting = false;
    }

    /// Closes the gate, and waits for the thread.
    pub fn pause(&self) {
        let (state, changed) = &*self.0;
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        state.closed = true;
        let _ = low_level::raise(SIGWINCH);
        let _ = changed.wait_timeout_while(state, PATIENCE, |state| !state.waiting);
    }

    /// Opens the gate.
    pub fn resume(&self) {
        let (state, changed) = &*self.0;
        state.lock().unwrap_or_else(PoisonError::into_inner).closed = false;
        changed.notify_all();
    }
}
