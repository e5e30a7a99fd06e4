//! Guaranteed and maximum resources along the tree (CFG-042 to CFG-048).

use std::collections::{BTreeMap, HashMap};

use super::shown;
use crate::decode::LimitName;
use crate::fault::Faults;
use crate::raw::{RawQueue, RawResource};

const NAMED: usize = 4;

#[derive(Clone, Copy)]
struct EffectiveMax<'r> {
    amount: i64,
    of: &'r str,
}

#[derive(Default)]
struct GuaranteedSum<'r> {
    amount: i64,
    parts: Vec<(&'r str, i64)>,
    children: usize,
}

struct ResourceChecker<'r, 'f> {
    max: HashMap<&'r str, EffectiveMax<'r>>,
    faults: &'f mut Faults,
}

pub(super) fn check(root: &RawQueue, faults: &mut Faults) {
    ResourceChecker { max: HashMap::new(), faults }.queue(root);
}

impl<'r> ResourceChecker<'r, '_> {
    fn queue(&mut self, queue: &'r RawQueue) -> BTreeMap<&'r str, i64> {
        self.guaranteed_fits_max(queue);
        let replaced = self.enter(queue);
        self.limits_can_bind(queue);
        let mut sums: BTreeMap<&'r str, GuaranteedSum<'r>> = BTreeMap::new();
        for child in &queue.children {
            for (name, amount) in self.queue(child) {
                let sum = sums.entry(name).or_default();
                sum.amount = sum.amount.saturating_add(amount);
                if amount > 0 {
                    sum.children += 1;
                    if sum.parts.len() < NAMED {
                        sum.parts.push((&child.name.value, amount));
                    }
                }
            }
        }
        self.sums_fit(queue, &sums);
        for (name, before) in replaced {
            match before {
                Some(max) => self.max.insert(name, max),
                None => self.max.remove(name),
            };
        }
        match &queue.guaranteed {
            Some(own) if !own.resource.is_zero() => own.resource.iter().collect(),
            _ => sums.into_iter().map(|(name, sum)| (name, sum.amount)).collect(),
        }
    }

    /// No guarantee above the maximum of the queue itself (CFG-042).
    fn guaranteed_fits_max(&mut self, queue: &RawQueue) {
        let (Some(guaranteed), Some(max)) = (&queue.guaranteed, &queue.max) else { return };
        for (name, amount) in guaranteed.resource.iter() {
            if let Some(limit) = max.resource.get(name).filter(|limit| amount > *limit) {
                let (amount, limit) = (shown(name, amount), shown(name, limit));
                let message = format!("guaranteed {name} {amount} is above the max {limit} of the same queue");
                let hint = format!("guarantee at most {limit}, or raise the max");
                self.faults.error("CFG-042", guaranteed.place(name), &queue.path, message, hint);
            }
        }
    }

    /// CFG-043. Returns the previous values.
    fn enter(&mut self, queue: &'r RawQueue) -> Vec<(&'r str, Option<EffectiveMax<'r>>)> {
        let Some(own) = &queue.max else { return Vec::new() };
        let mut replaced = Vec::new();
        for (name, amount) in own.resource.iter() {
            let before = self.max.get(name).copied();
            if let Some(EffectiveMax { amount: limit, of }) = before.filter(|max| amount > max.amount) {
                let (amount, limit) = (shown(name, amount), shown(name, limit));
                let message = format!("max {name} {amount} of {} is above the max {limit} of {of}", queue.path);
                let hint = format!("write at most {limit}, or raise {of}");
                self.faults.error("CFG-043", own.place(name), &queue.path, message, hint);
            } else {
                self.max.insert(name, EffectiveMax { amount, of: &queue.path });
                replaced.push((name, before));
            }
        }
        replaced
    }

    /// CFG-072 checks only the same queue.
    fn limits_can_bind(&mut self, queue: &RawQueue) {
        for (index, limit) in queue.limits.iter().flat_map(|limits| &limits.list).enumerate() {
            let Some(own) = &limit.max_resources else { continue };
            for (name, amount) in own.resource.iter() {
                let max = self.max.get(name).filter(|max| amount > max.amount && max.of != queue.path);
                let Some(EffectiveMax { amount: most, of }) = max else { continue };
                let (label, most) = (LimitName { index, description: &limit.description }, shown(name, *most));
                let message =
                    format!("{label}: max {name} {} has no effect, {of} has at most {most}", shown(name, amount));
                let hint = format!("write less than {most}, or remove it");
                self.faults.warning("CFG-072", own.place(name), &queue.path, message, hint);
            }
        }
    }

    /// CFG-044, CFG-045, CFG-046.
    fn sums_fit(&mut self, queue: &RawQueue, sums: &BTreeMap<&str, GuaranteedSum<'_>>) {
        for (name, sum) in sums {
            let show = |amount| shown(name, amount);
            let own = queue.guaranteed.as_ref().and_then(|own| Some((own, own.resource.get(name)?)));
            if let Some((own, amount)) = own.filter(|(_, amount)| sum.amount > *amount) {
                let message = format!(
                    "the children of {} have {name} {} guaranteed, above its own {}: {}",
                    queue.path,
                    show(sum.amount),
                    show(amount),
                    parts(name, sum)
                );
                let hint = format!("guarantee at least {} here, or less in the children", show(sum.amount));
                self.faults.error("CFG-044", own.place(name), &queue.path, message, hint);
            }
            if let Some(max) = self.max.get(name).copied().filter(|max| sum.amount > max.amount) {
                let of = if max.of == queue.path { "its max".to_owned() } else { format!("the max of {}", max.of) };
                let message = format!(
                    "the children of {} have {name} {} guaranteed, above {of}, which is {}: {}",
                    queue.path,
                    show(sum.amount),
                    show(max.amount),
                    parts(name, sum)
                );
                let place =
                    |amounts: &Option<RawResource>| amounts.as_ref().and_then(|amounts| amounts.own_place(name));
                let at = place(&queue.max).or(place(&queue.guaranteed));
                let hint = format!("guarantee at most {} in the children, or raise the max", show(max.amount));
                self.faults.error("CFG-045", at.unwrap_or(queue.at), &queue.path, message, hint);
            }
        }
    }
}

fn parts(name: &str, sum: &GuaranteedSum<'_>) -> String {
    let each = sum.parts.iter().map(|(child, amount)| format!("{child} {}", shown(name, *amount)));
    let more = sum.children - sum.parts.len();
    let named = each.collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{named} and {more} more") } else { named }
}
