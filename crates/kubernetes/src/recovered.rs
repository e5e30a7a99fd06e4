//! A scheduler in the state of a cluster, to inspect or to fork.

use std::sync::Arc;

use super::cluster::Cluster;
use super::dry_run::Run;
use super::recovery::{LeftAlone, Recovery, Settings};
use super::submitted;
use config::Config;
use model::Time;
use scheduler::{PartitionCommand, Scheduler};

/// Loaded, without any decision yet.
#[derive(Clone, Debug)]
pub struct Recovered {
    /// With the filters of Kubernetes as predicates.
    pub scheduler: Scheduler,
    /// Creation time of the newest pod, since 1970.
    pub now: Time,
    /// Missing and unusual objects, in words.
    pub unknown: Vec<String>,
    /// Submit the pods of a what-if; the predicates know them already.
    pub later: Vec<PartitionCommand>,
}

impl Recovered {
    /// Fails without a valid configuration and pod partition.
    pub fn of(cluster: &Cluster, settings: &Settings, config: Arc<Config>) -> Result<Self, String> {
        let mut recovery = Recovery::of(cluster, settings);
        let later = if cluster.submitted.is_empty() { Vec::new() } else { submitted::take(cluster, &mut recovery) };
        let mut unknown = Vec::new();
        for LeftAlone { pod, reason } in &recovery.left_alone {
            unknown.push(format!("pod {pod} is ignored: {reason}"));
        }
        for gang in recovery.gangs.iter().filter(|gang| !gang.gang_members.is_empty()) {
            let (app, gang_members) = (&gang.app, gang.gang_members.len());
            unknown.push(format!("application {app}: {gang_members} pods of its gang are requested after its placeholders are allocated, which is not simulated"));
        }
        let run = Run::start(recovery, settings, config)?;
        unknown.extend(run.plan.notices.iter().cloned());
        unknown.extend(run.rejected.iter().map(|(ask, why)| format!("pod {} is rejected: {why}", run.name(ask))));
        Ok(Self { scheduler: run.scheduler, now: run.now, unknown, later })
    }
}
