//! Names in a test that mean nothing: resources of no node, and queues that do not come to exist.

use std::sync::Arc;

use super::{Amounts, Case, CaseKind, Expectation, PolicyFile, QueueUse};
use config::lint::unrequested;
use config::node::Fields;
use config::{Config, Fault, Faults, Place};
use model::Profile;
use model::spelling::nearest;
use scenario::own_codes;
use scheduler::{NodeSpec, Partition};

/// Reports the resources of a map that no node has.
pub(super) fn check_map(fields: Fields<'_>, key: &str, path: &str, nodes: &[NodeSpec], faults: &mut Faults) {
    let Some(node) = fields.get(key).filter(|node| node.is_map()) else { return };
    for (name, _) in node.any_map(key, path, faults).into_iter().flatten() {
        check(name.text, name.at, path, nodes, faults);
    }
}

/// Reports the resource of a share if no node has it.
pub(super) fn check_share(amounts: Option<&Amounts>, at: Place, path: &str, nodes: &[NodeSpec], faults: &mut Faults) {
    if let Some(Amounts::Share(name, _)) = amounts {
        check(name, at, path, nodes, faults);
    }
}

fn check(name: &str, at: Place, path: &str, nodes: &[NodeSpec], faults: &mut Faults) {
    if nodes.is_empty() || nodes.iter().any(|node| node.capacity.amount(name) > 0) {
        return;
    }
    let mut names: Vec<&str> = nodes.iter().flat_map(|node| node.capacity.iter().map(|(name, _)| name)).collect();
    names.sort_unstable();
    names.dedup();
    let near = nearest(name, names.iter().copied()).map(|near| format!("write `{near}`"));
    let hint = near.or_else(|| unrequested(name)).unwrap_or_else(|| "add it to the `capacity` of a node".to_owned());
    let hint = format!("{hint}; the nodes have {}", names.join(", "));
    faults.error("SCN-021", at, path, format!("no node of the test has `{name}`"), hint);
}

/// The queues whose usage is expected but that neither exist nor can be created by the placement of an application of
/// the test.
///
/// # Errors
/// The configuration is rejected, for this reason.
pub fn unknown_queues(file: &PolicyFile, config: &Arc<Config>, profile: Profile) -> Result<Vec<Fault>, String> {
    let scheduler = super::run::configured(config, profile)?;
    let part = scheduler.partitions().first().ok_or("the configuration has no partition")?;
    let mut faults = Faults::default();
    for (number, case) in file.cases.iter().enumerate() {
        of_case(case, part, &format!("tests[{number}].expect"), &mut faults);
    }
    Ok(own_codes(faults))
}

fn of_case(case: &Case, part: &Partition, path: &str, faults: &mut Faults) {
    let CaseKind::Scheduling(scheduling) = &case.kind else { return };
    let mut placed: Option<Vec<String>> = None;
    for expected in &scheduling.expected {
        let Expectation::Uses(QueueUse { queue, queue_at, .. }) = &expected.what else { continue };
        let lower = queue.to_ascii_lowercase();
        let placed = placed.get_or_insert_with(|| {
            let admissions = scheduling.jobs.iter().map(|job| part.would_place(&job.submission()));
            admissions.filter_map(|one| Some(one.placement.placed()?.path.as_str().to_ascii_lowercase())).collect()
        });
        let is_there =
            |path: &String| path.strip_prefix(&*lower).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        if part.queues.find_text(&lower).is_some() || placed.iter().any(is_there) {
            continue;
        }
        let known: Vec<&str> = part.queues.iter().map(|queue| queue.path.as_str()).collect();
        let near = nearest(&lower, known.into_iter().chain(placed.iter().map(String::as_str)));
        let hint = near.map_or_else(|| "write the full path of a queue".to_owned(), |near| format!("write `{near}`"));
        let message = format!("queue `{queue}` does not exist, and no application of the test is placed in it");
        faults.error("SCN-021", *queue_at, path, message, hint);
    }
}
