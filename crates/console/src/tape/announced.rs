//! Messages that the console shows by itself. A tape must expect each of them.

use crate::state::State;
use crate::state::layer::Layer;
use config::Place;
use view::NoticeWeight;

/// An unexpected message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnexpectedMessage {
    /// The step before it.
    pub at: Place,
    /// The displayed text.
    pub text: String,
}

/// Collects the messages of a console.
#[derive(Clone, Debug, Default)]
pub struct Listener {
    now: Vec<Shown>,
    unexpected: Vec<UnexpectedMessage>,
}

/// Distinguishes messages with the same text.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Shown {
    text: String,
    mark: u128,
}

/// The current messages.
pub fn reported_now(state: &State) -> Vec<String> {
    now(state).into_iter().map(|reported| reported.text).collect()
}

fn now(state: &State) -> Vec<Shown> {
    let toast = state.toast.as_ref().map(|toast| Shown { text: toast.text.clone(), mark: toast.until.as_millis() });
    let questions = state.layers.iter().filter_map(|layer| match layer {
        Layer::Confirm(confirm) => Some(Shown { text: confirm.title.clone(), mark: 0 }),
        _ => None,
    });
    // These come and go by themselves.
    let notice = state.notice.as_ref().map(|shown| &shown.notice).filter(|notice| notice.weight == NoticeWeight::Error);
    let notice = notice.map(|notice| Shown { text: notice.title.clone(), mark: u128::from(notice.number) });
    toast.into_iter().chain(questions).chain(notice).collect()
}

impl Listener {
    /// Collects messages after a step.
    pub fn listen(&mut self, state: &State, at: Place) {
        let now = now(state);
        let new = now.iter().filter(|reported| !self.now.contains(reported));
        self.unexpected.extend(new.map(|reported| UnexpectedMessage { at, text: reported.text.clone() }));
        self.now = now;
    }

    /// Expects messages in a line that `holds`, or starting in it.
    pub fn expect(&mut self, lines: &[String], is_met: impl Fn(&str) -> bool) {
        let found: Vec<&String> = lines.iter().filter(|line| is_met(line)).collect();
        self.unexpected.retain(|received| {
            let start: String = received.text.chars().take(START).collect();
            !is_met(&received.text) && !found.iter().any(|line| line.contains(start.trim_end()))
        });
    }

    /// Marks all messages on the screen as expected.
    pub fn expect_all(&mut self) {
        let now = &self.now;
        self.unexpected.retain(|received| !now.iter().any(|reported| reported.text == received.text));
    }

    /// The first unexpected message.
    pub fn unexpected(&self) -> Option<&UnexpectedMessage> {
        self.unexpected.first()
    }
}

/// The rest may be cut or wrapped.
const START: usize = 16;
