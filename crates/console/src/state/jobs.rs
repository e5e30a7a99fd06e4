//! Work next to the draw loop: the jobs, with copies of their inputs, and their results.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::state::page::{Page, Stamp};
use view::View;

/// Up to how many rows are examined where frames are drawn.
pub const LONG: usize = 20_000;

/// A list that is being made.
#[derive(Clone, Debug)]
pub struct Making {
    /// Counts up; an answer with another number is too late.
    pub number: u64,
    /// The person has chosen something else meanwhile.
    pub overtaken: Arc<AtomicBool>,
}

/// A list to be made.
#[derive(Clone, Debug)]
pub struct ListJob {
    /// The number of the making.
    pub number: u64,
    /// A copy of the page.
    pub page: Page,
    /// What the rows are made from.
    pub view: Arc<View>,
    /// The stamp of that view and page.
    pub stamp: Stamp,
    /// Set when the person has chosen something else meanwhile: the job gives up.
    pub overtaken: Arc<AtomicBool>,
}

/// A list that was made.
#[derive(Clone, Debug)]
pub struct ListResult {
    /// The number of the making.
    pub number: u64,
    /// The page with its rows, and what they were made from; `None` when it was given up.
    pub page: Option<(Page, Stamp)>,
}

/// Names that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// What was written then.
    pub typed: String,
    /// The best ones for that, best first.
    pub best: Vec<String>,
}

/// Names to be found.
#[derive(Clone, Debug)]
pub struct NamesJob {
    /// Where the applications are looked for.
    pub view: Arc<View>,
    /// In which partition of it.
    pub partition: Arc<str>,
    /// What is written of the name.
    pub typed: String,
    /// How many names are wanted at most.
    pub most: usize,
}
