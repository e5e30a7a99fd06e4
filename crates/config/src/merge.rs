//! A three-way merge by lines.

use std::ops::Range;

use similar::{DiffOp, DiffTag};

use crate::lines::steps;

struct Change<'t> {
    old: Range<usize>,
    new: usize,
    lines: &'t [&'t str],
}

fn changes<'t>(old: &[&'t str], new: &'t [&'t str]) -> Vec<Change<'t>> {
    let ops = steps(old, new);
    let change = |op: &DiffOp| {
        let (tag, old, new_range) = op.as_tag_tuple();
        (tag != DiffTag::Equal).then(|| Change { old, lines: &new[new_range.clone()], new: new_range.start })
    };
    ops.iter().filter_map(change).collect()
}

/// Merges both edits of `base`.
///
/// # Errors
/// The lines of `own`, from 0, with conflicting changes.
pub fn merge(base: &str, own: &str, other: &str) -> Result<String, Vec<usize>> {
    let split = |text: &'_ str| -> Vec<String> { text.split_inclusive('\n').map(str::to_owned).collect() };
    let (base, own, other) = (split(base), split(own), split(other));
    let [base, own, other] = [&base, &own, &other].map(|lines| lines.iter().map(String::as_str).collect::<Vec<_>>());
    let (mine, remote) = (changes(&base, &own), changes(&base, &other));
    let touch = |a: &Change<'_>, b: &Change<'_>| a.old.start <= b.old.end && b.old.start <= a.old.end;
    let same = |a: &Change<'_>, b: &Change<'_>| a.old == b.old && a.lines == b.lines;
    let clashing = |change: &&Change<'_>| remote.iter().any(|other| touch(change, other) && !same(change, other));
    let clashes: Vec<usize> = mine.iter().filter(clashing).map(|change| change.new).collect();
    if !clashes.is_empty() {
        return Err(clashes);
    }
    let new = remote.iter().filter(|remote| !mine.iter().any(|mine| same(mine, remote)));
    let mut all: Vec<&Change<'_>> = mine.iter().chain(new).collect();
    all.sort_by_key(|change| change.old.start);
    let (mut text, mut at) = (String::new(), 0);
    for change in all {
        text.extend(base[at..change.old.start].iter().copied());
        text.extend(change.lines.iter().copied());
        at = change.old.end;
    }
    text.extend(base[at..].iter().copied());
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BASE: &str = "a\nb\nc\nd\ne\n";

    #[test]
    fn edits_of_different_lines_are_merged() {
        assert_eq!(merge(BASE, "a\nB\nc\nd\ne\n", "a\nb\nc\nd\ne\nf\n").as_deref(), Ok("a\nB\nc\nd\ne\nf\n"));
        assert_eq!(merge(BASE, "a\nc\nd\ne\n", "a\nb\nc\nD\ne\n").as_deref(), Ok("a\nc\nD\ne\n"));
        assert_eq!(merge(BASE, BASE, "x\n").as_deref(), Ok("x\n"));
        assert_eq!(merge(BASE, "a\nX\nc\nd\ne\n", "a\nX\nc\nd\ne\n").as_deref(), Ok("a\nX\nc\nd\ne\n"));
        assert_eq!(merge("", "a", "").as_deref(), Ok("a"));
    }

    #[test]
    fn edits_of_the_same_lines_are_reported() {
        assert_eq!(merge(BASE, "a\nX\nc\nd\ne\n", "a\nY\nc\nd\ne\n"), Err(vec![1]));
        assert_eq!(merge(BASE, "a\nc\nd\ne\n", "a\nY\nc\nd\ne\n"), Err(vec![1]));
        assert_eq!(merge(BASE, "x\n", BASE.replace('c', "C").as_str()), Err(vec![0]));
    }

    proptest::proptest! {
        #[test]
        fn one_edit_alone_is_taken_as_it_is(base in "[ab\n]{0,12}", other in "[ab\n]{0,12}") {
            proptest::prop_assert_eq!(merge(&base, &base, &other), Ok(other.clone()));
            proptest::prop_assert_eq!(merge(&base, &other, &base), Ok(other));
        }
    }
}
