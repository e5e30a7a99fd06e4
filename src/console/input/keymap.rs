//! From keys to commands: the keys of the registry, with what a person's settings put in their place.
//!
//! A binding is a chord of one or several keys. While the first keys of a chord were pressed, the rest of it is waited for
//! ([`State::pressed`]), and a box shows what may follow.
//!
//! Invariants:
//! - in a context no chord is the beginning of another one, so a chord is carried out with its last key;
//! - contexts are tried from the nearest to the widest; the first one in which the keys mean something decides.

use std::fmt::Write as _;

use crate::console::input::command;
use crate::console::input::command::{COMMANDS, Command, CommandId, Context};
use crate::console::input::key::{Code, Key};
use crate::console::present::layout;
use crate::console::state::State;
use crate::console::state::layer::Layer;
use crate::console::state::page::Page;
use crate::console::update::action::Action;

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
    /// Where.
    pub context: Context,
    /// The keys.
    pub chord: Chord,
    /// What is run.
    pub id: CommandId,
    /// With what after its name.
    pub argument: Option<String>,
}

/// What keys mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found<'k> {
    /// A command.
    Run(&'k Binding),
    /// The beginning of a chord.
    Begun,
    /// Nothing.
    Nothing,
}

/// All bindings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keymap {
    bindings: Vec<Binding>,
}

impl Default for Keymap {
    /// The keys of the registry.
    fn default() -> Self {
        let rows = COMMANDS.iter().flat_map(|command| command.keys.iter().map(move |keys| (command.id, keys)));
        let binding = |(id, (context, name)): (CommandId, &(Context, &str))| {
            #[expect(clippy::expect_used, reason = "the registry is a constant, and a test reads it")]
            let chord = parse_chord(name).expect("the keys of the registry are keys: a test reads them");
            Binding { context: *context, chord, id, argument: None }
        };
        Self { bindings: rows.map(binding).collect() }
    }
}

impl Keymap {
    /// Takes a chord's meaning away, and with it those of chords that begin with it or that it begins with.
    pub fn unbind(&mut self, context: Context, chord: &[Key]) {
        let touches = |other: &[Key]| other.starts_with(chord) || chord.starts_with(other);
        self.bindings.retain(|binding| binding.context != context || !touches(&binding.chord));
    }

    /// Gives a chord a meaning in place of what it, its beginning or its continuations meant. It is the first key that is shown for the
    /// command.
    pub fn bind(&mut self, binding: Binding) {
        self.unbind(binding.context, &binding.chord);
        self.bindings.insert(0, binding);
    }

    /// What keys mean in contexts, the nearest first.
    pub fn look_up(&self, contexts: &[Context], keys: &[Key]) -> Found<'_> {
        for context in contexts {
            let mut here = self.bindings.iter().filter(|binding| binding.context == *context);
            match here.find(|binding| binding.chord.starts_with(keys)) {
                Some(binding) if binding.chord.len() == keys.len() => return Found::Run(binding),
                Some(_) => return Found::Begun,
                None => {}
            }
        }
        Found::Nothing
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

/// The contexts whose keys hold now, the nearest first.
pub fn contexts(state: &State) -> &'static [Context] {
    use Context::{Always, Confirm, Filter, Help, Messages};
    match state.layers.last() {
        Some(Layer::Help(_)) => &[Help, Always],
        Some(Layer::Messages { .. } | Layer::Tour { .. } | Layer::Figures(_)) => &[Messages, Always],
        Some(Layer::Command(_)) => &[Context::Command, Always],
        Some(Layer::Filter { .. }) => &[Filter, Always],
        Some(Layer::Form) => &[Context::Form, Always],
        Some(Layer::Edit) => &[Context::Edit, Always],
        Some(Layer::Confirm(question)) if question.typed.is_some() => &[Context::Typed, Always],
        Some(Layer::Confirm(_)) => &[Confirm, Always],
        None => page_contexts(state),
    }
}

/// The contexts of the page, whatever stands over it.
pub fn page_contexts(state: &State) -> &'static [Context] {
    use Context::{Account, Always, App, Apps, Details, List, Node, Nodes, Page as Pages, Queues, Users};
    match state.page() {
        Page::Queues(_) => &[Queues, List, Pages, Always],
        Page::Apps(_) => &[Apps, List, Pages, Always],
        Page::App(_) => &[App, List, Pages, Always],
        Page::Nodes(_) => &[Nodes, List, Pages, Always],
        Page::Node(_) => &[Node, List, Pages, Always],
        Page::Users(_) => &[Users, List, Pages, Always],
        Page::Account(_) => &[Account, List, Pages, Always],
        Page::Details(_) => &[Details, Pages, Always],
        Page::Placement(_) => &[Context::Placement, Pages, Always],
        Page::Config(_) => &[Context::Config, Pages, Always],
        Page::Change(_) => &[Context::Change, Pages, Always],
        Page::Events(_) => &[Context::Events, List, Pages, Always],
        Page::Audit(_) => &[Context::Audit, List, Pages, Always],
        Page::Revisions(_) => &[Context::Revisions, List, Pages, Always],
    }
}

