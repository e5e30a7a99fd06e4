use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::machine::{Machine, until};

#[test]
fn an_array_is_a_job_for_each_index_with_a_bound() {
    let machine = Machine::up(&[]);
    let at_once = machine.dir.join("at-once");
    fs::create_dir(&at_once).unwrap();
    let here = at_once.display();
    let script = format!(
        "touch {here}/$KORNSOLE_JOB; ls {here} | wc -l; sleep 0.3; rm {here}/$KORNSOLE_JOB; exit $KORNSOLE_ARRAY_INDEX"
    );
    let (code, jobs) = machine.reported(&["submit", "--array", "0-8:2%2", "--name", "sim", "--", "sh", "-c", &script]);
    assert_eq!((code, jobs.as_str()), (0, "1-5\n"));
    assert_eq!(machine.reported(&["wait", "1-5"]).0, 2, "the status of the first that failed");
    let ends: Vec<i32> = (1..=5).map(|job| machine.wait(job)).collect();
    assert_eq!(ends, [0, 2, 4, 6, 8]);
    let most = (1..=5).map(|job| machine.logs(job).trim().parse::<u32>().unwrap()).max();
    assert!(most <= Some(2), "{most:?} at one time");
    assert_eq!((&machine.job(3)["name"], &machine.job(3)["array"]["index"]), (&"sim[4]".into(), &4.into()));
    let (code, _) = machine.reported(&["submit", "--array", "1-3", "--hold", "--", "true"]);
    let (canceled, reported) = machine.reported(&["cancel", "6-8"]);
    assert_eq!((code, canceled, reported.as_str()), (0, 0, "job 6: canceled\njob 7: canceled\njob 8: canceled\n"));
}

#[test]
fn the_output_is_also_written_to_a_file() {
    let machine = Machine::up(&["--output", "64k"]);
    let file = machine.dir.join("out-train-1.txt");
    fs::write(&file, "before\n").unwrap();
    let job = machine.submit(&["--output", "out-%x-%j.txt", "--name", "train"], "echo one; echo two >&2");
    machine.wait(job);
    assert_eq!(fs::read_to_string(&file).unwrap(), "before\none\ntwo\n", "it is added at the end");
    assert_eq!((machine.logs(job).as_str(), machine.job(job)["note"].as_str()), ("one\ntwo\n", Some("")));
    let long = machine.submit(&["--output", "long"], "head -c 100000 /dev/zero");
    machine.wait(long);
    assert_eq!(fs::metadata(machine.dir.join("long")).unwrap().len(), 64_000);
    assert!(machine.job(long)["note"].as_str().unwrap().starts_with("36000 bytes are missing in the output file"));
    let gone = machine.submit(&["--output", "sub", "--hold"], "echo never");
    fs::create_dir(machine.dir.join("sub")).unwrap();
    machine.call(&["release", &gone.to_string()]);
    assert_eq!(machine.wait(gone), 126);
    assert!(machine.logs(gone).contains("the output file"), "{}", machine.logs(gone));
}

#[test]
fn a_job_saves_its_work_before_its_own_signal() {
    let machine = Machine::up(&[]);
    let flags =
        ["--time", "1s", "--signal", "USR1", "--checkpoint", "echo saved $COLOUR $KORNSOLE_PID", "--env", "COLOUR=red"];
    let job = machine.submit(&flags, "trap 'echo asked; exit 0' USR1; echo $$; while :; do :; done");
    assert_eq!(machine.wait(job), 124);
    let log = machine.logs(job);
    let pid = log.lines().next().unwrap().to_owned();
    assert_eq!(log, format!("{pid}\nsaved red {pid}\nasked\n"));
    let stuck = machine.submit(&["--checkpoint", "sleep 60"], "sleep 300");
    machine.until(stuck, "running");
    machine.call(&["cancel", &stuck.to_string()]);
    assert_eq!(machine.wait(stuck), 125, "a hook that does not end is ended with the job");
}

#[test]
fn a_hook_runs_after_each_attempt() {
    let machine = Machine::up(&[]);
    let hook = "echo $KORNSOLE_JOB $KORNSOLE_ATTEMPT $KORNSOLE_END >> hook";
    let job = machine.submit(&["--at-end", hook, "--retry", "1"], "exit 3");
    assert_eq!(machine.wait(job), 3);
    assert_eq!(fs::read_to_string(machine.dir.join("hook")).unwrap(), "1 1 exit 3\n1 2 exit 3\n");
    let failed = machine.submit(&["--at-end", "exit 9"], "true");
    assert_eq!(
        (machine.wait(failed), machine.job(failed)["note"].as_str().unwrap().to_owned()),
        (0, "--at-end: exit status: 9".to_owned())
    );
}

