//! Access lists and limits of queues apply to jobs.

use super::machine::Machine;
use crate::common::TestFolder;

const QUEUES: &str = "partitions:
  - name: default
    placementrules: [{name: provided, create: false}]
    queues:
      - name: root
        queues:
          - {name: closed, submitacl: 'somebody-else'}
          - name: limited
            submitacl: '*'
            limits:
              - {limit: a core for each, users: ['*'], maxresources: {vcore: 1}}
          - {name: open, submitacl: '*'}
";

fn machine() -> Machine {
    let folder = TestFolder::new();
    let file = folder.join("queues.yaml");
    std::fs::write(&file, QUEUES).unwrap();
    Machine::up_in(folder, &["--config", file.to_str().unwrap()])
}

#[test]
fn a_queue_that_one_may_not_submit_to_takes_no_job() {
    let machine = machine();
    for flags in [&[][..], &["--hold"], &["--array", "1-3"], &["--where"]] {
        let (code, why) = machine.said(&[&["submit", "--queue", "root.closed"], flags, &["--", "true"]].concat());
        assert!(code == 1 && why.contains("root.closed"), "{flags:?}: {code} {why}");
    }
    assert_eq!(machine.live(), 0, "nothing was enqueued");
    assert_eq!(machine.call(&["history", "--json"]).stdout, b"[]\n");
    let job = machine.submit(&["--queue", "root.open", "--hold"], "true");
    let (code, why) = machine.said(&["local", "move", &job.to_string(), "--to", "root.closed"]);
    assert!(code == 1 && why.contains("root.closed"), "{code} {why}");
    assert_eq!(machine.job(job)["queue"], "root.open");
    assert_eq!(machine.said(&["local", "names", "queues"]).1, "root.limited\nroot.open\n", "nor is it offered");
}

#[test]
fn a_job_above_the_limit_of_its_user_waits_and_says_so() {
    let machine = machine();
    let first = machine.submit(&["--queue", "root.limited"], "sleep 300");
    machine.until(first, "running");
    let second = machine.submit(&["--queue", "root.limited"], "echo ran");
    let other = machine.submit(&["--queue", "root.open"], "echo beside");
    assert_eq!(machine.wait(other), 0, "the machine has room");
    let held = machine.job(second);
    let reason =
        format!("max vcore of user {} on root.limited reached (1 of 1, requests 1)", held["user"].as_str().unwrap());
    assert_eq!((&held["state"], &held["reason"]), (&"queued".into(), &reason.into()), "{held}");
    assert!(machine.call(&["cancel", &first.to_string()]).status.success());
    assert_eq!((machine.wait(second), machine.logs(second).as_str()), (0, "ran\n"));
}
