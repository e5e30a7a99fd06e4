//! W-008, W-009, W-014, and W-015: properties of preemption and priority without an effect.

use super::{Lint, Queue, fields, list, text_of};
use crate::node::Fields;

impl Lint {
    pub(super) fn properties(&mut self, queue: Queue<'_, '_>) {
        let Some(properties) = queue.fields.get("properties").and_then(fields) else { return };
        for (key, _) in properties {
            let name = key.text.to_ascii_lowercase();
            match name.as_str() {
                "preemption.delay" | "preemption.policy" if self.preemption_is_off => {
                    let message = format!("`{name}` has no effect: preemption is disabled for the partition");
                    let hint = "set `preemption: {enabled: true}` for the partition, or remove the property";
                    self.warn("W-015", key.at, queue.path, message, hint);
                }
                "preemption.policy" if queue.is_fenced_leaf() => {
                    let message = format!(
                        "requests in {} never preempt, although it has a guarantee: a fence on a leaf stops the search for victims there",
                        queue.path
                    );
                    let hint = "set the fence on a parent queue; to protect this queue, its guarantee is enough";
                    self.warn("W-015", key.at, queue.path, message, hint);
                }
                "priority.offset" | "priority.policy" if !self.creates && queue.is_alone_in_fence() => {
                    let message = format!(
                        "`{name}` has no effect: {} is the only queue in a priority fence, and no queue outside sees its priorities",
                        queue.path
                    );
                    self.warn("W-014", key.at, queue.path, message, "set it on the queue with the fence");
                }
                "preemption.delay" | "preemption.policy" if !guarantees(queue.fields) && !queue.is_guaranteed() => {
                    let message = format!(
                        "`{name}` has no effect: {} and the queues above and below it have no guarantee",
                        queue.path
                    );
                    self.warn(
                        "W-008",
                        key.at,
                        queue.path,
                        message,
                        "set `resources.guaranteed`, or remove the property",
                    );
                }
                "priority.offset" | "priority.policy"
                    if queue.above.is_none() && queue.path.eq_ignore_ascii_case("root") =>
                {
                    let message = format!("`{name}` of root has no effect: no other queue competes with root");
                    self.warn("W-009", key.at, queue.path, message, "set it on the queues below root");
                }
                _ => {}
            }
        }
    }
}

impl Queue<'_, '_> {
    /// Whether the queue is a leaf with guaranteed resources and a preemption fence.
    fn is_fenced_leaf(&self) -> bool {
        let is_leaf = list(self.fields, "queues").is_empty()
            && text_of(self.fields, "parent") != Some("true")
            && self.fields.get("childtemplate").is_none();
        is_leaf && own_guarantee(self.fields) && property(self.fields, "preemption.policy") == Some("fence")
    }

    /// With this queue as the only child.
    fn is_alone_in_fence(&self) -> bool {
        self.above.is_some_and(|above| {
            let is_fence = property(above.fields, "priority.policy") == Some("fence");
            is_fence && list(above.fields, "queues").len() == 1
        })
    }

    /// On the path.
    fn is_guaranteed(&self) -> bool {
        own_guarantee(self.fields) || self.above.is_some_and(Self::is_guaranteed)
    }
}

/// The queue, its template, or a descendant.
fn guarantees(queue: Fields<'_>) -> bool {
    let template = queue.get("childtemplate").and_then(fields);
    own_guarantee(queue)
        || template.is_some_and(own_guarantee)
        || list(queue, "queues").into_iter().filter_map(fields).any(guarantees)
}

fn own_guarantee(of: Fields<'_>) -> bool {
    let guaranteed = of.get("resources").and_then(fields).and_then(|resources| resources.get("guaranteed"));
    guaranteed.and_then(fields).is_some_and(|guaranteed| guaranteed.into_iter().next().is_some())
}

fn property<'d>(of: Fields<'d>, key: &str) -> Option<&'d str> {
    text_of(of.get("properties").and_then(fields)?, key)
}
