//! The page of the events.

use std::collections::HashMap;
use std::sync::Arc;

use crate::state::column::EventColumn;
use crate::state::listing::Listing;
use view::{ChangeDetail, ChangeType, ObjectType};

/// The events, with the filter that narrows them.
#[derive(Clone, Debug)]
pub struct EventsPage {
    /// Only those of this object; `None` for all.
    pub about: Option<Arc<str>>,
    /// Routine events are shown too.
    pub all: bool,
    /// Only those of this kind of thing.
    pub kind: Option<ObjectType>,
    /// Only those in which this happened.
    pub what: Option<(ChangeType, ChangeDetail)>,
    /// How many are hidden because they continue all the time.
    pub routine: usize,
    /// The cursor stays with the newest.
    pub follow: bool,
    /// The pods of the asks that its events name, as `namespace/pod` by the ids of the asks.
    pub pods: HashMap<Arc<str>, Arc<str>>,
    /// The rows, by number.
    pub list: Listing<u64, u64, EventColumn>,
}

impl EventsPage {
    /// The events of an object, or of everything what matters of them.
    pub fn about(about: Option<Arc<str>>) -> Self {
        let all = about.is_some();
        let pods = HashMap::new();
        Self { about, all, kind: None, what: None, routine: 0, follow: true, pods, list: Listing::default() }
    }

    /// What people call an object of an event: the pod of an ask, else its id.
    pub fn name<'a>(&'a self, id: &'a str) -> &'a str {
        self.pods.get(id).map_or(id, |pod| pod)
    }
}
