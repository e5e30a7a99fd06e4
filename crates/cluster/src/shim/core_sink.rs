//! The engine's core as the sink of a live mapping.

use std::sync::Arc;

use engine::Core;
use kubernetes::live::{PARTITION, Sink};
use kubernetes::predicates::Snapshot;
use scheduler::{Command, Event, PartitionCommand};

/// A core as a sink.
pub struct CoreSink<'c>(pub &'c mut Core);

impl Sink for CoreSink<'_> {
    fn apply(&mut self, command: PartitionCommand) {
        self.0.apply(&Command::In { partition: Some(Arc::from(PARTITION)), command });
    }

    fn set_filters(&mut self, filters: Snapshot) {
        self.0.set_predicates(PARTITION, Arc::new(filters));
    }

    fn filters(&mut self, change: &mut dyn FnMut(&mut Snapshot)) {
        self.0.change_predicates(PARTITION, |predicates| {
            if let Some(filters) = predicates.as_any().and_then(|any| any.downcast_mut()) {
                change(filters);
            }
        });
    }

    fn take_events(&mut self) -> Vec<Event> {
        self.0.take_tapped()
    }
}
