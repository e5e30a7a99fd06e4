//! The page of a shadow's findings.

use std::sync::Arc;
use std::time::Duration;

use crate::state::column::ShadowColumn;
use crate::state::listing::Listing;
use view::shadowed::{ShadowDifference, ShadowSheet};

/// The findings of a shadow.
#[derive(Clone, Debug, Default)]
pub struct ShadowPage {
    /// The answer, when available.
    pub answer: Option<Result<Arc<ShadowSheet>, String>>,
    /// On the console's clock.
    pub asked: Option<Duration>,
    /// An answer is awaited.
    pub awaited: bool,
    /// The differences by their numbers.
    pub list: Listing<Arc<ShadowDifference>, u64, ShadowColumn>,
}

impl ShadowPage {
    /// The sheet, if available.
    pub fn found(&self) -> Option<&ShadowSheet> {
        self.answer.as_ref()?.as_ref().ok().map(|sheet| &**sheet)
    }
}
