//! The page of what was used over time.

use std::sync::Arc;
use std::time::Duration;

use crate::state::column::UsageColumn;
use crate::state::listing::Listing;
use view::used::{UsageQuestion, Used, UsedRow};

/// What was used over time.
#[derive(Clone, Debug, Default)]
pub struct UsagePage {
    /// What is asked.
    pub question: UsageQuestion,
    /// The answer; `None` until there is one.
    pub answer: Option<Result<Arc<Used>, String>>,
    /// When it was asked last, on the console's clock.
    pub asked: Option<Duration>,
    /// An answer is awaited.
    pub awaited: bool,
    /// The rows by their names.
    pub list: Listing<Arc<UsedRow>, Arc<str>, UsageColumn>,
}

impl UsagePage {
    /// The page of a question, before there is an answer.
    pub fn new(question: UsageQuestion) -> Self {
        Self { question, ..Self::default() }
    }

    /// The answer, where there is one.
    pub fn used(&self) -> Option<&Used> {
        self.answer.as_ref()?.as_ref().ok().map(|used| &**used)
    }
}
