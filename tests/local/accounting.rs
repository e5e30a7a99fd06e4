use std::fs;

use serde_json::Value;

use super::machine::{Machine, until};

fn machine() -> Machine {
    Machine::up(&["--cgroup", "/nowhere"])
}

fn most(job: &Value) -> u64 {
    job["max_memory"].as_u64().unwrap_or_else(|| panic!("not measured: {job}"))
}

#[test]
fn the_largest_process_and_all_processor_time_are_counted() {
    let machine = machine();
    // `tail` stores a line without an end in memory.
    let large = machine.submit(&["--cpu", "4", "--mem", "3G"], "head -c 300000000 /dev/zero | tail -n 1 > /dev/null");
    let next = machine.submit(&["--cpu", "4"], "true");
    assert_eq!((machine.wait(large), machine.wait(next)), (0, 0));
    let used = machine.job(large);
    assert!((300_000_000..400_000_000).contains(&most(&used)), "{used}");
    assert!(used["cpu_ms"].as_u64().unwrap() >= 10, "{used}");
    let small = machine.job(next);
    let bound = small["max_memory"].as_u64().or(small["memory_at_most"].as_u64());
    assert!(bound.is_some_and(|bound| bound < 200_000_000), "it has nothing of the job before: {small}");
    assert!(small["cpu_ms"].as_u64() >= Some(1), "a job that ran took some time: {small}");
    let history = machine.reported(&["history"]).1;
    assert!(!history.contains(" - "), "{history}");
    let shown = machine.reported(&["job", &large.to_string()]).1;
    assert!(
        shown.contains("used        CPU time ") && shown.contains(", memory ") && shown.contains(", ran "),
        "{shown}"
    );
    let never = machine.submit(&["--hold"], "true");
    machine.call(&["cancel", &never.to_string()]);
    assert!(machine.reported(&["history"]).1.contains(" - "), "one that did not run used nothing");
}

#[test]
fn processes_count_together() {
    let machine = machine();
    let go = machine.dir.join("go");
    let one = format!(
        "(head -c 100000000 /dev/zero; while ! test -e {}; do sleep 0.1; done) | tail -n 1 > out$$",
        go.display()
    );
    let job = machine.submit(&["--mem", "3G"], &format!("{one} & {one} & wait"));
    until(|| {
        let top: Value = serde_json::from_str(&machine.reported(&["top", "--json"]).1).unwrap_or_default();
        top[0]["memory"].as_u64() > Some(200_000_000)
    });
    let table = machine.reported(&["top"]).1;
    assert!(table.lines().nth(1).is_some_and(|line| line.contains(" >9") && !line.contains(" - ")), "{table}");
    std::thread::sleep(std::time::Duration::from_secs(4));
    fs::write(go, "").unwrap();
    assert_eq!(machine.wait(job), 0);
    let used = machine.job(job);
    assert!((190_000_000..300_000_000).contains(&most(&used)), "{used}");
}

#[test]
fn waiting_indices_are_in_the_totals() {
    let machine = machine();
    assert_eq!(machine.reported(&["jobs"]).1.lines().count(), 1, "the titles alone");
    machine.call(&["submit", "--array", "1-6%2", "--", "sleep", "300"]);
    machine.submit(&["--hold"], "true");
    until(|| machine.reported(&["jobs"]).1.ends_with("\n7 jobs: 2 running, 4 waiting, 1 held\n"));
}
