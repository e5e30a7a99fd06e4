//! An important moment, and the moment that is shown.

use model::Time;

/// Something that happened and mattered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The number of its event.
    pub number: u64,
    /// When it was, in the scheduler's time.
    pub at: Time,
    /// What, in a few words.
    pub text: String,
}

/// The past as it is on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// At what time it was as it is shown.
    pub at: Time,
    /// What happened right after it; empty when that is not why one got there.
    pub before: String,
}

/// Where one goes from here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the moment before the last thing that mattered.
    Back,
    /// To the moment before the next one, at last to the present.
    On,
}
