//! What the last line offers: keys with their words, and how a command line would be completed.

use crate::console::input::command::COMMANDS;
use crate::console::input::keymap::{contexts, keys_of};
use crate::console::present::guard;
use crate::console::state::State;
use crate::console::state::command::CommandId;
use crate::console::state::layer::CommandLine;

/// What the command line would become with its completion, if that only adds to what is written; that is what enter takes.
pub fn ghost(command: &CommandLine) -> Option<&str> {
    if command.whole && command.chosen.is_none() {
        return None;
    }
    let first = command.candidates.get(command.chosen.unwrap_or(0))?;
    let typed = command.line.text();
    (!typed.is_empty() && first.line.len() > typed.len()).then(|| first.line.strip_prefix(typed)).flatten()
}

/// What the last line offers now: keys with their words, the nearest context first; help is always among them.
pub fn hints(state: &State) -> Vec<(String, &'static str)> {
    let mut hints = Vec::new();
    let mut ways_out = Vec::new();
    for context in contexts(state) {
        for command in COMMANDS {
            let Some((_, word)) = command.hints.iter().find(|(at, _)| at == context) else { continue };
            let Some(keys) = keys_of(state, command) else { continue };
            if guard::check(state, command.id).is_err() {
                continue;
            }
            let out = matches!(command.id, CommandId::Back | CommandId::Leave);
            if out { ways_out.push((keys, *word)) } else { hints.push((keys, *word)) }
        }
    }
    hints.extend(ways_out);
    hints
}
