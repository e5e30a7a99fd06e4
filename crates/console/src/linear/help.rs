//! The help for everything or one word.

use crate::input::command::{COMMANDS, Command};
use crate::input::keymap::{keys_of, page_contexts};
use crate::linear::plain;
use crate::linear::words::{OWN, named, split};
use crate::present::guard;
use crate::state::State;
use crate::state::command::Context;

/// The help for everything or one word.
pub fn lines(state: &State, word: &str) -> Vec<String> {
    if !word.is_empty() {
        return of(state, split(word).0);
    }
    let mut lines = vec!["Words of linear mode:".to_owned()];
    lines.extend(OWN.iter().map(|(usage, doc)| format!("{usage}: {doc}")));
    let (here, others): (Vec<&Command>, Vec<&Command>) = commands().partition(|command| is_of_page(state, command));
    if !here.is_empty() {
        lines.push("Commands of this page:".to_owned());
        lines.extend(here.into_iter().map(|command| short(state, command)));
    }
    lines.push("Commands everywhere:".to_owned());
    lines.extend(others.into_iter().map(|command| short(state, command)));
    lines.extend(state.own_commands.iter().map(|own| format!("{}: {}", own.name, own.doc)));
    lines.iter().map(|line| plain::text(line)).collect()
}

fn commands() -> impl Iterator<Item = &'static Command> {
    COMMANDS.iter().filter(|command| !command.name.is_empty())
}

fn is_of_page(state: &State, command: &Command) -> bool {
    let own = page_contexts(state)
        .iter()
        .filter(|context| !matches!(context, Context::List | Context::Page | Context::Always));
    own.into_iter().any(|context| command.keys.iter().any(|(at, _)| at == context))
}

fn short(state: &State, command: &Command) -> String {
    let off = guard::check(state, command.id).err().map_or_else(String::new, |why| format!("; off: {why}"));
    format!("{}: {}{off}", command.usage(), command.doc)
}

fn of(state: &State, word: &str) -> Vec<String> {
    let own = OWN.iter().filter(|(usage, _)| split(usage).0 == word).map(|(usage, doc)| format!("{usage}: {doc}"));
    let mut lines: Vec<String> = own.collect();
    if let Some(command) = named(word) {
        lines.push(short(state, command));
        lines.extend(keys_of(state, command).map(|keys| format!("Its key on the drawn console: {keys}")));
    }
    if lines.is_empty() {
        lines.push(format!("Unknown word {word}; help lists all words."));
    }
    lines.iter().map(|line| plain::text(line)).collect()
}
