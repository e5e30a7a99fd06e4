//! W-015: queues with a guarantee whose requests find no victims (SCH-152, SCH-153).

use super::preemption::{has_fence, own_guarantee};
use super::{Lint, Queue, fields, is_true, list, text_of};
use crate::node::Fields;
use crate::types::Place;
use crate::values::PreemptionPolicy;

const POLICY: &str = "preemption.policy";

/// `None` leaves a leaf out.
type IsSo<'f> = &'f mut dyn FnMut(&mut Lint, Queue<'_, '_>) -> Option<bool>;

/// The leaves of a queue that preemption can choose: the first two, so that each leaf knows whether there is another.
#[derive(Clone, Debug, Default)]
pub(super) struct Victims {
    first: Vec<Place>,
    leaves: usize,
}

impl Lint {
    /// A fence that keeps each queue with a guarantee from its victims.
    pub(super) fn vain_fence(&mut self, queue: Queue<'_, '_>, at: Place) {
        if !has_fence(queue.fields, POLICY) || !self.is_vain(queue) {
            return;
        }
        let path = queue.path;
        let owner = if own_guarantee(queue.fields) { "it has" } else { "its queues have" };
        let message = if !is_parent(queue.fields) {
            let owner = if own_guarantee(queue.fields) { "it" } else { "its parent" };
            format!(
                "requests in {path} never preempt, although {owner} has a guarantee: a fence on a leaf stops the search for \
                 victims there"
            )
        } else if self.victims_in(queue).leaves > 1 {
            format!(
                "requests in {path} never preempt, although {owner} a guarantee: the search for victims stops at the fence, and \
                 the other queues in it have `preemption.policy: disabled`"
            )
        } else {
            format!(
                "requests in {path} never preempt, although {owner} a guarantee: the search for victims stops at the fence, and \
                 only one queue is in it"
            )
        };
        let hint =
            "set the fence on a queue that also contains the victims; to protect this queue, its guarantee is enough";
        self.warn("W-015", at, path, message, hint);
    }

    /// A delay of queues whose victims are all protected.
    pub(super) fn vain_delay(&mut self, queue: Queue<'_, '_>, at: Place) {
        if !self.all_leaves(queue, &mut |lint, leaf| Some(lint.has_only_protected_victims(leaf))) {
            return;
        }
        let message = format!(
            "`preemption.delay` has no effect: requests in {} never preempt, because `preemption.policy: disabled`, own or \
             inherited, protects all other queues",
            queue.path
        );
        let hint = "set `preemption.policy: default` on the queues that can be preempted, or remove the property";
        self.warn("W-015", at, queue.path, message, hint);
    }

    /// Whether the fence of this queue is why its queues with a guarantee find no victims.
    fn is_vain(&mut self, fence: Queue<'_, '_>) -> bool {
        let at = fence.fields.at();
        if let Some(known) = self.vain_fences.get(&at) {
            return *known;
        }
        // Nothing is outside the root.
        let is_outermost = fence.above.is_none() && fence.path.eq_ignore_ascii_case("root");
        let is_vain = !is_outermost
            && self.all_leaves(fence, &mut |lint, leaf| {
                (leaf.fence().fields.at() == at).then(|| !lint.finds_victims(leaf))
            });
        self.vain_fences.insert(at, is_vain);
        is_vain
    }

    fn has_only_protected_victims(&mut self, leaf: Queue<'_, '_>) -> bool {
        let fence = leaf.fence();
        // The fence has its own warning.
        let is_told = has_fence(fence.fields, POLICY) && self.is_vain(fence);
        // An example with one queue omits the others.
        let is_chosen = leaf.is_protected() || self.victims_in(fence).leaves > 1;
        !is_told && is_chosen && !self.finds_victims(leaf)
    }

    /// Whether it is so for all leaves with a guarantee, and for at least one.
    fn all_leaves(&mut self, queue: Queue<'_, '_>, is_so: IsSo<'_>) -> bool {
        self.leaves(queue, is_so) == Some(true)
    }

    /// `None` if no leaf decides.
    fn leaves(&mut self, queue: Queue<'_, '_>, is_so: IsSo<'_>) -> Option<bool> {
        if !is_parent(queue.fields) {
            return if queue.is_guaranteed() { is_so(self, queue) } else { None };
        }
        let mut all = None;
        for child in list(queue.fields, "queues").into_iter().filter_map(fields) {
            match self.leaves(Queue { fields: child, path: "", above: Some(&queue) }, is_so) {
                Some(false) => return Some(false),
                Some(true) => all = Some(true),
                None => {}
            }
        }
        all
    }

    fn finds_victims(&mut self, leaf: Queue<'_, '_>) -> bool {
        let fence = leaf.fence();
        if fence.fields.at() == leaf.fields.at() {
            return false;
        }
        // Without a configured root, the other queues are not below this one. Created queues inherit no protection.
        let is_unknown = !has_fence(fence.fields, POLICY) && !fence.path.eq_ignore_ascii_case("root");
        is_unknown || self.creates || self.victims_in(fence).first.iter().any(|victim| *victim != leaf.fields.at())
    }

    fn victims_in(&mut self, fence: Queue<'_, '_>) -> Victims {
        let at = fence.fields.at();
        if let Some(known) = self.victims.get(&at) {
            return known.clone();
        }
        let mut found = Victims::default();
        found.add(fence.fields, fence.above.is_some_and(Queue::is_protected));
        self.victims.insert(at, found.clone());
        found
    }
}

impl Victims {
    fn add(&mut self, queue: Fields<'_>, is_protected: bool) {
        let is_protected = own_policy(queue).map_or(is_protected, |policy| policy == PreemptionPolicy::Disabled);
        if is_parent(queue) {
            list(queue, "queues").into_iter().filter_map(fields).for_each(|child| self.add(child, is_protected));
            return;
        }
        self.leaves += 1;
        if !is_protected && self.first.len() < 2 {
            self.first.push(queue.at());
        }
    }
}

impl Queue<'_, '_> {
    /// The queue in which the search for victims ends: this one, or one above.
    fn fence(&self) -> Self {
        match self.above {
            Some(above) if !has_fence(self.fields, POLICY) => above.fence(),
            _ => *self,
        }
    }

    /// Only `disabled` is inherited, and each other value ends it.
    pub(super) fn is_protected(&self) -> bool {
        match own_policy(self.fields) {
            Some(policy) => policy == PreemptionPolicy::Disabled,
            None => self.above.is_some_and(Self::is_protected),
        }
    }
}

fn own_policy(queue: Fields<'_>) -> Option<PreemptionPolicy> {
    let properties = queue.get("properties").and_then(fields)?;
    text_of(properties, POLICY).map(|text| PreemptionPolicy::parse(text).unwrap_or_default())
}

fn is_parent(queue: Fields<'_>) -> bool {
    !list(queue, "queues").is_empty() || is_true(queue, "parent")
}
