//! Jobs outside of the draw loop, with copies of their inputs.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::state::page::{Page, Stamp};
use view::View;

/// Shorter lists are made in the draw loop.
pub const LONG: usize = 20_000;

/// A list that is being made.
#[derive(Clone, Debug)]
pub struct Making {
    /// Counts up; results with another number are outdated.
    pub number: u64,
    /// The user has chosen another list.
    pub overtaken: Arc<AtomicBool>,
}

/// A request to make a list.
#[derive(Clone, Debug)]
pub struct ListJob {
    /// The number of the request.
    pub number: u64,
    /// A copy of the page.
    pub page: Page,
    /// The view for the rows.
    pub view: Arc<View>,
    /// The stamp of the view and page.
    pub stamp: Stamp,
    /// Set when the user has chosen another list.
    pub overtaken: Arc<AtomicBool>,
}

/// The result of a list job.
#[derive(Clone, Debug)]
pub struct ListResult {
    /// The number of the request.
    pub number: u64,
    /// `None` if the job stopped.
    pub page: Option<(Page, Stamp)>,
}

/// Completions that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// The typed text of the request.
    pub typed: String,
    /// The matches, best first.
    pub best: Vec<String>,
}

/// A request for completions.
#[derive(Clone, Debug)]
pub struct NamesJob {
    /// The view with the applications.
    pub view: Arc<View>,
    /// The partition to search.
    pub partition: Arc<str>,
    /// The typed text.
    pub typed: String,
    /// The maximum number of matches.
    pub most: usize,
}
