//! Planning the queues that a placement creates (`placement.md` section 7).

use model::QueuePath;
use model::name::is_queue_name;

use super::access::submit;
use super::refusal::{Refusal, Refused};
use super::switches::Draining;
use super::tree::{QueueFacts, QueueTree};
use super::walk::Walk;
use super::well_known::RECOVERY_QUEUE;

impl<T: QueueTree + ?Sized> Walk<'_, T> {
    /// Returns the missing queues on the path, top down, ending with the leaf. Every part is checked first (PLC-071 to
    /// PLC-074). Names are checked in `written`. `above` is the nearest existing queue.
    pub(super) fn plan(
        &self,
        path: &QueuePath,
        written: &str,
        above: QueueFacts<'_>,
    ) -> Result<Vec<QueuePath>, Refused> {
        let text = path.as_str();
        let missing = text[above.path.as_str().len()..].match_indices('.').skip(1);
        let ends = missing.map(|(at, _)| at + above.path.as_str().len()).chain([text.len()]);
        let create: Vec<QueuePath> = ends.map(|end| QueuePath::new(&text[..end])).collect();
        if text == RECOVERY_QUEUE {
            return Ok(create);
        }
        if submit(self.tree, above.path.as_str(), self.submission.identity).is_none() {
            return Err(Refusal::CreateDenied { path: path.clone(), ancestor: above.path.clone() }.into());
        }
        if above.state.leaf {
            return Err(Refusal::CreateBelowLeaf { path: path.clone(), leaf: above.path.clone() }.into());
        }
        // Every release checks the nearest; the switch decides about parents too.
        let draining = match self.switches.draining {
            Draining::Path => self.draining(above.path.as_str()),
            Draining::Leaf | Draining::Ignored => above.state.draining.then(|| above.path.clone()),
        };
        if let Some(draining) = draining {
            return Err(Refusal::CreateBelowDraining { path: path.clone(), draining }.into());
        }
        let mut parts = written.split('.').skip(above.path.depth() + 1);
        if let Some(at) = parts.position(|part| !is_queue_name(part, self.switches.queue_name_chars)) {
            let part = written.split('.').nth(above.path.depth() + 1 + at).unwrap_or_default();
            let refusal = Refusal::IllegalName { path: written.to_owned(), part: part.to_owned() };
            let left_behind = if self.switches.partial_path { create[..at].to_vec() } else { Vec::new() };
            return Err(Refused { refusal, left_behind });
        }
        Ok(create)
    }
}
