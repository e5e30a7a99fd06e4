//! A user must not harm others.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::machine::{Machine, is_root, until};

const UNPRIVILEGED: Option<u32> = Some(65534);

#[test]
fn indices_have_one_environment_and_one_command() {
    let mut machine = Machine::up(&[]);
    let (code, reported) = machine.reported(&["submit", "--hold", "--array", "1-50", "--", "true"]);
    assert_eq!(code, 0, "{reported}");
    let dirs = || fs::read_dir(machine.dir.join("jobs/jobs")).unwrap().count();
    assert_eq!(dirs(), 1, "an array is one record");
    let (code, reported) =
        machine.reported(&["submit", "--array", "1-2", "--env", "A=of-this", "--", "sh", "-c", "echo $A"]);
    assert_eq!(code, 0, "{reported}");
    assert_eq!((machine.wait(51), machine.wait(52)), (0, 0));
    assert_eq!((machine.logs(51).as_str(), machine.logs(52).as_str()), ("of-this\n", "of-this\n"));
    machine.kill();
    machine.start();
    assert_eq!(machine.call(&["requeue", "52"]).status.code(), Some(0));
    assert_eq!((machine.wait(52), machine.logs(52).as_str()), (0, "of-this\n"), "a restart has its command");
    assert_eq!(machine.job(50)["command"][0], "true");
}

#[test]
fn a_request_over_a_limit_is_refused_with_its_name_and_value() {
    let machine = Machine::up(&[]);
    let first = machine.submit(&["--hold"], "true").to_string();
    let after: Vec<&str> = (0..1001).flat_map(|_| ["--after", &first]).collect();
    let words = vec!["x"; 65_536];
    let long = "x".repeat(100_000);
    let name = &long[..4000];
    let cases: [(Vec<&str>, &str); 4] = [
        (vec!["--retry", "1001", "--", "true"], "--retry: the request has 1001, the limit is 1000"),
        ([&after[..], &["--", "true"]].concat(), "--after jobs: the request has 1001, the limit is 1000"),
        ([&["--", "true"], &words[..]].concat(), "command words: the request has 65537, the limit is 65536"),
        (
            vec!["--array", "1-10000", "--name", name, "--at-end", name, "--", "true"],
            "(the longest is the command at the end): ",
        ),
    ];
    for (arguments, why) in cases {
        let (code, reported) = machine.reported(&[&["submit"], &arguments[..]].concat());
        assert!(code == 2 && reported.contains(why), "{code} {}", reported.chars().take(300).collect::<String>());
    }
    assert_eq!(machine.live(), 1, "nothing was enqueued");
}

#[test]
fn jobs_in_the_ranges_of_after_count() {
    let machine = Machine::up(&[]);
    let (code, reported) = machine.reported(&["submit", "--hold", "--array", "1-1000", "--", "true"]);
    assert_eq!(code, 0, "{reported}");
    let of = |range: &'static str, times: usize| {
        let ranges = (0..times).flat_map(|_| ["--after", range]).chain(["--hold", "--", "true"]);
        machine.reported(&["submit"].into_iter().chain(ranges).collect::<Vec<_>>())
    };
    let (code, reported) = of("1-1000", 101);
    assert!(code == 2 && reported.contains("--after jobs in ranges and arrays:"), "{code} {reported}");
    assert!(reported.contains("the limit is 100000"), "{reported}");
    assert_eq!(machine.live(), 1000, "nothing was enqueued");
    // 256 MiB are reached before such requests make the end of a job slow.
    let refused = (0..200).map(|_| of("1-1000", 100)).find(|(code, _)| *code != 0);
    let (_, reported) = refused.expect("one of 200 requests with 100,000 awaited jobs each is refused");
    assert!(reported.contains("bytes of all jobs of a user"), "{reported}");
}

#[test]
fn indices_share_their_name_and_paths() {
    let mut machine = Machine::up(&[]);
    let name = "n".repeat(2000);
    let file = machine.dir.join(format!("{}-%a", "f".repeat(200)));
    let flags = ["--hold", "--name", &name, "--output", file.to_str().unwrap(), "--array", "1-200"];
    let (code, reported) =
        machine.reported(&[&["submit"], &flags[..], &["--", "sh", "-c", "echo $KORNSOLE_ARRAY_INDEX"]].concat());
    assert_eq!(code, 0, "{reported}");
    let record = fs::metadata(machine.dir.join("jobs/jobs/1/submitted.json")).unwrap().len();
    assert!(record < 100_000, "one copy of the name: {record} bytes");
    assert!(machine.call(&["local", "priority", "7", "--to", "5"]).status.success());
    machine.kill();
    machine.start();
    assert_eq!(machine.job(8)["name"], format!("{name}[8]"));
    for job in [7, 8] {
        assert!(machine.call(&["release", &job.to_string()]).status.success());
        assert_eq!((machine.wait(job), machine.logs(job)), (0, format!("{job}\n")));
        let file = machine.dir.join(format!("{}-{job}", "f".repeat(200)));
        assert_eq!(fs::read_to_string(file).unwrap(), format!("{job}\n"));
    }
    assert_eq!((machine.job(7)["priority"].clone(), machine.job(8)["priority"].clone()), (5.into(), 0.into()));
}

