//! What is served and takes orders: an engine on a thread of its own, or a core that is stepped by hand.

use std::sync::Arc;
use std::time::SystemTime;

use super::{Counters, Engine, EventLog, Published};
use crate::model::Time;
use crate::view::act::{Actor, Answer, Order};

/// A scheduler as those see it who show it to others.
pub trait Host: Send + Sync {
    /// What it shows.
    fn published(&self) -> &Published;

    /// The events that have happened.
    fn events(&self) -> &Arc<EventLog>;

    /// What has happened, in numbers.
    fn counters(&self) -> &Arc<Counters>;

    /// What time it is for the scheduler.
    fn now(&self) -> Time;

    /// What the wall clock showed when the scheduler's time began.
    fn began(&self) -> SystemTime;

    /// How much faster than the wall clock the scheduler's time runs.
    fn speed(&self) -> f64;

    /// Has an order carried out. `answer` is called once, from any thread, when what came of it is published.
    fn perform(&self, actor: Actor, order: Order, answer: Answer);
}

impl Host for Engine {
    fn published(&self) -> &Published {
        Self::published(self)
    }

    fn events(&self) -> &Arc<EventLog> {
        Self::events(self)
    }

    fn counters(&self) -> &Arc<Counters> {
        Self::counters(self)
    }

    fn now(&self) -> Time {
        Self::now(self)
    }

    fn began(&self) -> SystemTime {
        self.clock().wall(Time::ZERO)
    }

    fn speed(&self) -> f64 {
        self.clock().speed()
    }

    fn perform(&self, actor: Actor, order: Order, answer: Answer) {
        Self::perform(self, actor, order, answer);
    }
}
