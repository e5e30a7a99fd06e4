//! Maps keys to commands per context.
//!
//! Invariants:
//! - in a context, no chord is a prefix of another one, so a chord runs with its last key;
//! - contexts are tried from the nearest to the widest; the first match decides.

use std::fmt::Write as _;

use crate::state::command::{CommandId, Context};
use crate::state::key::Key;

/// Keys pressed in sequence.
pub type Chord = Vec<Key>;

/// Formats a chord: `y p`, `ctrl-x`.
pub fn chord_text(chord: &[Key]) -> String {
    let mut text = String::new();
    for key in chord {
        // Writing to a text cannot fail.
        let _written = write!(text, "{}{key}", if text.is_empty() { "" } else { " " });
    }
    text
}

/// Parses key names separated by blanks.
///
/// # Errors
/// The part that is not a key; may be empty.
pub fn parse_chord(text: &str) -> Result<Chord, String> {
    let keys: Result<Chord, String> =
        text.split_whitespace().map(|name| Key::parse(name).ok_or_else(|| name.to_owned())).collect();
    keys.and_then(|keys| if keys.is_empty() { Err(String::new()) } else { Ok(keys) })
}

/// The meaning of a chord in a context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// In which context it holds.
    pub context: Context,
    /// One key, or several one after the other.
    pub chord: Chord,
    /// What is run.
    pub id: CommandId,
    /// The argument of the command.
    pub argument: Option<String>,
}

/// The result of a key lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyMatch<'k> {
    /// The keys run this command.
    Run(&'k Binding),
    /// The start of a chord.
    Started,
    /// No match in these contexts.
    Nothing,
}

/// All bindings: the default ones and the user's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    /// The first one of a command is displayed.
    pub bindings: Vec<Binding>,
}

impl Keymap {
    /// `input::keymap::defaults` returns the default keys.
    pub const fn empty() -> Self {
        Self { bindings: Vec::new() }
    }

    /// Removes a chord's bindings, and those of its prefixes and continuations.
    pub fn unbind(&mut self, context: Context, chord: &[Key]) {
        let touches = |other: &[Key]| other.starts_with(chord) || chord.starts_with(other);
        self.bindings.retain(|binding| binding.context != context || !touches(&binding.chord));
    }

    /// Replaces the bindings of the chord, its prefixes, and its continuations; displayed first.
    pub fn bind(&mut self, binding: Binding) {
        self.unbind(binding.context, &binding.chord);
        self.bindings.insert(0, binding);
    }

    /// Looks up keys in contexts, the nearest first.
    pub fn look_up(&self, contexts: &[Context], keys: &[Key]) -> KeyMatch<'_> {
        for context in contexts {
            let mut here = self.bindings.iter().filter(|binding| binding.context == *context);
            match here.find(|binding| binding.chord.starts_with(keys)) {
                Some(binding) if binding.chord.len() == keys.len() => return KeyMatch::Run(binding),
                Some(_) => return KeyMatch::Started,
                None => {}
            }
        }
        KeyMatch::Nothing
    }

    /// The chords without an argument.
    pub fn chords(&self, context: Context, id: CommandId) -> impl Iterator<Item = &Chord> {
        let here = self.bindings.iter();
        let here = here.filter(move |binding| binding.context == context && binding.id == id);
        here.filter(|binding| binding.argument.is_none()).map(|binding| &binding.chord)
    }

    /// The bindings that continue the pressed keys.
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

    /// The bindings that have an argument.
    pub fn with_argument(&self, context: Context) -> impl Iterator<Item = &Binding> {
        self.bindings.iter().filter(move |binding| binding.context == context && binding.argument.is_some())
    }
}
