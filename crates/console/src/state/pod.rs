//! A pod on the screen.

use std::sync::Arc;
use std::time::Duration;

use crate::state::job::OutputText;
use view::kubernetes::{LogName, ObjectEvent, PodRow};

/// The visible part of a pod page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PodPart {
    /// Its data, and its events by time.
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
    /// The last known state.
    pub row: Arc<PodRow>,
    /// The pod was removed.
    pub gone: bool,
    /// The visible part.
    pub part: PodPart,
    /// The index of the container whose log is shown.
    pub container: usize,
    /// The log of the run before the last restart.
    pub previous: bool,
    /// The first visible line.
    pub top: usize,
    /// The number of columns scrolled off on the left.
    pub left: usize,
    /// The end of the log stays visible.
    pub follow: bool,
    /// The search text; may be empty.
    pub find: String,
    /// The line of the current match.
    pub found: Option<usize>,
    /// The search text has changed: find the first match.
    pub seeks: bool,
}

impl PodPage {
    /// The page of a pod at a part.
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

    /// Shows another part.
    pub fn turn_to(&mut self, part: PodPart) {
        (self.part, self.top, self.left, self.found) = (part, 0, 0, None);
        self.follow = part == PodPart::Log;
    }

    /// The container whose log is shown.
    pub fn container_name(&self) -> Option<&Arc<str>> {
        self.row.containers.get(self.container)
    }
}

/// The init container of a status, for example `Init:1/2`.
fn initializing(status: &str) -> Option<usize> {
    let at = status.strip_prefix("Init:")?;
    Some(at.split_once('/').and_then(|(done, _)| done.parse().ok()).unwrap_or(0))
}

/// Requested data of a pod, and the answer.
#[derive(Clone, Debug)]
pub struct Requested<T> {
    /// The data, or why they are unavailable.
    pub known: Option<Result<T, String>>,
    /// On the console's clock.
    pub asked: Option<Duration>,
    /// The pod at that time.
    pub of: Option<Arc<PodRow>>,
    /// An answer is awaited.
    pub awaited: bool,
}

impl<T> Default for Requested<T> {
    fn default() -> Self {
        Self { known: None, asked: None, of: None, awaited: false }
    }
}

/// The loaded pod data.
#[derive(Clone, Debug, Default)]
pub struct PodWatch {
    /// The UID of the pod.
    pub uid: Option<Arc<str>>,
    /// Its events, the oldest first.
    pub events: Requested<Arc<Vec<ObjectEvent>>>,
    /// The YAML lines.
    pub text: Requested<Arc<Vec<String>>>,
    /// A container log.
    pub log: LogWatch,
}

/// A log that is being read.
#[derive(Clone, Debug, Default)]
pub struct LogWatch {
    /// The log, if any.
    pub of: Option<LogName>,
    /// The stored lines.
    pub output: OutputText,
    /// The container has ended.
    pub ended: bool,
    /// Why reading failed, and when, on the console's clock.
    pub failed: Option<(String, Duration)>,
    /// A part is awaited.
    pub awaited: bool,
    /// When the log was opened.
    pub restarts: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_starts_at_the_running_container() {
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
