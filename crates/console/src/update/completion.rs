//! Completions of a command line.

use crate::input::command;
use crate::input::command::{Argument, COMMANDS, Command, Kind};
use crate::input::keymap;
use crate::present::filter;
use crate::present::own_command;
use crate::present::words::origin;
use crate::state::State;
use crate::state::keymap::chord_text;
use crate::state::layer::{Candidate, Off};
use crate::update::known_names::best;
pub use crate::update::known_names::{accounts, apps, apps_in, are_many, leaves, nodes, offered, queues};
use crate::update::lists;
use crate::update::move_watch;
use crate::update::orders;
use crate::update::search;
use model::QueuePath;
use view::Side;

/// The most candidates offered.
pub const MOST: usize = 50;

/// The completions of a command line, best first.
pub fn candidates(state: &State, text: &str) -> Vec<Candidate> {
    match text.split_once(' ') {
        None => commands(state, text),
        Some((name, rest)) => match command::by_name(name).map(|command| command.argument) {
            Some(Argument::Optional(kind) | Argument::Required(kind)) => {
                let (head, last) = match kind {
                    Kind::Columns => {
                        rest.trim_start().rsplit_once(' ').map_or(("", rest.trim_start()), |(head, last)| (head, last))
                    }
                    _ => ("", rest.trim_start()),
                };
                let name = if head.is_empty() { name.to_owned() } else { format!("{name} {head}") };
                if kind == Kind::Anything {
                    return search::candidates(state, &name, last, MOST);
                }
                let words = words(state, kind, last, MOST);
                let judges = kind == Kind::Leaf && !state.cluster.has_jobs;
                let marked = if judges { crate::present::guard::bulk::marked(state) } else { Vec::new() };
                let app = (judges && marked.is_empty()).then(|| crate::present::guard::orders::target(state)).flatten();
                let judged = move_watch::judged(marked.len());
                let one = |(number, (word, doc)): (usize, (String, String))| {
                    let marked = if number < judged { &*marked } else { &[] };
                    let one = app.as_ref().and_then(|app| orders::move_refused(state, app, &word));
                    let (off, doc) = match move_watch::rejected_by_target(state, marked, &word) {
                        Some(message) if message.all => (Some(message.words), doc),
                        Some(message) => (None, message.words),
                        None => (one, doc),
                    };
                    let (line, off) = (format!("{name} {word}"), off.map(Off::Refused));
                    Candidate { line, off, word, doc, key: String::new() }
                };
                words.into_iter().enumerate().map(one).collect()
            }
            _ => Vec::new(),
        },
    }
}

/// Whether a line is complete although it could be extended: a command, a queue, a candidate, or a name with nothing
/// after it.
pub fn is_whole(state: &State, text: &str, candidates: &[Candidate]) -> bool {
    let Some((name, rest)) = text.split_once(' ') else {
        return command::by_name(text).is_some() || own_command::named(state, text).is_some();
    };
    let rest = rest.trim();
    let kind = match command::by_name(name).map(|command| command.argument) {
        Some(Argument::Optional(kind) | Argument::Required(kind)) => kind,
        _ => return true,
    };
    let named = || match kind {
        // Even if it is a prefix.
        Kind::Number => true,
        Kind::Queue | Kind::Leaf => {
            state.cluster.part().is_some_and(|part| part.queue_at(&QueuePath::new(rest)).is_some())
        }
        _ => false,
    };
    rest.is_empty() || named() || candidates.iter().any(|candidate| candidate.word == rest)
}

