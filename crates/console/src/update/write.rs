//! Text inputs: filters, command lines, and typed answers.

use crate::input::command;
use crate::input::command::{Argument, CommandId, Kind, ScreenCommand};
use crate::input::editing::edit;
use crate::present::hints::ghost;
use crate::present::own_command;
use crate::state::key::{Code, Key};
use crate::state::layer::{CommandLine, Confirm, Layer};
use crate::state::line_edit::LineEdit;
use crate::state::page::Page;
use crate::state::{Grade, State};
use crate::theme::{Depth, ThemeName};
use crate::update::attempt;
use crate::update::column_picker;
use crate::update::command_line::{choose, complete, look_up, open_command_line_with};
use crate::update::config;
use crate::update::form;
use crate::update::lists;
use crate::update::question;

/// Applies a key to the text input.
pub fn key(state: &mut State, key: Key) {
    let alone = state.layers.len() == 1;
    match state.layers.last_mut() {
        Some(Layer::Filter { line }) => {
            if line.text().is_empty() && key.code == Code::Backspace {
                cancel(state);
                return state.redraw();
            }
            // A second `/` searches everywhere.
            if line.text().is_empty() && key == Key::plain(Code::Char('/')) && alone {
                cancel(state);
                open_command_line_with(state, "find ");
                return state.redraw();
            }
            let changed = edit(line, key);
            let text = line.text().to_owned();
            state.filters.leave();
            if changed && text != filter(state) {
                set_filter(state, &text);
            }
            if changed {
                state.redraw();
            }
        }
        Some(Layer::Command(command)) => {
            if command.line.text().is_empty() && key.code == Code::Backspace {
                cancel(state);
                return state.redraw();
            }
            let at_end = command.line.before().len() == command.line.text().len();
            if at_end && key == Key::plain(Code::Right) && ghost(command).is_some() {
                complete(state);
                return state.redraw();
            }
            if !edit(&mut command.line, key) {
                return;
            }
            state.commands.leave();
            look_up(state);
            state.redraw();
        }
        Some(Layer::Form) => form::key(state, key),
        Some(Layer::Edit) => config::key(state, key),
        Some(Layer::Reason { line }) => {
            let changed = edit(line, key);
            if changed {
                state.redraw();
            }
        }
        Some(Layer::Confirm(question)) => match &mut question.typed {
            Some(typed) => {
                if edit(&mut typed.line, key) {
                    state.redraw();
                }
            }
            None => question::stray(state),
        },
        _ => {}
    }
}

/// Pastes into an input, otherwise ignored: its characters would be keys.
pub fn paste(state: &mut State, text: &str) {
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
        Some(Layer::Reason { line }) => {
            line.paste(text);
            true
        }
        Some(Layer::Form) => form::paste(state, text),
        Some(Layer::Edit) => config::paste(state, text),
        Some(Layer::Confirm(Confirm { typed: Some(typed), .. })) => {
            let message = format!("type {}: pasted text is not accepted as a confirmation", typed.want);
            state.report(Grade::Refusal, message);
            true
        }
        _ => false,
    };
    if !taken {
        state.report(Grade::Refusal, "no input field: the pasted text is ignored");
    }
    state.redraw();
}

/// Starts filter input; an argument is applied immediately.
pub fn open_filter(state: &mut State, argument: Option<&str>) {
    if let Some(text) = argument {
        return set_filter(state, text.trim());
    }
    // A search starts empty, a filter is continued.
    let searching = state.layers.is_empty() && matches!(state.page(), Page::Config(_) | Page::Pod(_));
    let line = LineEdit::new(if searching { "" } else { filter(state) });
    if state.layers.is_empty() {
        lists::seek(state, true, false);
    }
    state.layers.push(Layer::Filter { line });
}

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

/// A command with its argument.
pub type Line = (CommandId, Option<String>);

/// Returns the command of a command line.
pub fn accept(state: &mut State) -> Option<Line> {
    match state.layers.last() {
        Some(Layer::Filter { line }) => {
            let text = line.text().trim().to_owned();
            state.layers.pop();
            state.filters.add(&text);
            if state.layers.is_empty() {
                lists::seek(state, false, true);
            }
        }
        Some(Layer::Command(_)) => return accept_command(state),
        Some(Layer::Confirm(_)) => question::accept(state),
        Some(Layer::Columns(_)) => column_picker::take(state),
        Some(Layer::Reason { .. }) => question::take_reason(state),
        _ => return None,
    }
    state.redraw();
    None
}

