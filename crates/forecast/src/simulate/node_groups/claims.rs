//! The nodes that one look of an autoscaler requests: each takes requests as long as an instance type of its group has room for all of them.

use std::time::Duration;

use super::Autoscaler;
use super::group::{InstanceType, NodeGroup, fits, fits_where_named};
use super::suits::Suits;
use model::Resource;
use scheduler::state::ask::Ask;

struct Claim<'a> {
    group: usize,
    /// The best type for what it takes so far.
    kind: usize,
    uses: Resource,
    asks: Vec<&'a Ask>,
}

pub(super) struct Claims<'a> {
    groups: &'a [NodeGroup],
    suits: &'a Suits<'a>,
    claims: Vec<Claim<'a>>,
    /// By group: how many nodes it has, and what they have together.
    counts: Vec<u32>,
    sums: Vec<Resource>,
    /// The last request, and its first claim with room.
    same: (Option<&'a Ask>, usize),
}

impl<'a> Claims<'a> {
    pub fn new(scaler: &'a Autoscaler, suits: &'a Suits<'a>) -> Self {
        let groups = &scaler.groups;
        let mut sums = vec![Resource::new(); groups.len()];
        scaler.members.iter().for_each(|member| sums[member.group].add_assign(scaler.capacity(member)));
        let counts = (0..groups.len()).map(|group| scaler.count_of(group)).collect();
        Self { groups, suits, claims: Vec::new(), counts, sums, same: (None, 0) }
    }

    /// `false`: no group has a node for it now.
    pub fn take(&mut self, ask: &'a Ask, age: Duration) -> bool {
        let from = if self.same.0.is_some_and(|same| self.suits.identical(same, ask)) { self.same.1 } else { 0 };
        let found = (from..self.claims.len()).find_map(|at| Some((at, self.grown(at, ask)?)));
        self.same = (Some(ask), found.as_ref().map_or(self.claims.len(), |(at, _)| *at));
        if let Some((at, (kind, uses))) = found {
            let group = self.claims[at].group;
            self.exchange(group, Some(self.claims[at].kind), kind);
            let claim = &mut self.claims[at];
            (claim.kind, claim.uses) = (kind, uses);
            claim.asks.push(ask);
            return true;
        }
        let open = (0..self.groups.len()).filter(|group| {
            let NodeGroup { max, patience, .. } = &self.groups[*group];
            self.counts[*group] < *max && age >= *patience
        });
        let wants = &ask.resource;
        let rated = open.filter_map(|group| {
            let kind = self.best(group, (wants, &[ask]), None)?;
            Some((group, kind, self.groups[group].weight, cost(&self.groups[group].types[kind], wants)))
        });
        let best = rated.min_by(|(_, _, weight, cost), (_, _, other_weight, other)| {
            other_weight.cmp(weight).then(cost.0.total_cmp(&other.0)).then(cost.1.total_cmp(&other.1))
        });
        let Some((group, kind, ..)) = best else { return false };
        self.exchange(group, None, kind);
        self.counts[group] += 1;
        self.claims.push(Claim { group, kind, uses: wants.clone(), asks: vec![ask] });
        true
    }

    /// Whether a group can have a node for a request at some time.
    pub fn may_fit(&self, ask: &Ask) -> bool {
        self.groups.iter().enumerate().any(|(number, group)| {
            let has_space = |one: &InstanceType| fits(&ask.resource, &one.capacity) && group.may_have(one);
            let mut kinds = group.types.iter().enumerate().filter(|(_, one)| has_space(one));
            kinds.any(|(kind, _)| self.suits.new_node(ask, number, kind))
        })
    }

    /// The nodes to request: their groups and types.
    pub fn requested(self) -> Vec<(usize, usize)> {
        self.claims.into_iter().map(|claim| (claim.group, claim.kind)).collect()
    }

    fn grown(&self, at: usize, ask: &'a Ask) -> Option<(usize, Resource)> {
        let Claim { group, kind, uses, asks } = &self.claims[at];
        let uses = uses.add(&ask.resource);
        if fits(&uses, &self.groups[*group].types[*kind].capacity) {
            return self.suits.new_node(ask, *group, *kind).then_some((*kind, uses));
        }
        let judged = self.suits.has_conditions();
        let all: Vec<&Ask> = asks.iter().copied().chain([ask]).filter(|_| judged).collect();
        Some((self.best(*group, (&uses, &all), Some(*kind))?, uses))
    }

    /// The cheapest type with room, then the one with the least left over.
    fn best(&self, group: usize, (uses, asks): (&Resource, &[&Ask]), instead: Option<usize>) -> Option<usize> {
        let NodeGroup { types, limits, .. } = &self.groups[group];
        let mut left = limits.clone();
        limits.iter().for_each(|(name, amount)| left.set(name, amount.saturating_sub(self.sums[group].amount(name))));
        if let Some(instead) = instead {
            left = left.add(&restricted(&types[instead].capacity, limits));
        }
        let has_space = |one: &InstanceType| fits(uses, &one.capacity) && fits_where_named(&one.capacity, &left);
        let with_space = types
            .iter()
            .enumerate()
            .filter(|(number, one)| has_space(one) && asks.iter().all(|ask| self.suits.new_node(ask, group, *number)));
        let rated = with_space.map(|(number, one)| (number, cost(one, uses)));
        let best = rated.min_by(|(_, one), (_, other)| one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1)));
        best.map(|(number, _)| number)
    }

    fn exchange(&mut self, group: usize, old: Option<usize>, new: usize) {
        let types = &self.groups[group].types;
        if let Some(old) = old {
            self.sums[group].sub_assign(&types[old].capacity);
        }
        self.sums[group].add_assign(&types[new].capacity);
    }
}

fn restricted(amounts: &Resource, limits: &Resource) -> Resource {
    limits.iter().map(|(name, _)| (name, amounts.amount(name))).collect()
}

/// What a node costs, then the part of it that is left over.
fn cost(one: &InstanceType, uses: &Resource) -> (f64, f64) {
    let share = |(name, amount): (&str, i64)| {
        if amount > 0 { 1.0 - uses.amount(name) as f64 / amount as f64 } else { 0.0 }
    };
    (one.price.unwrap_or(f64::MAX), one.capacity.iter().map(share).sum())
}
