//! The trends page: subject, values, time range, and cursor.

use std::sync::Arc;
use std::time::Duration;

use model::Time;
use source::trends::{Keeping, Published};
use view::trends::{Subject, Value};

/// The available time ranges in minutes: 10 minutes to 30 days.
pub const SPANS: [u64; 10] = [10, 30, 60, 180, 360, 720, 1440, 4320, 10_080, 43_200];
/// An hour.
const FIRST_SPAN: usize = 2;

/// The loaded trends.
#[derive(Clone, Debug, Default)]
pub struct KnownTrends {
    /// The series by partition; `None` if the source has none, or before the first use.
    pub rings: Option<Arc<Published>>,
    /// Whether the trends outlast this process.
    pub keeping: Arc<Keeping>,
    /// When the user last opened the overview before this console started, by the cluster's time.
    pub looked: Option<Time>,
}

/// Values of one subject over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrendsPage {
    /// The subject.
    pub of: Subject,
    /// The first value.
    pub value: Value,
    /// A second value in the same chart.
    pub second: Option<Value>,
    /// The index of the time range in [`SPANS`].
    pub span: usize,
    /// The right end; `None`: the present, or the selected past time.
    pub end: Option<Time>,
    /// The time under the cursor; `None`: the right end.
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
