//! Matching names in the partition, best first.

use crate::present::filter;
use crate::state::State;
use crate::state::layer::{CommandLine, Layer};
use view::{PartitionView, Side};

/// The best matching words.
pub fn best<'a>(typed: &str, words: impl Iterator<Item = &'a str>, most: usize) -> Vec<String> {
    filter::complete(typed, words, most).into_iter().map(str::to_owned).collect()
}

/// The best matching queues.
pub fn queues(state: &State, typed: &str, most: usize) -> Vec<String> {
    let Some(part) = state.cluster.part() else { return Vec::new() };
    best(typed, part.walk().map(|row| row.path.as_str()), most)
}

/// The best matching leaf queues.
pub fn leaves(state: &State, typed: &str, most: usize) -> Vec<String> {
    let Some(part) = state.cluster.part() else { return Vec::new() };
    best(typed, part.walk().filter(|row| row.leaf).map(|row| row.path.as_str()), most)
}

/// The best matching applications, active ones first.
pub fn apps(state: &State, typed: &str, most: usize) -> Vec<String> {
    state.cluster.part().map_or_else(Vec::new, |part| apps_in(part, typed, most))
}

/// The best matching applications of a partition.
pub fn apps_in(part: &PartitionView, typed: &str, most: usize) -> Vec<String> {
    best(typed, part.apps.iter().flatten().chain(part.ended.iter().rev()).map(|row| row.id.as_str()), most)
}

/// Whether searching all applications would exceed a frame.
pub fn are_many(state: &State) -> bool {
    state.cluster.part().is_some_and(|part| part.live_apps > state.options.long)
}

/// The best matching users or groups.
pub fn accounts(state: &State, side: Side, typed: &str, most: usize) -> Vec<String> {
    let Some(part) = state.cluster.part() else { return Vec::new() };
    best(typed, part.accounts(side).map(|row| &*row.name), most)
}

/// The best matching nodes.
pub fn nodes(state: &State, typed: &str, most: usize) -> Vec<String> {
    let Some(part) = state.cluster.part() else { return Vec::new() };
    best(typed, part.nodes.keys().map(model::NodeId::as_str), most)
}

/// The offered completions from a very long list.
pub fn offered(state: &State, typed: &str) -> Vec<String> {
    let Some(Layer::Command(CommandLine { names: Some(names), .. })) = state.layers.last() else { return Vec::new() };
    let still = |name: &&String| names.typed == typed || name.starts_with(typed);
    names.best.iter().filter(still).cloned().collect()
}
