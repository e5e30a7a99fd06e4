//! Numbers of pods by domain, kept as pods come and go: what PodTopologySpread and InterPodAffinity ask costs one look-up.

use imbl::OrdMap;

use super::nodes::{Bits, NodeTable};

/// Which pods a counter counts, by the domains of one topology key.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Counter {
    pub matcher: usize,
    /// The number of the topology key.
    pub key: usize,
    pub what: What,
}

/// What a pod must be to be counted.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum What {
    /// The matcher means it.
    Meant,
    /// The matcher means it, it is not being deleted, and it is on a node that counts by this rule.
    Spread(usize),
    /// It has an anti-affinity term with this matcher.
    Carries,
}

/// The numbers of one counter.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    total: u64,
    domains: OrdMap<u32, u64>,
    /// Of a spread: how many domains have this number.
    levels: OrdMap<u64, u64>,
    /// Of a spread: how many domains there are.
    width: u64,
    /// How often a change may have let a pod in that was kept out.
    loosened: u64,
}

impl Counts {
    /// Nothing counted yet.
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

    /// A spread has this domain too, if it has not.
    pub fn add_domain(&mut self, domain: u32) {
        if self.domains.contains_key(&domain) {
            return;
        }
        self.domains.insert(domain, 0);
        *self.levels.entry(0).or_default() += 1;
        self.width += 1;
    }

    /// One pod more or less in a domain.
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

    /// How often a change may have let a pod in: by affinity the first of a domain, by anti-affinity the end of the last one, by a spread one
    /// less or a higher lowest number.
    pub fn loosened(&self) -> u64 {
        self.loosened
    }

    pub fn in_domain(&self, domain: u32) -> u64 {
        self.domains.get(&domain).copied().unwrap_or(0)
    }

    /// All that is counted, in whatever domain.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The lowest number of a domain; 0 where there are fewer domains than `least`.
    pub fn lowest(&self, least: u64) -> u64 {
        let lowest = self.levels.get_min().map_or(0, |(level, _)| *level);
        if self.width < least.max(1) { 0 } else { lowest }
    }
}
