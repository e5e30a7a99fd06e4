use std::fs;

use super::machine::{Machine, until};

#[test]
fn a_job_runs_with_the_environment_and_ends_with_its_status() {
    let machine = Machine::up(&[]);
    let job = machine.submit(&["--env", "COLOUR=blue"], "pwd; echo $COLOUR $KORNSOLE_JOB; echo wrong >&2; exit 7");
    assert_eq!(machine.wait(job), 7);
    let here = fs::canonicalize(&*machine.dir).unwrap();
    assert_eq!(machine.logs(job), format!("{}\nblue {job}\nwrong\n", here.display()));
    let shown = machine.job(job);
    assert_eq!((&shown["state"], &shown["status"], &shown["reason"]), (&"ended".into(), &7.into(), &"exit 7".into()));
    let history = String::from_utf8(machine.call(&["history"]).stdout).unwrap();
    assert!(history.lines().any(|line| line.contains("exit 7")), "{history}");
    let busy = machine.submit(&[], "i=0; while test $i -lt 200000; do i=$((i + 1)); done; sleep 0.2");
    assert_eq!(machine.wait(busy), 0);
    let listed: serde_json::Value = serde_json::from_slice(&machine.call(&["history", "--json"]).stdout).unwrap();
    let used = listed.as_array().unwrap().iter().find(|one| one["number"] == busy).unwrap();
    let number = |name: &str| used[name].as_u64().unwrap();
    assert!(number("cpu_ms") >= 10 && number("ran_ms") >= 200, "what it used is kept: {used}");
    assert!(number("submitted") <= number("started") && number("started") < number("ended"), "{used}");
    assert_eq!(machine.call(&["submit", "--wait", "--", "sh", "-c", "kill -USR1 $$"]).status.code(), Some(138));
}

#[test]
fn a_job_waits_for_another_job_and_then_starts() {
    let machine = Machine::up(&[]);
    let first = machine.submit(&["--hold"], "exit 4");
    let ok = machine.submit(&["--after", &first.to_string()], "true");
    let any = machine.submit(&["--after", &format!("{first}:any")], "echo after");
    assert_eq!(
        (machine.job(first)["state"].clone(), machine.job(any)["state"].clone()),
        ("held".into(), "waiting".into())
    );
    assert!(machine.call(&["release", &first.to_string()]).status.success());
    assert_eq!((machine.wait(first), machine.wait(any), machine.wait(ok)), (4, 0, 125));
    assert!(machine.job(ok)["reason"].as_str().unwrap().contains("exit 4"));
}

#[test]
fn a_pending_job_is_held_released_and_canceled() {
    let machine = Machine::up(&[]);
    let first = machine.submit(&["--cpu", "4"], "sleep 60");
    machine.until(first, "running");
    let second = machine.submit(&["--cpu", "4"], "echo ran");
    assert_eq!(machine.job(second)["state"], "queued");
    assert!(machine.call(&["hold", &second.to_string()]).status.success());
    assert!(machine.call(&["cancel", &first.to_string()]).status.success());
    assert_eq!(machine.wait(first), 125);
    assert!(machine.job(first)["reason"].as_str().unwrap().starts_with("canceled by"));
    assert_eq!(machine.job(second)["state"], "held");
    assert!(machine.call(&["release", &second.to_string()]).status.success());
    assert_eq!((machine.wait(second), machine.logs(second).as_str()), (0, "ran\n"));
    let third = machine.submit(&["--hold"], "true");
    assert!(machine.call(&["cancel", &third.to_string()]).status.success());
    assert_eq!(machine.job(third)["state"], "ended");
}

#[test]
fn a_failed_job_is_tried_again_as_often_as_it_asked() {
    let machine = Machine::up(&[]);
    let script = "echo try $KORNSOLE_ATTEMPT; test $KORNSOLE_ATTEMPT = 3";
    let job = machine.submit(&["--retry", "2"], script);
    assert_eq!((machine.wait(job), machine.logs(job).as_str()), (0, "try 3\n"));
    assert_eq!(machine.job(job)["attempts"], 3);
    let first = machine.call(&["logs", &job.to_string(), "--attempt", "1"]);
    assert_eq!(first.stdout, b"try 1\n");
    let job = machine.submit(&["--retry", "1"], script);
    assert_eq!((machine.wait(job), machine.job(job)["attempts"].clone()), (1, 2.into()));
}

#[test]
fn nothing_of_a_job_remains() {
    let machine = Machine::up(&[]);
    let marker = machine.dir.join("pid");
    let script = format!("setsid sh -c 'echo $$ > {}; exec sleep 300' & sleep 0.3", marker.display());
    let job = machine.submit(&[], &script);
    assert_eq!(machine.wait(job), 0);
    let pid = fs::read_to_string(&marker).unwrap();
    until(|| !fs::exists(format!("/proc/{}", pid.trim())).unwrap());
}

#[test]
fn a_job_may_have_large_pages_although_the_daemon_has_none() {
    let machine = Machine::up(&[]);
    let job = machine.submit(&[], "grep THP_enabled /proc/self/status || echo THP_enabled: 1");
    assert_eq!(machine.wait(job), 0);
    let words: Vec<String> = machine.logs(job).split_whitespace().map(str::to_owned).collect();
    assert_eq!(words, ["THP_enabled:", "1"]);
}
