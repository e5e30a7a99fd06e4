//! The keys of the order of a leaf's applications (`scheduler.md` section 6).

use std::cmp::Reverse;

use crate::state::app::Application;
use crate::state::app_rank::{AppRank, RankKey};
use crate::state::queue::Queue;
use crate::state::share::ShareList;
use config::AppSortPolicy;

impl AppRank {
    /// The rank of `app` in `leaf`.
    pub fn of(app: &Application, leaf: &Queue) -> Self {
        Self::by(Self::keys_of(app, leaf), app)
    }

    pub(super) fn by(keys: [RankKey; 2], app: &Application) -> Self {
        Self { keys, submitted: app.submitted, id: app.id.clone(), app: app.key }
    }

    pub(super) fn is_current(&self, keys: &[RankKey; 2]) -> bool {
        self.keys == *keys
    }

    pub(super) fn keys_of(app: &Application, leaf: &Queue) -> [RankKey; 2] {
        let properties = &leaf.settings.properties;
        let priority = RankKey::Priority(Reverse(app.priority()));
        let main = match properties.app_sort {
            AppSortPolicy::Fair => RankKey::Share(ShareList::of(&app.allocated, leaf.guaranteed.as_ref())),
            AppSortPolicy::Fifo | AppSortPolicy::StateAware => RankKey::Submitted(app.submitted),
        };
        if properties.sort_by_priority { [priority, main] } else { [main, priority] }
    }
}
