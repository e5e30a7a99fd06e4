//! From a key to an action, by what is on the screen.

use super::action::Action;
use super::command::{COMMANDS, Command, CommandId, Context};
use super::key::Key;
use super::model::Model;
use super::model::layer::Layer;
use super::model::page::Page;

/// The contexts whose keys hold now, the nearest first.
pub fn contexts(model: &Model) -> &'static [Context] {
    use Context::{Always, Confirm, Filter, Help, Messages};
    match model.layers.last() {
        Some(Layer::Help(_)) => &[Help, Always],
        Some(Layer::Messages { .. }) => &[Messages, Always],
        Some(Layer::Command(_)) => &[Context::Command, Always],
        Some(Layer::Filter { .. }) => &[Filter, Always],
        Some(Layer::Form) => &[Context::Form, Always],
        Some(Layer::Confirm(_)) => &[Confirm, Always],
        None => page_contexts(model),
    }
}

/// The contexts of the page, whatever stands over it.
pub fn page_contexts(model: &Model) -> &'static [Context] {
    use Context::{Account, Always, App, Apps, Details, List, Node, Nodes, Page as Pages, Queues, Users};
    match model.page() {
        Page::Queues(_) => &[Queues, List, Pages, Always],
        Page::Apps(_) => &[Apps, List, Pages, Always],
        Page::App(_) => &[App, List, Pages, Always],
        Page::Nodes(_) => &[Nodes, List, Pages, Always],
        Page::Node(_) => &[Node, List, Pages, Always],
        Page::Users(_) => &[Users, List, Pages, Always],
        Page::Account(_) => &[Account, List, Pages, Always],
        Page::Details(_) => &[Details, Pages, Always],
        Page::Placement(_) => &[Context::Placement, Pages, Always],
    }
}

/// The command that a key means now.
pub fn command(model: &Model, key: Key) -> Option<&'static Command> {
    contexts(model)
        .iter()
        .find_map(|context| COMMANDS.iter().find(|command| command.keys_in(*context).any(|known| known == key)))
}

/// What a key does now; `None` when it means nothing.
pub fn action(model: &Model, key: Key) -> Option<Action> {
    if let Some(command) = command(model, key) {
        return Some(match (command.guard)(model) {
            Ok(()) => Action::Run(command.id, None),
            Err(reason) => Action::Refuse(reason),
        });
    }
    matches!(model.layers.last(), Some(Layer::Filter { .. } | Layer::Command(_) | Layer::Form))
        .then_some(Action::Write(key))
}

/// The key that runs a command now, for showing.
pub fn key_of(model: &Model, command: &Command) -> Option<Key> {
    contexts(model).iter().find_map(|context| command.keys_in(*context).next())
}

/// What the last line offers now: keys with their words, the nearest context first; help is always among them.
pub fn hints(model: &Model) -> Vec<(Key, &'static str)> {
    let mut hints = Vec::new();
    let mut ways_out = Vec::new();
    for context in contexts(model) {
        for command in COMMANDS {
            let Some((_, word)) = command.hints.iter().find(|(at, _)| at == context) else { continue };
            let Some(key) = key_of(model, command) else { continue };
            if (command.guard)(model).is_err() {
                continue;
            }
            let out = matches!(command.id, CommandId::Back | CommandId::Leave);
            if out { ways_out.push((key, *word)) } else { hints.push((key, *word)) }
        }
    }
    hints.extend(ways_out);
    hints
}
