//! The page with the configuration: its text, as it runs or as it is edited.

use std::sync::Arc;
use std::time::Duration;

use crate::state::editor::{Buffer, CheckResult, Completion};
use view::act::Configuration;

/// The text of the configuration with what is known of it.
#[derive(Clone, Debug)]
pub struct ConfigPage {
    /// The one that the text was taken from; `None` where it is unknown.
    pub base: Option<Arc<Configuration>>,
    /// The text, with the cursor.
    pub buffer: Buffer,
    /// The text differs from the active one.
    pub modified: bool,
    /// The first line on the screen.
    pub top: usize,
    /// The columns that are scrolled away at the left.
    pub left: usize,
    /// What was found out about the text; its version names the text that was examined.
    pub checked: CheckResult,
    /// What it leads to in the next minutes, by the version of the text that was tried.
    pub forecast: Option<Forecast>,
    /// When the text is to be examined again.
    pub due: Option<Duration>,
    /// It is being examined.
    pub checking: bool,
    /// What is searched for; empty when nothing is.
    pub find: String,
    /// What the word before the cursor could become.
    pub completion: Completion,
    /// Which of these is chosen.
    pub chosen: usize,
    /// What is next to the text.
    pub beside: Beside,
    /// The first line of that on the screen.
    pub beside_top: usize,
    /// On a narrow screen that is shown in place of the text.
    pub swapped: bool,
    /// On a wide screen that is shown or folded, as the person chose; `None`: it is shown while it has something to say.
    pub unfolded: Option<bool>,
    /// The one that was active before a person here applied another one.
    pub before: Option<Arc<Configuration>>,
    /// The text that is being applied.
    pub applying: Option<Applying>,
    /// A text that was applied from here while something else was written already: that is an edit of it.
    pub applied: Option<String>,
}

/// What a text leads to, as it is tried on a copy of the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// Which version of the text is tried.
    pub version: u64,
    /// In lines; or why that is unknown. `None`: it is still tried.
    pub found: Option<Result<Vec<String>, String>>,
}

/// A text that is being applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applying {
    /// The number of the order.
    pub number: u64,
    /// The text that was sent; the text on the page may have changed since.
    pub text: String,
}

/// What is next to the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Beside {
    /// What the edit means.
    #[default]
    Meaning,
    /// The lines that differ.
    Lines,
    /// What was changed underneath, against the same.
    Underneath,
}

impl ConfigPage {
    /// How long after the last change the text is examined.
    pub const PAUSE: Duration = Duration::from_millis(150);

    /// The page on a configuration.
    pub fn new(base: Option<Arc<Configuration>>) -> Self {
        let text = base.as_ref().map_or_else(String::new, |base| base.text.to_string());
        Self {
            base,
            buffer: Buffer::new(&text),
            modified: false,
            top: 0,
            left: 0,
            checked: CheckResult::default(),
            forecast: None,
            due: Some(Duration::ZERO),
            checking: false,
            find: String::new(),
            completion: Completion::default(),
            chosen: 0,
            beside: Beside::default(),
            beside_top: 0,
            swapped: false,
            unfolded: None,
            before: None,
            applying: None,
            applied: None,
        }
    }

    /// Whether what was found out is about the text as it is now.
    pub fn is_checked(&self) -> bool {
        self.checked.version == self.buffer.version() && self.due.is_none() && !self.checking
    }
}
