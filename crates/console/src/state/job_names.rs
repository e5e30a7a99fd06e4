//! The names of local jobs; their list has only numbers.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use model::AppId;

/// With more names all are dropped, and the visible ones requested again.
const MOST: usize = 10_000;

/// The known names, and the request for others.
#[derive(Clone, Debug, Default)]
pub struct JobNames {
    known: HashMap<AppId, Arc<str>>,
    /// On the console's clock.
    pub asked: Option<Duration>,
    /// An answer is awaited.
    pub awaited: bool,
    /// The last request failed.
    pub unanswered: bool,
}

impl JobNames {
    /// `None` if unknown, empty if denied.
    pub fn of(&self, app: &AppId) -> Option<&Arc<str>> {
        self.known.get(app)
    }

    /// Adds the requested names.
    pub fn take(&mut self, names: Vec<(AppId, String)>) {
        if self.known.len() + names.len() > MOST {
            self.known.clear();
        }
        self.known.extend(names.into_iter().map(|(app, name)| (app, Arc::from(name))));
    }
}
