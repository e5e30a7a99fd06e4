use std::fs;
use std::process::{Command, Stdio};

use super::machine::{Machine, until};

#[test]
fn a_job_has_the_limits_of_its_call() {
    let machine = Machine::up(&["--cgroup", "/nowhere"]);
    let dir = machine.dir.join("work");
    fs::create_dir(&dir).unwrap();
    let job = "ulimit -Sn; ulimit -Hn; ulimit -Sc; ulimit -Sf; umask; pwd; nice";
    let call = format!(
        "cd work; umask 027; ulimit -Sn 100; ulimit -Hn 200; ulimit -Sc 0; ulimit -Sf 5000; nice -n 3 {} submit -- sh -c '{job}'",
        env!("CARGO_BIN_EXE_kornsole")
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &call]).current_dir(&*machine.dir).env("KORNSOLE_LOCAL_SOCKET", machine.socket());
    let own = Command::new("nice").output().unwrap().stdout;
    let own: i32 = String::from_utf8(own).unwrap().trim().parse().unwrap();
    let reported = shell.output().unwrap();
    assert!(reported.status.success(), "{reported:?}");
    assert_eq!(machine.wait(1), 0, "{}", machine.logs(1));
    // Without a cgroup, the niceness of a job is 5 above the daemon's.
    let due = format!("100\n200\n0\n5000\n0027\n{}\n{}\n", fs::canonicalize(dir).unwrap().display(), own * 2 + 8);
    assert_eq!(machine.logs(1), due);
    let other = machine.submit(&[], "ulimit -Hn");
    assert_eq!(machine.wait(other), 0);
    assert_ne!(machine.logs(other), "200\n", "they are of that call alone");
}

#[test]
fn a_running_job_is_followed_from_its_first_byte() {
    let machine = Machine::up(&[]);
    let go = machine.dir.join("go");
    let script =
        format!("printf first; while ! test -e {}; do sleep 0.1; done; echo second; echo wrong >&2", go.display());
    let job = machine.submit(&["--hold", "--error", "err-%j"], &script);
    let mut follow = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    follow.args(["logs", "--follow", &job.to_string()]).env("KORNSOLE_LOCAL_SOCKET", machine.socket());
    let followed = follow.stdout(fs::File::create(machine.dir.join("seen")).unwrap()).stderr(Stdio::null()).spawn();
    let seen = || fs::read_to_string(machine.dir.join("seen")).unwrap();
    machine.call(&["release", &job.to_string()]);
    until(|| seen() == "first");
    assert_eq!(machine.job(job)["state"], "running", "before it has ended, and without the end of a line");
    fs::write(&go, "").unwrap();
    assert!(followed.unwrap().wait().unwrap().success());
    assert_eq!(seen(), "firstsecond\n", "its standard error is apart");
    let error = machine.dir.join(format!("err-{job}"));
    assert_eq!(fs::read_to_string(&error).unwrap(), "wrong\n");
    let named = format!("error file  {}", error.display());
    assert!(machine.reported(&["job", &job.to_string()]).1.contains(&named), "{named}");
}
