//! Folds of list items, so that a queue is one line.

use std::collections::BTreeMap;

/// The number of leading blanks.
pub fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// The visible line, and the last hidden one. Two folds are nested or disjoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folds {
    ranges: BTreeMap<usize, usize>,
}

impl Folds {
    /// The last line that a folded line hides.
    pub fn end(&self, row: usize) -> Option<usize> {
        self.ranges.get(&row).copied()
    }

    /// Returns the item's first line.
    pub fn toggle(&mut self, lines: &[String], row: usize) -> Option<usize> {
        if self.ranges.remove(&row).is_some() {
            return Some(row);
        }
        let (start, end) = item(lines, row)?;
        self.ranges.insert(start, end);
        Some(start)
    }

    /// Folds every item that contains items.
    pub fn fold_all(&mut self, lines: &[String]) {
        self.ranges.clear();
        // Open items, the outermost first: line and indentation.
        let mut open: Vec<(usize, usize)> = Vec::new();
        let mut last = 0;
        for (row, line) in lines.iter().enumerate() {
            if line.trim().is_empty() {
                continue;
            }
            while let Some((start, margin)) = open.last().copied() {
                if indent(line) > margin {
                    break;
                }
                open.pop();
                self.add(start, last);
            }
            if is_item(line) {
                open.push((row, indent(line)));
            }
            last = row;
        }
        open.into_iter().for_each(|(start, _)| self.add(start, last));
        // The partition's item would hide everything.
        self.ranges.pop_first();
    }

    fn add(&mut self, start: usize, end: usize) {
        if end > start {
            self.ranges.insert(start, end);
        }
    }

    /// Unfolds everything, as after a text from elsewhere.
    pub fn clear(&mut self) {
        self.ranges.clear();
    }

    /// Whether nothing is folded.
    pub fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// Unfolds the folds that hide a line.
    pub fn reveal(&mut self, row: usize) {
        self.ranges.retain(|start, end| !(*start < row && row <= *end));
    }

    /// The next visible line.
    pub fn next(&self, row: usize, len: usize) -> Option<usize> {
        let next = self.end(row).unwrap_or(row) + 1;
        (next < len).then_some(next)
    }

    /// The previous visible line.
    pub fn previous(&self, row: usize) -> Option<usize> {
        let before = row.checked_sub(1)?;
        Some(self.hiding(before).unwrap_or(before))
    }

    /// The visible line that hides a line, if any.
    pub fn hiding(&self, row: usize) -> Option<usize> {
        let hiding = self.ranges.range(..row).find(|(start, end)| **start < row && row <= **end);
        hiding.map(|(start, _)| *start)
    }

    /// Moves folds by inserted or (negative) removed lines.
    pub fn shift(&mut self, row: usize, by: isize) {
        if by == 0 || self.ranges.is_empty() {
            return;
        }
        let moved = |at: usize| if at > row { at.saturating_add_signed(by) } else { at };
        let old = std::mem::take(&mut self.ranges);
        for (start, end) in old {
            self.add(moved(start), moved(end));
        }
    }
}

fn is_item(line: &str) -> bool {
    let text = line.trim_start_matches(' ');
    text.starts_with("- ") || text == "-"
}

/// First and last line.
pub fn item(lines: &[String], row: usize) -> Option<(usize, usize)> {
    let mut margin = indent(lines.get(row)?);
    let mut start = row;
    if !is_item(&lines[row]) {
        start = (0..row).rev().find(|at| is_item(&lines[*at]) && indent(&lines[*at]) < margin)?;
        margin = indent(&lines[start]);
    }
    let below = lines.iter().enumerate().skip(start + 1);
    let last = below.take_while(|(_, line)| line.trim().is_empty() || indent(line) > margin);
    let end = last.filter(|(_, line)| !line.trim().is_empty()).map(|(at, _)| at).last()?;
    Some((start, end))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
partitions:
  - name: default
    queues:
      - name: root
        queues:
          - name: a
            max: 1
          - name: b

      - name: other
        x: 1
";

    fn lines() -> Vec<String> {
        TEXT.lines().map(str::to_owned).collect()
    }

    #[test]
    fn an_item_folds_from_any_of_its_lines() {
        let lines = lines();
        assert_eq!(item(&lines, 6), Some((5, 6)));
        assert_eq!(item(&lines, 7), None, "one line hides nothing");
        assert_eq!(item(&lines, 4), Some((3, 7)));
        assert_eq!(item(&lines, 0), None);
        let mut folds = Folds::default();
        assert_eq!(folds.toggle(&lines, 6), Some(5));
        assert_eq!((folds.next(5, 11), folds.previous(7)), (Some(7), Some(5)));
        assert_eq!(folds.toggle(&lines, 5), Some(5));
        assert!(folds.is_empty());
    }

    #[test]
    fn all_queues_fold_and_what_is_sought_unfolds() {
        let lines = lines();
        let mut folds = Folds::default();
        folds.fold_all(&lines);
        assert_eq!((folds.end(3), folds.end(5), folds.end(9), folds.end(1)), (Some(7), Some(6), Some(10), None));
        assert_eq!((folds.next(3, 11), folds.next(9, 11)), (Some(8), None));
        folds.reveal(6);
        assert_eq!((folds.end(3), folds.end(5), folds.end(9)), (None, None, Some(10)));
    }

    #[test]
    fn folds_move_with_their_lines() {
        let lines = lines();
        let mut folds = Folds::default();
        folds.toggle(&lines, 9);
        folds.shift(2, 3);
        assert_eq!(folds.end(12), Some(13));
        folds.shift(4, -4);
        assert_eq!(folds.end(8), Some(9));
        folds.shift(20, 5);
        assert_eq!(folds.end(8), Some(9));
    }
}
