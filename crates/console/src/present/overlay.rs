//! The layers over a page: help, messages, a question, a notice, a hint.

use std::borrow::Cow;

use crate::input::command;
use crate::input::command::{
    COMMANDS, CommandId, Context, GoCommand, OrderCommand, PromptCommand, RowCommand, ScreenCommand,
};
use crate::input::keymap;
use crate::present::filter::Filter;
use crate::present::format;
use crate::present::layout;
use crate::present::own_command;
use crate::present::pieces::{Lines, Piece, dim, grade, piece, plain, symbol_set};
use crate::present::text;
use crate::state::keymap::Binding;
use crate::state::keymap::chord_text;
use crate::state::layer::{ColumnPicker, Help, Layer, Metric, Metrics, PickedColumn};
use crate::state::page::Page;
use crate::state::{Grade, State};
use crate::theme::Role;

/// The number of lines of the topmost overlay.
pub fn height(state: &State) -> usize {
    match state.layers.last() {
        Some(Layer::Help(help)) => help_lines(state, help).len(),
        Some(Layer::Messages { .. }) => message_lines(state).len(),
        Some(Layer::Tour { .. }) => tour_lines(state).len(),
        Some(Layer::Metrics(metrics)) => metric_lines(state, metrics).len(),
        _ => 0,
    }
}

/// Visibility and width of each column.
pub fn column_lines(state: &State, picker: &ColumnPicker) -> Lines {
    let symbols = symbol_set(state);
    let line = |(at, row): (usize, &PickedColumn)| {
        let bar = if at == picker.at { symbols.bar } else { " " };
        let role = match (at == picker.at, row.shown) {
            (true, _) => Role::Strong,
            (false, true) => Role::Text,
            (false, false) => Role::Dim,
        };
        let mark = if row.shown { "[x]" } else { "[ ]" };
        let width = match (at, row.choice.width) {
            (0, _) => "the name: always first".to_owned(),
            (_, Some(width)) => format!("{width} wide"),
            (_, None) => "default width".to_owned(),
        };
        vec![piece(Role::SelectionBar, bar), piece(role, format!(" {mark} {:<18}", row.choice.name)), dim(width)]
    };
    picker.rows.iter().enumerate().map(line).collect()
}

/// The keys of the page; during a search all keys, then commands.
pub fn help_lines(state: &State, help: &Help) -> Vec<Vec<Piece>> {
    if layout::is_short_help(state) {
        let mut lines = crate::present::help::lines(state);
        let mut more = Vec::new();
        symbols(&mut more, state, help, usize::from(layout::overlay_width(state)));
        if lines.len() + more.len() <= layout::overlay_space(state) * 2 {
            lines.extend(more);
        }
        return lines;
    }
    let here = keymap::page_contexts(state);
    let width = usize::from(layout::overlay_width(state));
    let others = Context::ALL.iter().filter(|context| !here.contains(context));
    let mut lines: Vec<Vec<Piece>> = Vec::new();
    for context in here.iter().chain(others) {
        let rows = COMMANDS.iter().filter_map(|command| {
            let keys: Vec<String> = state.keymap.chords(*context, command.id).map(|chord| chord_text(chord)).collect();
            let between = if keys.iter().any(|keys| keys.contains(' ')) { "  " } else { " " };
            let off = crate::present::guard::check(state, command.id).err();
            (!keys.is_empty()).then(|| (keys.join(between), Cow::Borrowed(command.doc), off))
        });
        let lines_of_own = state.keymap.with_argument(*context).map(|binding| {
            let line =
                format!(":{} {}", command::by_id(binding.id).name, binding.argument.as_deref().unwrap_or_default());
            let own = binding.argument.as_deref().and_then(|name| own_command::named(state, name));
            let own = own.filter(|_| binding.id == CommandId::Screen(ScreenCommand::OwnCommand));
            let off = own.and_then(|own| own_command::filled(state, own).err());
            (chord_text(&binding.chord), Cow::Owned(own.map_or(line, |own| own.doc.clone())), off)
        });
        let rows = rows.chain(lines_of_own);
        let elsewhere = if here.contains(context) { "" } else { "  (elsewhere)" };
        section(&mut lines, &format!("{}{elsewhere}", context.title()), rows, help, here.contains(context), width);
    }
    let named = COMMANDS.iter().filter(|command| !command.name.is_empty());
    let rows = named.map(|command| {
        (
            format!(":{}", command.usage()),
            Cow::Borrowed(command.doc),
            crate::present::guard::check(state, command.id).err(),
        )
    });
    section(&mut lines, "Commands", rows, help, true, width);
    let own = state.own_commands.iter();
    let rows =
        own.map(|own| (format!(":{}", own.name), Cow::Owned(own.doc.clone()), own_command::filled(state, own).err()));
    section(&mut lines, "Your own commands", rows, help, true, width);
    symbols(&mut lines, state, help, width);
    if lines.is_empty() {
        lines.push(vec![dim(format!("no match for {}", help.filter))]);
    }
    lines
}

