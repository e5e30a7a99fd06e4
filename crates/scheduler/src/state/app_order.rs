//! By which keys the applications of a leaf are tried (`scheduler.md` section 6).

use std::cmp::Reverse;

use crate::state::app::Application;
use crate::state::app_rank::{AppRank, RankKey};
use crate::state::queue::Queue;
use crate::state::share::ShareList;
use config::AppSortPolicy;

impl AppRank {
    /// The place of `app` in `leaf`.
    pub fn of(app: &Application, leaf: &Queue) -> Self {
        Self::by(Self::keys_of(app, leaf), app)
    }

    /// The same by keys that were made for it.
    pub(super) fn by(keys: [RankKey; 2], app: &Application) -> Self {
        Self { keys, submitted: app.submitted, id: app.id.clone(), app: app.key }
    }

    /// Whether it still is the place of `app`, which has these keys by now.
    pub(super) fn holds(&self, keys: &[RankKey; 2]) -> bool {
        self.keys == *keys
    }

    /// What changes of the place of `app` in `leaf` as time passes.
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
