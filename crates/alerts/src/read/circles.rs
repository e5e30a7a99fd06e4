//! Checks that inhibitions name existing rules and have no cycle.

use super::rule::Written;
use config::Fault;
use config::toml_table::fault;

/// Checks the inhibitions of all rules, including default ones.
pub fn check(text: &str, all: &[Written], faults: &mut Vec<Fault>) {
    let enabled = |name: &str| all.iter().find(|one| one.rule.name == name);
    let names: Vec<&str> = all.iter().map(|one| one.rule.name.as_str()).collect();
    for one in all.iter().filter(|one| one.enabled) {
        // Default inhibitions are valid; a rule that the user disabled inhibits nothing.
        let Some(at) = &one.inhibited_at else { continue };
        for name in one.rule.inhibited_by.iter().filter(|name| enabled(name).is_none()) {
            let hint = format!("available: {}", names.join(", "));
            faults.push(fault(text, "ALR-020", at, "rule.inhibited-by", format!("rule {name:?} not found"), hint));
        }
    }
    let mut reported: Vec<&str> = Vec::new();
    for one in all.iter().filter(|one| one.enabled) {
        let Some(way) = circle(one, all) else { continue };
        if way.iter().any(|name| reported.contains(name)) {
            continue;
        }
        let at =
            way.iter().filter_map(|name| enabled(name)).find_map(|one| one.inhibited_at.clone()).unwrap_or_default();
        let mut words = way.clone();
        words.push(way[0]);
        let message = format!("the rules inhibit each other: {}", words.join(" by "));
        faults.push(fault(text, "ALR-021", &at, "rule.inhibited-by", message, "remove one of them"));
        reported.extend(way);
    }
}

fn circle<'a>(from: &'a Written, all: &'a [Written]) -> Option<Vec<&'a str>> {
    let mut ways: Vec<Vec<&str>> = vec![vec![&from.rule.name]];
    let mut seen: Vec<&str> = Vec::new();
    while let Some(way) = ways.pop() {
        let last = way.last().and_then(|name| all.iter().find(|one| one.enabled && one.rule.name == *name));
        for next in last.iter().flat_map(|one| one.rule.inhibited_by.iter()) {
            if *next == from.rule.name {
                return Some(way);
            }
            if !seen.contains(&next.as_str()) {
                seen.push(next);
                let mut longer = way.clone();
                longer.push(next);
                ways.push(longer);
            }
        }
    }
    None
}
