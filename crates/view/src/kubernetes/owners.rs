//! The owners of the pods of an application, up to the topmost, and which of them can be suspended (K8S-096 to K8S-099).

use std::sync::Arc;

use super::OwnerName;

/// How many owners above a pod are followed.
pub const MOST_ABOVE: usize = 5;

/// An owner, as the API server has it.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct OwnerObject {
    /// The namespace, which is that of the pods.
    pub namespace: Arc<str>,
    /// Its kind and name.
    pub name: OwnerName,
    /// Its UID; another object of the same name has another one.
    pub uid: Arc<str>,
    /// Its `spec.suspend`; `None` for a kind that cannot be suspended, or where it was not read.
    pub suspended: Option<bool>,
}

impl OwnerObject {
    /// Kind, namespace and name, as messages have them: `Job team-a/etl`.
    pub fn words(&self) -> String {
        format!("{} {}/{}", self.name.kind, self.namespace, self.name.name)
    }
}

/// The owners of pods that have the same one, from the nearest to the topmost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    /// How many pods of the application it has.
    pub pods: usize,
    /// The owners in that order; empty for pods that no one owns.
    pub owners: Vec<OwnerObject>,
    /// Why it is unknown what is above the last of them.
    pub unknown: Option<String>,
    /// What else runs by the nearest owner: pods of other applications.
    pub others: usize,
}

impl Chain {
    /// What keeps the pods from coming again when it is suspended: the topmost owner that can be; of a CronJob, which only starts new runs,
    /// also the Job of this run.
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

    /// What a kill of the pods leads to, in a sentence (K8S-098).
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

/// What was done to an owner, or why it was not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerDone {
    /// The owner, with `spec.suspend` as it is by now.
    pub owner: OwnerObject,
    /// Why it is as before; `None`: it is as wanted.
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
    fn the_words_name_every_owner_and_what_comes_again() {
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
