//! The page of usage over time.

use std::sync::Arc;
use std::time::Duration;

use crate::state::column::UsageColumn;
use crate::state::listing::Listing;
use view::used::{UsageQuestion, Used, UsedRow};

/// Usage over time.
#[derive(Clone, Debug, Default)]
pub struct UsagePage {
    /// What is asked.
    pub question: UsageQuestion,
    /// The answer, when available.
    pub answer: Option<Result<Arc<Used>, String>>,
    /// On the console's clock.
    pub asked: Option<Duration>,
    /// An answer is awaited.
    pub awaited: bool,
    /// The rows by name.
    pub list: Listing<Arc<UsedRow>, Arc<str>, UsageColumn>,
}

impl UsagePage {
    /// The page before the first answer.
    pub fn new(question: UsageQuestion) -> Self {
        Self { question, ..Self::default() }
    }

    /// The answer, if available.
    pub fn used(&self) -> Option<&Used> {
        self.answer.as_ref()?.as_ref().ok().map(|used| &**used)
    }
}
