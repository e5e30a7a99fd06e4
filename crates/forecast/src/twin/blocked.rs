//! Explains pods that the scheduler does not know yet.

use std::collections::BTreeMap;

use kubernetes::BlockedPod;
use model::AppId;
use view::waiting::{AskExplanation, BlockLevel, Blocker, Explanation, Place};

const MOST: usize = 20;

/// The first pod of each kind.
pub(super) fn add(found: &mut Explanation, blocked: &BTreeMap<AppId, Vec<BlockedPod>>) {
    let mut kinds: Vec<AskExplanation> = Vec::new();
    for pod in blocked.get(&found.app).into_iter().flatten().filter(|_| found.finished.is_none()) {
        let is_same = |kind: &AskExplanation| kind.resource == pod.resource && kind.blockers[0].detail == pod.why;
        match kinds.iter().position(is_same) {
            Some(at) => kinds[at].identical += 1,
            None if kinds.len() < MOST => kinds.push(one(&found.app, pod)),
            None => found.left_out += 1,
        }
    }
    found.asks.append(&mut kinds);
}

fn one(app: &AppId, pod: &BlockedPod) -> AskExplanation {
    let blocker = Blocker {
        level: BlockLevel::Pod,
        place: Place::App(app.clone(), Some(pod.uid.clone())),
        detail: pod.why.clone(),
        ..Blocker::default()
    };
    AskExplanation {
        id: pod.uid.clone(),
        pod: Some(pod.pod.clone()),
        identical: 1,
        resource: pod.resource.clone(),
        created: pod.created,
        blockers: vec![blocker],
        ..AskExplanation::default()
    }
}
