//! The user's settings: a TOML file with appearance and key bindings.
//!
//! ```toml
//! theme = "dark"
//! ascii = false
//! linear = false      # lines of text and commands as words, for screen readers
//! mouse = true        # clicks select, the wheel scrolls
//! marks = true        # cells that changed are marked
//! units = "binary"    # sizes by 1024, 64Gi; "decimal": by 1000, 68.7G
//! refresh = "2s"      # the screen takes news at most this often
//! start = "overview"  # the first page; "queues": the queue tree
//! default = "demo"    # what `kornsole` without arguments opens: demo, empty, local, or a context; without it: the start page
//! core = "1.9.0"      # what commands that predict decide like: check, diff, place, run, whatif, simulate, explain
//!
//! [keys.list]         # a context, as the help and docs/guide/keys.md name them
//! "ctrl-j" = "down"
//! "g g" = "top"       # a chord; `g` alone then means nothing by itself
//! "G" = "none"        # no meaning
//! "f" = "apps /web"   # a command line
//!
//! [columns]           # of a page; `:columns` writes them
//! apps = ["state", "queue", "user:16", "why"]
//!
//! [views]             # `:view NAME` goes there; `:view save NAME` writes them
//! hungry = { page = "apps", filter = "etl", sort = "-wait" }
//!
//! [[command]]         # `:all-logs`, a program with what is under the cursor
//! name = "all-logs"
//! run = "kubectl logs -l applicationId={app}"
//!
//! [contexts.prod]     # a scheduler elsewhere: `kornsole attach prod`
//! url = "https://yunikorn.example/prod"
//! token-file = "/home/me/.kornsole/prod.token"
//! ```
//!
//! A context also accepts `ca`, `client-cert`, `headers`, `read-only`, and `as`, like the options of `kornsole attach`.
//!
//! A bound key loses its other meaning in its context; a command may have several keys.
//!
//! Invariants:
//! - reading never fails: errors are reported with their locations, and defaults apply;
//! - pure; the command line finds and reads the file.

mod contexts;
pub mod edit;
mod keys;
mod lists;
mod own;
mod words;

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

pub use self::contexts::RemoteContext;
pub use self::words::StartPage;
use crate::input::keymap;
use crate::state::column::ColumnChoice;
use crate::state::keymap::Keymap;
use crate::state::own_command::OwnCommand;
use crate::state::saved::SavedView;
use crate::theme::{ThemeName, Themes};
use config::toml_table::{self, Table};
use config::{Fault, Source};
use model::Profile;
use model::quantity::SizeUnits;

/// The user's settings; unset values are `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The theme; an unknown one is an error.
    pub theme: Option<ThemeName>,
    /// Draw with ASCII symbols only.
    pub ascii: Option<bool>,
    /// Use linear mode.
    pub linear: Option<bool>,
    /// Capture the mouse.
    pub mouse: Option<bool>,
    /// Highlight changed cells.
    pub marks: Option<bool>,
    /// The units of sizes.
    pub units: Option<SizeUnits>,
    /// The default core profile of commands that predict.
    pub core: Option<Profile>,
    /// `demo`, `empty`, `local`, or a context.
    pub default: Option<String>,
    /// The first page.
    pub start: Option<StartPage>,
    /// What the keys mean.
    pub keymap: Keymap,
    /// The remote contexts by name.
    pub contexts: BTreeMap<String, RemoteContext>,
    /// The refresh interval.
    pub refresh: Option<Duration>,
    /// The columns by page name.
    pub columns: BTreeMap<&'static str, Vec<ColumnChoice>>,
    /// The saved views by name.
    pub views: BTreeMap<String, SavedView>,
    /// The user's own commands.
    pub own_commands: Vec<OwnCommand>,
}

impl Default for Settings {
    fn default() -> Self {
        let (theme, ascii, linear, mouse, marks, units, start, contexts, refresh) = Default::default();
        let (columns, views, own_commands) = Default::default();
        Self {
            theme,
            ascii,
            linear,
            mouse,
            marks,
            units,
            start,
            core: None,
            default: None,
            keymap: keymap::defaults(),
            contexts,
            refresh,
            columns,
            views,
            own_commands,
        }
    }
}

/// The result of reading settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Read {
    /// The settings with defaults for invalid values.
    pub settings: Settings,
    /// The errors, by location.
    pub faults: Vec<Fault>,
}

impl Read {
    /// The errors with lines of the file.
    pub fn fault_report(&self, name: &str, text: &str) -> String {
        Source::new(name, text).render_all(&self.faults)
    }
}

