//! W-008, W-009, W-014, and W-015: properties without an effect.

use model::parse_quantity;

use super::{Lint, Queue, fields, is_true, list, text_of};
use crate::node::Fields;
use crate::properties::parse_duration;
use crate::release_keys::OLD_QUOTA_DELAY;

impl Lint {
    pub(super) fn properties(&mut self, queue: Queue<'_, '_>) {
        let Some(properties) = queue.fields.get("properties").and_then(fields) else { return };
        for (key, value) in properties {
            let name = key.text.to_ascii_lowercase();
            // Each other value ends the protection that is inherited.
            let protects = name == "preemption.policy"
                && (value.scalar().is_some_and(|value| value.text.eq_ignore_ascii_case("disabled"))
                    || queue.above.is_some_and(Queue::is_protected));
            match name.as_str() {
                "preemption.delay" | "preemption.policy" if self.preemption_is_off => {
                    let message = format!("`{name}` has no effect: preemption is disabled for the partition");
                    let hint = "set `preemption: {enabled: true}` for the partition, or remove the property";
                    self.warn("W-015", key.at, queue.path, message, hint);
                }
                "priority.offset" | "priority.policy" if !self.creates && queue.is_alone_in_fence() => {
                    let message = format!(
                        "`{name}` has no effect: {} is the only queue in a priority fence, and no queue outside sees its priorities",
                        queue.path
                    );
                    self.warn("W-014", key.at, queue.path, message, "set it on the queue with the fence");
                }
                "preemption.delay" | "preemption.policy" if !protects && !self.may_be_guaranteed(queue) => {
                    let message = format!(
                        "`{name}` has no effect: {}, its parents, and its children have no guarantee",
                        queue.path
                    );
                    self.warn(
                        "W-008",
                        key.at,
                        queue.path,
                        message,
                        "set `resources.guaranteed` above 0, or remove the property",
                    );
                }
                "preemption.policy" => self.vain_fence(queue, key.at),
                "preemption.delay" => self.vain_delay(queue, key.at),
                "quota.preemption.delay" | OLD_QUOTA_DELAY if !self.quotas_are_enforced => {
                    let delay = value.scalar().and_then(|value| parse_duration(value.text));
                    if delay.is_some_and(|delay| !delay.is_zero()) {
                        let message = format!("`{name}` has no effect: quota preemption is off for the partition");
                        let hint = "set `preemption: {quotapreemptionenabled: true}` for the partition (since 1.8.0), or \
                                    remove the property";
                        self.warn("W-015", key.at, queue.path, message, hint);
                    }
                }
                "priority.offset" | "priority.policy"
                    if queue.above.is_none() && queue.path.eq_ignore_ascii_case("root") =>
                {
                    let message = format!("`{name}` of root has no effect: no other queue competes with root");
                    self.warn("W-009", key.at, queue.path, message, "set it on the children of root");
                }
                _ => {}
            }
        }
    }

    /// The queue, one above it, or one below it. The tags of a namespace give a guarantee to a created queue (PLC-076).
    fn may_be_guaranteed(&self, queue: Queue<'_, '_>) -> bool {
        guarantees(queue.fields) || queue.is_guaranteed() || (self.creates && !queue.is_leaf())
    }
}

impl Queue<'_, '_> {
    fn is_leaf(&self) -> bool {
        list(self.fields, "queues").is_empty()
            && !is_true(self.fields, "parent")
            && self.fields.get("childtemplate").is_none()
    }

    /// Whether each queue between this one and a priority fence is an only child.
    fn is_alone_in_fence(&self) -> bool {
        self.above.is_some_and(|above| {
            let is_only = list(above.fields, "queues").len() == 1;
            is_only && (has_fence(above.fields, "priority.policy") || above.is_alone_in_fence())
        })
    }

    pub(super) fn is_guaranteed(&self) -> bool {
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

/// Above 0: a guarantee of 0 is none.
pub(super) fn own_guarantee(of: Fields<'_>) -> bool {
    let guaranteed = of.get("resources").and_then(fields).and_then(|resources| resources.get("guaranteed"));
    let is_above_zero = |name: &str, text: Option<&str>| {
        text.is_some_and(|text| parse_quantity(name, text).ok().is_none_or(|amount| amount > 0))
    };
    guaranteed.and_then(fields).is_some_and(|guaranteed| {
        guaranteed.into_iter().any(|(name, value)| is_above_zero(name.text, value.scalar().map(|scalar| scalar.text)))
    })
}

pub(super) fn has_fence(of: Fields<'_>, key: &str) -> bool {
    let properties = of.get("properties").and_then(fields);
    properties.and_then(|of| text_of(of, key)).is_some_and(|policy| policy.eq_ignore_ascii_case("fence"))
}
