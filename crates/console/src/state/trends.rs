//! The page of trends: of what, which values, which span, where the cursor is.

use std::sync::Arc;
use std::time::Duration;

use model::Time;
use source::trends::{Keeping, Published};
use view::trends::{Subject, Value};

/// The spans that can be shown, in minutes: 10 minutes to 30 days.
pub const SPANS: [u64; 10] = [10, 30, 60, 180, 360, 720, 1440, 4320, 10_080, 43_200];
/// The span that a page starts with: an hour.
const FIRST_SPAN: usize = 2;

/// What is known of the trends.
#[derive(Clone, Debug, Default)]
pub struct KnownTrends {
    /// The rings by partition; `None` where the source has none, or no one looked yet.
    pub rings: Option<Arc<Published>>,
    /// Whether they outlast this process.
    pub keeping: Arc<Keeping>,
    /// When a person examined the overview last before this console started, by the cluster's time.
    pub looked: Option<Time>,
}

/// Values of one subject as lines over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TrendsPage {
    /// What they are of.
    pub of: Subject,
    /// The value that is drawn.
    pub value: Value,
    /// A second one, drawn over it.
    pub second: Option<Value>,
    /// Which of [`SPANS`] is shown.
    pub span: usize,
    /// The time at its right end; `None`: the present, or the moment on the screen.
    pub end: Option<Time>,
    /// The time under the cursor; `None`: the right end.
    pub cursor: Option<Time>,
}

impl TrendsPage {
    /// The page of a subject, with the hour up to now.
    pub fn new(of: Subject, value: Value) -> Self {
        Self { of, value, second: None, span: FIRST_SPAN, end: None, cursor: None }
    }

    /// How long the span is that is shown.
    pub fn length(&self) -> Duration {
        Duration::from_secs(60 * SPANS[self.span.min(SPANS.len() - 1)])
    }
}
