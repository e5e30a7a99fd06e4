//! `[[command]]`: the user's own commands.
//!
//! ```toml
//! [[command]]
//! name = "all-logs"         # :all-logs
//! doc = "The logs of the pods of an application"
//! key = "ctrl-l"
//! pages = ["apps", "app"]   # every page where it is missing
//! run = "kubectl logs -l applicationId={app} --context {context}"
//! output = "pager"          # or background, terminal
//! confirm = false
//! shell = false
//! ```

use std::ops::Range;

use crate::input::command;
use crate::state::column_names;
use crate::state::command::{CommandId, Context, ScreenCommand};
use crate::state::keymap::{Binding, Chord, Keymap, chord_text, parse_chord};
use crate::state::own_command::{OwnCommand, OwnLine, OwnOutput, Placeholder};
use config::Fault;
use config::toml_table::{self, Entry, Table};

const KNOWN: [&str; 8] = ["name", "doc", "key", "pages", "run", "shell", "confirm", "output"];

/// Reads the commands, and binds their keys if unused.
pub fn read(entry: &Entry<'_, '_>, keymap: &mut Keymap, faults: &mut Vec<Fault>) -> Vec<OwnCommand> {
    let mut commands: Vec<OwnCommand> = Vec::new();
    for (at, table) in entry.tables(faults) {
        if let Some(command) = one(&at, &table, keymap, &commands, faults) {
            commands.push(command);
        }
    }
    commands
}

#[derive(Default)]
struct Written<'v> {
    name: Option<String>,
    doc: String,
    key: Option<(Range<usize>, Chord)>,
    contexts: Vec<Context>,
    words: Option<Vec<String>>,
    line: Option<&'v str>,
    shell: bool,
    confirm: bool,
    output: OwnOutput,
}

fn one(
    at: &Range<usize>,
    table: &Table<'_, '_>,
    keymap: &mut Keymap,
    others: &[OwnCommand],
    faults: &mut Vec<Fault>,
) -> Option<OwnCommand> {
    let mut written = Written::default();
    let before = faults.len();
    for entry in table.entries() {
        field(&entry, &mut written, others, faults);
    }
    let missing = |what: &str, faults: &mut Vec<Fault>| {
        let message = format!("a command without {what:?}");
        faults.push(toml_table::fault(table.text, "OWN-040", at, "command", message, "write its name and its program"));
    };
    let Written { name, doc, key, contexts, words, line, shell, confirm, output } = written;
    // Invalid values were reported at their locations.
    let sound = faults.len() == before;
    let line = match (line, words) {
        (Some(line), _) if shell => Some(OwnLine::Shell(line.to_owned())),
        (_, Some(words)) if !shell => Some(OwnLine::Words(words)),
        (None, Some(_)) => {
            let message = "a list of words cannot be used with a shell".to_owned();
            let hint = "write `run` as one text, or remove `shell`";
            faults.push(toml_table::fault(table.text, "OWN-041", at, "command.run", message, hint));
            None
        }
        _ => {
            if sound {
                missing("run", faults);
            }
            None
        }
    };
    if name.is_none() && sound {
        missing("name", faults);
    }
    let (name, line) = name.zip(line)?;
    let doc = if doc.is_empty() { summary(&line) } else { doc };
    let contexts = if contexts.is_empty() { vec![Context::Page] } else { contexts };
    if let Some((at, chord)) = key {
        bind(table.text, &at, &chord, (&name, &contexts), keymap, faults);
    }
    Some(OwnCommand { name, doc, contexts, line, confirm, output })
}

fn summary(line: &OwnLine) -> String {
    match line {
        OwnLine::Words(words) => format!("Runs {}", words.join(" ")),
        OwnLine::Shell(line) => format!("Runs {line}"),
    }
}

fn field<'v>(entry: &Entry<'_, 'v>, written: &mut Written<'v>, others: &[OwnCommand], faults: &mut Vec<Fault>) {
    match entry.name {
        "name" => written.name = name(entry, others, faults),
        "doc" => written.doc = entry.text(faults).unwrap_or_default().to_owned(),
        "key" => {
            if let Some(text) = entry.text(faults) {
                match parse_chord(text) {
                    Ok(chord) => written.key = Some((entry.value_at(), chord)),
                    Err(part) => {
                        let hint = "for example ctrl-l, F5, alt-x; a chord has blanks: \"g l\"";
                        faults.push(entry.wrong("OWN-011", format!("{part:?} is not a key"), hint));
                    }
                }
            }
        }
        "pages" => written.contexts = pages(entry, faults),
        "run" => run(entry, written, faults),
        "shell" => written.shell = entry.bool(faults).unwrap_or_default(),
        "confirm" => written.confirm = entry.bool(faults).unwrap_or_default(),
        "output" => {
            let Some(name) = entry.text(faults) else { return };
            match OwnOutput::NAMES.iter().find(|(known, _)| *known == name) {
                Some((_, output)) => written.output = *output,
                None => {
                    let hint = "valid: pager, background, terminal";
                    faults.push(entry.wrong("OWN-003", format!("unknown output {name:?}"), hint));
                }
            }
        }
        _ => faults.push(entry.unknown("OWN-002", "key of a command", &KNOWN)),
    }
}

