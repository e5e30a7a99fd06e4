//! The page of what a shadow found.

use std::sync::Arc;
use std::time::Duration;

use crate::state::column::ShadowColumn;
use crate::state::listing::Listing;
use view::shadowed::{ShadowDifference, ShadowSheet};

/// What a shadow found.
#[derive(Clone, Debug, Default)]
pub struct ShadowPage {
    /// The answer; `None` until there is one.
    pub answer: Option<Result<Arc<ShadowSheet>, String>>,
    /// When it was asked last, on the console's clock.
    pub asked: Option<Duration>,
    /// An answer is awaited.
    pub awaited: bool,
    /// The differences by their numbers.
    pub list: Listing<Arc<ShadowDifference>, u64, ShadowColumn>,
}

impl ShadowPage {
    /// The sheet, where there is one.
    pub fn found(&self) -> Option<&ShadowSheet> {
        self.answer.as_ref()?.as_ref().ok().map(|sheet| &**sheet)
    }
}
