//! Converts explanations to sheets through the wire format, so that all sources give the same words.

use std::time::UNIX_EPOCH;

use forecast::twin::Twin;
use view::waiting::{Finding, Sheet, SheetLine};
use wire::convert::read::explain as read;
use wire::convert::{Wall, explain as convert};

pub(super) fn sheet(found: &Finding) -> Sheet {
    let wall = Wall::new(UNIX_EPOCH, 1.0);
    match found {
        Finding::App(found) => read::sheet(&convert::explained(found, &wall)),
        Finding::Waiting(found) => read::overview(&convert::waiting(found, &wall)),
    }
}

/// The sheet of an explanation by a simulation copy, with its missing data, the reports of the original, and its
/// accuracy.
pub(super) fn by_twin(found: &Finding, twin: &Twin, how: String) -> Sheet {
    let wall = Wall::new(UNIX_EPOCH, 1.0);
    let mut sheet = match found {
        Finding::App(found) => {
            let reported = |app: &_, ask: &_| twin.reported(app, ask);
            let mut explained = convert::explained_by_twin(found, twin.unknown(), reported, &wall);
            explained.notes = twin.hints(found.asks.iter().map(|ask| &ask.id));
            read::sheet(&explained)
        }
        Finding::Waiting(found) => read::overview(&convert::waiting_by_twin(found, twin.unknown(), &wall)),
    };
    sheet.lines.push(SheetLine::new("copy", how));
    sheet
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::scenario::{self, Runner, Silent};
    use kubernetes::{Cluster, Listed, ManifestReport, read_manifests};
    use model::Profile;
    use view::ViewBuilder;
    use view::waiting::Asked;

    const STEPS: &str = "version: 1
config: |
  partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}]}]}]
steps:
- node: {id: n1, capacity: {vcore: 1, memory: 8G}}
- submit: {app: ray, queue: root.a, user: sue}
- schedule: idle
- ask: {app: ray, id: h1, resource: {vcore: 2}}
";

    const PODS: &str = "kind: Node\nmetadata: {name: n1}
---
kind: Pod
metadata:
  name: head
  namespace: ns
  uid: h1
  creationTimestamp: '2025-01-01T10:00:00Z'
  labels: {applicationId: ray, queue: root.a}
  annotations:
    yunikorn.apache.org/task-group-name: head
    yunikorn.apache.org/schedulingPolicyParameters: gangSchedulingStyle=hard
    yunikorn.apache.org/task-groups: '[{\"name\": \"head\", \"minMember\": 1, \"minResource\": {\"cpu\": \"1\"}}]'
spec:
  schedulerName: yunikorn
  containers: [{name: c, resources: {requests: {cpu: '2'}}}]
";

    #[test]
    fn a_details_page_of_a_copy_has_the_notes_of_the_gang_and_a_heading_for_unknown_data() {
        let scenario = scenario::read(STEPS).scenario.unwrap();
        let mut runner = Runner::new(Profile::V1_9_0);
        let config = scenario.embedded_config(Profile::V1_9_0).unwrap();
        runner.run(&scenario, config, &mut Silent).unwrap();
        let mut scheduler = runner.scheduler().clone();
        let view = ViewBuilder::default().update(runner.now(), &mut scheduler).unwrap();
        let (mut cluster, mut report) = (Cluster::default(), ManifestReport::default());
        read_manifests("pods.yaml", PODS.as_bytes(), &mut cluster, &mut report);
        assert_eq!(report.faults, Vec::<String>::new());
        let listed = Listed { cluster, missing: Vec::new(), unreadable: Vec::new() };
        let twin = Twin::in_kubernetes(&view.partitions[0], Profile::V1_9_0, runner.now(), listed).unwrap();
        let found = twin.explain(&Asked::App("ray".into(), None)).unwrap();
        let sheet = by_twin(&found, &twin, "agrees".to_owned());
        let notes: Vec<&str> =
            sheet.lines.iter().filter(|line| line.label == "note").map(|line| line.text.as_str()).collect();
        assert_eq!(notes.len(), 2, "{sheet:#?}");
        assert!(notes[0].contains("gangSchedulingStyle=hard has no effect"), "{notes:?}");
        assert!(notes[1].contains("requests less than the pod: vcore 1 of 2"), "{notes:?}");
        let text = sheet.text(|_| String::new());
        let heading = text.iter().position(|line| line.starts_with("unknown: ")).unwrap();
        let under: Vec<&String> = text[heading + 1..].iter().take_while(|line| line.starts_with("  ")).collect();
        assert!(under.iter().any(|line| line.contains("the order of events within one second")), "{text:#?}");
        assert_eq!(text.iter().filter(|line| line.starts_with("unknown")).count(), 1);
    }
}