/// Reads settings.
///
/// | code | what |
/// |---|---|
/// | OWN-001 | the text is not valid TOML |
/// | OWN-002 | an unknown key |
/// | OWN-003 | a value of another type, or not an allowed value |
/// | OWN-010 | `[keys.CONTEXT]` names no context |
/// | OWN-011 | the bound key is not a key |
/// | OWN-012 | the bound command is not a command |
/// | OWN-020 | `[contexts.NAME]` has no address |
/// | OWN-021 | a context contains a token, which belongs into a separate file |
/// | OWN-030 | columns or a view of a page without a list |
/// | OWN-031 | an unknown column, or an invalid width |
/// | OWN-040 | an own command without a unique name, or without a program |
/// | OWN-041 | its program line is invalid |
/// | OWN-042 | its key has another meaning there |
/// | OWN-013 | the binding could never be used, or would make writing impossible |
pub fn read(text: &str, themes: &Themes) -> Read {
    let mut settings = Settings::default();
    let mut faults = Vec::new();
    let (root, wrong) = toml::de::DeTable::parse_recoverable(text);
    if wrong.is_empty() {
        let table = Table { text, path: String::new(), entries: root.get_ref(), wrong_type: "OWN-003" };
        top(&table, themes, &mut settings, &mut faults);
    }
    for error in wrong.into_iter().take(toml_table::MOST_FAULTS) {
        let span: Range<usize> = error.span().unwrap_or_default();
        let hint = "the file is ignored; defaults are used";
        faults.push(toml_table::fault(text, "OWN-001", &span, "", error.message().to_owned(), hint));
    }
    faults.sort_by_key(|fault| (fault.at.line, fault.at.column));
    faults.truncate(toml_table::MOST_FAULTS);
    Read { settings, faults }
}

