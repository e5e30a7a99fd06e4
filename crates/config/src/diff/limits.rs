//! The comparison of limits, which are identified by their names.

use std::collections::BTreeSet;

use super::Key;
use super::compare::Changes;
use crate::check::shown;
use crate::types::LimitConfig;

/// A limit is the same as long as it keeps one name: a name is in one limit of a queue only (CFG-063).
pub(super) fn compare(old: &[LimitConfig], new: &[LimitConfig], out: &mut Changes) {
    let partners = partners(old, new);
    for (index, limit) in old.iter().enumerate() {
        if !partners.contains(&Some(index)) {
            out.value(Key::Limit(named(limit)), Some(described(limit)), None, false);
        }
    }
    for (limit, partner) in new.iter().zip(&partners) {
        match partner {
            Some(index) => compare_one(&old[*index], limit, out),
            None => out.value(Key::Limit(named(limit)), None, Some(described(limit)), true),
        }
    }
    let order: Vec<usize> = partners.into_iter().flatten().collect();
    if !order.is_sorted() {
        let mut before = order.clone();
        before.sort_unstable();
        let list = |order: &[usize]| order.iter().map(|index| named(&old[*index])).collect::<Vec<_>>().join("; ");
        out.value(Key::LimitOrder, Some(list(&before)), Some(list(&order)), false);
    }
}

fn partners(old: &[LimitConfig], new: &[LimitConfig]) -> Vec<Option<usize>> {
    let mut taken = BTreeSet::new();
    let mut partners = vec![None; new.len()];
    for matches in [names_the_same, shares_a_name] {
        for (limit, partner) in new.iter().zip(&mut partners).filter(|(_, partner)| partner.is_none()) {
            let mut free = old.iter().enumerate().filter(|(index, _)| !taken.contains(index));
            *partner = free.find(|(_, known)| matches(known, limit)).map(|(index, _)| index);
            taken.extend(*partner);
        }
    }
    partners
}

fn names_the_same(a: &LimitConfig, b: &LimitConfig) -> bool {
    sorted(&a.users) == sorted(&b.users) && a.groups == b.groups
}

fn shares_a_name(a: &LimitConfig, b: &LimitConfig) -> bool {
    a.users.iter().any(|user| b.users.contains(user)) || a.groups.iter().any(|group| b.groups.contains(group))
}

fn compare_one(old: &LimitConfig, new: &LimitConfig, out: &mut Changes) {
    let names = named(new);
    let key = |setting: &str| Key::InLimit(names.clone(), setting.to_owned());
    let list = |names: &[String]| (!names.is_empty()).then(|| names.join(","));
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    if sorted(&old.users) != sorted(&new.users) {
        out.value(key("users"), list(&old.users), list(&new.users), false);
    }
    // The order matters (LIM-030).
    out.value(key("groups"), list(&old.groups), list(&new.groups), false);
    out.value(key("limit"), text(&old.description), text(&new.description), false);
    out.bound(key("maxapplications"), old.max_applications, new.max_applications);
    out.amounts(old.max_resources.as_ref(), new.max_resources.as_ref(), |name| key(&format!("maxresources.{name}")));
}

fn sorted(names: &[String]) -> Vec<&String> {
    let mut sorted: Vec<_> = names.iter().collect();
    sorted.sort_unstable();
    sorted
}

/// `users sue,bob groups dev`.
fn named(limit: &LimitConfig) -> String {
    let list = |word, names: &[String]| (!names.is_empty()).then(|| format!("{word} {}", names.join(",")));
    let both = [list("users", &limit.users), list("groups", &limit.groups)];
    both.into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// `maxapplications 3, max vcore 6`.
fn described(limit: &LimitConfig) -> String {
    let mut parts: Vec<String> =
        limit.max_applications.map(|count| format!("maxapplications {count}")).into_iter().collect();
    for (name, amount) in limit.max_resources.iter().flat_map(|resource| resource.iter()) {
        parts.push(format!("max {name} {}", shown(name, amount)));
    }
    parts.join(", ")
}
