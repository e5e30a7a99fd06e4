//! What is being written: filters and command lines; and questions that are answered.

use super::super::theme::{Depth, ThemeName};
use super::{attempt, bulk, change, config, form, lists, names, navigate, orders, run};
use crate::console::input::command;
use crate::console::input::command::{Argument, CommandId, Kind};
use crate::console::input::key::{Code, Key};
use crate::console::state::layer::{CommandLine, Confirm, Layer, Question};
use crate::console::state::line_edit::LineEdit;
use crate::console::state::page::Page;
use crate::console::state::{Grade, State};
use crate::console::update::action::Effects;
use crate::console::update::completion;

/// Lets a key work on the text that is being written.
pub fn key(state: &mut State, key: Key) -> Effects {
    match state.layers.last_mut() {
        Some(Layer::Filter { line }) => {
            if line.text().is_empty() && key.code == Code::Backspace {
                cancel(state);
                return Effects::REDRAW;
            }
            let changed = line.key(key);
            let text = line.text().to_owned();
            state.filters.leave();
            if changed && text != filter(state) {
                set_filter(state, &text);
            }
            if changed { Effects::REDRAW } else { Effects::NONE }
        }
        Some(Layer::Command(command)) => {
            if command.line.text().is_empty() && key.code == Code::Backspace {
                cancel(state);
                return Effects::REDRAW;
            }
            let at_end = command.line.before().len() == command.line.text().len();
            if at_end && key == Key::plain(Code::Right) && ghost(command).is_some() {
                complete(state);
                return Effects::REDRAW;
            }
            if !command.line.key(key) {
                return Effects::NONE;
            }
            state.commands.leave();
            look_up(state);
            Effects::REDRAW
        }
        Some(Layer::Form) => form::key(state, key),
        Some(Layer::Edit) => config::key(state, key),
        Some(Layer::Confirm(Confirm { typed: Some(typed), .. })) => {
            if typed.line.key(key) {
                Effects::REDRAW
            } else {
                Effects::NONE
            }
        }
        _ => Effects::NONE,
    }
}

/// Lets pasted text go where text is written. Elsewhere it is ignored: its characters would be taken for keys.
pub fn paste(state: &mut State, text: &str) -> Effects {
    let taken = match state.layers.last_mut() {
        Some(Layer::Filter { line }) => {
            line.paste(text);
            let text = line.text().to_owned();
            state.filters.leave();
            set_filter(state, &text);
            true
        }
        Some(Layer::Command(command)) => {
            command.line.paste(text);
            state.commands.leave();
            look_up(state);
            true
        }
        Some(Layer::Form) => form::paste(state, text),
        Some(Layer::Edit) => config::paste(state, text),
        Some(Layer::Confirm(Confirm { typed: Some(typed), .. })) => {
            let told = format!("{} is to be typed: what is pasted would be no second thought", typed.want);
            state.say(Grade::Refusal, told);
            true
        }
        _ => false,
    };
    if !taken {
        state.say(Grade::Refusal, "nothing is being written here; what was pasted is ignored");
    }
    Effects::REDRAW
}

/// Starts writing a filter; with an argument it is set at once.
pub fn open_filter(state: &mut State, argument: Option<&str>) {
    if let Some(text) = argument {
        return set_filter(state, text.trim());
    }
    // A search begins anew, a filter is written on.
    let searching = state.layers.is_empty() && matches!(state.page(), Page::Config(_));
    let line = LineEdit::new(if searching { "" } else { filter(state) });
    if state.layers.is_empty() {
        lists::seek(state, true, false);
    }
    state.layers.push(Layer::Filter { line });
}

/// The filter that is being written, or would be: of the help, or of the list.
fn filter(state: &State) -> &str {
    for layer in state.layers.iter().rev() {
        if let Layer::Help(help) = layer {
            return &help.filter;
        }
    }
    lists::filter(state)
}

fn set_filter(state: &mut State, text: &str) {
    for layer in state.layers.iter_mut().rev() {
        if let Layer::Help(help) = layer {
            text.clone_into(&mut help.filter);
            help.top = 0;
            return;
        }
    }
    lists::set_filter(state, text);
}

/// Starts a command line.
pub fn open_command_line(state: &mut State) {
    open_command_line_with(state, "");
}

/// Starts a command line with its beginning. What is under the cursor now is what it is about, wherever rows go meanwhile.
pub fn open_command_line_with(state: &mut State, text: &str) {
    state.layers.clear();
    state.aim = None;
    state.aim = orders::aim(state);
    state.layers.push(Layer::Command(CommandLine { line: LineEdit::new(text), ..CommandLine::default() }));
    look_up(state);
}

