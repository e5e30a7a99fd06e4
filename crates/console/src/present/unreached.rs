//! The text in place of a list before the first response.

use crate::state::State;
use source::Link;

/// Whether a remote scheduler has not responded yet.
pub fn is(state: &State) -> bool {
    state.cluster.part().is_none() && !state.cluster.link.is_live()
}

/// The text; empty if the scheduler responds.
pub fn lines(state: &State) -> Vec<String> {
    let again = "Retrying. Check the scheduler, its address, and the proxies.";
    let leave = ":context connects to another scheduler, :info shows this one, q quits.";
    match &state.cluster.link {
        Link::Connecting { cause: None, .. } => vec!["Waiting for the first answer.".to_owned(), leave.to_owned()],
        Link::Connecting { cause: Some(cause), .. } | Link::Stale { cause, .. } => {
            vec![format!("No answer yet: {cause}."), again.to_owned(), leave.to_owned()]
        }
        Link::Refused { why, .. } => {
            let token = "Use --token-file FILE or KORNSOLE_TOKEN; `kornsole token new` creates a token on the server.";
            vec![format!("It rejects this console: {why}."), token.to_owned(), leave.to_owned()]
        }
        Link::Live { .. } => Vec::new(),
    }
}
