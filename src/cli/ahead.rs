//! A simulation that runs ahead before it is shown, so that its first frame has trends.

use std::time::Duration;

use super::console::Opened;
use model::QueueState;
use source::{Source as _, Stepped, Trends};
use view::PartitionView;
use view::act::Actor;

const MEASURED: Duration = Duration::from_secs(10);

const UNTIL_DRAIN: Duration = Duration::from_secs(600);

/// Runs a scheduler in virtual time with trends, then until a queue drains.
pub fn run(opened: Opened, actor: Actor, trends: &Trends) -> Opened {
    if opened.ahead.is_zero() {
        return opened;
    }
    let Opened { core, about, ahead, .. } = opened;
    let stepped = Stepped::new(core, about.clone(), actor);
    let mut left = ahead;
    while !left.is_zero() {
        let step = left.min(MEASURED);
        stepped.advance(step);
        trends.observe(&stepped);
        left -= step;
    }
    let drains = || {
        let view = stepped.view();
        view.partitions.iter().flat_map(PartitionView::walk).any(|queue| queue.state == QueueState::Draining)
    };
    let latest = stepped.now() + UNTIL_DRAIN;
    while !drains() && stepped.now() < latest {
        stepped.advance(MEASURED);
        trends.observe(&stepped);
    }
    Opened { core: stepped.into_core(), about, ..opened }
}
