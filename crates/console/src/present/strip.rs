//! The strip of pages under the header: key and name of every page that one key opens, with the current page
//! highlighted.
//!
//! ```text
//!  1 Queues  2 Applications  3 Nodes  4 Users  5 Placement  …  0 Draining  L Audit  H Revisions       with room
//!  1 Queues 2 Apps 3 Nodes 4 Users 5 Placement 6 Config 7 Events 8 History …  L Audit H Revisions      at 120 columns
//!  1Queue 2Apps 3Nodes 4Users 5Place 6Cfg 7Evts 8Hist 9Check 0Drain LAudit HRevs                      at 80 columns
//! ```
//!
//! On a narrow screen names get shorter, then those at the end are dropped; all keys and the current page's name
//! remain.

use ratatui::layout::{Position, Rect};

use crate::present::board;
use crate::present::pieces::{Piece, piece, plain};
use crate::present::text::width;
use crate::state::State;
use crate::state::command::{CommandId, Context, GoCommand};
use crate::state::keymap::chord_text;
use crate::state::page::{Page, Subject};
use crate::theme::Role;

/// A page that one key opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tab {
    /// The command that opens it.
    pub id: GoCommand,
    /// The names, from the longest to the shortest.
    pub names: [&'static str; 3],
}

const fn tab(id: GoCommand, names: [&'static str; 3]) -> Tab {
    Tab { id, names }
}

/// In the order of the strip and of the next-page key.
pub const TABS: [Tab; 12] = [
    tab(GoCommand::Queues, ["Queues", "Queues", "Queue"]),
    tab(GoCommand::Apps, ["Applications", "Apps", "Apps"]),
    tab(GoCommand::Nodes, ["Nodes", "Nodes", "Nodes"]),
    tab(GoCommand::Users, ["Users", "Users", "Users"]),
    tab(GoCommand::Placement, ["Placement", "Placement", "Place"]),
    tab(GoCommand::Config, ["Configuration", "Config", "Cfg"]),
    tab(GoCommand::Events, ["Events", "Events", "Evts"]),
    tab(GoCommand::History, ["History", "History", "Hist"]),
    tab(GoCommand::Health, ["Health", "Health", "Check"]),
    tab(GoCommand::Draining, ["Draining", "Draining", "Drain"]),
    tab(GoCommand::Audit, ["Audit", "Audit", "Audit"]),
    tab(GoCommand::Revisions, ["Revisions", "Revisions", "Revs"]),
];

/// The index in [`TABS`]; pages opened from the queues count as the queues.
pub fn here(state: &State) -> usize {
    let id = match state.page() {
        Page::Details(page) => match page.subject {
            Subject::History(_) => Some(GoCommand::History),
            Subject::Health(_) => Some(GoCommand::Health),
            _ => None,
        },
        _ => None,
    };
    let id = id.unwrap_or_else(|| opened(state));
    TABS.iter().position(|tab| tab.id == id).unwrap_or(0)
}

fn opened(state: &State) -> GoCommand {
    match state.pages.get(1) {
        Some(Page::Apps(page)) if page.draining => GoCommand::Draining,
        Some(Page::Apps(page)) if page.scope.is_none() => GoCommand::Apps,
        Some(Page::Nodes(_)) => GoCommand::Nodes,
        Some(Page::Users(_)) => GoCommand::Users,
        Some(Page::Placement(_)) => GoCommand::Placement,
        Some(Page::Config(_)) => GoCommand::Config,
        Some(Page::Events(_)) => GoCommand::Events,
        Some(Page::Audit(_)) => GoCommand::Audit,
        Some(Page::Revisions(_)) => GoCommand::Revisions,
        _ => GoCommand::Queues,
    }
}

#[derive(Clone, Copy)]
struct Form {
    short: usize,
    inside: usize,
    between: usize,
    named: usize,
}

impl Form {
    fn words(self, at: usize, here: usize, tab: &Tab, key: &str, first: Option<&str>) -> (String, String) {
        let name = first.filter(|_| at == 0).unwrap_or(tab.names[self.short]);
        let shown = at < self.named || at == here;
        let name = if shown { format!("{}{name}", " ".repeat(self.inside)) } else { String::new() };
        (key.to_owned(), name)
    }
}

fn forms() -> impl Iterator<Item = Form> {
    let all = TABS.len();
    let long = Form { short: 0, inside: 1, between: 2, named: all };
    let close = Form { between: 1, ..long };
    let middle = Form { short: 1, ..long };
    let short = Form { short: 2, ..long };
    let tight = Form { between: 1, ..short };
    let tightest = Form { inside: 0, ..tight };
    let close_middle = Form { between: 1, ..middle };
    [long, close, middle, close_middle, short, tight, tightest]
        .into_iter()
        .chain((0..all).rev().map(move |named| Form { named, ..tightest }))
}

#[derive(Clone, Debug)]
struct Entry {
    tab: Tab,
    x: u16,
    key: String,
    name: String,
    here: bool,
}

fn entries(state: &State, space: u16) -> Vec<Entry> {
    let here = here(state);
    let first = board::title_of_first(state);
    let key =
        |id: GoCommand| state.keymap.chords(Context::Page, CommandId::Go(id)).next().map(|chord| chord_text(chord));
    let keys: Vec<String> = TABS.iter().map(|tab| key(tab.id).unwrap_or_else(|| ":".to_owned())).collect();
    let mut shown = Vec::new();
    for form in forms() {
        let mut x = 0;
        shown = Vec::with_capacity(TABS.len());
        for (at, (tab, key)) in TABS.iter().zip(&keys).enumerate() {
            let (key, name) = form.words(at, here, tab, key, first);
            let wide = width(&key) + width(&name);
            shown.push(Entry { tab: *tab, x: u16::try_from(x).unwrap_or(u16::MAX), key, name, here: at == here });
            x += wide + form.between;
        }
        if x.saturating_sub(form.between) <= usize::from(space) {
            break;
        }
    }
    shown
}

/// The pieces with their first columns.
pub fn pieces(state: &State, space: u16) -> Vec<(u16, Vec<Piece>)> {
    let one = |entry: Entry| {
        let pieces = if entry.here {
            vec![piece(Role::Choice, format!("{}{}", entry.key, entry.name))]
        } else {
            vec![piece(Role::HintKey, entry.key), piece(Role::HintText, entry.name), plain("")]
        };
        (entry.x, pieces)
    };
    entries(state, space).into_iter().map(one).collect()
}

/// The page at a screen position.
pub fn at(state: &State, area: Rect, at: Position) -> Option<GoCommand> {
    let wide = |entry: &Entry| u16::try_from(width(&entry.key) + width(&entry.name)).unwrap_or(0);
    let space = area.width.saturating_sub(1);
    let here = |entry: &Entry| Rect { x: area.x + 1 + entry.x, width: wide(entry), ..area }.contains(at);
    entries(state, space).iter().find(|entry| here(entry)).map(|entry| entry.tab.id)
}