#[test]
fn an_array_with_a_long_command_uses_as_much_as_one_job() {
    let machine = Machine::up(&[]);
    let long = "x".repeat(110_000);
    let mut large = vec!["submit", "--hold", "--array", "1-100", "--", "true"];
    large.extend([long.as_str(); 8]);
    let (code, reported) = machine.reported(&large);
    assert_eq!(code, 0, "{reported}");
    let record = fs::metadata(machine.dir.join("jobs/jobs/1/submitted.json")).unwrap().len();
    assert!(record < 2 << 20, "{record} bytes for 100 indices");
    let list = machine.call(&["jobs", "--json"]).stdout;
    let jobs: Value = serde_json::from_slice(&list).unwrap();
    assert!(list.len() < 1 << 20, "{} bytes for a list of 100 indices", list.len());
    assert_eq!(jobs[49]["command"], serde_json::json!(["true", format!("{}…", "x".repeat(996))]));
    assert_eq!(machine.job(50)["command"][8], long);
}

#[test]
fn an_output_file_is_written_with_the_identity_of_the_submitter() {
    if !is_root("two users") {
        return;
    }
    let machine = Machine::up(&[]);
    // A write by a user other than root removes the set-ID bits.
    let dir = machine.dir.join("theirs");
    fs::create_dir(&dir).unwrap();
    chown(&dir, Some(65534), Some(65534)).unwrap();
    let file = dir.join("sets-id");
    fs::write(&file, "").unwrap();
    chown(&file, Some(0), Some(0)).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o6777)).unwrap();
    let job = machine.submit_as(UNPRIVILEGED, &["--dir", "/", "--output", file.to_str().unwrap()], "echo mine");
    assert_eq!(machine.wait(job), 0);
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine\n");
    assert_eq!(fs::metadata(&file).unwrap().mode() & 0o7777, 0o777);
}

#[test]
fn an_output_file_that_rejects_writes_does_not_block_the_end_of_a_job() {
    let machine = Machine::up(&[]);
    let fifo = machine.dir.join("fifo");
    assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    // The FIFO is open, but no process reads it.
    let _reader = fs::OpenOptions::new().read(true).write(true).open(&fifo).unwrap();
    let flags = ["--output", fifo.to_str().unwrap()];
    let started = Instant::now();
    let limited = machine.submit(&[&flags[..], &["--time", "2s"]].concat(), "exec yes");
    let canceled = machine.submit(&flags, "exec yes");
    until(|| !machine.logs(canceled).is_empty());
    assert!(machine.call(&["cancel", &canceled.to_string()]).status.success());
    assert_eq!((machine.wait(limited), machine.wait(canceled)), (124, 125));
    assert!(started.elapsed() < Duration::from_secs(20), "{:?}", started.elapsed());
    let note: Value = machine.job(limited)["note"].clone();
    assert!(note.as_str().unwrap().contains("writing took too long"), "{note}");
}

#[test]
fn a_disk_that_rejects_output_does_not_block_the_end_of_a_job() {
    let machine = Machine::up(&[]);
    let mut open = Vec::new();
    // Like a hung file system, an open FIFO without a reading process blocks writers.
    for flags in [&["--hold", "--time", "2s"][..], &["--hold"]] {
        let job = machine.submit(flags, "exec yes");
        let attempt = machine.dir.join(format!("jobs/jobs/{job}/1"));
        fs::create_dir(&attempt).unwrap();
        let fifo = attempt.join("output");
        assert!(Command::new("mkfifo").arg(&fifo).status().unwrap().success());
        open.push(fs::OpenOptions::new().read(true).write(true).open(&fifo).unwrap());
        assert!(machine.call(&["release", &job.to_string()]).status.success());
    }
    machine.until(2, "running");
    assert!(machine.call(&["cancel", "2"]).status.success());
    assert_eq!((machine.wait(1), machine.wait(2)), (124, 125));
    assert!(machine.job(1)["lost_output"].as_u64().unwrap() > 0, "{}", machine.job(1));
}

#[test]
fn the_output_of_one_user_is_bounded() {
    let mut machine = Machine::up(&["--user-output", "100k"]);
    let jobs = [1, 2, 3].map(|_| machine.submit(&[], "head -c 40000 /dev/zero; sleep 0.1"));
    assert_eq!(jobs.map(|job| machine.wait(job)), [0; 3]);
    let stored = |machine: &Machine| jobs.map(|job| machine.logs(job).len()).into_iter().sum::<usize>();
    assert_eq!(stored(&machine), 80_000, "the oldest is removed, the others are not");
    machine.kill();
    machine.start();
    assert_eq!(stored(&machine), 80_000);
    let retried = machine.submit(&["--retry", "4"], "head -c 40000 /dev/zero; exit 1");
    assert_eq!(machine.wait(retried), 1);
    assert_eq!((stored(&machine), machine.logs(retried).len()), (0, 40_000), "attempts count each");
}

#[test]
fn a_job_ignores_and_blocks_no_signal_that_the_daemon_inherited() {
    let mut machine = Machine::up(&[]);
    machine.kill();
    let mut ignoring = Command::new("sh");
    ignoring.args(["-c", "trap '' HUP INT QUIT TRAP ABRT BUS USR1 USR2 PIPE ALRM TERM 16 CONT TSTP TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS 34 64; exec \"$@\"", "sh"]);
    machine.start_by(ignoring);
    let job = machine.submit(&[], "exec grep -E 'SigBlk|SigIgn' /proc/self/status");
    assert_eq!(machine.wait(job), 0);
    let log = machine.logs(job);
    let of = |name: &str| {
        let line = log.lines().find_map(|line| line.strip_prefix(name)).unwrap();
        // Signals 32 and 33 belong to the C library.
        u64::from_str_radix(line.trim(), 16).unwrap() & !(0b11 << 31)
    };
    assert_eq!((of("SigBlk:"), of("SigIgn:")), (0, 0), "{log}");
}
