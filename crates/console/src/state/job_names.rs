//! What the jobs on the screen are called, where applications are jobs: a list of them names applications by numbers only.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use model::AppId;

/// How many names are kept; with more all are forgotten, and those on the screen requested again.
const MOST: usize = 10_000;

/// The names that are known, and what is under way for others.
#[derive(Clone, Debug, Default)]
pub struct JobNames {
    known: HashMap<AppId, Arc<str>>,
    /// When names were requested last, on the console's clock.
    pub asked: Option<Duration>,
    /// An answer is awaited.
    pub awaited: bool,
    /// The last question got no answer.
    pub unanswered: bool,
}

impl JobNames {
    /// What a job is called; `None` where that is unknown, empty where one may not know it.
    pub fn of(&self, app: &AppId) -> Option<&Arc<str>> {
        self.known.get(app)
    }

    /// Takes the names of jobs that were requested.
    pub fn take(&mut self, names: Vec<(AppId, String)>) {
        if self.known.len() + names.len() > MOST {
            self.known.clear();
        }
        self.known.extend(names.into_iter().map(|(app, name)| (app, Arc::from(name))));
    }
}
