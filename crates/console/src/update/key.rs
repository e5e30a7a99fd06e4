//! Maps a key to an action.

use crate::input::keymap::contexts;
use crate::present::guard;
use crate::present::layout;
use crate::state::State;
use crate::state::command::{CommandId, Context, ScreenCommand};
use crate::state::key::{Code, Key};
use crate::state::keymap::{KeyMatch, chord_text};
use crate::state::layer::Layer;
use crate::update::action::Action;

/// The action of a key now, if any.
pub fn action(state: &State, key: Key) -> Option<Action> {
    if layout::regions(state).is_none() {
        return blind(state, key);
    }
    let mut keys = state.pressed.clone();
    keys.push(key);
    if arrived_just_now(state) && !matches!(state.keymap.look_up(&[Context::Always], &keys), KeyMatch::Run(_)) {
        return Some(Action::Refuse("the question just appeared; press the key again to answer".to_owned()));
    }
    match state.keymap.look_up(contexts(state), &keys) {
        KeyMatch::Run(binding) => Some(match guard::check(state, binding.id) {
            Ok(()) => Action::Run(binding.id, binding.argument.clone()),
            Err(reason) => Action::Off(binding.id, reason),
        }),
        KeyMatch::Started => Some(Action::Press(keys)),
        KeyMatch::Nothing if !state.pressed.is_empty() => {
            let gave_up = key == Key::plain(Code::Esc);
            let message = (!gave_up).then(|| format!("{} has no function here", chord_text(&keys)));
            Some(message.map_or(Action::Press(Vec::new()), Action::Refuse))
        }
        KeyMatch::Nothing if is_writing(state, key) => Some(Action::Write(key)),
        KeyMatch::Nothing if state.layers.is_empty() => elsewhere(state, &keys).map(Action::Refuse),
        KeyMatch::Nothing => None,
    }
}

fn elsewhere(state: &State, keys: &[Key]) -> Option<String> {
    let here = |context: &Context| matches!(state.keymap.look_up(&[*context], keys), KeyMatch::Run(_));
    let lists = here(&Context::List).then_some("the lists");
    let pages = Context::PAGES.iter().filter(|context| here(context)).map(|page| page.title());
    let pages: Vec<&str> = lists.into_iter().chain(pages).collect();
    let (last, others) = pages.split_last()?;
    let others = if others.is_empty() { String::new() } else { format!("{} and ", others.join(", ")) };
    Some(format!("{} has no function here; it is a key of {others}{last}", chord_text(keys)))
}

/// The action on a terminal that is too small: only commands without a screen.
pub fn blind(state: &State, key: Key) -> Option<Action> {
    match state.keymap.look_up(&[Context::Always], &[key]) {
        KeyMatch::Run(binding) => {
            let blind = matches!(
                binding.id,
                CommandId::Screen(ScreenCommand::QuitAgain)
                    | CommandId::Screen(ScreenCommand::Suspend)
                    | CommandId::Screen(ScreenCommand::Repaint)
            );
            blind.then(|| Action::Run(binding.id, None))
        }
        KeyMatch::Started | KeyMatch::Nothing => None,
    }
}

/// The key was meant for the previous layer.
fn arrived_just_now(state: &State) -> bool {
    matches!(state.layers.last(), Some(Layer::Confirm(question)) if question.from > state.now)
}

fn is_writing(state: &State, key: Key) -> bool {
    match state.layers.last() {
        Some(Layer::Filter { .. } | Layer::Command(_) | Layer::Form | Layer::Edit | Layer::Reason { .. }) => true,
        Some(Layer::Confirm(question)) => question.typed.is_some() || matches!(key.code, Code::Char(_)),
        _ => false,
    }
}
