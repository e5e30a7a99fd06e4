//! The text in place of a list before the first data.

use crate::state::State;
use source::{Link, SourcePlace};

/// Whether a remote scheduler has not sent its queues yet.
pub fn is(state: &State) -> bool {
    let remote = matches!(state.cluster.about.place, SourcePlace::Remote | SourcePlace::Machine { .. });
    state.cluster.part().is_none() && (remote || !state.cluster.link.is_live())
}

/// The lines of the page.
pub fn lines(state: &State) -> Vec<String> {
    let again = "Retrying. Check the scheduler, its address, and the proxies.";
    let leave = ":context opens another scheduler, :info shows this scheduler, q quits.";
    match &state.cluster.link {
        Link::Connecting { cause: None, .. } => vec!["Waiting for the first response.".to_owned(), leave.to_owned()],
        Link::Connecting { cause: Some(cause), .. } | Link::Stale { cause, .. } => {
            vec![format!("No response yet: {cause}."), again.to_owned(), leave.to_owned()]
        }
        Link::Refused { why, .. } => {
            let token = "Use --token-file FILE or KORNSOLE_TOKEN; `kornsole token new` creates a token on the server.";
            vec![format!("It rejects this console: {why}."), token.to_owned(), leave.to_owned()]
        }
        Link::Live { .. } => vec!["Loading the partition.".to_owned(), leave.to_owned()],
    }
}
