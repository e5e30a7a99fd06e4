//! Whether the access lists of queues are checked before the API server decides, and the configuration line that
//! resolves a rejection.

use cluster::kube::Cluster;
use config::QueueConfig;
use model::QueuePath;
use view::View;
use view::act::{AclKind, Actor, EnforceAcl, Refusal};

/// Why the access lists are not checked, so that RBAC alone decides; `None` if they are checked.
pub fn waived(cluster: &Cluster, view: &View) -> Option<&'static str> {
    match cluster.enforce_acl() {
        EnforceAcl::Always => None,
        EnforceAcl::Never => Some("adminacl: not checked (--enforce-acl never); RBAC decides"),
        EnforceAcl::Auto if has_none(view) => Some("adminacl: none in the configuration; RBAC decides"),
        EnforceAcl::Auto => None,
    }
}

/// Whether no queue of the active configuration has an `adminacl`. An unread configuration may have one.
fn has_none(view: &View) -> bool {
    let Some(configuration) = &view.configuration else { return false };
    let grants =
        |part: &view::PartitionView| part.queues.iter().flatten().any(|row| !row.settings.admin_acl.is_empty_list());
    if view.partitions.is_empty() || view.partitions.iter().any(grants) {
        return false;
    }
    if !configuration.queues.contains("adminacl") {
        return true;
    }
    // For comments and lists without a user, only the parsed text decides.
    let profile = view.partitions.first().map(|part| part.rules.profile()).unwrap_or_default();
    let parsed = config::read(&configuration.queues, profile).config;
    parsed.is_some_and(|config| !config.partitions.iter().any(|part| is_written(&part.root)))
}

fn is_written(queue: &QueueConfig) -> bool {
    queue.admin_acl.at.line > 0 || queue.children.iter().any(is_written)
}

/// Adds the line that would allow the operation, and the option, to a rejection by an access list. Other rejections are
/// unchanged.
pub fn with_remedy(view: &View, actor: &Actor, partition: Option<&str>, refusal: Refusal) -> Refusal {
    let details = &refusal.details;
    if !details.scheduler_acl && details.access != Some(AclKind::Admin) {
        return refusal;
    }
    let queue = details.queue.clone().unwrap_or_else(QueuePath::root);
    let remedy = remedy(view, actor, partition, &queue);
    Refusal { description: format!("{}; {remedy}", refusal.description), ..refusal }
}

/// The line that makes the actor an administrator, its location, and the option. Names no other user (ACL-029).
pub fn remedy(view: &View, actor: &Actor, partition: Option<&str>, queue: &QueuePath) -> String {
    let mut parts = view.partitions.iter();
    let part = parts.clone().find(|part| Some(&*part.name) == partition).or_else(|| parts.next());
    let row = part.and_then(|part| part.queue_at(queue).map(|row| (part, row)));
    // A dynamic queue is in no file: change its nearest parent in the file.
    let written = row.and_then(|(part, row)| part.path_up(row).find(|row| row.settings.at.is_some()));
    let user = &actor.identity.user;
    let (name, what, line) = match written {
        Some(row) if row.settings.admin_acl.is_empty_list() => {
            (&row.path, format!("write `adminacl: '{user}'`"), row.settings.at)
        }
        Some(row) => (&row.path, format!("add {user} to the `adminacl`"), row.settings.at),
        None => (queue, format!("write `adminacl: '{user}'`"), None),
    };
    let line = line.map(|at| format!(", line {}", at.line)).unwrap_or_default();
    format!("to allow it, {what} of {name} ({}{line}), or use --enforce-acl never", file(view))
}

fn file(view: &View) -> String {
    let configuration = view.configuration.as_deref();
    match configuration.map(|now| (now.config_map.as_deref(), now.file.as_deref())) {
        Some((Some(map), _)) => format!("{} of ConfigMap {}/{}", map.key, map.namespace, map.name),
        Some((None, Some(file))) => file.display().to_string(),
        _ => "the active configuration".to_owned(),
    }
}
