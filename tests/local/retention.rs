use std::fs;

use serde_json::Value;

use super::machine::{Machine, until};

fn history(machine: &Machine) -> Vec<u64> {
    let found: Value = serde_json::from_slice(&machine.call(&["history", "--json"]).stdout).unwrap();
    let mut numbers: Vec<u64> = found.as_array().unwrap().iter().map(|job| job["number"].as_u64().unwrap()).collect();
    numbers.sort_unstable();
    numbers
}

fn dirs(machine: &Machine) -> usize {
    fs::read_dir(machine.dir.join("jobs/jobs")).unwrap().count()
}

#[test]
fn the_oldest_records_go_with_their_files_and_no_id_is_used_twice() {
    let mut machine = Machine::up(&["--history", "3"]);
    let on_hold = machine.submit(&["--hold"], "true");
    let last = (0..8).map(|_| machine.submit(&[], "echo out")).max().unwrap();
    for job in 2..=last {
        machine.call(&["wait", &job.to_string()]);
    }
    until(|| history(&machine) == [last - 2, last - 1, last]);
    assert_eq!((dirs(&machine), machine.live()), (4, 1), "a held job is not removed");
    let gone = machine.call(&["job", "2"]);
    assert_eq!(gone.status.code(), Some(1), "{gone:?}");
    machine.kill();
    machine.start();
    assert_eq!(history(&machine), [last - 2, last - 1, last]);
    assert_eq!(machine.job(last)["queue"], machine.job(last - 1)["queue"]);
    assert!(machine.call(&["cancel", &on_hold.to_string()]).status.success());
    machine.kill();
    machine.start_with("--history", "0");
    // The newest record stays although none should: otherwise the next start would use its ID again.
    until(|| history(&machine) == [last]);
    machine.kill();
    fs::remove_dir_all(machine.dir.join("jobs/state")).unwrap();
    machine.start();
    assert_eq!(machine.submit(&[], "true"), last + 1);
}

#[test]
fn large_requests_are_bounded_by_their_bytes() {
    let machine = Machine::up(&["--history-size", "500k"]);
    let large = format!("A={}", "x".repeat(100_000));
    let jobs: Vec<u64> = (0..8).map(|_| machine.submit(&["--env", &large], "true")).collect();
    // The first ones may be gone already.
    jobs.iter().for_each(|job| drop(machine.call(&["wait", &job.to_string()])));
    until(|| (1..=4).contains(&history(&machine).len()));
    assert_eq!(history(&machine).last(), jobs.last());
}

#[test]
fn a_finished_job_that_another_waits_for_stays() {
    let machine = Machine::up(&["--history", "3"]);
    let failed = machine.submit(&[], "exit 3");
    assert_eq!(machine.wait(failed), 3);
    let after = |how: &str| machine.submit(&["--hold", "--after", &format!("{failed}:{how}")], "true");
    let [ok, notok] = ["ok", "notok"].map(after);
    for _ in 0..5 {
        let job = machine.submit(&[], "true");
        machine.call(&["wait", &job.to_string()]);
    }
    assert!(history(&machine).contains(&failed), "{:?}", history(&machine));
    for job in [ok, notok] {
        assert!(machine.call(&["release", &job.to_string()]).status.success());
    }
    assert_eq!((machine.wait(ok), machine.wait(notok)), (125, 0), "{}", machine.job(ok));
    assert!(machine.job(ok)["reason"].as_str().unwrap().contains("did not end with status 0"));
}

#[test]
fn a_large_array_costs_what_one_job_does() {
    let mut machine = Machine::up(&[]);
    let (code, reported) = machine.reported(&["submit", "--hold", "--array", "1-100000", "--", "true"]);
    assert_eq!((code, reported.as_str()), (0, "1-100000\n"));
    for _ in 0..2 {
        let (_, list) = machine.reported(&["jobs"]);
        assert!(list.lines().any(|line| line.contains("1-100000") && line.contains("100000 held")), "{list}");
        assert_eq!(dirs(&machine), 1);
        let record = fs::metadata(machine.dir.join("jobs/jobs/1/submitted.json")).unwrap().len();
        assert!(record < 100_000, "{record} bytes");
        machine.kill();
        machine.start();
    }
    assert!(machine.call(&["release", "77777"]).status.success());
    assert_eq!(machine.wait(77_777), 0);
    machine.kill();
    machine.start();
    assert_eq!(machine.job(77_777)["status"], 0);
    assert_eq!(machine.job(77_778)["state"], "held");
    machine.kill();
}

#[test]
fn a_crowd_of_equal_jobs_runs_in_its_order_and_only_a_part_is_in_the_scheduler() {
    let machine = Machine::up(&["--cpu", "2"]);
    let first = machine.submit(&["--cpu", "2"], "sleep 300");
    machine.until(first, "running");
    let file = machine.dir.join("order");
    let script = format!("echo $KORNSOLE_JOB >> {}", file.display());
    let jobs: Vec<u64> = (0..520).map(|_| machine.submit(&["--cpu", "2"], &script)).collect();
    let last = machine.job(*jobs.last().unwrap());
    assert_eq!(
        (&last["state"], &last["reason"]),
        (&"waiting".into(), &"waits for earlier jobs with the same request".into())
    );
    assert_eq!(last["queue"], machine.job(jobs[0])["queue"]);
    assert_eq!(machine.live(), 521);
    let gone = jobs[515];
    assert!(machine.call(&["cancel", &gone.to_string(), &first.to_string()]).status.success());
    assert_eq!(machine.wait(*jobs.last().unwrap()), 0);
    let ran: Vec<u64> = fs::read_to_string(&file).unwrap().lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(ran, jobs.into_iter().filter(|job| *job != gone).collect::<Vec<_>>());
}