/// What a key does now; `None` when it means nothing.
pub fn action(state: &State, key: Key) -> Option<Action> {
    if layout::regions(state).is_none() {
        return blind(state, key);
    }
    let mut keys = state.pressed.clone();
    keys.push(key);
    if came_just_now(state) && !matches!(state.keymap.look_up(&[Context::Always], &keys), Found::Run(_)) {
        return Some(Action::Refuse(
            "the question came this moment; press the key again if it is the answer".to_owned(),
        ));
    }
    match state.keymap.look_up(contexts(state), &keys) {
        Found::Run(binding) => Some(match (command::by_id(binding.id).guard)(state) {
            Ok(()) => Action::Run(binding.id, binding.argument.clone()),
            Err(reason) => Action::Off(binding.id, reason),
        }),
        Found::Begun => Some(Action::Press(keys)),
        Found::Nothing if !state.pressed.is_empty() => {
            let gave_up = key == Key::plain(Code::Esc);
            let told = (!gave_up).then(|| format!("{} means nothing here", chord_text(&keys)));
            Some(told.map_or(Action::Press(Vec::new()), Action::Refuse))
        }
        Found::Nothing => is_writing(state).then_some(Action::Write(key)),
    }
}

/// What a key does where nothing can be shown, as on a terminal that is too small: only what needs no picture.
pub fn blind(state: &State, key: Key) -> Option<Action> {
    match state.keymap.look_up(&[Context::Always], &[key]) {
        Found::Run(binding) => {
            let blind = matches!(binding.id, CommandId::QuitAgain | CommandId::Suspend | CommandId::Repaint);
            blind.then(|| Action::Run(binding.id, None))
        }
        Found::Begun | Found::Nothing => None,
    }
}

/// Whether a question has opened by itself a moment ago, so that a key pressed now was meant for what stood there before.
fn came_just_now(state: &State) -> bool {
    matches!(state.layers.last(), Some(Layer::Confirm(question)) if question.from > state.now)
}

/// Whether keys that mean nothing else are written.
fn is_writing(state: &State) -> bool {
    match state.layers.last() {
        Some(Layer::Filter { .. } | Layer::Command(_) | Layer::Form | Layer::Edit) => true,
        Some(Layer::Confirm(question)) => question.typed.is_some(),
        _ => false,
    }
}

/// The keys that run a command now, for showing.
pub fn keys_of(state: &State, command: &Command) -> Option<String> {
    contexts(state)
        .iter()
        .find_map(|context| state.keymap.chords(*context, command.id).next())
        .map(|chord| chord_text(chord))
}

/// What the last line offers now: keys with their words, the nearest context first; help is always among them.
pub fn hints(state: &State) -> Vec<(String, &'static str)> {
    let mut hints = Vec::new();
    let mut ways_out = Vec::new();
    for context in contexts(state) {
        for command in COMMANDS {
            let Some((_, word)) = command.hints.iter().find(|(at, _)| at == context) else { continue };
            let Some(keys) = keys_of(state, command) else { continue };
            if (command.guard)(state).is_err() {
                continue;
            }
            let out = matches!(command.id, CommandId::Back | CommandId::Leave);
            if out { ways_out.push((keys, *word)) } else { hints.push((keys, *word)) }
        }
    }
    hints.extend(ways_out);
    hints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(text: &str) -> Chord {
        parse_chord(text).unwrap()
    }

    fn bound(context: Context, chord: &str, id: CommandId) -> Binding {
        Binding { context, chord: keys(chord), id, argument: None }
    }

    fn found(keymap: &Keymap, text: &str) -> Option<CommandId> {
        match keymap.look_up(&[Context::Queues, Context::List, Context::Page], &keys(text)) {
            Found::Run(binding) => Some(binding.id),
            Found::Begun | Found::Nothing => None,
        }
    }

    #[test]
    fn the_nearest_context_decides() {
        let mut keymap = Keymap::default();
        assert_eq!(found(&keymap, "j"), Some(CommandId::Down));
        keymap.bind(bound(Context::Queues, "j", CommandId::Fold));
        assert_eq!(found(&keymap, "j"), Some(CommandId::Fold));
        keymap.unbind(Context::Queues, &keys("j"));
        assert_eq!(found(&keymap, "j"), Some(CommandId::Down));
    }

    #[test]
    fn a_chord_takes_the_place_of_its_beginning() {
        let mut keymap = Keymap::default();
        keymap.bind(bound(Context::List, "g g", CommandId::Top));
        keymap.bind(bound(Context::List, "g e", CommandId::Bottom));
        assert_eq!(keymap.look_up(&[Context::List], &keys("g")), Found::Begun);
        assert_eq!(found(&keymap, "g g"), Some(CommandId::Top));
        assert_eq!(keymap.continuations(&[Context::List], &keys("g")).len(), 2);
        keymap.bind(bound(Context::List, "g", CommandId::Top));
        assert_eq!(found(&keymap, "g"), Some(CommandId::Top));
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
