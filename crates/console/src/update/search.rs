//! The search over all names.

use crate::state::State;
use crate::state::layer::Candidate;
use crate::update::known_names;
use view::Side;

/// A kind of searched object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Thing {
    /// A queue, by its path.
    Queue,
    /// An application, active or completed.
    App,
    /// A node, by its id.
    Node,
    /// A user with current or past usage.
    User,
    /// A group that counts applications.
    Group,
}

impl Thing {
    /// All kinds in the order of the results.
    pub const ALL: [Self; 5] = [Self::Queue, Self::App, Self::Node, Self::User, Self::Group];

    const fn word(self) -> &'static str {
        match self {
            Self::Queue => "queue",
            Self::App => "app",
            Self::Node => "node",
            Self::User => "user",
            Self::Group => "group",
        }
    }

    fn names(self, state: &State, typed: &str, most: usize) -> Vec<String> {
        match self {
            Self::Queue => known_names::queues(state, typed, most),
            Self::App if known_names::are_many(state) => known_names::offered(state, typed),
            Self::App => known_names::apps(state, typed, most),
            Self::Node => known_names::nodes(state, typed, most),
            Self::User => known_names::accounts(state, Side::User, typed, most),
            Self::Group => known_names::accounts(state, Side::Group, typed, most),
        }
    }
}

/// The kind is optional.
pub fn typed(text: &str) -> (Option<Thing>, &str) {
    let reported = text.split_once(' ').and_then(|(word, rest)| {
        let thing = Thing::ALL.into_iter().find(|thing| thing.word() == word)?;
        Some((Some(thing), rest.trim_start()))
    });
    reported.unwrap_or((None, text))
}

/// Lists prefix matches first, a share for each kind.
pub fn candidates(state: &State, command: &str, text: &str, most: usize) -> Vec<Candidate> {
    let (only, text) = typed(text);
    let things: Vec<Thing> = Thing::ALL.into_iter().filter(|thing| only.is_none_or(|only| only == *thing)).collect();
    let each = most / things.len().max(1);
    let lower = text.to_lowercase();
    let mut found: Vec<(u8, Candidate)> = Vec::new();
    for thing in things {
        for word in thing.names(state, text, each) {
            let last = word.rsplit('.').next().unwrap_or_default();
            let rank = match word.to_lowercase() {
                name if name == lower || last.to_lowercase() == lower => 0,
                name if name.starts_with(&lower) || last.to_lowercase().starts_with(&lower) => 1,
                name if name.contains(&lower) => 2,
                _ => 3,
            };
            let line = format!("{command} {} {word}", thing.word());
            let doc = thing.word().to_owned();
            found.push((rank, Candidate { line, word, doc, key: String::new(), off: None }));
        }
    }
    // Scattered letters count only without contiguous matches.
    if found.iter().any(|(rank, _)| *rank < 3) {
        found.retain(|(rank, _)| *rank < 3);
    }
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, candidate)| candidate).collect()
}
