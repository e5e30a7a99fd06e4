//! Computes explanations for Apache YuniKorn, which has none, on a simulation copy made from its data.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

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
use wire::convert::read::RemoteState;

/// How long the last simulation copy is kept to compare it with the next one. It has the size of the scheduler.
const COMPARED: Duration = Duration::from_secs(300);

/// Creates simulation copies, and tracks their accuracy by partition.
pub struct Twins {
    target: Target,
    limits: Limits,
    /// The cluster on this runtime's connection, with its objects: watched while copies are used.
    cluster: Option<Arc<Cluster>>,
    copy: FilterCopy,
    agreement: Mutex<Agreements>,
}

#[derive(Default)]
struct Agreements {
    of: BTreeMap<Arc<str>, Agreement>,
    last: Option<Instant>,
}

impl Twins {
    /// Returns a state without copies.
    pub fn new(target: Target, limits: Limits) -> Self {
        Self {
            cluster: target.cluster().cloned(),
            target,
            limits,
            copy: FilterCopy::default(),
            agreement: Mutex::default(),
        }
    }

    /// Explains why something waits. Reads the whole remote state: slow. `known` is the state that is known.
    ///
    /// # Errors
    /// Returns an error if the state cannot be read, or the copy differs from it.
    pub fn explain(self: &Arc<Self>, question: &Question, known: RemoteState, now: Time) -> Result<Sheet, Refusal> {
        let failed = |why: String| Refusal::new(Code::Unavailable, format!("cannot explain {}", question.of), why);
        let agreement = || self.agreement.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(agreement) = agreement().of.get_mut(&question.partition) {
            agreement.expect(now);
        }
        let twin = Arc::new(self.make(&question.partition, known, now).map_err(failed)?);
        let mut agreements = agreement();
        agreements.last = Some(Instant::now());
        let agreement = agreements.of.entry(Arc::clone(&question.partition)).or_default();
        agreement.see(&twin);
        self.forget_later();
        if agreement.is_bad() {
            let words = twin.words_for(&question.of);
            return Err(failed(format!("the result would be wrong: {}{words}", agreement.sentence())));
        }
        let found = twin.explain(&question.of)?;
        Ok(explained::by_twin(&found, &twin, agreement.sentence()))
    }

    fn forget_later(self: &Arc<Self>) {
        let twins = Arc::downgrade(self);
        Handle::current().spawn(async move {
            tokio::time::sleep(COMPARED).await;
            let Some(twins) = twins.upgrade() else { return };
            let mut agreements = twins.agreement.lock().unwrap_or_else(PoisonError::into_inner);
            if agreements.last.is_some_and(|last| last.elapsed() >= COMPARED) {
                agreements.of.values_mut().for_each(Agreement::forget);
            }
        });
    }

    /// Makes a simulation copy of a partition. Reads the whole scheduler, and from the API server the changes since the
    /// last copy: slow. `known` is the state that is known. Call it within a runtime, outside its tasks.
    ///
    /// # Errors
    /// Returns an error if the state cannot be read.
    pub fn make(&self, partition: &str, known: RemoteState, now: Time) -> Result<Twin, String> {
        let once = Once::connect_knowing(&self.target, self.limits, known);
        let mut once = once.map_err(|fault| fault.to_string())?;
        let handle = Handle::current();
        let known = |part: &PartitionView, runtime: &Runtime| {
            // Uses the runtime of earlier requests, to reuse their connections.
            runtime.block_on(self.copy.listed(&handle, self.cluster.as_ref()?, pending(part)))
        };
        once.twin_by(partition, now, known).map_err(|fault| fault.to_string())?
    }
}

fn pending(part: &PartitionView) -> impl Iterator<Item = &str> {
    let asks = part.apps.iter().flatten().flat_map(|app| app.asks.values());
    asks.filter(|ask| matches!(ask.state, AskState::Pending { .. })).map(|ask| ask.id.as_str())
}
