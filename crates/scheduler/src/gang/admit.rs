//! The check whether a leaf accepts a gang.

use crate::index::QueueKey;
use crate::interface::command::Submission;
use crate::state::partition::Partition;
use model::Resource;

impl Partition {
    /// SCH-140. The leaf exists and the tags are applied (`placement.md` section 8).
    ///
    /// # Errors
    /// The reason for the rejection.
    pub(crate) fn admit_gang(&mut self, leaf: QueueKey, submission: &Submission) -> Result<(), String> {
        let total = &submission.placeholder_ask;
        if total.is_zero() {
            return Ok(());
        }
        let taken = self.accepts_gang(leaf, total);
        if taken.is_err() && self.switches.priority_on_submit {
            // 1.5.1 adds the application to its leaf before the check.
            self.queues.report_priority_up(leaf);
        }
        taken.map_err(|why| format!("application {:?} cannot run as a gang: {why}", submission.app))
    }

    /// SCH-140: application order by submission, and a maximum that fits the whole gang, regardless of usage.
    ///
    /// # Errors
    /// The failed check.
    pub(crate) fn accepts_gang(&self, leaf: QueueKey, total: &Resource) -> Result<(), String> {
        let queue = &self.queues[leaf];
        let path = &queue.path;
        if !queue.settings.properties.app_sort.accepts_gangs() {
            return Err(format!(
                "unsupported sort type of {path}: a gang needs a leaf that sorts by fifo or stateaware"
            ));
        }
        match self.queues.path_max(leaf, self.switches.path_minimum) {
            Some(max) if !max.fit_in_max_undef(total) => Err(format!(
                "task group request of {total} larger than max queue allocation of {path}, which is {max} with all queues \
                 above it"
            )),
            _ => Ok(()),
        }
    }
}
