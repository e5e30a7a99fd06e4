//! Submissions of a what-if, apart from existing pods.

use std::collections::BTreeSet;

use super::cluster::Cluster;
use super::recovery::{Recovery, Settings};
use model::{AppId, AskId};
use scheduler::PartitionCommand;

/// Creates commands, and reports skipped pods.
pub fn commands(cluster: &Cluster, settings: &Settings) -> (Vec<PartitionCommand>, Vec<String>) {
    let mut recovery = Recovery::of(cluster, settings);
    let commands = take(cluster, &mut recovery);
    let alone = recovery.left_alone.iter().map(|pod| format!("pod {} is not submitted: {}", pod.pod, pod.reason));
    (commands, alone.chain(recovery.notices).collect())
}

/// The new applications and requests of submitted pods. The real pods of a gang come after its placeholders.
pub(crate) fn take(cluster: &Cluster, recovery: &mut Recovery) -> Vec<PartitionCommand> {
    let submitted = |ask: &AskId| cluster.submitted.contains(ask.as_str());
    let pods: BTreeSet<&str> = cluster.pods.values().map(|pod| pod.metadata.uid.as_str()).collect();
    let exists = |ask: &AskId| pods.contains(ask.as_str()) && !submitted(ask);
    let old = recovery.asked.iter().filter(|(ask, _)| exists(ask));
    let old: BTreeSet<AppId> = old.map(|(_, asked)| asked.app.clone()).collect();
    let is_later = |command: &PartitionCommand| match command {
        PartitionCommand::Submit(submission) => !old.contains(&submission.app),
        // A placeholder is not among the pods: it comes with its application.
        PartitionCommand::Ask(spec) => submitted(&spec.id) || !old.contains(&spec.app),
        _ => false,
    };
    let (later, steps): (Vec<_>, Vec<_>) =
        std::mem::take(&mut recovery.steps).into_iter().partition(|(_, command)| is_later(command));
    recovery.steps = steps;
    let mut commands: Vec<PartitionCommand> = later.into_iter().map(|(_, command)| command).collect();
    for gang in &mut recovery.gangs {
        let gang_members = std::mem::take(&mut gang.gang_members).into_iter();
        let (later, gang_members): (Vec<_>, Vec<_>) = gang_members.partition(|spec| submitted(&spec.id));
        gang.gang_members = gang_members;
        commands.extend(later.into_iter().map(PartitionCommand::Ask));
    }
    recovery.gangs.retain(|gang| old.contains(&gang.app));
    commands
}
