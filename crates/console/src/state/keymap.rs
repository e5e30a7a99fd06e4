//! Which keys mean which command, where.
//!
//! Invariants:
//! - in a context no chord is the start of another one, so a chord is carried out with its last key;
//! - contexts are tried from the nearest to the widest; the first one in which the keys mean something decides.

use std::fmt::Write as _;

use crate::state::command::{CommandId, Context};
use crate::state::key::Key;

/// Keys that are pressed one after the other.
pub type Chord = Vec<Key>;

/// Writes a chord as it is shown and read: `y p`, `ctrl-x`.
pub fn chord_text(chord: &[Key]) -> String {
    let mut text = String::new();
    for key in chord {
        // Writing to a text cannot fail.
        let _written = write!(text, "{}{key}", if text.is_empty() { "" } else { " " });
    }
    text
}

/// Reads a chord: names of keys with blanks between them.
///
/// # Errors
/// The part that is no key; empty for a text without keys.
pub fn parse_chord(text: &str) -> Result<Chord, String> {
    let keys: Result<Chord, String> =
        text.split_whitespace().map(|name| Key::parse(name).ok_or_else(|| name.to_owned())).collect();
    keys.and_then(|keys| if keys.is_empty() { Err(String::new()) } else { Ok(keys) })
}

/// What a chord means in a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// In which context it holds.
    pub context: Context,
    /// One key, or several one after the other.
    pub chord: Chord,
    /// What is run.
    pub id: CommandId,
    /// With what after its name.
    pub argument: Option<String>,
}

/// What keys mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyMatch<'k> {
    /// The keys mean this command.
    Run(&'k Binding),
    /// The start of a chord.
    Begun,
    /// The keys mean nothing in these contexts.
    Nothing,
}

/// All bindings: the default ones and a person's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    /// The ones that are shown for a command are first.
    pub bindings: Vec<Binding>,
}

impl Keymap {
    /// A keymap in which no key means anything. The keys of the registry are `input::keymap::defaults`.
    pub const fn empty() -> Self {
        Self { bindings: Vec::new() }
    }

    /// Takes a chord's meaning away, and with it those of chords that start with it or that it starts with.
    pub fn unbind(&mut self, context: Context, chord: &[Key]) {
        let touches = |other: &[Key]| other.starts_with(chord) || chord.starts_with(other);
        self.bindings.retain(|binding| binding.context != context || !touches(&binding.chord));
    }

    /// Returns a chord a meaning, and removes the meanings of this chord, its start and its continuations. It is the first key that is
    /// shown for the command.
    pub fn bind(&mut self, binding: Binding) {
        self.unbind(binding.context, &binding.chord);
        self.bindings.insert(0, binding);
    }

    /// What keys mean in contexts, the nearest first.
    pub fn look_up(&self, contexts: &[Context], keys: &[Key]) -> KeyMatch<'_> {
        for context in contexts {
            let mut here = self.bindings.iter().filter(|binding| binding.context == *context);
            match here.find(|binding| binding.chord.starts_with(keys)) {
                Some(binding) if binding.chord.len() == keys.len() => return KeyMatch::Run(binding),
                Some(_) => return KeyMatch::Begun,
                None => {}
            }
        }
        KeyMatch::Nothing
    }

    /// The chords of a command in a context, without those that run it with something after its name.
    pub fn chords(&self, context: Context, id: CommandId) -> impl Iterator<Item = &Chord> {
        let here = self.bindings.iter();
        let here = here.filter(move |binding| binding.context == context && binding.id == id);
        here.filter(|binding| binding.argument.is_none()).map(|binding| &binding.chord)
    }

    /// What may follow keys that were pressed.
    pub fn continuations<'k>(&'k self, contexts: &[Context], keys: &[Key]) -> Vec<&'k Binding> {
        let mut found: Vec<&Binding> = Vec::new();
        for context in contexts {
            let here = self.bindings.iter().filter(|binding| binding.context == *context);
            for binding in here.filter(|binding| binding.chord.starts_with(keys) && binding.chord.len() > keys.len()) {
                if !found.iter().any(|known| known.chord == binding.chord) {
                    found.push(binding);
                }
            }
        }
        found
    }

    /// The bindings that run a command with something after its name.
    pub fn with_argument(&self, context: Context) -> impl Iterator<Item = &Binding> {
        self.bindings.iter().filter(move |binding| binding.context == context && binding.argument.is_some())
    }
}
