//! Upper bounds of the nodes' resources: a request that fits none of them fits no node.
//!
//! Invariants:
//! - for every open node (schedulable, not reserved) one resource of the list is at least as large in every name;
//! - a decrease on a node changes nothing, so a list may be too large; [`Skyline::of`] makes an exact one, as far as
//!   [`MOST`] resources allow.

use std::cmp::Reverse;

use model::{Resource, VCORE};

const MOST: usize = 64;
/// From here on, a list that only grew is compacted.
const TOO_MANY: usize = 2 * MOST;

#[derive(Clone, Debug, Default)]
pub(crate) struct Skyline {
    tops: Vec<Resource>,
}

impl Skyline {
    /// The list for these nodes.
    pub fn of<'a>(nodes: impl Iterator<Item = &'a Resource>) -> Self {
        let mut tops: Vec<&Resource> = nodes.collect();
        tops.sort_unstable_by(|left, right| right.cmp_by_name(left));
        // By decreasing memory: a resource without more of the second name adds nothing.
        let mut highest: Option<&Resource> = None;
        tops.retain(|node| {
            let new = highest.is_none_or(|highest| !highest.at_least(node));
            if new && highest.is_none_or(|highest| highest.amount(VCORE) <= node.amount(VCORE)) {
                highest = Some(*node);
            }
            new
        });
        let each = tops.len().div_ceil(MOST).max(1);
        let tops = tops.chunks(each).map(|part| part.iter().fold(Resource::new(), |max, top| max.max(top)));
        Self { tops: tops.collect() }
    }

    /// Adds a resource of a node, which may have grown.
    pub fn raise(&mut self, node: &Resource) {
        if self.tops.iter().any(|top| top.at_least(node)) {
            return;
        }
        self.tops.retain(|top| !node.at_least(top));
        self.tops.push(node.clone());
        if self.tops.len() > TOO_MANY {
            self.tops.sort_by_cached_key(|top| Reverse(top.amount(VCORE)));
            *self = Self::of(self.tops.iter());
        }
    }

    /// If `false`, it fits none.
    pub fn may_hold(&self, ask: &Resource) -> bool {
        self.tops.iter().any(|top| top.fit_in(ask))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn resources(most: usize) -> impl Strategy<Value = Vec<Resource>> {
        let amounts = prop::collection::vec((prop::sample::select(&["memory", "vcore", "gpu"]), -2..30i64), 0..4);
        prop::collection::vec(amounts.prop_map(|pairs| pairs.into_iter().collect::<Resource>()), 0..most)
    }

    proptest! {
        #[test]
        fn a_request_that_fits_a_node_is_never_ruled_out(first in resources(300), later in resources(200), asks in resources(30)) {
            let mut skyline = Skyline::of(first.iter());
            later.iter().for_each(|node| skyline.raise(node));
            for ask in &asks {
                let fits = first.iter().chain(&later).any(|node| node.fit_in(ask));
                prop_assert!(skyline.may_hold(ask) || !fits, "{ask}");
            }
        }

        #[test]
        fn two_names_are_answered_exactly(nodes in prop::collection::vec((0..9i64, 0..9i64), 0..60), ask in (0..10i64, 0..10i64)) {
            let of = |(memory, vcore): (i64, i64)| [("memory", memory), ("vcore", vcore)].into_iter().collect();
            let nodes: Vec<Resource> = nodes.into_iter().map(of).collect();
            let ask: Resource = of(ask);
            prop_assert_eq!(Skyline::of(nodes.iter()).may_hold(&ask), nodes.iter().any(|node| node.fit_in(&ask)));
        }
    }
}