#[test]
fn a_job_is_read_from_a_file_or_a_script() {
    let machine = Machine::up(&[]);
    let text = "command: echo $A $KORNSOLE_ARRAY_INDEX\nname: filed\ncpu: 0.5\nenv: {A: set}\n";
    fs::write(machine.dir.join("job.yaml"), text).unwrap();
    assert_eq!(machine.reported(&["submit", "--file", "job.yaml", "--name", "mine"]).0, 0);
    machine.wait(1);
    let job = machine.job(1);
    assert_eq!((&job["name"], &job["vcore"], machine.logs(1).as_str()), (&"mine".into(), &500.into(), "set\n"));
    let script = machine.dir.join("job.sh");
    fs::write(&script, "#!/bin/sh\n#SBATCH --job-name=slurm --mem=100M --nice=3\n#kornsole --cpu 2\necho $1\n")
        .unwrap();
    let output = machine.call(&["submit", "job.sh", "--", "word"]);
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "warning: job.sh: ignored options without an effect on this machine: --nice=3 (line 2)\n"
    );
    machine.wait(2);
    let job = machine.job(2);
    assert_eq!((&job["name"], &job["vcore"], &job["memory"]), (&"slurm".into(), &2000.into(), &(100 << 20).into()));
    assert_eq!(machine.logs(2), "word\n", "started by its first line");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(machine.reported(&["submit", "job.sh", "--wait", "--", "again"]).0, 0);
    assert_eq!(machine.logs(3), "again\n");
    fs::write(&script, "#!/bin/sh\n#kornsole --name args\nprintf '%s|' \"$0\" \"$@\"\n").unwrap();
    let words = ["submit", "./job.sh", "x", "two words", "--wait", "", "--cpu", "2", "--", "--flag", "-v"];
    assert_eq!(machine.reported(&words).0, 0);
    assert!(machine.logs(4).ends_with("job.sh|x|two words||--flag|-v|"), "{}", machine.logs(4));
    let job = machine.job(4);
    assert_eq!((&job["name"], &job["vcore"]), (&"args".into(), &2000.into()), "its own options, and those of the call");
    let (code, why) = machine.reported(&["submit", "make", "test"]);
    assert!(code == 2 && why.contains("make: ") && why.contains("kornsole submit -- make"), "{code} {why}");
}

#[test]
fn where_shows_the_queue_and_the_time() {
    let machine = Machine::up(&[]);
    let (code, reported) = machine.reported(&["submit", "--where", "--", "true"]);
    assert!(code == 0 && reported.starts_with("root.users.") && reported.contains("starts immediately"), "{reported}");
    let limited = machine.submit(&["--cpu", "4", "--time", "1h"], "sleep 300");
    machine.until(limited, "running");
    let reported = machine.reported(&["submit", "--where", "--", "true"]).1;
    assert!(reported.contains("starts in about 59m") || reported.contains("starts in about 1h:"), "{reported}");
    machine.submit(&["--cpu", "4"], "sleep 300");
    let reported = machine.reported(&["submit", "--where", "--", "true"]).1;
    assert!(reported.contains("start time unknown") && reported.contains("--time"), "{reported}");
    assert_eq!(machine.live(), 2, "nothing was submitted");
}

#[test]
fn top_measures_what_runs() {
    let machine = Machine::up(&[]);
    let job = machine.submit(&["--name", "busy"], "while :; do :; done");
    machine.until(job, "running");
    until(|| {
        let shown = machine.reported(&["top", "--json"]).1;
        let uses: serde_json::Value = serde_json::from_str(&shown).unwrap();
        let one = &uses[0];
        one["processes"][0]["name"] == "sh" && one["cpu_ms"].as_u64() > Some(0) && one["memory"].as_u64() > Some(0)
    });
    let table = machine.reported(&["top"]).1;
    let line = table.lines().find(|line| line.contains("busy")).unwrap().to_owned();
    assert_eq!(line.split_whitespace().next(), Some(job.to_string().as_str()), "{table}");
}

#[test]
fn a_job_in_another_queue_than_requested_reports_it() {
    let machine = Machine::up(&[]);
    let warned = |queue: &str| {
        let output = machine.call(&["submit", "--queue", queue, "--", "true"]);
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    let reported = warned("root.prod.etl");
    assert!(reported.contains("is in root.users.") && reported.contains("not in root.prod.etl"), "{reported}");
    let own = machine.job(1)["queue"].as_str().unwrap().to_owned();
    assert_eq!(warned(&own), "");
}
