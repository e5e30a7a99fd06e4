//! A pod on the screen: what is known of it with what happened, the log of one of its containers, its text.

use std::sync::Arc;
use std::time::Duration;

use crate::state::job::OutputText;
use view::kubernetes::{LogName, ObjectEvent, PodRow};

/// Which part of a pod is on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PodPart {
    /// What is known of it, and what happened to it in order of time.
    #[default]
    Sheet,
    /// The log of a container.
    Log,
    /// It as YAML.
    Text,
}

/// The page of a pod.
#[derive(Clone, Debug)]
pub struct PodPage {
    /// The pod as it was known last.
    pub row: Arc<PodRow>,
    /// It no longer exists.
    pub gone: bool,
    /// What of it is shown.
    pub part: PodPart,
    /// The container whose log is shown, by its place among the containers.
    pub container: usize,
    /// The log is of the run before the last restart.
    pub previous: bool,
    /// The first line on the screen.
    pub top: usize,
    /// The columns that are scrolled to the left.
    pub left: usize,
    /// The end of the log stays on the screen.
    pub follow: bool,
    /// What is searched for; empty: nothing.
    pub find: String,
    /// The match that one is at: the line of it.
    pub found: Option<usize>,
    /// What is searched for changed, and the first match is to be found.
    pub seeks: bool,
}

impl PodPage {
    /// The page of a pod with a part of it.
    pub fn new(row: Arc<PodRow>, part: PodPart) -> Self {
        let container = usize::from(row.init_containers).min(row.containers.len().saturating_sub(1));
        let container = initializing(&row.status).map_or(container, |at| at.min(container));
        Self {
            row,
            gone: false,
            part,
            container,
            previous: false,
            top: 0,
            left: 0,
            follow: part == PodPart::Log,
            find: String::new(),
            found: None,
            seeks: false,
        }
    }

    /// Shows another part of it.
    pub fn turn_to(&mut self, part: PodPart) {
        (self.part, self.top, self.left, self.found) = (part, 0, 0, None);
        self.follow = part == PodPart::Log;
    }

    /// The container whose log is shown.
    pub fn container_name(&self) -> Option<&Arc<str>> {
        self.row.containers.get(self.container)
    }
}

/// The init container that a status such as `Init:1/2` is at.
fn initializing(status: &str) -> Option<usize> {
    let at = status.strip_prefix("Init:")?;
    Some(at.split_once('/').and_then(|(done, _)| done.parse().ok()).unwrap_or(0))
}

/// Data of a pod that are requested, and what came.
#[derive(Clone, Debug)]
pub struct Requested<T> {
    /// What came; or why it did not.
    pub known: Option<Result<T, String>>,
    /// When it was requested last, on the console's clock.
    pub asked: Option<Duration>,
    /// The pod as it was then.
    pub of: Option<Arc<PodRow>>,
    /// An answer is awaited.
    pub awaited: bool,
}

impl<T> Default for Requested<T> {
    fn default() -> Self {
        Self { known: None, asked: None, of: None, awaited: false }
    }
}

/// What is read of the pod on the screen.
#[derive(Clone, Debug, Default)]
pub struct PodWatch {
    /// The UID of the pod.
    pub uid: Option<Arc<str>>,
    /// Its events, the oldest first.
    pub events: Requested<Arc<Vec<ObjectEvent>>>,
    /// It as YAML, line by line.
    pub text: Requested<Arc<Vec<String>>>,
    /// The log of one of its containers.
    pub log: LogWatch,
}

/// A log that is read.
#[derive(Clone, Debug, Default)]
pub struct LogWatch {
    /// Which one; `None` before the first.
    pub of: Option<LogName>,
    /// Its lines, as far as they are kept.
    pub output: OutputText,
    /// The container has ended.
    pub ended: bool,
    /// Why nothing newer comes, and when that was, on the console's clock.
    pub failed: Option<(String, Duration)>,
    /// A part is awaited.
    pub awaited: bool,
    /// The restarts of the pod when it was opened.
    pub restarts: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_begins_at_the_container_that_is_at_work() {
        let texts = |names: &[&str]| names.iter().map(|name| Arc::from(*name)).collect();
        let pod = |status: &str| PodRow {
            containers: texts(&["init-a", "init-b", "main", "side"]),
            init_containers: 2,
            status: Arc::from(status),
            ..PodRow::default()
        };
        let name = |status: &str| {
            PodPage::new(Arc::new(pod(status)), PodPart::Log).container_name().map(|name| name.to_string())
        };
        assert_eq!(name("Running").as_deref(), Some("main"));
        assert_eq!(name("Init:1/2").as_deref(), Some("init-b"));
        assert_eq!(name("Init:CrashLoopBackOff").as_deref(), Some("init-a"));
        assert_eq!(PodPage::new(Arc::default(), PodPart::Log).container_name(), None);
    }
}