fn commands(state: &State, typed: &str) -> Vec<Candidate> {
    struct Named(&'static Command, &'static str);
    impl AsRef<str> for Named {
        fn as_ref(&self) -> &str {
            self.1
        }
    }
    let named = COMMANDS.iter().filter(|command| !command.name.is_empty()).flat_map(|command| {
        // Only if its start is typed.
        let aliases = command.aliases.iter().filter(|alias| !typed.is_empty() && alias.starts_with(typed));
        std::iter::once(&command.name).chain(aliases).map(move |name| Named(command, name))
    });
    let mut seen = Vec::new();
    let mut found = Vec::new();
    for Named(command, name) in filter::complete(typed, named, usize::MAX) {
        if seen.contains(&command.id) {
            continue;
        }
        seen.push(command.id);
        let waits = matches!(command.argument, Argument::Required(_));
        found.push(Candidate {
            line: if waits { format!("{name} ") } else { name.to_owned() },
            word: command.usage(),
            doc: command.doc.to_owned(),
            key: keymap_key(state, command),
            off: crate::present::guard::check(state, command.id).err().map(Off::Off),
        });
    }
    let own = state.own_commands.iter().filter(|own| own.name.starts_with(typed));
    found.extend(own.map(|own| Candidate {
        line: own.name.clone(),
        word: own.name.clone(),
        doc: own.doc.clone(),
        key: own_command::key(state, &own.name),
        off: own_command::filled(state, own).err().map(Off::Off),
    }));
    // Unavailable candidates are last; the sort is stable.
    found.sort_by_key(|candidate| candidate.off.is_some());
    found
}

fn keymap_key(state: &State, command: &Command) -> String {
    keymap::page_contexts(state)
        .iter()
        .find_map(|context| state.keymap.chords(*context, command.id).next())
        .map_or_else(String::new, |chord| chord_text(chord))
}

fn words(state: &State, kind: Kind, typed: &str, most: usize) -> Vec<(String, String)> {
    let plain = |words: Vec<String>| words.into_iter().map(|word| (word, String::new())).collect();
    match kind {
        Kind::Queue => plain(queues(state, typed, most)),
        Kind::Leaf => plain(leaves(state, typed, most)),
        Kind::App if are_many(state) => plain(offered(state, typed)),
        Kind::App => plain(apps(state, typed, most)),
        Kind::Node => plain(nodes(state, typed, most)),
        Kind::User => plain(accounts(state, Side::User, typed, most)),
        Kind::Group => plain(accounts(state, Side::Group, typed, most)),
        Kind::Column => plain(best(typed, lists::columns(state).into_iter(), most)),
        Kind::Theme => themes(state, typed, most),
        Kind::Partition => plain(best(typed, state.cluster.view.partitions.iter().map(|part| &*part.name), most)),
        Kind::Context => plain(best(typed, state.contexts.names(), most)),
        Kind::Number => {
            let known = state.cluster.ledger.revisions().iter();
            let fits = known.map(|one| (one.number.to_string(), origin(one)));
            fits.filter(|(number, _)| number.starts_with(typed)).take(most).collect()
        }
        Kind::Columns => {
            let sign = typed.chars().next().filter(|c| matches!(c, '+' | '-')).map_or(String::new(), String::from);
            let names = lists::columns(state).into_iter().chain(sign.is_empty().then_some("default"));
            let best = best(&typed[sign.len()..], names, most);
            plain(best.into_iter().map(|name| format!("{sign}{name}")).collect())
        }
        Kind::Own => {
            let docs = state.own_commands.iter().map(|one| (one.name.clone(), one.doc.clone()));
            docs.filter(|(name, _)| name.starts_with(typed)).take(most).collect()
        }
        Kind::View => plain(best(typed, state.views.keys().map(String::as_str).chain(["save", "delete"]), most)),
        Kind::Text | Kind::File | Kind::Ago | Kind::Interval | Kind::Anything => Vec::new(),
    }
}

fn themes(state: &State, typed: &str, most: usize) -> Vec<(String, String)> {
    let themes = &state.options.themes;
    let named = best(typed, themes.iter().map(|theme| theme.name.as_str()), most).into_iter();
    named.map(|name| (name.clone(), themes.get(&name).map_or_else(String::new, |theme| theme.about.clone()))).collect()
}
