//! `submit @FILE`: the pods of Kubernetes manifests as a change.

use std::path::PathBuf;

use ::forecast::whatif::Step;
use scenario::StepKind;
use scheduler::PartitionCommand;

pub(super) const NOT_REMOTE: &str = "cannot submit manifests to the copy of a remote scheduler: the copy does not include their pods; \
     use --from-manifests, --state, --dump, or --workload";

pub(super) fn files(changes: &mut Vec<String>) -> Vec<PathBuf> {
    let file =
        |change: &str| Some(PathBuf::from(change.trim().strip_prefix("submit")?.trim_start().strip_prefix('@')?));
    let files = changes.iter().filter_map(|change| file(change)).collect();
    changes.retain(|change| file(change).is_none());
    files
}

pub(super) fn steps(commands: Vec<PartitionCommand>) -> impl Iterator<Item = Step> {
    commands.into_iter().map(|command| Step::Scenario(StepKind::Command(command)))
}
