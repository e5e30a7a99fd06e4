//! The short help: the page's keys in groups. [`crate::present::overlay::help_lines`] searches all keys.

use crate::input::command::COMMANDS;
use crate::input::keymap;
use crate::present::guard;
use crate::present::layout;
use crate::present::pieces::{Lines, piece, plain, symbol_set};
use crate::present::strip::TABS;
use crate::present::text;
use crate::state::State;
use crate::state::command::{CommandId, Context, GoCommand, RowCommand};
use crate::state::keymap::chord_text;
use crate::theme::Role;

const GROUPS: [&str; 3] = ["Move", "Look", "Act"];
const KEYS: usize = 11;

const fn group(id: CommandId) -> usize {
    match id {
        CommandId::Row(RowCommand::Details | RowCommand::Ended | RowCommand::HeatMap)
        | CommandId::Column(_)
        | CommandId::Log(_)
        | CommandId::Time(_)
        | CommandId::Trend(_)
        | CommandId::Prompt(_) => 1,
        CommandId::Row(RowCommand::Mark | RowCommand::MarkAll) => 2,
        CommandId::Row(_)
        | CommandId::Go(
            GoCommand::NextPage
            | GoCommand::PreviousPage
            | GoCommand::Back
            | GoCommand::Leave
            | GoCommand::JumpBack
            | GoCommand::JumpForward
            | GoCommand::GoPlace,
        ) => 0,
        CommandId::Go(_) => 1,
        _ => 2,
    }
}

/// The keys of the page, one per line.
pub fn lines(state: &State) -> Lines {
    let contexts = keymap::page_contexts(state);
    let width = usize::from(layout::overlay_width(state));
    let mut groups: [Lines; 3] = Default::default();
    let in_strip = |id: CommandId| TABS.iter().any(|tab| CommandId::Go(tab.id) == id);
    groups[0].push(line(state, "1-9 0 L H", "Open a page of the strip", true, width));
    for command in COMMANDS.iter().filter(|command| !in_strip(command.id)) {
        let keys = contexts.iter().map(|context| keys(state, *context, command.id));
        let Some(keys) = keys.into_iter().find(|keys| !keys.is_empty()) else { continue };
        let on = guard::check(state, command.id).is_ok();
        groups[group(command.id)].push(line(state, &keys, command.in_short(), on, width));
    }
    let mut lines = Lines::new();
    for (title, group) in GROUPS.into_iter().zip(groups) {
        if !lines.is_empty() {
            lines.push(Vec::new());
        }
        lines.push(vec![piece(Role::Title, title)]);
        lines.extend(group);
    }
    lines
}

fn keys(state: &State, context: Context, id: CommandId) -> String {
    let mut shown = String::new();
    for chord in state.keymap.chords(context, id) {
        let key = chord_text(chord);
        if !shown.is_empty() && shown.len() + 1 + key.len() >= KEYS {
            break;
        }
        shown = if shown.is_empty() { key } else { format!("{shown} {key}") };
    }
    shown
}

fn line(state: &State, keys: &str, short: &str, on: bool, width: usize) -> Vec<crate::present::pieces::Piece> {
    let ellipsis = symbol_set(state).ellipsis;
    let keys = text::cut(keys, KEYS - 1, ellipsis).into_owned();
    let short = text::cut(short, width.saturating_sub(KEYS), ellipsis).into_owned();
    let pad = " ".repeat(KEYS - text::width(&keys));
    vec![piece(Role::HintKey, keys), plain(pad), piece(if on { Role::Text } else { Role::Dim }, short)]
}
