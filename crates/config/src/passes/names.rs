//! Whether an expression matches every name, or none: a search in its automaton.

use std::collections::BTreeSet;

use regex::Regex;
use regex_automata::Input;
use regex_automata::hybrid::LazyStateID;
use regex_automata::hybrid::dfa::{Cache, DFA};
use regex_automata::nfa::thompson;

use super::Share;

/// Of one expression; a larger one is not decided.
const SPACE: usize = 1 << 20;
const STATES: usize = 500;

/// Letters of other scripts, so that a class of ASCII is not everything.
const OTHERS: [&str; 3] = ["é", "世", "😀"];

/// Most expressions match some of these and not the others, so that their automaton is not needed.
const EXAMPLES: [&str; 4] = ["a", "Z", "user-1", "é"];

/// `text` is the pattern as written.
pub(super) fn share_of(text: &str, expression: &Regex) -> Share {
    let matched = EXAMPLES.iter().filter(|name| expression.is_match(name)).count();
    let is_open = matched == EXAMPLES.len() || (matched == 0 && !matches_something(text));
    if is_open { share_by_automaton(expression.as_str()) } else { Share::Some }
}

/// Certain for an expression without escapes and counts: some text contains its letter.
fn matches_something(text: &str) -> bool {
    let inside = text.strip_prefix('^').unwrap_or(text);
    let inside = inside.strip_suffix('$').unwrap_or(inside);
    inside.contains(|c: char| c.is_ascii_alphanumeric())
        && !inside.contains(['^', '$', '\\', '{'])
        && !inside.contains("(?")
}

/// `pattern` is in the syntax of the `regex` crate.
fn share_by_automaton(pattern: &str) -> Share {
    let config = DFA::config().cache_capacity(SPACE).skip_cache_capacity_check(true).minimum_cache_clear_count(Some(0));
    let small = thompson::Config::new().nfa_size_limit(Some(SPACE));
    let Ok(automaton) = DFA::builder().configure(config).thompson(small).build(pattern) else { return Share::Some };
    // No name has control characters.
    let printable = (b' '..=b'~').map(|byte| vec![byte]);
    let names: Vec<Vec<u8>> = printable.chain(OTHERS.map(|letter| letter.as_bytes().to_vec())).collect();
    let bytes: Vec<Vec<u8>> = (b' '..=u8::MAX).map(|byte| vec![byte]).collect();
    if all_texts(&automaton, &names, true) == Some(true) {
        Share::All
    } else if all_texts(&automaton, &bytes, false) == Some(true) {
        Share::None
    } else {
        Share::Some
    }
}

/// Whether each text of these letters, except the empty one, matches (or none does); `None` if undecided.
fn all_texts(automaton: &DFA, letters: &[Vec<u8>], matches: bool) -> Option<bool> {
    let mut cache = automaton.create_cache();
    let start = automaton.start_state_forward(&mut cache, &Input::new("")).ok()?;
    let (mut open, mut seen) = (vec![start], BTreeSet::new());
    while let Some(state) = open.pop() {
        for letter in letters {
            match after(automaton, &mut cache, state, letter)? {
                None if !matches => return Some(false),
                None => {}
                Some(next) => {
                    // At the end of the text.
                    let ends = automaton.next_eoi_state(&mut cache, next).ok()?;
                    if ends.is_match() != matches {
                        return Some(false);
                    }
                    if seen.insert(next) {
                        open.push(next);
                    }
                }
            }
        }
        if seen.len() > STATES {
            return None;
        }
    }
    Some(true)
}

/// `Some(None)` if the text matches whatever follows.
fn after(automaton: &DFA, cache: &mut Cache, mut state: LazyStateID, letter: &[u8]) -> Option<Option<LazyStateID>> {
    for byte in letter {
        state = automaton.next_state(cache, state, *byte).ok()?;
        if state.is_quit() {
            return None;
        }
        if state.is_match() {
            return Some(None);
        }
    }
    Some(Some(state))
}
