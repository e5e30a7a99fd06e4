//! The reviewed rights at a Kubernetes API server: only a hint, because its answer decides (K8S-035).

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::{Act, Actor, Code, PartitionAct, Refusal};
use crate::{AppRow, View};

/// A right, as in RBAC rules.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Right {
    /// `get`, `patch`, `delete`.
    pub verb: &'static str,
    /// The resource: `pods`.
    pub resource: &'static str,
    /// The namespace; `None` for all namespaces or a cluster-scoped resource.
    pub namespace: Option<Arc<str>>,
}

impl fmt::Display for Right {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.verb, self.resource)?;
        match &self.namespace {
            Some(namespace) => write!(f, " in {namespace}"),
            None => Ok(()),
        }
    }
}

/// Whether the access lists of queues are checked before the API server decides (`--enforce-acl`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EnforceAcl {
    /// Only if a queue of the active configuration has an `adminacl`.
    #[default]
    Auto,
    /// Always; without an `adminacl`, nothing is allowed.
    Always,
    /// RBAC alone decides.
    Never,
}

impl EnforceAcl {
    /// The names in options and settings.
    pub const NAMES: [&str; 3] = ["auto", "always", "never"];

    /// Parses a mode.
    ///
    /// # Errors
    /// Names the valid values.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "always" => Ok(Self::Always),
            "never" => Ok(Self::Never),
            _ => Err(format!("invalid value {text:?}; valid values: {}", Self::NAMES.join(", "))),
        }
    }
}

/// The known rights of a user in a cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterRights {
    /// The namespace of the scheduler, if found.
    pub namespace: Option<Arc<str>>,
    /// `true` if granted.
    pub reviewed: BTreeMap<Right, bool>,
    /// Why the access lists allow nothing (the user is unknown). `None` also if they are not checked.
    pub unknown: Option<Arc<str>>,
    /// Why access lists are not checked, so that RBAC alone decides; `None` if they are.
    pub waived: Option<&'static str>,
}

impl ClusterRights {
    /// Checks an order against the rights in the cluster, before the access lists of queues.
    ///
    /// # Errors
    /// Returns the missing right, or an alternative.
    pub fn may(&self, view: &View, actor: &Actor, act: &Act) -> Result<(), Refusal> {
        offers(view, act)?;
        if let Some(refusal) = Refusal::read_only(actor, act) {
            return Err(refusal);
        }
        if let Some(why) = self.unknown.as_ref().filter(|_| matches!(act, Act::In { .. })) {
            return Err(Refusal::new(Code::Unauthenticated, format!("cannot {act}"), &**why));
        }
        match self.shortfall(view, act) {
            Some(right) => Err(missing(actor, act, &right)),
            None => Ok(()),
        }
    }

    fn shortfall(&self, view: &View, act: &Act) -> Option<Right> {
        let denied = |right: Right| (self.reviewed.get(&right) == Some(&false)).then_some(right);
        match act {
            Act::Configure { .. } | Act::Rollback { .. } => denied(Right {
                verb: "patch",
                resource: "configmaps",
                namespace: Some(Arc::clone(self.namespace.as_ref()?)),
            }),
            Act::In { act: PartitionAct::DrainNode(_) | PartitionAct::ResumeNode(_), .. } => {
                denied(Right { verb: "patch", resource: "nodes", namespace: None })
            }
            Act::In { partition, act: PartitionAct::Kill { app, .. } } => {
                let part = view.partitions.iter().find(|part| part.name == *partition)?;
                let namespace = namespace(part.app_by_id(app)?)?;
                let killing = |namespace| Right { verb: "delete", resource: "pods", namespace };
                denied(killing(None)).and_then(|_| denied(killing(Some(Arc::from(namespace)))))
            }
            _ => None,
        }
    }
}

fn missing(actor: &Actor, act: &Act, right: &Right) -> Refusal {
    let message = format!("{} may not {act}", actor.user());
    Refusal::new(Code::AclDenied, message, format!("RBAC of the API server: needs {right}"))
}

