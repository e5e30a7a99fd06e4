//! The hints in the last line.

use std::borrow::Cow;

use crate::input::command::{COMMANDS, by_id};
use crate::input::keymap::{contexts, keys_of};
use crate::present::board;
use crate::present::change;
use crate::present::guard;
use crate::present::own_command;
use crate::present::placement;
use crate::state::State;
use crate::state::command::{CommandId, FormCommand, GoCommand, PromptCommand, RowCommand};
use crate::state::layer::CommandLine;
use crate::state::page::Page;

/// The text that Enter would add; `None` if the completion changes the typed text.
pub fn ghost(command: &CommandLine) -> Option<&str> {
    if command.whole && command.chosen.is_none() {
        return None;
    }
    let first = command.candidates.get(command.chosen.unwrap_or(0))?;
    let typed = command.line.text();
    (!typed.is_empty() && first.line.len() > typed.len()).then(|| first.line.strip_prefix(typed)).flatten()
}

/// What the last line offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// The key; for a chord its first key.
    pub key: String,
    /// The effect as one word.
    pub word: Cow<'static, str>,
    /// Remains when space is short.
    pub stays: bool,
    /// A first step for new users.
    pub first: bool,
}

/// The first steps for new users, each until used.
pub const FIRST_STEPS: [(CommandId, &str); 3] = [
    (CommandId::Go(GoCommand::Overview), "attention"),
    (CommandId::Go(GoCommand::Explain), "why it waits"),
    (CommandId::Go(GoCommand::Help), "all keys"),
];

/// The nearest context first, permanent hints last.
pub fn hints(state: &State) -> Vec<Hint> {
    let mut hints: Vec<Hint> = Vec::new();
    let mut staying: Vec<(usize, Hint)> = Vec::new();
    let mut known: Vec<CommandId> = Vec::new();
    for (id, word) in FIRST_STEPS {
        let key = keys_of(state, by_id(id)).filter(|_| state.layers.is_empty() && state.first_steps.contains(&id));
        if let Some(keys) = key.filter(|_| board::is_shown(state) && guard::check(state, id).is_ok()) {
            known.push(id);
            let key = keys.split(' ').next().unwrap_or_default().to_owned();
            hints.push(Hint { key, word: Cow::Borrowed(word), stays: false, first: true });
        }
    }
    for context in contexts(state) {
        for command in COMMANDS {
            let Some((_, word)) = command.hints.iter().find(|(at, _)| at == context) else { continue };
            let Some(keys) = keys_of(state, command) else { continue };
            let nothing = command.id == CommandId::Form(FormCommand::TakeSuggestion) && !has_suggestion(state);
            let nothing = nothing || command.id == CommandId::Go(GoCommand::Overview) && !board::is_shown(state);
            if nothing || known.contains(&command.id) || guard::check(state, command.id).is_err() {
                continue;
            }
            known.push(command.id);
            let rank = STAYING.iter().position(|id| *id == command.id);
            let key = keys.split(' ').next().unwrap_or_default().to_owned();
            let compares = command.id == CommandId::Go(GoCommand::NextPage) && state.cluster.trial.is_some();
            let word = if compares { "both sides" } else { word };
            let hint = Hint { key, word: Cow::Borrowed(word), stays: rank.is_some(), first: false };
            match rank {
                Some(rank) => staying.push((rank, hint)),
                None => hints.push(hint),
            }
        }
    }
    hints.extend(own_hints(state));
    if state.layers.is_empty() && board::is_focused(state) {
        hints = on_attention(state);
    }
    staying.sort_by_key(|(rank, _)| *rank);
    hints.extend(staying.into_iter().map(|(_, hint)| hint));
    hints
}

/// The keys of a selected attention item, in place of those of the tree.
fn on_attention(state: &State) -> Vec<Hint> {
    let keys = [(CommandId::Row(RowCommand::Open), "open"), (CommandId::Go(GoCommand::Back), "to the tree")];
    let hint = |(id, word)| {
        let key = keys_of(state, by_id(id))?.split(' ').next()?.to_owned();
        Some(Hint { key, word: Cow::Borrowed(word), stays: false, first: false })
    };
    keys.into_iter().filter_map(hint).collect()
}

fn own_hints(state: &State) -> Vec<Hint> {
    if !state.layers.is_empty() {
        return Vec::new();
    }
    let keyed = state.own_commands.iter().map(|own| (own_command::key(state, &own.name), own));
    let runs = keyed.filter(|(key, own)| !key.is_empty() && own_command::filled(state, own).is_ok());
    runs.map(|(key, own)| Hint { key, word: Cow::Owned(own.name.clone()), stays: false, first: false }).collect()
}

fn has_suggestion(state: &State) -> bool {
    match state.page() {
        Page::Change(page) => !change::fields(page, true).suggestion.is_empty(),
        Page::Placement(page) => !placement::fields(page, true).suggestion.is_empty(),
        _ => false,
    }
}

const STAYING: [CommandId; 4] = [
    CommandId::Go(GoCommand::NextPage),
    CommandId::Prompt(PromptCommand::CommandLine),
    CommandId::Go(GoCommand::Leave),
    CommandId::Go(GoCommand::Help),
];
