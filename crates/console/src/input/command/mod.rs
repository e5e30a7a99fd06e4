//! The registry: one row per command. The keymap, the hints, `?`, the completion of `:`, and docs/guide/keys.md are
//! made from it.
//!
//! Invariants:
//! - a key means one command in a context (tested); contexts are tried from the nearest to the widest;
//! - guards, not the registry, decide whether a command can run.

mod row;
mod table;

pub use self::row::{Argument, Command, Kind};
pub use self::table::COMMANDS;
pub use crate::state::command::*;

/// The command with a name or alias.
pub fn by_name(name: &str) -> Option<&'static Command> {
    COMMANDS
        .iter()
        .find(|command| !command.name.is_empty() && (command.name == name || command.aliases.contains(&name)))
}

/// The command with a name in the settings.
pub fn by_binding_name(name: &str) -> Option<&'static Command> {
    // A name precedes an alias: `back`.
    COMMANDS.iter().find(|command| command.binding_name() == name).or_else(|| by_name(name))
}

/// The command of an id.
#[expect(clippy::expect_used, reason = "the registry is a constant, and a test walks over it")]
pub fn by_id(id: CommandId) -> &'static Command {
    COMMANDS.iter().find(|command| command.id == id).expect("every id has its row: a test walks over them")
}

/// The Markdown of docs/guide/keys.md: keys by context, then commands.
pub fn key_table() -> String {
    let mut text = "| key | where | name | what it does |\n|---|---|---|---|\n".to_owned();
    for command in COMMANDS {
        for (keys, places) in places(command) {
            text.push_str(&format!("| {keys} | {places} | `{}` | {} |\n", command.binding_name(), command.doc));
        }
    }
    text.push('\n');
    text.push_str("**Commands after `:`**\n\n| command | what it does |\n|---|---|\n");
    for command in COMMANDS.iter().filter(|command| !command.name.is_empty()) {
        text.push_str(&format!("| `{}` | {} |\n", command.usage(), command.doc));
    }
    text
}

fn default_keys(command: &Command, context: Context) -> impl Iterator<Item = &'static str> {
    command.keys.iter().filter(move |(at, _)| *at == context).map(|(_, keys)| *keys)
}

fn places(command: &Command) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = Vec::new();
    for context in Context::ALL {
        let keys: Vec<String> = default_keys(command, context).map(|key| format!("`{key}`")).collect();
        let keys = keys.join(" ");
        if keys.is_empty() {
            continue;
        }
        match all.iter_mut().find(|(known, _)| *known == keys) {
            Some((_, places)) => {
                places.push_str(", ");
                places.push_str(&context.title().to_lowercase());
            }
            None => all.push((keys, context.title().to_owned())),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::state::keymap::{Chord, parse_chord};

    #[test]
    fn a_key_means_one_command_in_a_context() {
        let mut seen: Vec<(Context, Chord)> = Vec::new();
        for command in COMMANDS {
            for (context, name) in command.keys {
                let chord = parse_chord(name).unwrap_or_else(|part| panic!("{part} in {name} is not a key"));
                let clash = |(at, known): &(Context, Chord)| {
                    at == context && (known.starts_with(&chord) || chord.starts_with(known))
                };
                assert!(!seen.iter().any(clash), "{name} twice in {context:?}, or begins another chord");
                seen.push((*context, chord));
            }
        }
    }

    #[test]
    fn every_command_can_be_named_in_settings() {
        for command in COMMANDS {
            let name = command.binding_name();
            assert_eq!(by_binding_name(&name).map(|found| found.id), Some(command.id), "{name}");
        }
    }

    #[test]
    fn names_and_ids_are_unique() {
        let mut names = BTreeSet::new();
        for (index, command) in COMMANDS.iter().enumerate() {
            assert_eq!(COMMANDS.iter().position(|other| other.id == command.id), Some(index));
            for name in command.aliases.iter().chain([&command.name]).filter(|name| !name.is_empty()) {
                assert!(names.insert(*name), "{name} twice");
            }
        }
    }

    #[test]
    fn every_command_can_be_reached() {
        for command in COMMANDS {
            assert!(!command.name.is_empty() || !command.keys.is_empty(), "{:?}", command.id);
        }
    }

    #[test]
    fn the_key_table_has_every_key_and_command() {
        let table = key_table();
        for command in COMMANDS {
            assert!(table.contains(command.doc));
        }
        assert!(table.contains("| `apps [QUEUE]` |"));
    }
}
