//! Completions from very many application names, searched outside of the draw loop. Until then, completions of a prefix
//! are offered.

use std::sync::Arc;

use crate::input::command;
use crate::input::command::{Argument, Kind};
use crate::state::State;
use crate::state::jobs::{Names, NamesJob};
use crate::state::layer::{CommandLine, Layer};
use crate::state::work::Work;
use crate::update::completion;
use crate::update::search;

/// Searches after the running search.
pub fn want(state: &mut State) {
    let Some(Layer::Command(line)) = state.layers.last() else { return };
    let Some(typed) = written(line).filter(|_| completion::are_many(state)) else { return };
    if state.completion_pending || line.names.as_ref().is_some_and(|names| names.typed == typed) {
        return;
    }
    let (view, partition, typed) =
        (Arc::clone(&state.cluster.view), Arc::clone(&state.cluster.partition), typed.to_owned());
    state.completion_pending = true;
    state.emit(Work::Names(Box::new(NamesJob { view, partition, typed, most: completion::MOST })));
}

/// Tens of milliseconds: not in the draw loop.
pub fn perform(job: NamesJob) -> Names {
    let NamesJob { view, partition, typed, most } = job;
    let part = view.partitions.iter().find(|part| part.name == partition);
    let best = part.map_or_else(Vec::new, |part| completion::apps_in(part, &typed, most));
    Names { typed, best }
}

/// Returns whether they fit the typed text.
pub fn take(state: &mut State, found: Names) -> Option<bool> {
    state.completion_pending = false;
    let Some(Layer::Command(line)) = state.layers.last_mut() else { return None };
    let typed = written(line)?;
    // Completions of a prefix still fit.
    let fits = typed.starts_with(&found.typed);
    if fits {
        line.names = Some(found);
    }
    Some(fits)
}

fn written(line: &CommandLine) -> Option<&str> {
    let (name, rest) = line.line.text().split_once(' ')?;
    let argument = command::by_name(name)?.argument;
    match argument {
        Argument::Optional(Kind::App) | Argument::Required(Kind::App) => Some(rest.trim_start()),
        Argument::Required(Kind::Anything) => Some(search::typed(rest.trim_start()).1),
        _ => None,
    }
}
