//! W-007: limits above the queue's maximum.

use model::parse_quantity;

use super::{Lint, Queue, fields, list, text_of};

impl Lint {
    /// W-007: the limits of a queue that can never be reached first.
    pub(super) fn idle_limits(&mut self, queue: Queue<'_, '_>) {
        for limit in list(queue.fields, "limits").into_iter().filter_map(fields) {
            let resources: Vec<_> = limit.get("maxresources").and_then(fields).into_iter().flatten().collect();
            let apps = count(text_of(limit, "maxapplications"));
            if resources.is_empty() && apps.is_none() {
                continue;
            }
            let reached_first = |(name, value): (&str, Option<&str>)| {
                let Some(limit) = value.and_then(|text| parse_quantity(name, text).ok()) else { return false };
                queue.maximum(name).is_some_and(|maximum| maximum <= limit)
            };
            let mut amounts = resources.iter().map(|(key, value)| (key.text, value.scalar().map(|scalar| scalar.text)));
            let apps_first = apps.is_none_or(|apps| queue.most_apps().is_some_and(|most| most <= apps));
            if apps_first && amounts.all(reached_first) {
                let message = "this limit has no effect: the queue reaches its own maximum first".to_owned();
                self.warn(
                    "W-007",
                    limit.at(),
                    queue.path,
                    message,
                    "write less than the maximum of the queue, or remove the limit",
                );
            }
        }
    }
}

impl Queue<'_, '_> {
    fn maximum(&self, name: &str) -> Option<i64> {
        let resources = self.fields.get("resources").and_then(fields);
        let own = resources.and_then(|resources| text_of(resources.get("max").and_then(fields)?, name));
        let own = own.and_then(|text| parse_quantity(name, text).ok());
        own.into_iter().chain(self.above.and_then(|above| above.maximum(name))).min()
    }

    fn most_apps(&self) -> Option<u64> {
        let own = count(text_of(self.fields, "maxapplications"));
        own.into_iter().chain(self.above.and_then(Self::most_apps)).min()
    }
}

/// 0 means none.
fn count(text: Option<&str>) -> Option<u64> {
    text?.parse().ok().filter(|number| *number > 0)
}
