//! The page of the events.

use std::collections::HashMap;
use std::sync::Arc;

use crate::state::column::EventColumn;
use crate::state::listing::Listing;
use view::{ChangeDetail, ChangeType, ObjectType};

/// The events and their filter.
#[derive(Clone, Debug)]
pub struct EventsPage {
    /// `None` for all.
    pub about: Option<Arc<str>>,
    /// Include routine events.
    pub all: bool,
    /// Only events of this object type.
    pub kind: Option<ObjectType>,
    /// Only events with this change.
    pub what: Option<(ChangeType, ChangeDetail)>,
    /// The number of hidden routine events.
    pub routine: usize,
    /// The cursor follows the newest event.
    pub follow: bool,
    /// Pods as `namespace/pod`, by request id.
    pub pods: HashMap<Arc<str>, Arc<str>>,
    /// The rows, by event number.
    pub list: Listing<u64, u64, EventColumn>,
}

impl EventsPage {
    /// Events of an object, or the important ones of all.
    pub fn about(about: Option<Arc<str>>) -> Self {
        let all = about.is_some();
        let pods = HashMap::new();
        Self { about, all, kind: None, what: None, routine: 0, follow: true, pods, list: Listing::default() }
    }

    /// The pod of a request, otherwise its id.
    pub fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.pods.get(id).map_or(id, |pod| pod)
    }
}