fn section(
    lines: &mut Vec<Vec<Piece>>,
    title: &str,
    rows: impl Iterator<Item = (String, Cow<'static, str>, Option<String>)>,
    help: &Help,
    reasons: bool,
    width: usize,
) {
    let rows: Vec<_> = rows.collect();
    let passed = match Filter::parse(&help.filter) {
        Some(filter) => filter.select(rows.iter(), |(keys, doc, _)| [keys.as_str(), doc.as_ref()]),
        None => vec![true; rows.len()],
    };
    if !passed.contains(&true) {
        return;
    }
    if !lines.is_empty() {
        lines.push(Vec::new());
    }
    lines.push(vec![piece(Role::Title, title.to_owned())]);
    let column = if width < 60 { 12 } else { 20 };
    let space = width.saturating_sub(column + 2);
    let shown: Vec<_> = rows.into_iter().zip(passed).filter_map(|(row, passed)| passed.then_some(row)).collect();
    // Shown once, after the last such command.
    let reason = |at: usize| shown.get(at).and_then(|(_, _, off)| off.as_ref()).filter(|_| reasons);
    for (at, (keys, doc, _)) in shown.iter().enumerate() {
        let off = reason(at);
        let role = if off.is_some() { Role::Dim } else { Role::Text };
        let mut report: Vec<Piece> = text::wrap(doc, space).into_iter().map(|line| piece(role, line)).collect();
        if let Some(reason) = off.filter(|_| off != reason(at + 1)) {
            let reason = text::wrap(&format!("off: {reason}"), space).into_iter();
            report.extend(reason.map(|line| piece(Role::Warning, line)));
        }
        let long = text::width(keys) >= column;
        let mut keys = Some(keys.clone());
        if long {
            lines.push(vec![plain("  "), piece(Role::HintKey, keys.take().unwrap_or_default())]);
        }
        for line in report {
            let keys = keys.take().unwrap_or_default();
            let pad = column - text::width(&keys);
            lines.push(vec![plain("  "), piece(Role::HintKey, keys), plain(" ".repeat(pad)), line]);
        }
    }
}

fn symbols(lines: &mut Vec<Vec<Piece>>, state: &State, help: &Help, width: usize) {
    if !help.filter.is_empty() {
        return;
    }
    lines.extend([Vec::new(), vec![piece(Role::Title, "Signs")]]);
    let s = symbol_set(state);
    let states = match state.page() {
        Page::Nodes(_) | Page::Node(_) => {
            format!("{} schedulable, or reserved   {} unschedulable", s.active, s.stopped)
        }
        _ => format!(
            "{} active   {} draining   {} stopped   dyn: not in the configuration",
            s.active, s.draining, s.stopped
        ),
    };
    let words = [
        ("state", states),
        (
            "priority",
            format!(
                "{} raised by an offset   {} lowered   {} fenced: only the offset applies outside",
                s.raised, s.lowered, s.fenced
            ),
        ),
        ("meter", format!("{} used   {} free   {} guaranteed up to here", s.meter_full, s.meter_empty, s.meter_mark)),
        ("max", "20: own maximum   (20): the smallest maximum of a parent, or the cluster".to_owned()),
        ("others", format!("{} at its limit   {} just changed   {} none, or no limit", s.limit, s.changed, s.nothing)),
    ];
    let column = if width < 60 { 12 } else { 20 };
    for (name, meaning) in words {
        for (at, line) in text::wrap(&meaning, width.saturating_sub(column + 2)).into_iter().enumerate() {
            let name = if at == 0 { name } else { "" };
            lines.push(vec![plain("  "), piece(Role::HintKey, format!("{name:<column$}")), plain(line)]);
        }
    }
}

/// A tour: keys to press, with their results.
pub fn tour_lines(state: &State) -> Vec<Vec<Piece>> {
    let width = usize::from(layout::overlay_width(state));
    let key = |id: CommandId| {
        let command = command::by_id(id);
        let chord = Context::ALL.into_iter().find_map(|context| state.keymap.chords(context, id).next());
        chord.map_or_else(|| format!(":{}", command.name), |chord| chord_text(chord))
    };
    let steps = [
        (
            CommandId::Go(GoCommand::Queues),
            "The queue tree. Each row is a queue: its state, effective priority, running and pending applications, and usage of its guaranteed and maximum resources.",
        ),
        (
            CommandId::Row(RowCommand::Details),
            "Shows all details of the selected row, and the source of each value: a fence, an offset, a maximum of a \
                parent, a limit with its line.",
        ),
        (
            CommandId::Go(GoCommand::Metrics),
            "Explains each value on the screen: the parts of a sum, and the limiting queue.",
        ),
        (
            CommandId::Row(RowCommand::Open),
            "Opens the row: the applications of a queue, the requests of an application, the node of a request. esc goes back.",
        ),
        (
            CommandId::Go(GoCommand::Draining),
            "Lists draining queues with their duration, and the applications that block them.",
        ),
        (
            CommandId::Order(OrderCommand::Move),
            "Moves the selected application to another queue. While you type the target, a rejection is shown.",
        ),
        (
            CommandId::Order(OrderCommand::Kill),
            "Kills the selected application. The question shows what is released; its default answer is no.",
        ),
        (CommandId::Go(GoCommand::Placement), "Previews the placement of a submission, rule by rule."),
        (
            CommandId::Go(GoCommand::Config),
            "Edits the configuration, shows the effects on running applications, applies it.",
        ),
        (CommandId::Go(GoCommand::Events), "Lists events, newest first; v on a row lists its events."),
        (CommandId::Prompt(PromptCommand::Filter), "Filters each list as you type; s sorts, r reverses the order."),
        (
            CommandId::Prompt(PromptCommand::CommandLine),
            "Runs a command by name, with completion. An unavailable command shows the reason.",
        ),
        (CommandId::Go(GoCommand::Help), "Shows the keys of this page, and all others; you can filter them."),
    ];
    let mut lines = Vec::new();
    for (number, (id, words)) in steps.into_iter().enumerate() {
        let column = 12;
        for (at, line) in text::wrap(words, width.saturating_sub(column + 4)).into_iter().enumerate() {
            let first = at == 0;
            let shown = if first { format!("{:>2}  ", number + 1) } else { "    ".to_owned() };
            let keys = if first { key(id) } else { String::new() };
            lines.push(vec![dim(shown), piece(Role::HintKey, format!("{keys:<column$}")), plain(line)]);
        }
        lines.push(Vec::new());
    }
    lines.pop();
    lines
}

/// Values and explanations side by side, or stacked on a narrow screen.
pub fn metric_lines(state: &State, metrics: &Metrics) -> Vec<Vec<Piece>> {
    let width = usize::from(layout::overlay_width(state));
    let longest = |text: fn(&Metric) -> &str, most: usize| {
        metrics.list.iter().map(|metric| text::width(text(metric))).max().unwrap_or(0).min(most) + 2
    };
    let side_by_side = width >= 84;
    let title_column = longest(|metric| &metric.title, 22);
    let shown_column = longest(|metric| &metric.shown, 24);
    let column = if side_by_side { title_column + shown_column } else { 2 };
    let ellipsis = symbol_set(state).ellipsis;
    let cut = |words: &str, space: usize| text::cut(&text::escape(words), space - 1, ellipsis).into_owned();
    let mut lines = Vec::new();
    for metric in &metrics.list {
        let title = cut(&metric.title, title_column);
        let mut first =
            vec![piece(Role::HintKey, title.clone()), plain(" ".repeat(title_column - text::width(&title)))];
        if side_by_side {
            let shown = cut(&metric.shown, shown_column);
            let pad = " ".repeat(shown_column - text::width(&shown));
            first.extend([piece(Role::Strong, shown), plain(pad)]);
        } else {
            first.push(piece(Role::Strong, metric.shown.clone()));
            lines.push(std::mem::take(&mut first));
        }
        for (at, words) in text::wrap(&text::escape(&metric.why), width.saturating_sub(column)).into_iter().enumerate()
        {
            let mut line =
                if at == 0 && side_by_side { std::mem::take(&mut first) } else { vec![plain(" ".repeat(column))] };
            line.push(plain(words));
            lines.push(line);
        }
    }
    lines
}

/// The newest first.
pub fn message_lines(state: &State) -> Vec<Vec<Piece>> {
    if state.messages.is_empty() {
        return vec![vec![dim("no messages yet")]];
    }
    let width = usize::from(layout::overlay_width(state));
    let column = if width < 60 { 4 } else { 13 };
    let mut lines = Vec::new();
    for message in state.messages.iter().rev() {
        let (symbol, role) = grade(message.grade, symbol_set(state));
        let ago = match message.at {
            Some(at) => format!("{} ago", format::duration(state.now.saturating_sub(at))),
            None => "before".to_owned(),
        };
        let ago = if column > 4 { format!("{ago:>10} ") } else { " ".to_owned() };
        let times = if message.times > 1 { format!(" ({} times)", message.times) } else { String::new() };
        let reported = format!("{}{times}", message.text);
        for (at, text) in text::wrap(&text::escape(&reported), width.saturating_sub(column)).into_iter().enumerate() {
            let first = [dim(ago.clone()), piece(role, format!("{symbol:<width$}", width = column - ago.len()))];
            let mut line = if at == 0 { first.to_vec() } else { vec![plain(" ".repeat(column))] };
            line.push(if message.grade == Grade::Info { plain(text) } else { piece(role, text) });
            lines.push(line);
        }
        for text in message.more.lines() {
            lines.extend(indented(text, width, column));
        }
    }
    lines
}

/// Quotes from files stay unwrapped for their caret.
pub fn indented(line: &str, width: usize, column: usize) -> Vec<Vec<Piece>> {
    if line.trim_start_matches([' ', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']).starts_with('|') {
        return vec![vec![plain(" ".repeat(column)), plain(line.to_owned())]];
    }
    let own = (line.len() - line.trim_start().len()).min(8);
    let column = column + own;
    let one = |text: String| vec![plain(" ".repeat(column)), dim(text)];
    text::wrap(&text::escape(line.trim_start()), width.saturating_sub(column)).into_iter().map(one).collect()
}

/// The continuations of the pressed keys.
pub fn chord_lines(state: &State, space: usize) -> Lines {
    let symbols = symbol_set(state);
    let follow = state.keymap.continuations(keymap::contexts(state), &state.pressed);
    let rest = |binding: &Binding| chord_text(&binding.chord[state.pressed.len()..]);
    let column = follow.iter().map(|binding| text::width(&rest(binding))).max().unwrap_or(0) + 2;
    let mut lines = Vec::new();
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for binding in follow {
        let command = command::by_id(binding.id);
        let what = match &binding.argument {
            Some(argument) => format!(":{} {argument}", command.name),
            None => command.doc.to_owned(),
        };
        let keys = rest(binding);
        let keys_off = keys.clone();
        let pad = " ".repeat(column - text::width(&keys));
        let off = crate::present::guard::check(state, command.id).err();
        let role = if off.is_some() { Role::Dim } else { Role::Text };
        let what = text::cut(&text::escape(&what), space.saturating_sub(column), symbols.ellipsis).into_owned();
        lines.push(vec![piece(Role::HintKey, keys), plain(pad), piece(role, what)]);
        if let Some(why) = off {
            match reasons.iter_mut().find(|(known, _)| *known == why) {
                Some((_, of)) => of.push(keys_off),
                None => reasons.push((why, vec![keys_off])),
            }
        }
    }
    for (why, keys) in reasons {
        let report = format!("{} off: {why}", keys.join(" "));
        lines
            .extend(text::wrap(&text::escape(&report), space).into_iter().map(|line| vec![piece(Role::Warning, line)]));
    }
    lines
}
