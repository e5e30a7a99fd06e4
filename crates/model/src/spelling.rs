//! Spelling suggestions.

/// At most two edits, ignoring case.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Option<&'k str> {
    let lower = word.to_lowercase();
    let far = |known: &'k str| (distance(&lower, &known.to_lowercase()), known);
    let near = known.into_iter().map(far).min_by_key(|(distance, _)| *distance)?;
    // Two edits of a three-letter word give another word.
    (near.0 <= (near.1.len() / 3).min(2)).then_some(near.1)
}

/// Counts insertions, removals, changes, and swaps of adjacent letters.
fn distance(a: &str, b: &str) -> usize {
    const LONGEST: usize = 40;
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().take(LONGEST).collect(), b.chars().take(LONGEST).collect());
    let mut rows = vec![vec![0; b.len() + 1]; a.len() + 1];
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let change = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
                change.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1)
            };
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                rows[i][j] = rows[i][j].min(rows[i - 2][j - 2] + 1);
            }
        }
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_word_that_was_meant() {
        assert_eq!(nearest("Entr", ["Escape", "Enter"]), Some("Enter"));
        assert_eq!(nearest("snapshot", ["Settle", "Snapshot"]), Some("Snapshot"));
        assert_eq!(nearest("Exepct", ["Expect"]), Some("Expect"));
        assert_eq!(nearest("Frobnicate", ["Expect", "Type"]), None);
        assert_eq!(nearest("As", ["At"]), None);
    }
}
