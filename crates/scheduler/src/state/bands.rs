//! The resources of an application's requests and allocations by priority.

use std::collections::BTreeMap;

use crate::state::ask::Ask;
use model::{Priority, Resource};

/// The sums of one priority.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Band {
    /// The priority of the requests.
    pub priority: Priority,
    /// Allocated, including placeholders.
    pub allocated: Resource,
    /// Asked for and not allocated.
    pub pending: Resource,
}

/// The sums by priority. Those of the first request's priority are the remainder of the application's sums, so one
/// priority costs nothing.
#[derive(Clone, Debug, Default, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Bands {
    usual: Option<Priority>,
    others: Vec<Band>,
}

impl Bands {
    /// The first request sets the usual priority.
    pub(crate) fn meet(&mut self, priority: Priority) {
        self.usual.get_or_insert(priority);
    }

    /// `None` for the usual priority.
    pub(crate) fn sum(&mut self, priority: Priority, allocated: bool) -> Option<&mut Resource> {
        if self.usual.is_none_or(|usual| usual == priority) {
            return None;
        }
        let at = match self.others.binary_search_by_key(&priority, |band| band.priority) {
            Ok(at) => at,
            Err(at) => {
                let (allocated, pending) = (Resource::new(), Resource::new());
                self.others.insert(at, Band { priority, allocated, pending });
                at
            }
        };
        let band = &mut self.others[at];
        Some(if allocated { &mut band.allocated } else { &mut band.pending })
    }

    pub(crate) fn add(&mut self, priority: Priority, allocated: bool, resource: &Resource) {
        if let Some(sum) = self.sum(priority, allocated) {
            sum.add_assign(resource);
        }
    }

    /// Subtracts a resource. A priority without resources is removed.
    pub(crate) fn sub(&mut self, priority: Priority, allocated: bool, resource: &Resource) {
        let Some(sum) = self.sum(priority, allocated) else { return };
        sum.sub_assign(resource);
        sum.prune();
        self.others.retain(|band| !band.allocated.is_zero() || !band.pending.is_zero());
    }

    pub(crate) fn end_pending(&mut self) {
        self.others.iter_mut().for_each(|band| band.pending = Resource::new());
        self.others.retain(|band| !band.allocated.is_zero());
    }

    /// For a state that was saved without them.
    pub(crate) fn recount<'a>(&mut self, asks: impl Iterator<Item = &'a Ask>) {
        *self = Self::default();
        for ask in asks {
            self.meet(ask.priority);
            if counts(ask) {
                self.add(ask.priority, ask.allocation.is_some(), &ask.resource);
            }
        }
    }

    pub(crate) const fn is_new(&self) -> bool {
        self.usual.is_none()
    }

    pub(crate) fn split(&self, allocated: Resource, pending: Resource) -> Vec<Band> {
        let Some(usual) = self.usual else { return Vec::new() };
        let mut rest = Band { priority: usual, allocated, pending };
        let mut all = self.others.clone();
        for band in &all {
            rest.allocated.sub_assign(&band.allocated);
            rest.pending.sub_assign(&band.pending);
        }
        rest.allocated.prune();
        rest.pending.prune();
        let at = all.partition_point(|band| band.priority < usual);
        all.insert(at, rest);
        all
    }
}

/// Not while it replaces a placeholder, and not after it was sent again.
fn counts(ask: &Ask) -> bool {
    ask.allocation.is_some() || ask.rare.takes_over.is_none() && !ask.superseded
}

pub(crate) fn are_of<'a>(bands: Vec<Band>, all: impl Iterator<Item = &'a Ask>) -> bool {
    let mut asks: BTreeMap<Priority, [Resource; 2]> = BTreeMap::new();
    for ask in all.filter(|ask| counts(ask)) {
        asks.entry(ask.priority).or_default()[usize::from(ask.allocation.is_none())].add_assign(&ask.resource);
    }
    let bands = bands.into_iter().map(|band| (band.priority, [band.allocated, band.pending]));
    let some = |(_, sums): &(Priority, [Resource; 2])| sums.iter().any(|sum| !sum.is_zero());
    bands.filter(some).eq(asks.into_iter().filter(some))
}
