//! The different lines of two texts.

use similar::{Algorithm, DiffOp, DiffTag, capture_diff_slices, group_diff_ops};

/// The texts that contain a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineSide {
    /// In both texts.
    Both,
    /// Only the old text.
    Old,
    /// Only the new text.
    New,
}

/// A line of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiffLine<'t> {
    /// The texts that contain it.
    pub side: LineSide,
    /// From 1: in the new text, or for a removed line in the old one.
    pub number: usize,
    /// The line without its line break.
    pub text: &'t str,
}

pub(crate) fn steps(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    capture_diff_slices(Algorithm::Myers, old, new)
}

/// The different lines in groups, each with `around` lines of context.
pub fn differing<'t>(old: &'t str, new: &'t str, around: usize) -> Vec<Vec<DiffLine<'t>>> {
    let [old, new] = [old, new].map(|text| text.split_inclusive('\n').collect::<Vec<&str>>());
    let line =
        |side, text: &'t str, at: usize| DiffLine { side, number: at + 1, text: text.trim_end_matches(['\n', '\r']) };
    let of_step = |step: &DiffOp| {
        let (tag, was, is) = step.as_tag_tuple();
        let removed = was.filter(|_| tag != DiffTag::Equal).map(|at| line(LineSide::Old, old[at], at));
        let side = if tag == DiffTag::Equal { LineSide::Both } else { LineSide::New };
        removed.chain(is.map(|at| line(side, new[at], at))).collect::<Vec<_>>()
    };
    group_diff_ops(steps(&old, &new), around).iter().map(|group| group.iter().flat_map(of_step).collect()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_the_lines_around_them() {
        let old = "a\nb\nc\nd\ne\nf\ng\nh\n";
        let new = "a\nb\nc\nD\ne\nf\ng\nh\ni";
        let groups = differing(old, new, 1);
        let shown = |group: &Vec<DiffLine<'_>>| {
            let symbols = group.iter().map(|line| match line.side {
                LineSide::Both => format!(" {}{}", line.number, line.text),
                LineSide::Old => format!("-{}{}", line.number, line.text),
                LineSide::New => format!("+{}{}", line.number, line.text),
            });
            symbols.collect::<Vec<_>>().join(",")
        };
        assert_eq!(groups.iter().map(shown).collect::<Vec<_>>(), [" 3c,-4d,+4D, 5e", " 8h,+9i"]);
        assert!(differing(old, old, 2).is_empty());
    }
}
