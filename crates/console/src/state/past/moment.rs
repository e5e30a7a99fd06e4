//! Important moments, and the selected past time.

use model::Time;

/// An important event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// The event number.
    pub number: u64,
    /// The scheduler's time.
    pub at: Time,
    /// A short text.
    pub text: String,
}

/// The selected past time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The time of the shown state.
    pub at: Time,
    /// Empty if the user did not step to it.
    pub before: String,
}

/// The direction of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To right before the previous important moment.
    Back,
    /// Finally to the present.
    On,
}