/// Looks up anew what the command line could become.
pub fn look_up(state: &mut State) {
    let Some(Layer::Command(command)) = state.layers.last() else { return };
    let candidates = completion::candidates(state, command.line.text());
    let whole = completion::is_whole(state, command.line.text(), &candidates);
    if let Some(Layer::Command(command)) = state.layers.last_mut() {
        command.candidates = candidates;
        command.chosen = None;
        command.whole = whole;
    }
    names::want(state);
    orders::watch_move(state);
}

/// What the command line would become with its completion, if that only adds to what is written; that is what enter takes.
pub fn ghost(command: &CommandLine) -> Option<&str> {
    if command.whole && command.chosen.is_none() {
        return None;
    }
    let first = command.candidates.get(command.chosen.unwrap_or(0))?;
    let typed = command.line.text();
    (!typed.is_empty() && first.line.len() > typed.len()).then(|| first.line.strip_prefix(typed)).flatten()
}

/// Takes what is being written.
pub fn accept(state: &mut State) -> Effects {
    match state.layers.last() {
        Some(Layer::Filter { line }) => {
            let text = line.text().trim().to_owned();
            state.layers.pop();
            state.filters.add(&text);
            if state.layers.is_empty() {
                lists::seek(state, false, true);
            }
            Effects::REDRAW
        }
        Some(Layer::Command(_)) => {
            let effects = accept_command(state);
            if !matches!(state.layers.last(), Some(Layer::Command(_))) {
                state.aim = None;
            }
            effects
        }
        Some(Layer::Confirm(Confirm { typed: Some(typed), .. })) => {
            if typed.line.text() == typed.want {
                return yes(state);
            }
            let told = format!("type {} to go on, or esc to leave it", typed.want);
            state.say(Grade::Refusal, told);
            Effects::REDRAW
        }
        Some(Layer::Confirm(confirm)) if confirm.accepting => yes(state),
        Some(Layer::Confirm(_)) => {
            state.layers.pop();
            Effects::REDRAW
        }
        _ => Effects::NONE,
    }
}

/// Runs the command line. What is begun stands for the completion that is shown behind it; a command that lacks its argument waits for
/// it, as does a move whose target could be one of several.
fn accept_command(state: &mut State) -> Effects {
    let Some(Layer::Command(command)) = state.layers.last() else { return Effects::NONE };
    let typed = command.line.text().trim().to_owned();
    let chosen =
        command.chosen.and_then(|chosen| command.candidates.get(chosen)).map(|candidate| candidate.line.clone());
    let text = match chosen {
        Some(line) => line,
        None if typed.is_empty() => {
            state.layers.pop();
            return Effects::REDRAW;
        }
        None if ghost(command).is_some() && typed.contains(' ') => command.candidates[0].line.clone(),
        None if is_target(command) && command.candidates.len() == 1 => command.candidates[0].line.clone(),
        None if is_target(command) && !command.candidates.is_empty() => {
            choose(state, 1);
            return Effects::REDRAW;
        }
        None if command::by_name(typed.split_whitespace().next().unwrap_or_default()).is_some() => typed,
        None => match command.candidates.iter().find(|candidate| candidate.line.starts_with(&typed)) {
            Some(candidate) => candidate.line.clone(),
            None => typed,
        },
    };
    let (name, argument) = text.split_once(' ').unwrap_or((&text, ""));
    let argument = argument.trim();
    if let Some(command) = command::by_name(name)
        && matches!(command.argument, Argument::Required(_))
        && argument.is_empty()
    {
        if let Some(Layer::Command(line)) = state.layers.last_mut() {
            line.line.set(format!("{name} "));
        }
        look_up(state);
        return Effects::REDRAW;
    }
    state.layers.pop();
    state.commands.add(text.trim());
    run_line(state, name, argument)
}

/// Whether the target of a move is written that names no queue.
fn is_target(command: &CommandLine) -> bool {
    let name = command.line.text().split_once(' ').map(|(name, _)| name);
    let leaf = |command: &command::Command| command.argument == Argument::Optional(Kind::Leaf);
    !command.whole && name.and_then(command::by_name).is_some_and(leaf)
}

/// Runs a command by name.
fn run_line(state: &mut State, name: &str, argument: &str) -> Effects {
    let Some(command) = command::by_name(name) else {
        state.say(Grade::Refusal, format!("no command {name}; ? lists all"));
        return Effects::REDRAW;
    };
    if let Err(reason) = (command.guard)(state) {
        attempt::refuse(state, command.id, reason);
        return Effects::REDRAW;
    }
    if command.argument == Argument::None && !argument.is_empty() {
        state.say(Grade::Refusal, format!("{name} takes nothing after it"));
        return Effects::REDRAW;
    }
    run(state, command.id, Some(argument).filter(|argument| !argument.is_empty()))
}

