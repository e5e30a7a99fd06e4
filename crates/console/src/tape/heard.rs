//! What the console says by itself: toasts, questions, failures that the engine reports. A tape must have expected each of them.

use crate::state::State;
use crate::state::layer::Layer;
use config::Place;
use view::NoticeWeight;

/// Something said that no one has expected yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnexpectedMessage {
    /// The step after which it was reported.
    pub at: Place,
    /// What, in the words of the screen.
    pub text: String,
}

/// Listens to a console.
#[derive(Clone, Debug, Default)]
pub struct Ear {
    now: Vec<Said>,
    unexpected: Vec<UnexpectedMessage>,
}

/// Something that is on the screen, and what makes it another one than a second of the same words.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Said {
    text: String,
    mark: u128,
}

/// What the console says at the time.
pub fn said_now(state: &State) -> Vec<String> {
    now(state).into_iter().map(|said| said.text).collect()
}

fn now(state: &State) -> Vec<Said> {
    let toast = state.toast.as_ref().map(|toast| Said { text: toast.text.clone(), mark: toast.until.as_millis() });
    let questions = state.layers.iter().filter_map(|layer| match layer {
        Layer::Confirm(confirm) => Some(Said { text: confirm.title.clone(), mark: 0 }),
        _ => None,
    });
    // What merely happens in the cluster, a queue that drains for one, comes and goes by itself.
    let notice = state.notice.as_ref().map(|shown| &shown.notice).filter(|notice| notice.weight == NoticeWeight::Error);
    let notice = notice.map(|notice| Said { text: notice.title.clone(), mark: u128::from(notice.number) });
    toast.into_iter().chain(questions).chain(notice).collect()
}

impl Ear {
    /// Listens after a step.
    pub fn listen(&mut self, state: &State, at: Place) {
        let now = now(state);
        let new = now.iter().filter(|said| !self.now.contains(said));
        self.unexpected.extend(new.map(|said| UnexpectedMessage { at, text: said.text.clone() }));
        self.now = now;
    }

    /// Takes what an expectation found as expected: what is reported in a line that it holds in, and is in that line or starts in it.
    pub fn expect(&mut self, lines: &[String], holds: impl Fn(&str) -> bool) {
        let found: Vec<&String> = lines.iter().filter(|line| holds(line)).collect();
        self.unexpected.retain(|received| {
            let begin: String = received.text.chars().take(BEGIN).collect();
            !holds(&received.text) && !found.iter().any(|line| line.contains(begin.trim_end()))
        });
    }

    /// Takes all that is on the screen as expected: the screen was examined.
    pub fn expect_all(&mut self) {
        let now = &self.now;
        self.unexpected.retain(|received| !now.iter().any(|said| said.text == received.text));
    }

    /// The first thing that was reported and not expected.
    pub fn unexpected(&self) -> Option<&UnexpectedMessage> {
        self.unexpected.first()
    }
}

/// So many characters of a message must be in a line: the rest may be cut or wrapped.
const BEGIN: usize = 16;