fn name(entry: &Entry<'_, '_>, others: &[OwnCommand], faults: &mut Vec<Fault>) -> Option<String> {
    let name = entry.text(faults)?;
    let word = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let wrong = if name.is_empty() || !name.chars().all(word) || name.starts_with('-') {
        Some(format!("{name:?} is not a valid command name"))
    } else if command::by_name(name).is_some() {
        Some(format!("{name} is a command of the console"))
    } else if others.iter().any(|other| other.name == name) {
        Some(format!("duplicate {name}"))
    } else {
        None
    };
    match wrong {
        Some(message) => {
            faults.push(entry.wrong(
                "OWN-040",
                message,
                "lower-case letters, digits and `-`, and not the name of another command",
            ));
            None
        }
        None => Some(name.to_owned()),
    }
}

fn is_page(context: &Context) -> bool {
    let over = [Context::Help, Context::Messages, Context::Columns, Context::Confirm, Context::Always];
    !context.writes() && !over.contains(context)
}

fn pages(entry: &Entry<'_, '_>, faults: &mut Vec<Fault>) -> Vec<Context> {
    let known = || Context::ALL.into_iter().filter(is_page);
    let mut found = Vec::new();
    for name in entry.texts(faults).unwrap_or_default() {
        match known().find(|context| context.name() == name) {
            Some(context) => found.push(context),
            None => {
                let names: Vec<&str> = known().map(Context::name).collect();
                let hint = format!("available: {}", names.join(", "));
                faults.push(entry.wrong("OWN-010", format!("unknown page {name:?}"), &hint));
            }
        }
    }
    found
}

fn run<'v>(entry: &Entry<'_, 'v>, written: &mut Written<'v>, faults: &mut Vec<Fault>) {
    let words = match entry.as_text() {
        Some(line) => {
            written.line = Some(line);
            shlex::split(line)
        }
        None => match entry.texts(faults) {
            Some(words) => Some(words),
            None => return,
        },
    };
    let Some(words) = words else {
        let hint = "close it, or write a list of words";
        return faults.push(entry.wrong("OWN-041", "a quote is not closed".to_owned(), hint));
    };
    if words.first().is_none_or(|program| program.trim().is_empty()) {
        return faults.push(entry.wrong("OWN-041", "no program".to_owned(), "write a program and its arguments"));
    }
    if let Some(unknown) = words.iter().find_map(|word| unknown_placeholder(word)) {
        let known = Placeholder::ALL.map(Placeholder::text).join(", ");
        let message = format!("unknown placeholder {unknown}");
        return faults.push(entry.wrong("OWN-041", message, &format!("valid: {known}")));
    }
    written.words = Some(words);
}

/// Finds a placeholder; other braces belong to the program: `{.items}`.
fn unknown_placeholder(word: &str) -> Option<String> {
    let names = word.match_indices('{').filter_map(|(at, _)| {
        let name = &word[at..=at + word[at..].find('}')?];
        let inner = &name[1..name.len() - 1];
        (!inner.is_empty() && inner.chars().all(|c| c.is_ascii_lowercase())).then_some(name)
    });
    let program = ["{range}", "{end}"];
    let mut unknown =
        names.filter(|name| !program.contains(name) && !Placeholder::ALL.iter().any(|one| one.text() == *name));
    unknown.next().map(str::to_owned)
}

fn bind(
    text: &str,
    at: &Range<usize>,
    chord: &Chord,
    (name, contexts): (&str, &[Context]),
    keymap: &mut Keymap,
    faults: &mut Vec<Fault>,
) {
    for context in contexts {
        if let Some(other) = taken(keymap, *context, chord) {
            let means = match (other.id, &other.argument) {
                (CommandId::Screen(ScreenCommand::OwnCommand), Some(own)) => own.clone(),
                (id, _) => command::by_id(id).binding_name(),
            };
            let message = format!(
                "{} already means {means} there ({}), so {name} has no key",
                chord_text(&other.chord),
                other.context.title().to_lowercase()
            );
            let hint = format!(
                "use another key, or unbind it: [keys.{}] \"{}\" = \"none\"",
                other.context.name(),
                chord_text(&other.chord)
            );
            faults.push(toml_table::fault(text, "OWN-042", at, "command.key", message, hint));
            return;
        }
    }
    for context in contexts {
        keymap.bind(Binding {
            context: *context,
            chord: chord.clone(),
            id: CommandId::Screen(ScreenCommand::OwnCommand),
            argument: Some(name.to_owned()),
        });
    }
}

