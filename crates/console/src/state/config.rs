//! The configuration page, for viewing and editing.

use std::sync::Arc;
use std::time::Duration;

use crate::state::editor::{Buffer, CheckResult, Completion};
use view::act::Configuration;

/// The text and its check.
#[derive(Clone, Debug)]
pub struct ConfigPage {
    /// The configuration that was edited, if known.
    pub base: Option<Arc<Configuration>>,
    /// The text, with the cursor.
    pub buffer: Buffer,
    /// The text differs from the active configuration.
    pub modified: bool,
    /// The first visible line.
    pub top: usize,
    /// The number of columns scrolled off on the left.
    pub left: usize,
    /// The last check, with its version.
    pub checked: CheckResult,
    /// The forecast with the version of the text.
    pub forecast: Option<Forecast>,
    /// When to check the text.
    pub due: Option<Duration>,
    /// A check is running.
    pub checking: bool,
    /// The search text; may be empty.
    pub find: String,
    /// The completions of the word before the cursor.
    pub completion: Completion,
    /// The selected completion.
    pub chosen: usize,
    /// The content of the side pane.
    pub side_pane: SidePane,
    /// The first visible line of the side pane.
    pub side_top: usize,
    /// On a narrow screen, the pane replaces the text.
    pub swapped: bool,
    /// The user's choice on a wide screen; `None`: shown while it has content.
    pub unfolded: Option<bool>,
    /// The active configuration before the last apply here.
    pub before: Option<Arc<Configuration>>,
    /// The text that is being applied.
    pub applying: Option<Applying>,
    /// Applied while the buffer already contained an edit of it.
    pub applied: Option<String>,
}

/// A forecast from a copy of the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forecast {
    /// The version of the tested text.
    pub version: u64,
    /// `None` while it runs.
    pub found: Option<Result<Vec<String>, String>>,
}

/// A text that is being applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Applying {
    /// The number of the operation.
    pub number: u64,
    /// The buffer may have changed since.
    pub text: String,
}

/// The content of the side pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SidePane {
    /// The consequences of the edit.
    #[default]
    Meaning,
    /// The changed lines.
    Lines,
    /// Changes of the active configuration since the edit started.
    Underneath,
}

impl ConfigPage {
    /// The delay from the last edit to the check.
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
            side_pane: SidePane::default(),
            side_top: 0,
            swapped: false,
            unfolded: None,
            before: None,
            applying: None,
            applied: None,
        }
    }

    /// Whether the check result matches the current text.
    pub fn is_checked(&self) -> bool {
        self.checked.version == self.buffer.version() && self.due.is_none() && !self.checking
    }
}