fn top(table: &Table<'_, '_>, themes: &Themes, settings: &mut Settings, faults: &mut Vec<Fault>) {
    const KNOWN: [&str; 15] = [
        "theme", "ascii", "linear", "mouse", "marks", "units", "refresh", "start", "keys", "columns", "views",
        "contexts", "command", "core", "default",
    ];
    let mut own = None;
    for entry in table.entries() {
        match entry.name {
            "theme" => settings.theme = words::theme(&entry, themes, faults),
            "ascii" => settings.ascii = entry.bool(faults),
            "linear" => settings.linear = entry.bool(faults),
            "mouse" => settings.mouse = entry.bool(faults),
            "marks" => settings.marks = entry.bool(faults),
            "units" => settings.units = words::units(&entry, faults),
            "refresh" => settings.refresh = words::interval(&entry, faults),
            "start" => settings.start = words::start(&entry, faults),
            "core" => settings.core = words::core(&entry, faults),
            "default" => settings.default = entry.text(faults).map(str::to_owned),
            "columns" => {
                if let Some(table) = entry.table(faults) {
                    settings.columns = lists::columns(&table, faults);
                }
            }
            "views" => {
                if let Some(table) = entry.table(faults) {
                    settings.views = lists::views(&table, faults);
                }
            }
            "keys" => {
                if let Some(table) = entry.table(faults) {
                    keys::read(&table, &mut settings.keymap, faults);
                }
            }
            "contexts" => {
                if let Some(table) = entry.table(faults) {
                    settings.contexts = contexts::read(&table, faults);
                }
            }
            // Their keys must be free after the others.
            "command" => own = Some(entry),
            _ => faults.push(entry.unknown("OWN-002", "setting", &KNOWN)),
        }
    }
    if let Some(entry) = own {
        settings.own_commands = own::read(&entry, &mut settings.keymap, faults);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::command::{CommandId, Context, GoCommand, RowCommand, ScreenCommand};
    use crate::state::keymap::{KeyMatch, parse_chord};

    fn read(text: &str) -> Read {
        super::read(text, &Themes::shipped())
    }

    fn found(read: &Read, context: Context, chord: &str) -> Option<(CommandId, Option<String>)> {
        match read.settings.keymap.look_up(&[context], &parse_chord(chord).unwrap()) {
            KeyMatch::Run(binding) => Some((binding.id, binding.argument.clone())),
            KeyMatch::Started | KeyMatch::Nothing => None,
        }
    }

    #[test]
    fn settings_are_read() {
        let text = "theme = 'mono'\nascii = true\nlinear = true\nmouse = false\nmarks = false\nunits = 'decimal'\nstart = 'queues'\n";
        let Read { settings, faults } = read(text);
        assert_eq!(faults, []);
        assert_eq!(settings.theme, Some(ThemeName::mono()));
        assert_eq!((settings.ascii, settings.linear), (Some(true), Some(true)));
        assert_eq!((settings.mouse, settings.marks), (Some(false), Some(false)));
        assert_eq!(settings.units, Some(SizeUnits::Decimal));
        assert_eq!(settings.start, Some(StartPage::Queues));
        assert_eq!(super::read("start = 'apps'\n", &Themes::shipped()).faults[0].code, "OWN-003");
        assert_eq!(super::read("units = 'octal'\n", &Themes::shipped()).faults[0].code, "OWN-003");
        assert_eq!(read(""), Read::default());
    }

    #[test]
    fn keys_are_bound_unbound_and_chained() {
        let text =
            "[keys.list]\n'ctrl-j' = 'down'\n'g g' = 'top'\nG = 'none'\nf = 'apps /web'\n[keys.page]\np = 'quit!'\n";
        let read = read(text);
        assert_eq!(read.faults, []);
        let list = |chord| found(&read, Context::List, chord);
        assert_eq!(list("ctrl-j"), Some((CommandId::Row(RowCommand::Down), None)));
        assert_eq!(list("j"), Some((CommandId::Row(RowCommand::Down), None)), "the default key stays");
        assert_eq!(list("g g"), Some((CommandId::Row(RowCommand::Top), None)));
        assert_eq!((list("g"), list("G")), (None, None));
        assert_eq!(list("f"), Some((CommandId::Go(GoCommand::Apps), Some("/web".to_owned()))));
        assert_eq!(found(&read, Context::Page, "p"), Some((CommandId::Screen(ScreenCommand::QuitNow), None)));
    }

    /// Only `q` is correct.
    const FAULTS: &str = "\
theme = 'neon'
ascii = 'yes'
colour = 1
[keys.lists]
j = 'down'
[keys.list]
entr = 'open'
x = 'dance'
'z z' = 'top'
z = 'bottom'
n = 7
q = 'queues'
o = 'theme'
[keys.filter]
a = 'accept'
";

    #[test]
    fn every_error_is_reported_with_its_location_and_the_rest_applies() {
        let read = read(FAULTS);
        insta::assert_snapshot!(read.fault_report("settings.toml", FAULTS), @r#"
        settings.toml:1:9: error[OWN-003]: unknown theme "neon"
          1 | theme = 'neon'
            |         ^
            = available: dark, light, high-contrast, high-contrast-light, colour-blind, ansi16, mono, catppuccin-mocha, dracula, gruvbox-dark, gruvbox-light, nord, tokyo-night
        settings.toml:2:9: error[OWN-003]: `ascii` is a TOML string
          2 | ascii = 'yes'
            |         ^
            = write true or false
        settings.toml:3:1: error[OWN-002]: unknown setting "colour"
          3 | colour = 1
            | ^
            = available: theme, ascii, linear, mouse, marks, units, refresh, start, keys, columns, views, contexts, command, core, default
        settings.toml:4:7: error[OWN-010]: unknown context "lists"
          4 | [keys.lists]
            |       ^
            = available: queues, apps, app, job, pod, nodes, node, users, account, details, explain, fairness, alerts, placement, config, contexts, change, events, audit, revisions, simulate, usage, shadow, clusters, trends, list, page, edit, form, filter, command, confirm, typed, reason, help, messages, columns, always
        settings.toml:7:1: error[OWN-011]: "entr" is not a key
          7 | entr = 'open'
            | ^
            = a character, or enter, esc, tab, space, up, pgdn, F5, ctrl-x, alt-x …; a chord has blanks: "g g"
        settings.toml:8:5: error[OWN-012]: unknown command "dance"
          8 | x = 'dance'
            |     ^
            = see docs/guide/keys.md; "none" unbinds the key
        settings.toml:10:1: error[OWN-013]: z and z z start with the same keys, so one of them is unreachable
          10 | z = 'bottom'
             | ^
             = bind only one of them
        settings.toml:11:5: error[OWN-003]: `n` is a TOML integer
          11 | n = 7
             |     ^
             = write a text: `"…"`
        settings.toml:13:5: error[OWN-012]: theme needs THEME after it
          13 | o = 'theme'
             |     ^
             = write a whole command line
        settings.toml:15:1: error[OWN-013]: a could no longer be typed
          15 | a = 'accept'
             | ^
             = in text input, start with ctrl, alt, or a named key
        "#);
        assert_eq!(found(&read, Context::List, "q"), Some((CommandId::Go(GoCommand::Queues), None)));
        assert_eq!(read.settings.theme, None);
    }

    #[test]
    fn contexts_are_read_with_their_faults() {
        let text = "\
[contexts.prod]
url = 'https://yk.example'
token-file = 'prod.token'
headers = ['X-Team: data']
read-only = true
as = 'sue:dev'
[contexts.lab]
token = 'abc'
headers = [1]
urls = 'x'
";
        let read = read(text);
        let prod = &read.settings.contexts["prod"];
        assert_eq!((prod.url.as_str(), prod.read_only, prod.headers.len()), ("https://yk.example", true, 1));
        assert_eq!(prod.acting_as.as_ref().map(ToString::to_string).as_deref(), Some("sue (dev)"));
        assert_eq!(read.settings.contexts.len(), 1);
        let codes: Vec<_> = read.faults.iter().map(|fault| (fault.code, fault.at.line)).collect();
        assert_eq!(codes, [("OWN-020", 7), ("OWN-021", 8), ("OWN-003", 9), ("OWN-002", 10)]);
    }

    #[test]
    fn a_text_that_is_no_toml_changes_nothing() {
        for text in
            ["theme = \n[keys", "\u{0}", "[keys.list]\nj = 'down'\nj = 'up'", "a = [[[[", "keys = 3", "[[keys]]"]
        {
            let read = read(text);
            assert_eq!(read.settings, Settings::default(), "{text:?}");
            assert!(read.faults[0].at.line > 0, "{text:?}");
        }
    }
}
