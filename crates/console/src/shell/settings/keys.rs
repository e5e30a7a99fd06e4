//! `[keys.CONTEXT]`: key bindings.

use crate::input::command;
use crate::input::command::{Argument, Context};
use crate::state::key::{Code, Key};
use crate::state::keymap::{Binding, Chord, Keymap, chord_text, parse_chord};
use config::Fault;
use config::toml_table::{Entry, Table};

/// Adds the bindings of `[keys]` to a keymap.
pub fn read(table: &Table<'_, '_>, keymap: &mut Keymap, faults: &mut Vec<Fault>) {
    for entry in table.entries() {
        match Context::ALL.into_iter().find(|context| context.name() == entry.name) {
            Some(context) => {
                if let Some(table) = entry.table(faults) {
                    bindings(context, &table, keymap, faults);
                }
            }
            None => {
                let known = Context::ALL.map(Context::name);
                faults.push(entry.unknown("OWN-010", "context", &known));
            }
        }
    }
}

fn bindings(context: Context, table: &Table<'_, '_>, keymap: &mut Keymap, faults: &mut Vec<Fault>) {
    let mut own: Vec<Chord> = Vec::new();
    for entry in table.entries() {
        let Some(chord) = chord(context, &entry, &own, faults) else { continue };
        let Some(line) = entry.text(faults) else { continue };
        if line == "none" {
            keymap.unbind(context, &chord);
            own.push(chord);
            continue;
        }
        let (name, argument) = line.split_once(' ').unwrap_or((line, ""));
        let argument = Some(argument.trim()).filter(|text| !text.is_empty()).map(str::to_owned);
        match check(name, argument.as_deref()) {
            Ok(id) => {
                keymap.bind(Binding { context, chord: chord.clone(), id, argument });
                own.push(chord);
            }
            Err((message, hint)) => faults.push(entry.wrong("OWN-012", message, hint)),
        }
    }
}

fn chord(context: Context, entry: &Entry<'_, '_>, own: &[Chord], faults: &mut Vec<Fault>) -> Option<Chord> {
    let chord = match parse_chord(entry.name) {
        Ok(chord) => chord,
        Err(part) => {
            let hint =
                "a character, or enter, esc, tab, space, up, pgdn, F5, ctrl-x, alt-x …; a chord has blanks: \"g g\"";
            faults.push(entry.fault("OWN-011", format!("{part:?} is not a key"), hint));
            return None;
        }
    };
    let writes = |key: &Key| matches!(key.code, Code::Char(_)) && !key.ctrl && !key.alt;
    if context.writes() && chord.first().is_some_and(writes) {
        let message = format!("{} could no longer be typed", chord_text(&chord[..1]));
        faults.push(entry.fault("OWN-013", message, "in text input, start with ctrl, alt, or a named key"));
        return None;
    }
    if let Some(other) = own.iter().find(|other| other.starts_with(&chord) || chord.starts_with(other)) {
        let message = format!(
            "{} and {} start with the same keys, so one of them is unreachable",
            chord_text(&chord),
            chord_text(other)
        );
        faults.push(entry.fault("OWN-013", message, "bind only one of them"));
        return None;
    }
    Some(chord)
}

fn check(name: &str, argument: Option<&str>) -> Result<command::CommandId, (String, &'static str)> {
    let Some(command) = command::by_binding_name(name) else {
        return Err((format!("unknown command {name:?}"), "see docs/guide/keys.md; \"none\" unbinds the key"));
    };
    match (command.argument, argument) {
        (Argument::None, Some(_)) => Err((format!("{name} has no arguments"), "write only its name")),
        (Argument::Required(kind), None) => {
            Err((format!("{name} needs {} after it", kind.placeholder()), "write a whole command line"))
        }
        _ => Ok(command.id),
    }
}
