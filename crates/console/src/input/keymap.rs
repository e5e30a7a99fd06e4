//! Maps keys to commands. A binding is a chord of one or several keys ([`State::pressed`]).

use crate::input::command::{COMMANDS, Command};
use crate::state::State;
use crate::state::command::{CommandId, Context};
use crate::state::keymap::{Binding, Keymap, chord_text, parse_chord};
use crate::state::layer::Layer;

/// The keys of the registry.
pub fn defaults() -> Keymap {
    let rows = COMMANDS.iter().flat_map(|command| command.keys.iter().map(move |keys| (command.id, keys)));
    let binding = |(id, (context, name)): (CommandId, &(Context, &str))| {
        #[expect(clippy::expect_used, reason = "the registry is a constant, and a test reads it")]
        let chord = parse_chord(name).expect("the keys of the registry are keys: a test reads them");
        Binding { context: *context, chord, id, argument: None }
    };
    Keymap { bindings: rows.map(binding).collect() }
}

/// The active contexts, the nearest first.
pub fn contexts(state: &State) -> &'static [Context] {
    use Context::{Always, Confirm, Filter, Help, Messages};
    match state.layers.last() {
        Some(Layer::Help(_)) => &[Help, Always],
        Some(Layer::Messages { .. } | Layer::Tour { .. } | Layer::Metrics(_)) => &[Messages, Always],
        Some(Layer::Columns(_)) => &[Context::Columns, Always],
        Some(Layer::Command(_)) => &[Context::Command, Always],
        Some(Layer::Filter { .. }) => &[Filter, Always],
        Some(Layer::Form) => &[Context::Form, Always],
        Some(Layer::Edit) => &[Context::Edit, Always],
        Some(Layer::Confirm(question)) if question.typed.is_some() => &[Context::Typed, Always],
        Some(Layer::Confirm(_)) => &[Confirm, Always],
        Some(Layer::Reason { .. }) => &[Context::Reason, Always],
        None => page_contexts(state),
    }
}

/// The contexts of the page without its layers.
pub fn page_contexts(state: &State) -> &'static [Context] {
    state.page().row().contexts
}

/// The keys that run a command now, for display.
pub fn keys_of(state: &State, command: &Command) -> Option<String> {
    contexts(state)
        .iter()
        .find_map(|context| state.keymap.chords(*context, command.id).next())
        .map(|chord| chord_text(chord))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::command::RowCommand;
    use crate::state::keymap::{Chord, KeyMatch};

    fn keys(text: &str) -> Chord {
        parse_chord(text).unwrap()
    }

    fn bound(context: Context, chord: &str, id: CommandId) -> Binding {
        Binding { context, chord: keys(chord), id, argument: None }
    }

    fn found(keymap: &Keymap, text: &str) -> Option<CommandId> {
        match keymap.look_up(&[Context::Queues, Context::List, Context::Page], &keys(text)) {
            KeyMatch::Run(binding) => Some(binding.id),
            KeyMatch::Started | KeyMatch::Nothing => None,
        }
    }

    #[test]
    fn the_nearest_context_decides() {
        let mut keymap = defaults();
        assert_eq!(found(&keymap, "j"), Some(CommandId::Row(RowCommand::Down)));
        keymap.bind(bound(Context::Queues, "j", CommandId::Row(RowCommand::Fold)));
        assert_eq!(found(&keymap, "j"), Some(CommandId::Row(RowCommand::Fold)));
        keymap.unbind(Context::Queues, &keys("j"));
        assert_eq!(found(&keymap, "j"), Some(CommandId::Row(RowCommand::Down)));
    }

    #[test]
    fn a_chord_replaces_its_first_keys() {
        let mut keymap = defaults();
        keymap.bind(bound(Context::List, "g g", CommandId::Row(RowCommand::Top)));
        keymap.bind(bound(Context::List, "g e", CommandId::Row(RowCommand::Bottom)));
        assert_eq!(keymap.look_up(&[Context::List], &keys("g")), KeyMatch::Started);
        assert_eq!(found(&keymap, "g g"), Some(CommandId::Row(RowCommand::Top)));
        assert_eq!(keymap.continuations(&[Context::List], &keys("g")).len(), 2);
        keymap.bind(bound(Context::List, "g", CommandId::Row(RowCommand::Top)));
        assert_eq!(found(&keymap, "g"), Some(CommandId::Row(RowCommand::Top)));
        assert_eq!(found(&keymap, "g e"), None);
    }

    #[test]
    fn chords_are_written_as_they_are_read() {
        for text in ["g", "y p", "ctrl-x ctrl-c", "space"] {
            assert_eq!(chord_text(&keys(text)), text);
        }
        assert_eq!(parse_chord("g entr"), Err("entr".to_owned()));
        assert_eq!(parse_chord(" "), Err(String::new()));
    }
}
