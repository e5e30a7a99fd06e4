//! A scheduler in the state of a cluster, to look at or to fork.

use std::sync::Arc;

use super::cluster::Cluster;
use super::dry_run::Run;
use super::recovery::{LeftAlone, Recovery, Settings};
use super::submitted;
use config::Config;
use model::Time;
use scheduler::{PartitionCommand, Scheduler};

/// A scheduler that took over all of a cluster and has decided nothing yet.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// The scheduler, with the filters of Kubernetes as its predicates.
    pub scheduler: Scheduler,
    /// The moment of the cluster: its newest pod's creation, counted from 1970.
    pub now: Time,
    /// What of the cluster is not in it, or odd, in words.
    pub unknown: Vec<String>,
    /// What submits the pods that a what-if submits; the scheduler knows them, and nothing is requested for them yet.
    pub later: Vec<PartitionCommand>,
}

impl Recovered {
    /// The cluster under a configuration.
    ///
    /// # Errors
    /// The configuration is refused, or has no partition for pods.
    pub fn of(cluster: &Cluster, settings: &Settings, config: Arc<Config>) -> Result<Self, String> {
        let mut recovery = Recovery::of(cluster, settings);
        let later = if cluster.submitted.is_empty() { Vec::new() } else { submitted::take(cluster, &mut recovery) };
        let mut unknown = Vec::new();
        for LeftAlone { pod, reason } in &recovery.left_alone {
            unknown.push(format!("pod {pod} is ignored: {reason}"));
        }
        for gang in recovery.gangs.iter().filter(|gang| !gang.held.is_empty()) {
            let (app, held) = (&gang.app, gang.held.len());
            unknown.push(format!("application {app}: {held} pods of its gang are requested after its placeholders are allocated, which is not simulated"));
        }
        let run = Run::begin(recovery, settings, config)?;
        unknown.extend(run.plan.notices.iter().cloned());
        unknown.extend(run.rejected.iter().map(|(ask, why)| format!("pod {} is rejected: {why}", run.name(ask))));
        Ok(Self { scheduler: run.scheduler, now: run.now, unknown, later })
    }
}
