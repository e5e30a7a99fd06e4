//! The owners of pods, and which can be suspended (K8S-096 to K8S-099).

use std::sync::Arc;

use super::OwnerName;

/// The maximum depth of owners.
pub const MOST_ABOVE: usize = 5;

/// An owner object.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnerObject {
    /// The namespace of the pods.
    pub namespace: Arc<str>,
    /// Kind and name.
    pub name: OwnerName,
    /// The UID, to distinguish recreated objects.
    pub uid: Arc<str>,
    /// `spec.suspend`; `None` if the kind has none or it was not read.
    pub suspended: Option<bool>,
}

impl OwnerObject {
    /// Kind, namespace and name, as messages have them: `Job team-a/etl`.
    pub fn words(&self) -> String {
        format!("{} {}/{}", self.name.kind, self.namespace, self.name.name)
    }
}

/// The owners of pods with a common owner, from the nearest to the topmost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// The number of the application's pods.
    pub pods: usize,
    /// The owners, nearest first; empty for pods without an owner.
    pub owners: Vec<OwnerObject>,
    /// Why the owners above the last one are unknown.
    pub unknown: Option<String>,
    /// The nearest owner's pods of other applications.
    pub others: usize,
}

impl Chain {
    /// The owners to suspend so that the pods are not recreated: the topmost one that supports it, and for a CronJob,
    /// which only starts new runs, also the Job of this run.
    pub fn suspendable(&self) -> impl Iterator<Item = &OwnerObject> {
        let can = |owner: &&OwnerObject| owner.suspended.is_some() && owner.name.suspends();
        let top = self.owners.iter().rfind(can);
        let cron = top.is_some_and(|top| &*top.name.kind == "CronJob");
        let job = self.owners.iter().filter(can).find(|owner| cron && &*owner.name.kind == "Job");
        job.into_iter().chain(top)
    }

    /// `Job team-a/etl, of CronJob team-a/nightly`
    pub fn words(&self) -> String {
        let mut words = String::new();
        for owner in &self.owners {
            let name =
                if words.is_empty() { owner.words() } else { format!("{} {}", owner.name.kind, owner.name.name) };
            words = if words.is_empty() { name } else { format!("{words}, of {name}") };
        }
        words
    }

    /// The consequence of deleting the pods, in a sentence (K8S-098).
    pub fn after_deletion(&self) -> String {
        let count = match self.pods {
            1 => "1 pod".to_owned(),
            count => format!("{count} pods"),
        };
        let Some(nearest) = self.owners.first() else { return format!("No controller recreates {count}.") };
        let mut text = format!("{} ({count}) {}", self.words(), nearest.name.after_deletion());
        let halted = |owner: &OwnerObject| owner.suspended == Some(true);
        if self.suspendable().any(halted) {
            text = format!("{} ({count}) is suspended and creates no new pods", self.words());
        } else if let Some(owner) = self.suspendable().last() {
            text += &format!("; :suspend-owners stops {} first", owner.name.kind);
        } else if let Some(stop) = self.owners.last().and_then(|owner| owner.name.stopped_by()) {
            text += &format!("; {stop} stops it");
        }
        if self.others > 0 {
            text += &format!("; it also has {} of other applications", self.others);
        }
        match &self.unknown {
            Some(why) => {
                format!("{text}. The owner of {} is unknown: {why}.", self.owners.last().unwrap_or(nearest).words())
            }
            None => format!("{text}."),
        }
    }
}

/// The result of suspending an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerDone {
    /// The owner with its current `spec.suspend`.
    pub owner: OwnerObject,
    /// `None` on success.
    pub why_not: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(kind: &str, name: &str, suspended: Option<bool>) -> OwnerObject {
        let name = OwnerName { kind: Arc::from(kind), version: Arc::from("x/v1"), name: Arc::from(name) };
        OwnerObject { namespace: Arc::from("ns"), name, uid: Arc::from("u"), suspended }
    }

    fn chain(owners: &[OwnerObject]) -> Chain {
        Chain { pods: 2, owners: owners.to_vec(), ..Chain::default() }
    }

    fn suspended_by(owners: &[OwnerObject]) -> Vec<String> {
        chain(owners).suspendable().map(OwnerObject::words).collect()
    }

    #[test]
    fn the_topmost_owner_that_can_be_is_suspended_and_of_a_cron_job_also_this_run() {
        let (job, cron) = (owner("Job", "etl-1", Some(false)), owner("CronJob", "etl", Some(false)));
        assert_eq!(suspended_by(&[job.clone(), cron]), ["Job ns/etl-1", "CronJob ns/etl"]);
        assert_eq!(suspended_by(std::slice::from_ref(&job)), ["Job ns/etl-1"]);
        let (cluster, ray) = (owner("RayCluster", "r-1", Some(false)), owner("RayJob", "r", Some(false)));
        assert_eq!(suspended_by(&[cluster, ray]), ["RayJob ns/r"]);
        assert_eq!(suspended_by(&[owner("ReplicaSet", "web-1", None), owner("Deployment", "web", None)]), [""; 0]);
        assert_eq!(suspended_by(&[job, owner("Workflow", "w", None)]), ["Job ns/etl-1"]);
    }

    #[test]
    fn the_words_name_every_owner_and_what_is_recreated() {
        let web = chain(&[owner("ReplicaSet", "web-1", None), owner("Deployment", "web", None)]);
        let text =
            "ReplicaSet ns/web-1, of Deployment web (2 pods) recreates them immediately; scaling it to 0 stops it.";
        assert_eq!(web.after_deletion(), text);
        let halted = chain(&[owner("Job", "etl", Some(true))]);
        assert_eq!(halted.after_deletion(), "Job ns/etl (2 pods) is suspended and creates no new pods.");
        let mut job = chain(&[owner("Job", "etl", Some(false))]);
        job.unknown = Some("403".to_owned());
        let text = job.after_deletion();
        assert!(
            text.contains(":suspend-owners stops Job first")
                && text.ends_with("The owner of Job ns/etl is unknown: 403."),
            "{text}"
        );
        assert_eq!(Chain { pods: 1, ..Chain::default() }.after_deletion(), "No controller recreates 1 pod.");
    }
}
