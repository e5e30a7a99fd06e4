//! Counts of pods by domain, updated incrementally: PodTopologySpread and InterPodAffinity need one lookup.

use imbl::OrdMap;

use super::nodes::{Bits, NodeTable};

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Counter {
    pub matcher: usize,
    pub key: usize,
    pub what: What,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    Meant,
    /// It matches, is not being deleted, and its node counts by this rule.
    Spread(usize),
    Carries,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    total: u64,
    domains: OrdMap<u32, u64>,
    levels: OrdMap<u64, u64>,
    width: u64,
    /// Changes that may have unblocked a pod.
    loosened: u64,
}

impl Counts {
    /// Creates empty counts.
    pub fn of(counter: &Counter, table: &NodeTable, eligible: &[Bits]) -> Self {
        let What::Spread(rule) = counter.what else { return Self::default() };
        let nodes = &eligible[rule];
        let topology = table.topology(counter.key);
        let mut domains: Vec<u32> = nodes.iter().filter_map(|node| topology.of(node)).collect();
        domains.sort_unstable();
        domains.dedup();
        let width = domains.len() as u64;
        let domains = domains.into_iter().map(|domain| (domain, 0_u64)).collect();
        Self { total: 0, domains, levels: OrdMap::unit(0, width), width, loosened: 0 }
    }

    /// Adds a domain to a spread.
    pub fn add_domain(&mut self, domain: u32) {
        if self.domains.contains_key(&domain) {
            return;
        }
        self.domains.insert(domain, 0);
        *self.levels.entry(0).or_default() += 1;
        self.width += 1;
    }

    /// Counts one pod more or less.
    pub fn change(&mut self, domain: u32, more: bool) {
        let before = self.in_domain(domain);
        let after = if more { before + 1 } else { before.saturating_sub(1) };
        self.total = if more { self.total + 1 } else { self.total.saturating_sub(1) };
        self.domains.insert(domain, after);
        let lowest = self.lowest(1);
        if self.width > 0 {
            let left = self.levels.get(&before).copied().unwrap_or(0).saturating_sub(1);
            if left == 0 {
                self.levels.remove(&before);
            } else {
                self.levels.insert(before, left);
            }
            *self.levels.entry(after).or_default() += 1;
            self.loosened += u64::from(!more || self.lowest(1) > lowest);
        } else {
            self.loosened += u64::from((before == 0) != (after == 0));
        }
    }

    /// Increases with the first pod of a domain for affinity, the end of the last one for anti-affinity, a lower count
    /// or a higher minimum for a spread.
    pub fn loosened(&self) -> u64 {
        self.loosened
    }

    pub fn in_domain(&self, domain: u32) -> u64 {
        self.domains.get(&domain).copied().unwrap_or(0)
    }

    /// Returns the total over all domains.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns 0 with fewer than `least` domains.
    pub fn lowest(&self, least: u64) -> u64 {
        let lowest = self.levels.get_min().map_or(0, |(level, _)| *level);
        if self.width < least.max(1) { 0 } else { lowest }
    }
}
