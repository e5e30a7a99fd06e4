use std::fs;
use std::process::Command;

use super::machine::{Machine, until};

fn reboot(machine: &mut Machine, running: &[u64]) {
    machine.kill();
    for job in running {
        let dir = machine.dir.join(format!("jobs/jobs/{job}"));
        let attempts = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
        for file in attempts.map(|attempt| attempt.join("claim.json")).filter(|file| file.exists()) {
            let text = fs::read_to_string(&file).unwrap();
            let mut claim: serde_json::Value = serde_json::from_str(&text).unwrap();
            // The supervisor may have exited, or may supervise another job.
            let _ = Command::new("kill").args(["-9", &claim["pid"].to_string()]).output();
            claim["boot"] = "an earlier one".into();
            fs::write(&file, claim.to_string()).unwrap();
        }
    }
    machine.start();
}

#[test]
fn a_reboot_leaves_each_job_where_it_was_or_starts_it_again() {
    let mut machine = Machine::up(&["--grace", "300s"]);
    let (go, failed) = (machine.dir.join("go"), machine.dir.join("failed"));
    let waits = format!("while ! test -e {}; do sleep 0.1; done", go.display());
    let ended = machine.submit(&[], "exit 3");
    assert_eq!(machine.wait(ended), 3);
    let running = machine.submit(&["--cpu", "1"], &format!("{waits}; exit 4"));
    let ending = machine.submit(&["--cpu", "1"], "trap '' TERM; echo on; while :; do sleep 0.1; done");
    let restarting = machine.submit(&["--cpu", "1"], &format!("trap '' TERM; echo on; {waits}; exit 5"));
    until(|| [ending, restarting].iter().all(|job| machine.logs(*job) == "on\n"));
    assert!(machine.call(&["cancel", &ending.to_string()]).status.success());
    assert!(machine.call(&["requeue", &restarting.to_string()]).status.success());
    let retry = machine.submit(
        &["--cpu", "1", "--retry", "1"],
        &format!("test -e {0} || {{ touch {0}; exit 9; }}; exit 6", failed.display()),
    );
    until(|| machine.job(retry)["attempts"] == 2 || failed.exists());
    let on_hold = machine.submit(&["--hold"], "exit 7");
    let after = machine.submit(&["--after", &format!("{on_hold}:any")], "exit 8");
    let pending = machine.submit(&["--cpu", "4"], "exit 10");
    machine.until(running, "running");
    machine.until(pending, "queued");
    let still = |machine: &Machine| [ended, on_hold, after].map(|job| machine.job(job)["state"].clone());
    let before = still(&machine);
    assert_eq!(before, ["ended", "held", "waiting"]);
    reboot(&mut machine, &[ended, running, ending, restarting, retry]);
    assert_eq!(still(&machine), before);
    assert_eq!(machine.wait(ending), 125, "it was canceled, and does not run again");
    assert!(machine.job(ending)["reason"].as_str().unwrap().starts_with("canceled"), "{}", machine.job(ending));
    fs::write(&go, "").unwrap();
    assert!(machine.call(&["release", &on_hold.to_string()]).status.success());
    let all = [running, restarting, retry, on_hold, after, pending].map(|job| machine.wait(job));
    assert_eq!(all, [4, 5, 6, 7, 8, 10]);
    let attempts = [ended, running, restarting].map(|job| machine.job(job)["attempts"].clone());
    assert_eq!(attempts, [1, 2, 2], "what ran runs once more, what has ended does not");
}
