//! Nodes that one look requests. Each takes requests while an instance type has room for all.

use std::time::Duration;

use super::Autoscaler;
use super::group::{InstanceType, NodeGroup, fits, fits_where_named};
use model::Resource;

struct Claim {
    group: usize,
    /// The best type for what it takes so far.
    kind: usize,
    uses: Resource,
}

pub(super) struct Claims<'a> {
    groups: &'a [NodeGroup],
    claims: Vec<Claim>,
    /// By group: how many nodes it has, and what they have together.
    counts: Vec<u32>,
    sums: Vec<Resource>,
    /// The last request, and its first claim with room.
    same: (Option<Resource>, usize),
}

impl<'a> Claims<'a> {
    pub fn new(scaler: &'a Autoscaler) -> Self {
        let groups = &scaler.groups;
        let mut sums = vec![Resource::new(); groups.len()];
        scaler.members.iter().for_each(|member| sums[member.group].add_assign(scaler.capacity(member)));
        let counts = (0..groups.len()).map(|group| scaler.count_of(group)).collect();
        Self { groups, claims: Vec::new(), counts, sums, same: (None, 0) }
    }

    /// `false`: no group has a node for it now.
    pub fn take(&mut self, wants: &Resource, age: Duration) -> bool {
        let from = if self.same.0.as_ref() == Some(wants) { self.same.1 } else { 0 };
        let found = (from..self.claims.len()).find_map(|at| Some((at, self.grown(at, wants)?)));
        self.same = (Some(wants.clone()), found.as_ref().map_or(self.claims.len(), |(at, _)| *at));
        if let Some((at, (kind, uses))) = found {
            let group = self.claims[at].group;
            self.exchange(group, Some(self.claims[at].kind), kind);
            self.claims[at] = Claim { group, kind, uses };
            return true;
        }
        let open = (0..self.groups.len()).filter(|group| {
            let NodeGroup { max, patience, .. } = &self.groups[*group];
            self.counts[*group] < *max && age >= *patience
        });
        let rated = open.filter_map(|group| {
            let kind = self.best(group, wants, None)?;
            Some((group, kind, self.groups[group].weight, cost(&self.groups[group].types[kind], wants)))
        });
        let best = rated.min_by(|(_, _, weight, cost), (_, _, other_weight, other)| {
            other_weight.cmp(weight).then(cost.0.total_cmp(&other.0)).then(cost.1.total_cmp(&other.1))
        });
        let Some((group, kind, ..)) = best else { return false };
        self.exchange(group, None, kind);
        self.counts[group] += 1;
        self.claims.push(Claim { group, kind, uses: wants.clone() });
        true
    }

    /// Whether a group can have a node for a request at some time.
    pub fn may_fit(&self, wants: &Resource) -> bool {
        let mut types = self.groups.iter().flat_map(|group| group.types.iter().map(move |one| (group, one)));
        types.any(|(group, one)| fits(wants, &one.capacity) && fits_where_named(&one.capacity, &group.limits))
    }

    /// The nodes to request: their groups and types.
    pub fn requested(self) -> Vec<(usize, usize)> {
        self.claims.into_iter().map(|claim| (claim.group, claim.kind)).collect()
    }

    fn grown(&self, at: usize, wants: &Resource) -> Option<(usize, Resource)> {
        let Claim { group, kind, uses } = &self.claims[at];
        let uses = uses.add(wants);
        if fits(&uses, &self.groups[*group].types[*kind].capacity) {
            return Some((*kind, uses));
        }
        Some((self.best(*group, &uses, Some(*kind))?, uses))
    }

    /// The cheapest type with room, then the one with the least left over.
    fn best(&self, group: usize, uses: &Resource, instead: Option<usize>) -> Option<usize> {
        let NodeGroup { types, limits, .. } = &self.groups[group];
        let mut left = limits.clone();
        limits.iter().for_each(|(name, amount)| left.set(name, amount.saturating_sub(self.sums[group].amount(name))));
        if let Some(instead) = instead {
            left = left.add(&restricted(&types[instead].capacity, limits));
        }
        let has_space = |one: &InstanceType| fits(uses, &one.capacity) && fits_where_named(&one.capacity, &left);
        let with_space = types.iter().enumerate().filter(|(_, one)| has_space(one));
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
