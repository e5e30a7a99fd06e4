//! The fewest nodes that meet a target: doubling, then bisection.

const MOST_RUNS: usize = 64;

/// A run of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried<T> {
    /// Number of nodes.
    pub nodes: usize,
    /// The target is met.
    pub met: bool,
    /// Result of the run.
    pub result: T,
}

/// Result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// One less does not meet the target, or is impossible.
    Fewest(usize),
    /// Doubling twice did not help.
    NoBetter,
    /// The maximum does not suffice.
    TooMany(usize),
}

/// Searches with `run`, which returns whether the target is met, the result, and a value: three equal values in a row
/// show that more nodes do not help.
///
/// # Errors
/// The error of `run`.
pub fn fewest<T, E>(
    start: usize,
    most: usize,
    mut run: impl FnMut(usize) -> Result<(bool, Option<u64>, T), E>,
) -> Result<(Found, Vec<Tried<T>>), E> {
    let mut tried = Vec::new();
    let mut values: Vec<Option<u64>> = Vec::new();
    let mut try_one = |nodes: usize, tried: &mut Vec<Tried<T>>| -> Result<(bool, Option<u64>), E> {
        let (met, value, result) = run(nodes)?;
        tried.push(Tried { nodes, met, result });
        Ok((met, value))
    };
    let (mut below, mut nodes) = (0, start.clamp(1, most.max(1)));
    loop {
        let (met, value) = try_one(nodes, &mut tried)?;
        if met {
            break;
        }
        values.push(value);
        if let [.., one, two, three] = values.as_slice()
            && one == two
            && two == three
        {
            return Ok((Found::NoBetter, tried));
        }
        if nodes >= most {
            return Ok((Found::TooMany(most), tried));
        }
        below = nodes;
        nodes = nodes.saturating_mul(2).min(most);
    }
    let mut above = nodes;
    while above - below > 1 && tried.len() < MOST_RUNS {
        let middle = below + (above - below) / 2;
        if try_one(middle, &mut tried)?.0 {
            above = middle;
        } else {
            below = middle;
        }
    }
    Ok((Found::Fewest(above), tried))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(start: usize, most: usize, needed: usize) -> (Found, Vec<usize>) {
        let run = |nodes: usize| Ok::<_, ()>((nodes >= needed, Some(1_000_000 / nodes as u64), ()));
        let (found, tried) = fewest(start, most, run).unwrap();
        (found, tried.iter().map(|one| one.nodes).collect())
    }

    #[test]
    fn the_fewest_are_found_from_both_sides() {
        for (start, needed) in [(1, 11), (8, 11), (16, 11), (11, 11), (40, 1)] {
            assert_eq!(search(start, 1000, needed).0, Found::Fewest(needed), "{start} {needed}");
        }
        assert_eq!(search(4, 1000, 11).1, [4, 8, 16, 12, 10, 11]);
    }

    #[test]
    fn what_cannot_be_met_ends() {
        assert_eq!(search(4, 20, 21).0, Found::TooMany(20));
        let (found, tried) = fewest(1, 1000, |_| Ok::<_, ()>((false, Some(7), ()))).unwrap();
        assert_eq!((found, tried.len()), (Found::NoBetter, 3));
    }
}
