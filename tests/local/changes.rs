use super::machine::{Machine, until};

#[test]
fn a_job_restarts_when_it_is_requeued() {
    let machine = Machine::up(&[]);
    let job = machine.submit(&[], "echo attempt $KORNSOLE_ATTEMPT; test $KORNSOLE_ATTEMPT != 1 || sleep 300; exit 5");
    machine.until(job, "running");
    until(|| !machine.logs(job).is_empty());
    let reported = machine.reported(&["requeue", &job.to_string()]);
    // The job can end before the answer is created.
    let asked = reported.1 == format!("job {job}: is ending and will be requeued\n");
    assert!(reported.0 == 0 && (asked || reported.1 == format!("job {job}: queued again\n")), "{reported:?}");
    assert_eq!((machine.wait(job), machine.logs(job).as_str()), (5, "attempt 2\n"));
    assert_eq!(machine.reported(&["requeue", &job.to_string()]).1, format!("job {job}: queued again\n"));
    assert_eq!((machine.wait(job), machine.job(job)["attempts"].clone()), (5, 3.into()));
    assert_eq!(machine.logs(job), "attempt 3\n");
}

#[test]
fn a_priority_is_changed_while_it_waits() {
    let machine = Machine::up(&[]);
    let first = machine.submit(&["--cpu", "4"], "sleep 300");
    machine.until(first, "running");
    let order = machine.dir.join("order");
    let script = format!("echo $KORNSOLE_JOB >> {}", order.display());
    let jobs: Vec<String> = (0..3).map(|_| machine.submit(&["--cpu", "4"], &script).to_string()).collect();
    assert_eq!(
        machine.reported(&["local", "priority", &jobs[2], "--to", "5"]).1,
        format!("job {}: priority 5\n", jobs[2])
    );
    let reported = machine.reported(&["cancel", &first.to_string()]).1;
    assert!(["is ending", "canceled"].iter().any(|end| reported == format!("job {first}: {end}\n")), "{reported}");
    jobs.iter().for_each(|job| assert_eq!(machine.wait(job.parse().unwrap()), 0));
    let order = std::fs::read_to_string(order).unwrap();
    assert_eq!(order.split_whitespace().collect::<Vec<_>>(), [&jobs[2], &jobs[0], &jobs[1]]);
}

#[test]
fn a_job_that_waits_is_moved_to_another_queue() {
    let dir = crate::common::TestDir::new();
    let text = "partitions:
  - name: default
    placementrules: [{name: provided, create: false}]
    queues:
      - name: root
        submitacl: '*'
        queues:
          - {name: slow, resources: {max: {vcore: 1}}}
          - {name: fast}
";
    let file = dir.join("queues.yaml");
    std::fs::write(&file, text).unwrap();
    let machine = Machine::up_in(dir, &["--config", file.to_str().unwrap()]);
    let first = machine.submit(&["--queue", "root.slow"], "sleep 300");
    machine.until(first, "running");
    let job = machine.submit(&["--queue", "root.slow"], "echo moved");
    let on_hold = machine.submit(&["--queue", "root.slow", "--hold"], "echo held").to_string();
    assert_eq!(machine.job(job)["state"], "queued");
    let (code, why) = machine.reported(&["local", "move", &job.to_string(), "--to", "root.nowhere"]);
    assert!(code == 1 && why.contains("root.nowhere"), "{code} {why}");
    let reported = machine.reported(&["local", "move", &job.to_string(), &on_hold, "--to", "root.fast"]);
    assert_eq!(reported, (0, format!("job {job}: in root.fast\njob {on_hold}: in root.fast\n")));
    assert_eq!((machine.wait(job), machine.logs(job).as_str()), (0, "moved\n"));
    assert!(machine.call(&["release", &on_hold]).status.success());
    assert_eq!(machine.wait(on_hold.parse().unwrap()), 0);
    assert_eq!(
        machine.reported(&["submit", "--queue", "root.none", "--hold", "--", "true"]).0,
        1,
        "said at once, though it is held"
    );
}

/// The user administers the root queue but does not run the daemon.
fn machine_with_administrator() -> (Machine, Vec<String>) {
    let dir = crate::common::TestDir::new();
    let text =
        "partitions: [{name: default, queues: [{name: root, submitacl: '*', adminacl: boss, queues: [{name: a}]}]}]\n";
    let config = dir.write("queues.yaml", text);
    let token = dir.write("token", dir.token("boss", "boss"));
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let tokens = dir.tokens();
    let options = [("--config", &config), ("--tokens", &tokens)].map(|(flag, file)| [flag, file.to_str().unwrap()]);
    let arguments: Vec<&str> = options.into_iter().flatten().chain(["--listen", &address]).collect();
    let words = ["--server", &format!("http://{address}"), "--token-file", token.to_str().unwrap()].map(str::to_owned);
    (Machine::up_in(dir, &arguments), words.to_vec())
}

#[test]
fn an_administrator_kills_jobs_through_the_scheduler() {
    let (machine, server) = machine_with_administrator();
    let running = machine.submit(&["--queue", "root.a", "--cpu", "4"], "sleep 300");
    machine.until(running, "running");
    let waiting = machine.submit(&["--queue", "root.a", "--cpu", "4"], "sleep 300");
    machine.until(waiting, "queued");
    for job in [waiting, running] {
        let app = format!("job-{job}");
        let server: Vec<&str> = server.iter().map(String::as_str).collect();
        let (code, reported) =
            machine.reported(&[&["kill", &app, "--yes", "--reason", "maintenance"], &server[..]].concat());
        assert_eq!(code, 0, "{reported}");
        let ended = machine.until(job, "ended");
        assert_eq!(ended["reason"], "canceled by an administrator", "{ended}");
    }
    assert_eq!(machine.live(), 0, "nothing runs, and nothing is queued again");
}