/// The namespace of an application: that of its first pod.
pub fn namespace(row: &AppRow) -> Option<String> {
    let own = row.tags.get("namespace").cloned();
    own.or_else(|| row.asks.values().next()?.tags.get("kubernetes.io/meta/namespace").map(str::to_owned))
}

/// Checks whether a cluster supports an act.
///
/// # Errors
/// Returns an alternative.
pub fn offers(view: &View, act: &Act) -> Result<(), Refusal> {
    let cannot = |why: String| Err(Refusal::new(Code::NotSupported, format!("cannot {act}"), why));
    match act {
        Act::Configure { .. } | Act::Rollback { .. } => Ok(()),
        Act::In {
            act: PartitionAct::Kill { .. } | PartitionAct::DrainNode(_) | PartitionAct::ResumeNode(_), ..
        } => Ok(()),
        Act::In { partition, act: PartitionAct::Move { app, .. } } => {
            let part = view.partitions.iter().find(|part| part.name == *partition);
            cannot(instead_of_moving(view, part.and_then(|part| part.app_by_id(app)).map(AsRef::as_ref)))
        }
        _ => cannot("in Kubernetes, change pods and nodes instead".to_owned()),
    }
}

/// Why a cluster cannot move an application, and the alternatives (K8S-100).
fn instead_of_moving(view: &View, app: Option<&AppRow>) -> String {
    let why = "YuniKorn places an application once, with its first pod; the queue of a pod cannot change";
    let label = "the label yunikorn.apache.org/queue (or queue)";
    let owner = view.kubernetes.as_ref().zip(app).and_then(|(all, app)| {
        let pod = all.doomed(app).into_iter().find(|pod| pod.owner.is_some())?;
        Some((pod.owner.clone()?, Arc::clone(&pod.namespace)))
    });
    match owner {
        Some((owner, namespace)) => {
            let name = format!("{} {namespace}/{}", owner.kind, owner.name);
            match owner.suspends() {
                true => format!(
                    "{why}. Instead: suspend {name} (:suspend-owners), set {label} in its pod template, and resume it; its pods restart"
                ),
                false => format!(
                    "{why}. Instead: set {label} in the pod template of {name} or its owner, and delete the pods; {} \
                        cannot be suspended",
                    owner.kind
                ),
            }
        }
        None => {
            format!("{why}. Instead: suspend or delete its owner, set {label} in its pod template, and submit it again")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::{AppId, Identity};

    fn right(verb: &'static str, resource: &'static str, namespace: Option<&str>) -> Right {
        Right { verb, resource, namespace: namespace.map(Arc::from) }
    }

    #[test]
    fn what_rbac_does_not_allow_is_refused_by_its_name() {
        let reviewed =
            BTreeMap::from([(right("patch", "configmaps", Some("yk")), false), (right("patch", "nodes", None), true)]);
        let rights = ClusterRights { namespace: Some(Arc::from("yk")), reviewed, ..ClusterRights::default() };
        let actor = Actor::from(Identity { user: "eve".to_owned(), groups: Vec::new() });
        let configure = Act::Configure { text: String::new(), base: None, dry_run: false };
        let refusal = rights.may(&View::default(), &actor, &configure).unwrap_err();
        assert_eq!(
            refusal.to_string(),
            "eve may not change the configuration: RBAC of the API server: needs patch on configmaps in yk"
        );
        let part = Arc::from("default");
        let drain = Act::within(&part, PartitionAct::DrainNode("n".into()));
        assert!(rights.may(&View::default(), &actor, &drain).is_ok());
        let unknown = ClusterRights { unknown: Some(Arc::from("nobody knows")), ..rights };
        assert_eq!(unknown.may(&View::default(), &actor, &drain).unwrap_err().code, Code::Unauthenticated);
    }

    #[test]
    fn a_move_shows_the_alternatives() {
        let part = Arc::from("default");
        let to = model::QueuePath::new("root.a");
        let act =
            Act::within(&part, PartitionAct::Move { app: AppId::from("a"), to, expect_queue: None, dry_run: false });
        let refusal = offers(&View::default(), &act).unwrap_err();
        assert!(refusal.description.contains("yunikorn.apache.org/queue"), "{refusal}");
        assert_eq!(refusal.code, Code::NotSupported);
    }
}
