//! What is being written: filters and command lines; and questions that are answered.

use super::super::action::Effects;
use super::super::command::{self, Argument, CommandId, Kind};
use super::super::complete;
use super::super::key::{Code, Key};
use super::super::line_edit::LineEdit;
use super::super::model::layer::{CommandLine, Confirm, Layer, Question};
use super::super::model::page::Page;
use super::super::model::{Grade, Model};
use super::super::theme::{Depth, ThemeName};
use super::{attempt, bulk, change, config, form, lists, names, navigate, orders, run};

/// Lets a key work on the text that is being written.
pub fn key(model: &mut Model, key: Key) -> Effects {
    match model.layers.last_mut() {
        Some(Layer::Filter { line }) => {
            if line.text().is_empty() && key.code == Code::Backspace {
                cancel(model);
                return Effects::REDRAW;
            }
            let changed = line.key(key);
            let text = line.text().to_owned();
            model.filters.leave();
            if changed && text != filter(model) {
                set_filter(model, &text);
            }
            if changed { Effects::REDRAW } else { Effects::NONE }
        }
        Some(Layer::Command(command)) => {
            if command.line.text().is_empty() && key.code == Code::Backspace {
                cancel(model);
                return Effects::REDRAW;
            }
            let at_end = command.line.before().len() == command.line.text().len();
            if at_end && key == Key::plain(Code::Right) && ghost(command).is_some() {
                complete(model);
                return Effects::REDRAW;
            }
            if !command.line.key(key) {
                return Effects::NONE;
            }
            model.commands.leave();
            look_up(model);
            Effects::REDRAW
        }
        Some(Layer::Form) => form::key(model, key),
        Some(Layer::Edit) => config::key(model, key),
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
pub fn paste(model: &mut Model, text: &str) -> Effects {
    let taken = match model.layers.last_mut() {
        Some(Layer::Filter { line }) => {
            line.paste(text);
            let text = line.text().to_owned();
            model.filters.leave();
            set_filter(model, &text);
            true
        }
        Some(Layer::Command(command)) => {
            command.line.paste(text);
            model.commands.leave();
            look_up(model);
            true
        }
        Some(Layer::Form) => form::paste(model, text),
        Some(Layer::Edit) => config::paste(model, text),
        Some(Layer::Confirm(Confirm { typed: Some(typed), .. })) => {
            let told = format!("{} is to be typed: what is pasted would be no second thought", typed.want);
            model.say(Grade::Refusal, told);
            true
        }
        _ => false,
    };
    if !taken {
        model.say(Grade::Refusal, "nothing is being written here; what was pasted is ignored");
    }
    Effects::REDRAW
}

/// Starts writing a filter; with an argument it is set at once.
pub fn open_filter(model: &mut Model, argument: Option<&str>) {
    if let Some(text) = argument {
        return set_filter(model, text.trim());
    }
    // A search begins anew, a filter is written on.
    let searching = model.layers.is_empty() && matches!(model.page(), Page::Config(_));
    let line = LineEdit::new(if searching { "" } else { filter(model) });
    if model.layers.is_empty() {
        lists::seek(model, true, false);
    }
    model.layers.push(Layer::Filter { line });
}

/// The filter that is being written, or would be: of the help, or of the list.
fn filter(model: &Model) -> &str {
    for layer in model.layers.iter().rev() {
        if let Layer::Help(help) = layer {
            return &help.filter;
        }
    }
    lists::filter(model)
}

fn set_filter(model: &mut Model, text: &str) {
    for layer in model.layers.iter_mut().rev() {
        if let Layer::Help(help) = layer {
            text.clone_into(&mut help.filter);
            help.top = 0;
            return;
        }
    }
    lists::set_filter(model, text);
}

/// Starts a command line.
pub fn open_command_line(model: &mut Model) {
    open_command_line_with(model, "");
}

/// Starts a command line with its beginning. What is under the cursor now is what it is about, wherever rows go meanwhile.
pub fn open_command_line_with(model: &mut Model, text: &str) {
    model.layers.clear();
    model.aim = None;
    model.aim = orders::aim(model);
    model.layers.push(Layer::Command(CommandLine { line: LineEdit::new(text), ..CommandLine::default() }));
    look_up(model);
}

/// Looks up anew what the command line could become.
pub fn look_up(model: &mut Model) {
    let Some(Layer::Command(command)) = model.layers.last() else { return };
    let candidates = complete::candidates(model, command.line.text());
    let whole = complete::is_whole(model, command.line.text(), &candidates);
    if let Some(Layer::Command(command)) = model.layers.last_mut() {
        command.candidates = candidates;
        command.chosen = None;
        command.whole = whole;
    }
    names::want(model);
    orders::watch_move(model);
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
pub fn accept(model: &mut Model) -> Effects {
    match model.layers.last() {
        Some(Layer::Filter { line }) => {
            let text = line.text().trim().to_owned();
            model.layers.pop();
            model.filters.add(&text);
            if model.layers.is_empty() {
                lists::seek(model, false, true);
            }
            Effects::REDRAW
        }
        Some(Layer::Command(_)) => {
            let effects = accept_command(model);
            if !matches!(model.layers.last(), Some(Layer::Command(_))) {
                model.aim = None;
            }
            effects
        }
        Some(Layer::Confirm(Confirm { typed: Some(typed), .. })) => {
            if typed.line.text() == typed.want {
                return yes(model);
            }
            let told = format!("type {} to go on, or esc to leave it", typed.want);
            model.say(Grade::Refusal, told);
            Effects::REDRAW
        }
        Some(Layer::Confirm(confirm)) if confirm.accepting => yes(model),
        Some(Layer::Confirm(_)) => {
            model.layers.pop();
            Effects::REDRAW
        }
        _ => Effects::NONE,
    }
}

/// Runs the command line. What is begun stands for the completion that is shown behind it; a command that lacks its argument waits for
/// it, as does a move whose target could be one of several.
fn accept_command(model: &mut Model) -> Effects {
    let Some(Layer::Command(command)) = model.layers.last() else { return Effects::NONE };
    let typed = command.line.text().trim().to_owned();
    let chosen =
        command.chosen.and_then(|chosen| command.candidates.get(chosen)).map(|candidate| candidate.line.clone());
    let text = match chosen {
        Some(line) => line,
        None if typed.is_empty() => {
            model.layers.pop();
            return Effects::REDRAW;
        }
        None if ghost(command).is_some() && typed.contains(' ') => command.candidates[0].line.clone(),
        None if is_target(command) && command.candidates.len() == 1 => command.candidates[0].line.clone(),
        None if is_target(command) && !command.candidates.is_empty() => {
            choose(model, 1);
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
        if let Some(Layer::Command(line)) = model.layers.last_mut() {
            line.line.set(format!("{name} "));
        }
        look_up(model);
        return Effects::REDRAW;
    }
    model.layers.pop();
    model.commands.add(text.trim());
    run_line(model, name, argument)
}

/// Whether the target of a move is written that names no queue.
fn is_target(command: &CommandLine) -> bool {
    let name = command.line.text().split_once(' ').map(|(name, _)| name);
    let leaf = |command: &command::Command| command.argument == Argument::Optional(Kind::Leaf);
    !command.whole && name.and_then(command::by_name).is_some_and(leaf)
}

/// Runs a command by name.
fn run_line(model: &mut Model, name: &str, argument: &str) -> Effects {
    let Some(command) = command::by_name(name) else {
        model.say(Grade::Refusal, format!("no command {name}; ? lists all"));
        return Effects::REDRAW;
    };
    if let Err(reason) = (command.guard)(model) {
        attempt::refuse(model, command.id, reason);
        return Effects::REDRAW;
    }
    if command.argument == Argument::None && !argument.is_empty() {
        model.say(Grade::Refusal, format!("{name} takes nothing after it"));
        return Effects::REDRAW;
    }
    run(model, command.id, Some(argument).filter(|argument| !argument.is_empty()))
}

/// Leaves what is being written or asked; a filter is cleared.
pub fn cancel(model: &mut Model) {
    if let Some(Layer::Filter { .. }) = model.layers.pop() {
        lists::seek(model, false, false);
        set_filter(model, "");
    }
    if model.layers.is_empty() {
        model.aim = None;
    }
    model.commands.leave();
    model.filters.leave();
}

/// Does what was asked about.
pub fn yes(model: &mut Model) -> Effects {
    match model.layers.pop() {
        Some(Layer::Confirm(confirm)) => match confirm.what {
            Question::Quit => Effects { quit: true, ..Effects::NONE },
            Question::Apply if matches!(model.page(), Page::Change(_)) => {
                change::apply(model);
                Effects::REDRAW
            }
            Question::Apply => {
                config::apply(model);
                Effects::REDRAW
            }
            Question::Context(name) => {
                navigate::open_context(model, &name);
                Effects::REDRAW
            }
            Question::Orders(orders) => {
                bulk::yes(model, orders);
                Effects::REDRAW
            }
            Question::Order(order) => {
                orders::yes(model, *order);
                Effects::REDRAW
            }
        },
        _ => Effects::NONE,
    }
}

/// Chooses the other answer.
pub fn other_answer(model: &mut Model) {
    if let Some(Layer::Confirm(confirm)) = model.layers.last_mut() {
        confirm.accepting = !confirm.accepting;
    }
}

/// Puts the chosen completion, or the best one, into the command line.
pub fn complete(model: &mut Model) {
    if let Some(Layer::Command(command)) = model.layers.last_mut()
        && let Some(candidate) = command.candidates.get(command.chosen.unwrap_or(0))
    {
        command.line.set(candidate.line.clone());
        look_up(model);
    }
}

/// Chooses the next completion, or the one before.
pub fn choose(model: &mut Model, step: isize) {
    if let Some(Layer::Command(command)) = model.layers.last_mut() {
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
pub fn older(model: &mut Model) {
    match model.layers.last_mut() {
        Some(Layer::Command(command)) if command.chosen.is_some() => return choose(model, -1),
        Some(Layer::Command(command)) => match model.commands.older(command.line.text()) {
            Some(text) => command.line.set(text),
            None => return,
        },
        Some(Layer::Filter { line }) => match model.filters.older(line.text()) {
            Some(text) => line.set(text),
            None => return,
        },
        _ => return,
    }
    take_over(model);
}

/// What was written after it.
pub fn newer(model: &mut Model) {
    if let Some(Layer::Filter { line }) = model.layers.last_mut()
        && let Some(text) = model.filters.newer()
    {
        line.set(text);
        take_over(model);
    }
}

fn take_over(model: &mut Model) {
    match model.layers.last() {
        Some(Layer::Filter { line }) => {
            let text = line.text().to_owned();
            set_filter(model, &text);
        }
        _ => look_up(model),
    }
}

/// Takes another theme.
pub fn theme(model: &mut Model, name: &str) {
    let Some(entry) = model.options.themes.get(name) else {
        let told = format!("no theme {name}; there are {}", model.options.themes.names());
        return model.say(Grade::Refusal, told);
    };
    let own = entry.has_own_colors();
    model.options.theme = entry.name.clone();
    match model.options.depth {
        Depth::None if name != "mono" => {
            model.say(
                Grade::Info,
                "colours are off (NO_COLOR, --color never or the terminal): mono is shown in its place",
            );
        }
        Depth::Sixteen if own => {
            model.say(
                Grade::Info,
                "the terminal shows 16 colours: ansi16 is shown in its place; --color 256 takes more",
            );
        }
        _ => {}
    }
}

/// The theme that is being chosen in the command line, to be shown while it is: the completion chosen, or the best one.
pub fn tried_theme(model: &Model) -> Option<&ThemeName> {
    let Some(Layer::Command(command)) = model.layers.last() else { return None };
    let (name, typed) = command.line.text().split_once(' ')?;
    if command::by_name(name)?.id != CommandId::Theme {
        return None;
    }
    let themes = &model.options.themes;
    if let Some(chosen) = command.chosen {
        return themes.get(&command.candidates.get(chosen)?.word).map(|entry| &entry.name);
    }
    let typed = typed.trim();
    let best = || command.candidates.first().filter(|_| !typed.is_empty()).and_then(|best| themes.get(&best.word));
    themes.get(typed).or_else(best).map(|entry| &entry.name)
}
