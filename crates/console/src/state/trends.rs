//! The trends page.

use std::sync::Arc;
use std::time::Duration;

use model::Time;
use source::trends::{Published, Storage};
use view::trends::{Subject, Value};

/// Time ranges in minutes: 10 minutes to 30 days.
pub const SPANS: [u64; 10] = [10, 30, 60, 180, 360, 720, 1440, 4320, 10_080, 43_200];
const FIRST_SPAN: usize = 2;

/// The loaded trends.
#[derive(Clone, Debug, Default)]
pub struct KnownTrends {
    /// Series by partition; `None` if unavailable.
    pub rings: Option<Arc<Published>>,
    /// Whether the trends outlast this process.
    pub storage: Arc<Storage>,
    /// When the user looked before this console started, by the cluster's time.
    pub visited: Option<Time>,
}

/// Values of one subject over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrendsPage {
    /// What they are of.
    pub of: Subject,
    /// The first value.
    pub value: Value,
    /// A second value in the same chart.
    pub second: Option<Value>,
    /// The index of the time range in [`SPANS`].
    pub span: usize,
    /// `None`: the time on the screen.
    pub end: Option<Time>,
    /// `None`: the right end.
    pub cursor: Option<Time>,
}

impl TrendsPage {
    /// The page of a subject with the last hour.
    pub fn new(of: Subject, value: Value) -> Self {
        Self { of, value, second: None, span: FIRST_SPAN, end: None, cursor: None }
    }

    /// The length of the time range.
    pub fn length(&self) -> Duration {
        Duration::from_secs(60 * SPANS[self.span.min(SPANS.len() - 1)])
    }
}
