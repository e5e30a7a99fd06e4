//! The comparison of placement rules, a list whose order matters.

use super::Key;
use super::compare::Changes;
use crate::types::RuleConfig;
use crate::values::{FilterType, RuleKind, RuleValue};

/// Equal rules align the lists; the others are compared by position.
pub(super) fn compare(old: &[RuleConfig], new: &[RuleConfig], out: &mut Changes) {
    let old: Vec<String> = old.iter().map(described).collect();
    let new: Vec<String> = new.iter().map(described).collect();
    let mut retained = common(&old, &new);
    retained.push((old.len(), new.len()));
    let (mut before, mut after) = (0, 0);
    for (old_end, new_end) in retained {
        while before < old_end || after < new_end {
            let from = (before < old_end).then(|| old[before].clone());
            let to = (after < new_end).then(|| new[after].clone());
            let number = if to.is_some() { after } else { before } + 1;
            before += usize::from(from.is_some());
            after += usize::from(to.is_some());
            out.value(Key::Rule(number), from, to, false);
        }
        (before, after) = (old_end + 1, new_end + 1);
    }
}

/// Pairs of indices. Very long lists are matched only from both ends, so that the table stays small.
fn common(old: &[String], new: &[String]) -> Vec<(usize, usize)> {
    const LARGEST: usize = 1 << 20;
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    let (old_end, new_end) = (old.len() - tail, new.len() - tail);
    let mut pairs: Vec<(usize, usize)> = (0..head).map(|index| (index, index)).collect();
    let (rows, columns) = (old_end - head, new_end - head);
    if rows.saturating_mul(columns) <= LARGEST {
        let mut longest = vec![vec![0_usize; columns + 1]; rows + 1];
        for i in (0..rows).rev() {
            for j in (0..columns).rev() {
                longest[i][j] = if old[head + i] == new[head + j] {
                    longest[i + 1][j + 1] + 1
                } else {
                    longest[i + 1][j].max(longest[i][j + 1])
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < rows && j < columns {
            if old[head + i] == new[head + j] {
                pairs.push((head + i, head + j));
                (i, j) = (i + 1, j + 1);
            } else if longest[i + 1][j] >= longest[i][j + 1] {
                i += 1;
            } else {
                j += 1;
            }
        }
    }
    pairs.extend((0..tail).map(|back| (old_end + back, new_end + back)));
    pairs
}

/// Unique per behavior: `user, create, filter deny users joe, parent (fixed "root.users")`.
fn described(rule: &RuleConfig) -> String {
    let mut out = rule.kind.name().to_owned();
    if rule.kind.value() != RuleValue::Unused {
        out += &format!(" {}", word(&rule.value));
    }
    if rule.create {
        out += ", create";
    }
    let filter = &rule.filter;
    if filter.written {
        let kind = if filter.deny { FilterType::Deny } else { FilterType::Allow };
        out += &format!(", filter {}", kind.name());
        for (what, names) in [("users", &filter.users), ("groups", &filter.groups)] {
            if !names.is_empty() {
                out += &format!(" {what} {}", names.iter().map(|name| word(name)).collect::<Vec<_>>().join(" "));
            }
        }
    }
    if let Some(parent) = &rule.parent {
        // Only then the owner's filter is used (PLC-046).
        let text = if parent.text && parent.kind == RuleKind::SecondaryGroup { "text " } else { "" };
        out += &format!(", parent {text}({})", described(parent));
    }
    out
}

fn word(value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-@/$".contains(c);
    if !value.is_empty() && value.chars().all(plain) { value.to_owned() } else { format!("{value:?}") }
}