/// Leaves what is being written or asked; a filter is cleared.
pub fn cancel(state: &mut State) {
    if let Some(Layer::Filter { .. }) = state.layers.pop() {
        lists::seek(state, false, false);
        set_filter(state, "");
    }
    if state.layers.is_empty() {
        state.aim = None;
    }
    state.commands.leave();
    state.filters.leave();
}

/// Does what was asked about.
pub fn yes(state: &mut State) -> Effects {
    match state.layers.pop() {
        Some(Layer::Confirm(confirm)) => match confirm.what {
            Question::Quit => Effects { quit: true, ..Effects::NONE },
            Question::Apply if matches!(state.page(), Page::Change(_)) => {
                change::apply(state);
                Effects::REDRAW
            }
            Question::Apply => {
                config::apply(state);
                Effects::REDRAW
            }
            Question::Context(name) => {
                navigate::open_context(state, &name);
                Effects::REDRAW
            }
            Question::Orders(orders) => {
                bulk::yes(state, orders);
                Effects::REDRAW
            }
            Question::Order(order) => {
                orders::yes(state, *order);
                Effects::REDRAW
            }
        },
        _ => Effects::NONE,
    }
}

/// Chooses the other answer.
pub fn other_answer(state: &mut State) {
    if let Some(Layer::Confirm(confirm)) = state.layers.last_mut() {
        confirm.accepting = !confirm.accepting;
    }
}

/// Puts the chosen completion, or the best one, into the command line.
pub fn complete(state: &mut State) {
    if let Some(Layer::Command(command)) = state.layers.last_mut()
        && let Some(candidate) = command.candidates.get(command.chosen.unwrap_or(0))
    {
        command.line.set(candidate.line.clone());
        look_up(state);
    }
}

/// Chooses the next completion, or the one before.
pub fn choose(state: &mut State, step: isize) {
    if let Some(Layer::Command(command)) = state.layers.last_mut() {
        let len = command.candidates.len();
        command.chosen = match (command.chosen, step) {
            (_, _) if len == 0 => None,
            (None, 1) => Some(0),
            (None, _) => Some(len - 1),
            (Some(at), step) => at.checked_add_signed(step).filter(|at| *at < len),
        };
    }
}

/// What was written before; among completions, the one before.
pub fn older(state: &mut State) {
    match state.layers.last_mut() {
        Some(Layer::Command(command)) if command.chosen.is_some() => return choose(state, -1),
        Some(Layer::Command(command)) => match state.commands.older(command.line.text()) {
            Some(text) => command.line.set(text),
            None => return,
        },
        Some(Layer::Filter { line }) => match state.filters.older(line.text()) {
            Some(text) => line.set(text),
            None => return,
        },
        _ => return,
    }
    take_over(state);
}

/// What was written after it.
pub fn newer(state: &mut State) {
    if let Some(Layer::Filter { line }) = state.layers.last_mut()
        && let Some(text) = state.filters.newer()
    {
        line.set(text);
        take_over(state);
    }
}

fn take_over(state: &mut State) {
    match state.layers.last() {
        Some(Layer::Filter { line }) => {
            let text = line.text().to_owned();
            set_filter(state, &text);
        }
        _ => look_up(state),
    }
}

/// Takes another theme.
pub fn theme(state: &mut State, name: &str) {
    let Some(entry) = state.options.themes.get(name) else {
        let told = format!("no theme {name}; there are {}", state.options.themes.names());
        return state.say(Grade::Refusal, told);
    };
    let own = entry.has_own_colors();
    state.options.theme = entry.name.clone();
    match state.options.depth {
        Depth::None if name != "mono" => {
            state.say(
                Grade::Info,
                "colours are off (NO_COLOR, --color never or the terminal): mono is shown in its place",
            );
        }
        Depth::Sixteen if own => {
            state.say(
                Grade::Info,
                "the terminal shows 16 colours: ansi16 is shown in its place; --color 256 takes more",
            );
        }
        _ => {}
    }
}

/// The theme that is being chosen in the command line, to be shown while it is: the completion chosen, or the best one.
pub fn tried_theme(state: &State) -> Option<&ThemeName> {
    let Some(Layer::Command(command)) = state.layers.last() else { return None };
    let (name, typed) = command.line.text().split_once(' ')?;
    if command::by_name(name)?.id != CommandId::Theme {
        return None;
    }
    let themes = &state.options.themes;
    if let Some(chosen) = command.chosen {
        return themes.get(&command.candidates.get(chosen)?.word).map(|entry| &entry.name);
    }
    let typed = typed.trim();
    let best = || command.candidates.first().filter(|_| !typed.is_empty()).and_then(|best| themes.get(&best.word));
    themes.get(typed).or_else(best).map(|entry| &entry.name)
}
