//! Counts the pods that the API server would reject.

use std::collections::BTreeMap;

use super::validity::API_SERVER;

/// By the object that rejects; the API server has many reasons.
#[derive(Debug, Default)]
pub(crate) struct Rejections(BTreeMap<(String, String), Rejected>);

#[derive(Debug)]
struct Rejected {
    count: u64,
    first: String,
}

impl Rejections {
    /// Adds `count` pods that `by` rejects; `who` identifies one of them.
    pub fn add(&mut self, (by, why): (String, String), count: u64, who: &str) {
        let reason = if by == API_SERVER { why.clone() } else { String::new() };
        let rejected =
            self.0.entry((by, reason)).or_insert_with(|| Rejected { count: 0, first: format!("{who}: {why}") });
        rejected.count += count;
    }

    /// Returns one sentence for each object that rejects, and each reason of the API server.
    pub fn words(&self) -> Vec<String> {
        let words = self.0.iter().map(|((by, _), Rejected { count, first })| match count {
            0 => format!("{by} rejects {first}"),
            1 => format!("{by} rejects 1 pod, so the scheduler does not get it: {first}"),
            count => format!("{by} rejects {count} pods, so the scheduler does not get them, for example {first}"),
        });
        words.collect()
    }
}
