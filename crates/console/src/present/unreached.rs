//! The text in place of a list while nothing is known of the scheduler: the present state, and the next step for the person.

use crate::state::State;
use source::Link;

/// Whether nothing came yet from a scheduler that has to be asked.
pub fn is(state: &State) -> bool {
    state.cluster.part().is_none() && !state.cluster.link.is_live()
}

/// What is said then; nothing where the scheduler answers.
pub fn lines(state: &State) -> Vec<String> {
    let again =
        "It is tried again by itself. Does a scheduler listen there, is the address right, is a proxy in between?";
    let leave = ":context looks at another one, :info says which this is, q leaves.";
    match &state.cluster.link {
        Link::Connecting { cause: None, .. } => vec!["The first answer is awaited.".to_owned(), leave.to_owned()],
        Link::Connecting { cause: Some(cause), .. } | Link::Stale { cause, .. } => {
            vec![format!("No answer yet: {cause}."), again.to_owned(), leave.to_owned()]
        }
        Link::Refused { why, .. } => {
            let token = "--token-file FILE, or KORNSOLE_TOKEN, names a token; `kornsole token new` makes one there.";
            vec![format!("It does not let this console in: {why}."), token.to_owned(), leave.to_owned()]
        }
        Link::Live { .. } => Vec::new(),
    }
}