/// A prefix means the shown completion. A command without its argument waits for it, and so does a move with several
/// possible targets.
fn accept_command(state: &mut State) -> Option<Line> {
    state.redraw();
    let Some(Layer::Command(command)) = state.layers.last() else { return None };
    let typed = command.line.text().trim().to_owned();
    let chosen =
        command.chosen.and_then(|chosen| command.candidates.get(chosen)).map(|candidate| candidate.line.clone());
    let text = match chosen {
        Some(line) => line,
        None if typed.is_empty() => {
            state.layers.pop();
            return None;
        }
        None if ghost(command).is_some() && typed.contains(' ') => command.candidates[0].line.clone(),
        None if is_target(command) && command.candidates.len() == 1 => command.candidates[0].line.clone(),
        None if is_target(command) && !command.candidates.is_empty() => {
            choose(state, 1);
            return None;
        }
        None if is_command(state, typed.split_whitespace().next().unwrap_or_default()) => typed,
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
        return None;
    }
    state.layers.pop();
    state.commands.add(text.trim());
    read_line(state, name, argument)
}

fn is_command(state: &State, name: &str) -> bool {
    command::by_name(name).is_some() || own_command::named(state, name).is_some()
}

fn is_target(command: &CommandLine) -> bool {
    let name = command.line.text().split_once(' ').map(|(name, _)| name);
    let leaf = |command: &command::Command| command.argument == Argument::Optional(Kind::Leaf);
    !command.whole && name.and_then(command::by_name).is_some_and(leaf)
}

fn read_line(state: &mut State, name: &str, argument: &str) -> Option<Line> {
    let own = own_command::named(state, name).filter(|_| argument.is_empty());
    if let Some(own) = own.map(|own| own.name.clone()) {
        return Some((CommandId::Screen(ScreenCommand::OwnCommand), Some(own)));
    }
    let Some(command) = command::by_name(name) else {
        state.report(Grade::Refusal, format!("no command {name}; ? lists all"));
        return None;
    };
    if let Err(reason) = crate::present::guard::check(state, command.id) {
        attempt::refuse(state, command.id, reason);
        return None;
    }
    if command.argument == Argument::None && !argument.is_empty() {
        state.report(Grade::Refusal, format!("{name} has no arguments"));
        return None;
    }
    Some((command.id, Some(argument).filter(|argument| !argument.is_empty()).map(str::to_owned)))
}

/// Cancels the input or question; clears a filter.
pub fn cancel(state: &mut State) {
    match state.layers.pop() {
        Some(Layer::Filter { .. }) => {
            lists::seek(state, false, false);
            set_filter(state, "");
        }
        Some(Layer::Confirm(question)) => question::closed(state, &question),
        _ => {}
    }
    if state.layers.is_empty() {
        state.command_target = None;
    }
    state.commands.leave();
    state.filters.leave();
}

/// The previous history entry or completion.
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

/// The next history entry or completion.
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

/// Selects a theme.
pub fn theme(state: &mut State, name: &str) {
    let Some(entry) = state.options.themes.get(name) else {
        let message = format!("no theme {name}; available: {}", state.options.themes.names());
        return state.report(Grade::Refusal, message);
    };
    let own = entry.has_own_colors();
    state.options.theme = entry.name.clone();
    match state.options.depth {
        Depth::None if name != "mono" => {
            state
                .report(Grade::Info, "colors are off (NO_COLOR, --color never, or the terminal): mono is used instead");
        }
        Depth::Sixteen if own => {
            state.report(Grade::Info, "the terminal shows 16 colors: ansi16 is used instead; --color 256 uses more");
        }
        _ => {}
    }
}

/// The selected or best completion.
pub fn tried_theme(state: &State) -> Option<&ThemeName> {
    let Some(Layer::Command(command)) = state.layers.last() else { return None };
    let (name, typed) = command.line.text().split_once(' ')?;
    if command::by_name(name)?.id != CommandId::Screen(ScreenCommand::Theme) {
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
