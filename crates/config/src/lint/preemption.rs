//! W-008 and W-009: properties of preemption and priority that cannot have an effect.

use super::{Lint, Queue, fields, list};
use crate::node::Fields;

impl Lint {
    /// The properties of a queue.
    pub(super) fn properties(&mut self, queue: Queue<'_, '_>) {
        let Some(properties) = queue.fields.get("properties").and_then(fields) else { return };
        for (key, _) in properties {
            let name = key.text.to_ascii_lowercase();
            match name.as_str() {
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
    /// Whether the queue, or one above it, has a guarantee.
    fn is_guaranteed(&self) -> bool {
        own_guarantee(self.fields) || self.above.is_some_and(Self::is_guaranteed)
    }
}

/// Whether the queue, its template, or a queue below it has a guarantee.
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
