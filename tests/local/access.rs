use super::machine::Machine;
use crate::common::TestDir;

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
    let dir = TestDir::new();
    let file = dir.join("queues.yaml");
    std::fs::write(&file, QUEUES).unwrap();
    Machine::up_in(dir, &["--config", file.to_str().unwrap()])
}

#[test]
fn a_queue_without_submit_access_accepts_no_job() {
    let machine = machine();
    for flags in [&[][..], &["--hold"], &["--array", "1-3"], &["--where"]] {
        let (code, why) = machine.reported(&[&["submit", "--queue", "root.closed"], flags, &["--", "true"]].concat());
        assert!(code == 1 && why.contains("root.closed"), "{flags:?}: {code} {why}");
    }
    assert_eq!(machine.live(), 0, "nothing was enqueued");
    assert_eq!(machine.call(&["history", "--json"]).stdout, b"[]\n");
    let job = machine.submit(&["--queue", "root.open", "--hold"], "true");
    let (code, why) = machine.reported(&["local", "move", &job.to_string(), "--to", "root.closed"]);
    assert!(code == 1 && why.contains("root.closed"), "{code} {why}");
    assert_eq!(machine.job(job)["queue"], "root.open");
    assert_eq!(machine.reported(&["local", "names", "queues"]).1, "root.limited\nroot.open\n", "nor is it offered");
}

#[test]
fn a_job_above_the_limit_of_its_user_waits_and_reports_it() {
    let machine = machine();
    let first = machine.submit(&["--queue", "root.limited"], "sleep 300");
    machine.until(first, "running");
    let second = machine.submit(&["--queue", "root.limited"], "echo ran");
    let other = machine.submit(&["--queue", "root.open"], "echo beside");
    assert_eq!(machine.wait(other), 0, "the machine has room");
    let on_hold = machine.job(second);
    let reason =
        format!("max vcore of user {} on root.limited reached (1 of 1, requests 1)", on_hold["user"].as_str().unwrap());
    assert_eq!((&on_hold["state"], &on_hold["reason"]), (&"queued".into(), &reason.into()), "{on_hold}");
    assert!(machine.call(&["cancel", &first.to_string()]).status.success());
    assert_eq!((machine.wait(second), machine.logs(second).as_str()), (0, "ran\n"));
}
