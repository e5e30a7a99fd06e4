//! A killed daemon: jobs continue, and each ends once with its own status.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::machine::Machine;

#[test]
fn a_job_outlives_its_daemon_and_is_taken_up_again() {
    let mut machine = Machine::up(&[]);
    let go = machine.dir.join("go");
    let script = format!("echo before; while ! test -e {}; do sleep 0.1; done; echo after; exit 5", go.display());
    let long = machine.submit(&[], &script);
    let short = machine.submit(&[], "sleep 0.5; echo done; exit 6");
    machine.until(long, "running");
    machine.until(short, "running");
    machine.kill();
    std::thread::sleep(Duration::from_secs(1));
    machine.start();
    assert_eq!(machine.wait(short), 6, "it ended while nobody looked");
    assert_eq!(machine.job(long)["state"], "running");
    fs::write(&go, "").unwrap();
    assert_eq!(machine.wait(long), 5);
    assert_eq!(machine.logs(long), "before\nafter\n");
    assert_eq!(machine.logs(short), "done\n");
}

#[test]
fn killed_at_any_time_it_neither_loses_nor_doubles_a_job() {
    let rounds = std::env::var("KORNSOLE_LOCAL_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(6_u64);
    let mut machine = Machine::up(&[]);
    let ran = machine.dir.join("ran");
    let mut jobs = Vec::new();
    for round in 0..rounds {
        for status in 1..=4 {
            let script = format!("echo {round}-{status} >> {}; sleep 0.{status}; exit {status}", ran.display());
            jobs.push((machine.submit(&["--cpu", "1", "--no-requeue"], &script), status));
        }
        std::thread::sleep(Duration::from_millis(round * 37 % 230));
        machine.kill();
        machine.start();
    }
    for (job, status) in &jobs {
        assert_eq!(machine.wait(*job), *status, "{}", machine.job(*job));
    }
    let ran = fs::read_to_string(&ran).unwrap();
    let mut lines: Vec<&str> = ran.lines().collect();
    lines.sort_unstable();
    let before = lines.len();
    lines.dedup();
    assert_eq!((before, lines.len()), (jobs.len(), jobs.len()), "each ran once");
}

/// Each kill is in the middle of submissions, and every third start is killed as well.
#[test]
fn killed_during_submissions_it_stores_each_job_with_an_id() {
    let kills = std::env::var("KORNSOLE_LOCAL_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(8_usize);
    let mut machine = Machine::up(&["--history", "100000"]);
    let ran = machine.dir.join("ran");
    let mut answered = Vec::new();
    let mut killed = 0;
    for round in 0.. {
        let mut submits: Vec<Child> = (0..6).map(|one| submit(&machine, &ran, round, one)).collect();
        super::machine::until(|| submits.iter_mut().filter_map(|one| one.try_wait().unwrap()).count() >= round % 6);
        std::thread::sleep(Duration::from_micros(round as u64 * 7919 % 5000));
        machine.kill();
        killed += 1;
        if round % 3 == 0 {
            machine.start_and_kill_after(Duration::from_millis(round as u64 * 13 % 300));
            killed += 1;
        }
        machine.start();
        for (one, submit) in submits.into_iter().enumerate() {
            let text = String::from_utf8(submit.wait_with_output().unwrap().stdout).unwrap();
            let numbers = text.trim().split('-').map_while(|number| number.parse::<u64>().ok()).collect::<Vec<_>>();
            answered.extend(numbers.first().map(|first| (*first, round, one)));
        }
        if killed >= kills {
            break;
        }
    }
    let mut names = Vec::new();
    for (job, round, one) in &answered {
        let indices = if *one == ARRAY { 0..3 } else { 0..1 };
        for index in indices {
            let job = job + index;
            assert_eq!(u64::try_from(machine.wait(job)).unwrap(), *one as u64 + index, "{}", machine.job(job));
            names.push(format!("{round}-{one}-{index}"));
        }
    }
    // A submission without a received answer may exist.
    super::machine::until(|| machine.live() == 0);
    assert!(names.len() >= kills, "{killed} kills, {answered:?}");
    let ran = fs::read_to_string(&ran).unwrap();
    let mut times = BTreeMap::<&str, usize>::new();
    ran.lines().for_each(|line| *times.entry(line).or_default() += 1);
    let lost: Vec<&String> = names.iter().filter(|name| !times.contains_key(name.as_str())).collect();
    assert!(lost.is_empty(), "answered and did not run: {lost:?}");
    times.retain(|_, times| *times > 1);
    assert!(times.is_empty(), "more than once: {times:?}");
    eprintln!("{killed} kills, {} answers, {} jobs", answered.len(), names.len());
}

const ARRAY: usize = 5;

/// A job that writes its name into a file, and exits with its number.
fn submit(machine: &Machine, ran: &Path, round: usize, one: usize) -> Child {
    let index = "${KORNSOLE_ARRAY_INDEX:-0}";
    let script = format!("echo {round}-{one}-{index} >> {}; exit $(({one} + {index}))", ran.display());
    let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    command.args(["submit", "--no-requeue", "--mem", "10M"]);
    if one == ARRAY {
        command.args(["--array", "0-2"]);
    }
    command.args(["--", "sh", "-c", &script]);
    command.current_dir(&*machine.dir).env("KORNSOLE_LOCAL_SOCKET", machine.socket());
    command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn a_cancel_at_any_time_cancels_and_does_not_lose_the_job() {
    let machine = Machine::up(&[]);
    for round in 0..12 {
        let job = machine.submit(&[], "sleep 300");
        std::thread::sleep(Duration::from_millis(round * 3));
        assert!(machine.call(&["cancel", &job.to_string()]).status.success());
        assert_eq!(machine.wait(job), 125);
        let reason = machine.job(job)["reason"].as_str().unwrap().to_owned();
        assert!(reason.starts_with("canceled by "), "round {round}: {reason}");
    }
}

#[test]
fn a_job_with_a_file_older_than_the_journal_still_runs_once() {
    let mut machine = Machine::up(&[]);
    let first = machine.submit(&["--cpu", "4"], "sleep 2");
    let ran = machine.dir.join("ran");
    let job = machine.submit(&["--cpu", "4"], &format!("echo once >> {}; exit 3", ran.display()));
    machine.until(job, "queued");
    machine.kill();
    // After a power failure, the file is as synced at submission.
    let file = machine.dir.join(format!("jobs/jobs/{job}/submitted.json"));
    let mut retained: serde_json::Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    assert_eq!(retained["job"]["state"], "queued");
    retained["job"]["state"] = "waiting".into();
    fs::write(&file, retained.to_string()).unwrap();
    machine.start();
    assert_eq!((machine.wait(first), machine.wait(job)), (0, 3), "{}", machine.job(job));
    assert_eq!(fs::read_to_string(&ran).unwrap(), "once\n");
}

#[test]
fn a_loss_of_power_removes_the_unsynced_end_and_the_rest_continues() {
    let mut machine = Machine::up(&[]);
    let first = machine.submit(&["--cpu", "4"], "sleep 300");
    let ran = machine.dir.join("ran");
    let jobs = [(); 2].map(|()| machine.submit(&["--cpu", "4"], &format!("echo one >> {}", ran.display())));
    let ended = machine.submit(&["--cpu", "1", "--no-requeue", "--hold"], "true");
    machine.kill();
    logs(&machine).iter().for_each(|file| fs::write(file, "").unwrap());
    let file = |job: u64, name: &str| machine.dir.join(format!("jobs/jobs/{job}/{name}"));
    // A queued job, the last job, and the task and claim of a starting job.
    let supervisor = fs::read_to_string(file(first, "1/claim.json")).unwrap();
    let claim: serde_json::Value = serde_json::from_str(&supervisor).unwrap();
    assert!(Command::new("kill").args(["-9", &claim["pid"].to_string()]).status().unwrap().success());
    for empty in [file(jobs[0], "submitted.json"), file(ended, "submitted.json"), file(first, "1/task.json")] {
        fs::write(empty, "").unwrap();
    }
    machine.start();
    let gone = machine.call(&["job", &jobs[0].to_string()]);
    assert_eq!(gone.status.code(), Some(1), "{gone:?}");
    assert!(machine.call(&["cancel", &first.to_string()]).status.success());
    assert_eq!(machine.wait(jobs[1]), 0);
    assert_eq!(fs::read_to_string(&ran).unwrap(), "one\n", "that one alone has run");
    assert!(machine.submit(&[], "true") > jobs[1], "no number is given to two jobs that the scheduler has known");
}

fn logs(machine: &Machine) -> [std::path::PathBuf; 2] {
    ["submitted-0.log", "submitted-1.log"].map(|name| machine.dir.join("jobs").join(name))
}

#[test]
fn a_loss_of_power_loses_no_acknowledged_submission() {
    let mut machine = Machine::up(&[]);
    let first = machine.submit(&["--cpu", "4"], "sleep 300");
    let ran = machine.dir.join("ran");
    let script = format!("echo $KORNSOLE_JOB >> {}", ran.display());
    let submitted = |flags: &[&str]| loop {
        let job = machine.submit(&[&["--cpu", "4"], flags].concat(), &script);
        let text = logs(&machine).map(|file| fs::read_to_string(file).unwrap_or_default()).concat();
        if let Some(line) = text.lines().find(|line| line.contains(&format!("\"number\":{job},"))) {
            return (job, line.to_owned());
        }
    };
    let (one, line) = submitted(&[]);
    let on_hold = submitted(&["--hold"]);
    machine.kill();
    for job in [one, on_hold.0] {
        fs::remove_dir_all(machine.dir.join(format!("jobs/jobs/{job}"))).unwrap();
    }
    fs::write(&logs(&machine)[0], "").unwrap();
    fs::write(&logs(&machine)[1], format!("{line}\n{}\n{{\"Submitted\":", on_hold.1)).unwrap();
    machine.start();
    assert_eq!(machine.job(on_hold.0)["state"], "held");
    assert!(machine.call(&["cancel", &first.to_string()]).status.success());
    assert_eq!(machine.wait(one), 0);
    let text = fs::read_to_string(&ran).unwrap();
    assert_eq!(text.lines().filter(|line| *line == one.to_string()).count(), 1, "{text}");
    machine.kill();
    machine.start();
    assert_eq!(machine.job(one)["reason"], "ok", "what was restored is a job like others");
    assert_eq!(machine.job(on_hold.0)["state"], "held");
}

#[test]
fn a_reboot_restarts_jobs_or_fails_them() {
    let mut machine = Machine::up(&[]);
    let script = "test $KORNSOLE_ATTEMPT = 2 || sleep 300";
    let jobs = [machine.submit(&[], script), machine.submit(&["--no-requeue"], script)];
    let claims = jobs.map(|job| machine.dir.join(format!("jobs/jobs/{job}/1/claim.json")));
    super::machine::until(|| claims.iter().all(|file| file.exists()));
    machine.kill();
    // After a reboot: no processes, and claims of an earlier boot.
    for file in claims {
        let text = fs::read_to_string(&file).unwrap();
        let mut claim: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(Command::new("kill").args(["-9", &claim["pid"].to_string()]).status().unwrap().success());
        claim["boot"] = "an earlier one".into();
        fs::write(&file, claim.to_string()).unwrap();
    }
    machine.start();
    assert_eq!((machine.wait(jobs[0]), machine.job(jobs[0])["attempts"].clone()), (0, 2.into()));
    assert_eq!(machine.wait(jobs[1]), 125);
    assert_eq!(machine.job(jobs[1])["reason"], "lost: the machine was restarted");
}

#[test]
fn a_queued_job_and_an_array_outlive_the_daemon() {
    let mut machine = Machine::up(&[]);
    let first = machine.submit(&["--cpu", "4"], "sleep 1");
    let queued = machine.submit(&["--cpu", "4", "--env", "A=kept"], "echo $A");
    let on_hold = machine.submit(&["--hold"], "exit 3");
    let array = machine.reported(&["submit", "--array", "1-5%2", "--", "sh", "-c", "exit $KORNSOLE_ARRAY_INDEX"]).1;
    let canceled = machine.submit(&["--cpu", "4"], "true");
    assert!(machine.call(&["cancel", &canceled.to_string()]).status.success());
    machine.kill();
    machine.start();
    assert_eq!((machine.wait(first), machine.wait(queued), machine.logs(queued).as_str()), (0, 0, "kept\n"));
    assert_eq!(
        (machine.job(on_hold)["state"].clone(), machine.job(canceled)["state"].clone()),
        ("held".into(), "ended".into())
    );
    let first = array.split('-').next().unwrap().trim().parse::<u64>().unwrap();
    let ends: Vec<i32> = (first..first + 5).map(|job| machine.wait(job)).collect();
    assert_eq!(ends, [1, 2, 3, 4, 5]);
}

#[test]
fn a_full_disk_loses_no_job_and_is_reported() {
    let dir = crate::common::TestDir::new();
    let disk = Disk::mount(&dir.join("jobs"));
    let Some(disk) = disk else { return eprintln!("skipped: a small disk cannot be mounted here") };
    let machine = Machine::up_in(dir, &[]);
    let (go, written) = (machine.dir.join("go"), machine.dir.join("written"));
    let script = format!(
        "while ! test -e {}; do sleep 0.1; done; head -c 200000 /dev/zero; touch {}; exit 3",
        go.display(),
        written.display()
    );
    let job = machine.submit(&[], &script);
    // With a full disk the supervisor could not claim the job.
    super::machine::until(|| machine.dir.join(format!("jobs/jobs/{job}/1/main.json")).exists());
    // A later sync frees no space then.
    super::machine::until(|| logs(&machine).iter().all(|file| fs::metadata(file).is_ok_and(|found| found.len() == 0)));
    // Full to the last byte: each attempt uses what the others left.
    let filler = machine.dir.join("jobs/filler");
    let mut file = fs::File::create(&filler).unwrap();
    let block = [1; 4096];
    while std::io::Write::write(&mut file, &block).is_ok() {}
    let (code, why) = machine.reported(&["submit", "--", "true"]);
    assert!(code == 1 && why.contains("No space left"), "{code} {why}");
    fs::write(&go, "").unwrap();
    while !written.exists() {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(machine.job(job)["state"], "running", "its end is not on the disk");
    drop(file);
    fs::remove_file(&filler).unwrap();
    assert_eq!(machine.wait(job), 3);
    assert!(machine.job(job)["lost_output"].as_u64().unwrap() > 0, "{}", machine.job(job));
    let shown = machine.reported(&["job", &job.to_string()]).1;
    assert!(shown.contains("were not written"), "{shown}");
    drop(machine);
    drop(disk);
}

/// A tmpfs of 8 MB, unmounted on drop.
struct Disk(std::path::PathBuf);

impl Disk {
    fn mount(at: &std::path::Path) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let mut command = Command::new("mount");
        command.args(["-t", "tmpfs", "-o", "size=8m,mode=0700", "kornsole-test"]).arg(at);
        let mounted = command.stderr(std::process::Stdio::null()).status();
        mounted.is_ok_and(|status| status.success()).then(|| Self(at.to_owned()))
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        // A lazy unmount lets open files continue.
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// The daemon's own program is the fallback.
#[test]
fn jobs_run_without_the_small_program() {
    let mut machine = Machine::up(&[]);
    let supervisor = |machine: &Machine, job: u64| {
        machine.until(job, "running");
        super::machine::until(|| !machine.logs(job).is_empty());
        let claim = fs::read(machine.dir.join(format!("jobs/jobs/{job}/1/claim.json"))).unwrap();
        let claim: serde_json::Value = serde_json::from_slice(&claim).unwrap();
        let program = fs::read_link(format!("/proc/{}/exe", claim["pid"])).unwrap();
        program.file_name().unwrap().to_str().unwrap().to_owned()
    };
    let with = machine.submit(&[], "echo begun; sleep 2; exit 4");
    assert_eq!(supervisor(&machine, with), "kornsole-job");
    machine.kill();
    machine.start_alone();
    let without = machine.submit(&[], "echo begun; sleep 2; exit 5");
    assert_eq!(supervisor(&machine, without), "kornsole");
    machine.kill();
    machine.start();
    assert_eq!((machine.wait(with), machine.wait(without)), (4, 5));
}

#[test]
fn a_job_with_a_killed_supervisor_ends_and_is_reported_as_lost() {
    let machine = Machine::up(&[]);
    let job = machine.submit(&["--no-requeue"], "echo $$; exec sleep 300");
    machine.until(job, "running");
    super::machine::until(|| !machine.logs(job).is_empty());
    let main = machine.logs(job).trim().to_owned();
    let claim = fs::read(machine.dir.join(format!("jobs/jobs/{job}/1/claim.json"))).unwrap();
    let claim: serde_json::Value = serde_json::from_slice(&claim).unwrap();
    assert!(Command::new("kill").args(["-9", &claim["pid"].to_string()]).status().unwrap().success());
    assert_eq!(machine.wait(job), 125);
    assert!(machine.job(job)["reason"].as_str().unwrap().starts_with("lost"));
    super::machine::until(|| {
        let stat = fs::read_to_string(format!("/proc/{main}/stat")).unwrap_or_default();
        stat.is_empty() || stat.contains(") Z ")
    });
}
