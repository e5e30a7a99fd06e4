//! Texts about a remote: hints, features, and alternatives.

use super::RemoteOptions;
use client::Target;
use view::act::Act;

/// The hints that are shown once.
pub fn notes(target: &Target, options: &RemoteOptions) -> Vec<String> {
    let mut notes = options.notes.clone();
    if let Some(who) = target.seen_as() {
        notes.push(format!("Shown as {who}; changes as another user are not possible."));
    } else if options.read_only {
        notes.push("Read-only.".to_owned());
    }
    notes
}

/// The feature of a kornsole server that an act needs.
pub fn feature(act: &Act) -> Option<&'static str> {
    use view::act::PartitionAct as P;
    Some(match act {
        Act::Configure { .. } => "config",
        Act::Rollback { .. } => "audit",
        Act::Pause | Act::Resume => return None,
        Act::Silence { .. } | Act::EndSilence { .. } => "alerts",
        Act::In { act: P::Kill { .. }, .. } => "kill",
        Act::In { act: P::Move { .. }, .. } => "move",
        Act::In { act: P::Clean { .. }, .. } => "cleanup",
        Act::In { .. } => "workload",
    })
}

/// The alternative to an act that Apache YuniKorn does not offer.
pub fn elsewhere(act: &Act) -> &'static str {
    use view::act::PartitionAct as P;
    match act {
        Act::Configure { .. } | Act::Rollback { .. } => {
            "; its configuration is in the resource manager, in Kubernetes a ConfigMap"
        }
        Act::In { act: P::Kill { .. }, .. } => "; in Kubernetes delete the pods of an application instead",
        _ => "",
    }
}
