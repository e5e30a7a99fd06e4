//! Explanations of Apache YuniKorn, which explains nothing itself: worked out on a twin that is made from its data.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::once::Once;
use crate::explained;
use client::{Limits, Target};
use cluster::kube::Cluster;
use cluster::shim::copy::FilterCopy;
use forecast::twin::{Agreement, Twin};
use model::Time;
use tokio::runtime::{Handle, Runtime};
use view::act::{Code, Refusal};
use view::waiting::{Question, Sheet};
use view::{AskState, PartitionView};

/// What is needed to make twins, and how well they did so far, by partition.
pub struct Twins {
    target: Target,
    limits: Limits,
    /// The cluster by the connection of the runtime that this is used in, with what its API server has: followed while twins are made.
    cluster: Option<Arc<Cluster>>,
    copy: FilterCopy,
    agreement: Mutex<BTreeMap<Arc<str>, Agreement>>,
}

impl Twins {
    /// None has been made yet.
    pub fn new(target: Target, limits: Limits) -> Self {
        Self {
            cluster: target.cluster().cloned(),
            target,
            limits,
            copy: FilterCopy::default(),
            agreement: Mutex::default(),
        }
    }

    /// Why something waits. Reads all of the other side: takes its time.
    ///
    /// # Errors
    /// It cannot be read, or the twin is not as what is reported.
    pub fn explain(&self, question: &Question, now: Time) -> Result<Sheet, Refusal> {
        let failed = |why: String| Refusal::new(Code::Unavailable, format!("cannot explain {}", question.of), why);
        let twin = self.make(&question.partition, now).map_err(failed)?;
        let mut agreements = self.agreement.lock().unwrap_or_else(PoisonError::into_inner);
        let agreement = agreements.entry(Arc::clone(&question.partition)).or_default();
        agreement.see(&twin);
        if agreement.is_bad() {
            let words = twin.words_for(&question.of);
            return Err(failed(format!("the result would be wrong: {}{words}", agreement.sentence())));
        }
        let found = twin.explain(&question.of)?;
        Ok(explained::by_twin(&found, &twin, agreement.sentence()))
    }

    /// A twin of a partition as it is now. Reads all of the scheduler, and of the API server what is new since the last twin: takes its time. Has
    /// to be called within a runtime, outside its tasks.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn make(&self, partition: &str, now: Time) -> Result<Twin, String> {
        let mut once = Once::connect(&self.target, self.limits).map_err(|fault| fault.to_string())?;
        let handle = Handle::current();
        let known = |part: &PartitionView, runtime: &Runtime| {
            // Within the runtime of the requests before: their connections may be used again.
            runtime.block_on(self.copy.listed(&handle, self.cluster.as_ref()?, pending(part)))
        };
        once.twin_by(partition, now, known).map_err(|fault| fault.to_string())?
    }
}

/// The pending asks, which are pods.
fn pending(part: &PartitionView) -> impl Iterator<Item = &str> {
    let asks = part.apps.iter().flatten().flat_map(|app| app.asks.values());
    asks.filter(|ask| matches!(ask.state, AskState::Pending { .. })).map(|ask| ask.id.as_str())
}
