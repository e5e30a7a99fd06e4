//! Handles the results of deeds (K8S-213, K8S-214).

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::deeds::{Failure, Outcome, PodName, Weight};
use super::stage::Stage;
use super::{Live, Sink};
use model::AskId;

/// Pause after a failed binding; doubles each time.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
const DELETE_AGAIN: Duration = Duration::from_secs(5);
/// After this many failures on a node, the pod skips it for this long.
const MOST_FAILURES: u32 = 3;
const LEFT_OUT: Duration = Duration::from_secs(300);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Overtaken(why) | Self::Failed(why) => f.write_str(why),
            Self::Gone => f.write_str("it does not exist"),
        }
    }
}

impl Live {
    pub(super) fn done(&mut self, outcome: Outcome, sink: &mut dyn Sink) {
        match outcome {
            Outcome::Bound { pod, node, done } => self.bound(&pod, &node, done, sink),
            Outcome::Deleted { pod, done } => {
                let task = self.tasks.get_mut(&pod.ask());
                if let (Some(task), Err(Failure::Failed(_))) = (task, done) {
                    // K8S-222.
                    (task.deleting, task.delete_again) = (false, true);
                    self.later.insert((self.now + DELETE_AGAIN, pod.ask()));
                }
            }
            Outcome::Created { app, done: Err(why), .. } => self.not_created(&app, &why, sink),
            Outcome::Created { .. } => {}
        }
    }

    fn bound(&mut self, pod: &PodName, node: &str, done: Result<(), Failure>, sink: &mut dyn Sink) {
        let uid = pod.ask();
        let assumed = |stage: &Stage| matches!(stage, Stage::Assumed(there) if there == node);
        let Some(task) = self.tasks.get_mut(&uid).filter(|task| assumed(&task.stage)) else { return };
        let (app, object) = (task.app.clone(), Arc::clone(&task.pod));
        match done {
            Ok(()) => {
                task.stage = Stage::Bound(node.to_owned());
                task.failures = 0;
                task.bad_nodes.clear();
                let message = format!("bound to node {node}, as a pod of application {app}");
                self.report(&object, Weight::Normal, "PodBindSuccessful", "PodBindSuccessful", message);
                self.check_gang(&app, sink);
            }
            // Not a failure: the watch reports the new state (K8S-214).
            Err(Failure::Overtaken(_) | Failure::Gone) => {}
            Err(Failure::Failed(why)) => {
                let doubled = FIRST_PAUSE.saturating_mul(1 << task.failures.min(16)).min(LONGEST_PAUSE);
                task.failures = task.failures.saturating_add(1);
                let due = self.now + doubled;
                self.cancel(&uid, sink);
                self.set(&uid, Stage::Later(due));
                self.later.insert((due, uid.clone()));
                self.count_failure(&uid, node, sink);
                let message = format!("cannot bind the pod to node {node}, retry in {} s: {why}", doubled.as_secs());
                self.report(&object, Weight::Warning, "PodBindFailure", "PodBindFailure", message);
            }
        }
    }

    fn count_failure(&mut self, uid: &AskId, node: &str, sink: &mut dyn Sink) {
        let Some(task) = self.tasks.get_mut(uid) else { return };
        let at = task.bad_nodes.iter().position(|(name, ..)| name == node).unwrap_or_else(|| {
            task.bad_nodes.push((node.to_owned(), 0, None));
            task.bad_nodes.len() - 1
        });
        let (_, count, until) = &mut task.bad_nodes[at];
        *count += 1;
        if *count >= MOST_FAILURES {
            let due = self.now + LEFT_OUT;
            *until = Some(due);
            self.later.insert((due, uid.clone()));
            sink.filters(&mut |filters| filters.bar(uid, node, true));
        }
    }

    pub(super) fn ask_those_due(&mut self, sink: &mut dyn Sink) {
        while let Some((due, uid)) = self.later.first().filter(|(due, _)| *due <= self.now).cloned() {
            self.later.remove(&(due, uid.clone()));
            let Some(task) = self.tasks.get_mut(&uid) else { continue };
            let over: Vec<String> = task
                .bad_nodes
                .iter()
                .filter(|(.., until)| until.is_some_and(|until| until <= due))
                .map(|(node, ..)| node.clone())
                .collect();
            task.bad_nodes.retain(|(node, ..)| !over.contains(node));
            let again = std::mem::take(&mut task.delete_again);
            let waits = matches!(task.stage, Stage::Later(at) if at <= due);
            for node in over {
                sink.filters(&mut |filters| filters.bar(&uid, &node, false));
            }
            if again {
                self.delete(&uid);
            }
            if waits {
                self.set(&uid, Stage::Left(String::new()));
                self.enter(&uid, sink);
            }
        }
    }
}