/// A binding of the chord, its prefix, or its continuation, where the context is looked up.
fn taken<'k>(keymap: &'k Keymap, context: Context, chord: &Chord) -> Option<&'k Binding> {
    let with = |other: Context| match context {
        // Keys of every page are looked up last.
        Context::Page | Context::List => is_page(&other) || other == Context::Always,
        own => {
            let list = other == Context::List && column_names::of_page(own.name()).is_some();
            other == own || list || matches!(other, Context::Page | Context::Always)
        }
    };
    let identical = |other: &Chord| other.starts_with(chord) || chord.starts_with(other);
    keymap.bindings.iter().find(|binding| with(binding.context) && identical(&binding.chord))
}

#[cfg(test)]
mod tests {
    use crate::shell::settings::read;
    use crate::state::command::Context;
    use crate::state::keymap::{KeyMatch, parse_chord};
    use crate::state::own_command::{OwnLine, OwnOutput};
    use crate::theme::Themes;

    const RIGHT: &str = "\
[[command]]
name = 'all-logs'
key = 'ctrl-g'
pages = ['apps', 'app']
run = \"kubectl logs -l 'applicationId={app}' --context {context}\"
confirm = true

[[command]]
name = 'top'
run = 'top | grep {user}'
shell = true
output = 'terminal'
";

    #[test]
    fn commands_are_read_and_their_keys_bound() {
        let read = read(RIGHT, &Themes::shipped());
        assert_eq!(read.faults, []);
        let [logs, top] = read.settings.own_commands.as_slice() else { panic!("two commands") };
        let words = ["kubectl", "logs", "-l", "applicationId={app}", "--context", "{context}"];
        assert_eq!(logs.line, OwnLine::Words(words.map(str::to_owned).to_vec()));
        assert_eq!((logs.confirm, logs.output), (true, OwnOutput::Pager));
        assert_eq!(top.line, OwnLine::Shell("top | grep {user}".to_owned()));
        assert_eq!((top.contexts.as_slice(), top.output), (&[Context::Page][..], OwnOutput::Terminal));
        let keymap = &read.settings.keymap;
        let bound = |context| match keymap.look_up(&[context], &parse_chord("ctrl-g").unwrap()) {
            KeyMatch::Run(binding) => binding.argument.clone(),
            _ => None,
        };
        assert_eq!(
            [Context::Apps, Context::App].map(bound),
            [Some("all-logs".to_owned()), Some("all-logs".to_owned())]
        );
        assert_eq!(bound(Context::Queues), None);
    }

    const WRONG: &str = "\
[[command]]
name = 'apps'
run = 'true'
[[command]]
name = 'one'
key = 'x'
pages = ['apps']
run = 'echo {que}'
[[command]]
name = 'two'
key = 'x'
pages = ['apps', 'appps']
run = \"echo 'open\"
[[command]]
name = 'three'
key = 'x'
pages = ['apps']
run = 'true'
output = 'paper'
colour = 1
[[command]]
name = 'four'
";

    #[test]
    fn every_fault_has_its_place() {
        let read = read(WRONG, &Themes::shipped());
        let found: Vec<String> = read
            .faults
            .iter()
            .map(|fault| format!("{}:{} {} {}", fault.at.line, fault.at.column, fault.code, fault.message))
            .collect();
        assert_eq!(
            found,
            [
                "2:8 OWN-040 apps is a command of the console",
                "8:7 OWN-041 unknown placeholder {que}",
                "12:9 OWN-010 unknown page \"appps\"",
                "13:7 OWN-041 a quote is not closed",
                "16:7 OWN-042 x already means explain there (in every list), so three has no key",
                "19:10 OWN-003 unknown output \"paper\"",
                "20:1 OWN-002 unknown key of a command \"colour\"",
                "21:1 OWN-040 a command without \"run\"",
            ]
        );
    }

    #[test]
    fn a_key_that_was_freed_can_be_taken() {
        let text = "[[command]]\nname = 'one'\nkey = 'x'\npages = ['apps']\nrun = 'true'\n[keys.list]\nx = 'none'\n";
        assert_eq!(read(text, &Themes::shipped()).faults, []);
        let twice = "[[command]]\nname = 'one'\nkey = 'ctrl-g'\nrun = 'true'\n[[command]]\nname = 'two'\nkey = 'ctrl-g'\n\
                     pages = ['apps']\nrun = 'true'\n";
        let faults = read(twice, &Themes::shipped()).faults;
        assert_eq!(faults.len(), 1, "{faults:?}");
        assert!(faults[0].message.contains("ctrl-g already means one there"), "{faults:?}");
    }
}
