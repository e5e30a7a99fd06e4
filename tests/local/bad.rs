use std::fs;
use std::io::{Read as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::net::UnixStream;
use std::process::Command;

use super::machine::{Machine, is_root};

#[test]
fn what_cannot_run_is_refused_and_nothing_is_enqueued() {
    let machine = Machine::up(&[]);
    fs::write(machine.dir.join("plain"), "echo no\n").unwrap();
    fs::write(machine.dir.join("bad.sh"), "#!/bin/sh\n#kornsole --cpu many\n").unwrap();
    fs::write(machine.dir.join("bad.yaml"), "command: 'true'\ncpus: 2\n").unwrap();
    let huge = "x".repeat(100_000);
    let cases: [(&[&str], i32, &str); 25] = [
        (&["--cpu", "5", "--", "true"], 1, "4 cores, 4Gi"),
        (&["--mem", "5G", "--", "true"], 1, "4 cores, 4Gi"),
        (&["--gpu", "1", "--", "true"], 1, "0 GPUs"),
        (&["--", "no-such-program"], 2, "no-such-program"),
        (&["--", ""], 2, "not found or not executable"),
        (&[], 2, "missing command"),
        (&["--dir", "/nowhere", "--", "true"], 2, "/nowhere"),
        (&["--time", "soon", "--", "true"], 2, "soon"),
        (&["--time", "5", "--", "true"], 2, "use for example 90s"),
        (&["--cpu", "0", "--", "true"], 2, "expected cores"),
        (&["--mem", "much", "--", "true"], 2, "expected memory"),
        (&["--after", "99", "--", "true"], 2, "job not found, or it is not yours"),
        (&["--after", "1", "--", "true"], 2, "job not found, or it is not yours"),
        (&["--after", "x", "--", "true"], 2, "JOB:any"),
        (&["--array", "5-1", "--", "true"], 2, "invalid array"),
        (&["--array", "1-200000", "--", "true"], 2, "more than 10000"),
        (&["--signal", "KILL", "--", "true"], 2, "TERM"),
        (&["--output", "/nowhere/file", "--", "true"], 2, "/nowhere/file"),
        (&["--output", ".", "--", "true"], 2, "directory"),
        (&["--env", "=x", "--", "true"], 2, "NAME=VALUE"),
        (&["--env", "A=B", "--name", &huge, "--", "true"], 2, "bytes of the name"),
        (&["plain"], 2, "cannot start plain: not executable"),
        (&["missing.sh"], 2, "missing.sh"),
        (&["bad.sh"], 2, "bad.sh:2: "),
        (&["--file", "bad.yaml"], 2, "bad.yaml:2:1"),
    ];
    for (arguments, code, why) in cases {
        let (found, reported) = machine.reported(&[&["submit"], arguments].concat());
        assert!(found == code && reported.contains(why), "{arguments:?}: {found} {reported}");
    }
    assert_eq!(machine.live(), 0);
    assert_eq!(machine.call(&["history", "--json"]).stdout, b"[]\n");
    assert_eq!(machine.call(&["jobs", "--socket", "/nowhere/socket"]).status.code(), Some(3));
}

#[test]
fn what_one_may_not_enter_or_run_is_refused() {
    if !is_root("another user") {
        return;
    }
    let machine = Machine::up(&[]);
    let unprivileged = Some(65534);
    let own = machine.dir.join("own");
    fs::create_dir(&own).unwrap();
    fs::set_permissions(&own, fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(own.join("tool"), "#!/bin/sh\n").unwrap();
    let (own, tool) = (own.display().to_string(), own.join("tool").display().to_string());
    let out = format!("{own}/out");
    let cases: [&[&str]; 3] =
        [&["--dir", &own, "--", "true"], &["--dir", "/", "--", &tool], &["--dir", "/", "--output", &out, "--", "true"]];
    for arguments in cases {
        let output = machine.call_as(unprivileged, &[&["submit"], arguments].concat());
        let why = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && why.contains(&own), "{arguments:?}: {why}");
    }
    assert_eq!(machine.live(), 0);
    assert_eq!(machine.call(&["history", "--json"]).stdout, b"[]\n");
}

#[test]
fn jobs_that_are_not_there_and_changes_that_cannot_be() {
    let machine = Machine::up(&[]);
    for verb in ["cancel", "hold", "release", "requeue", "job", "logs", "wait"] {
        let (code, why) = machine.reported(&[verb, "7"]);
        assert!(code == 1 && why.contains("job 7 not found"), "{verb}: {code} {why}");
        assert_eq!(machine.reported(&[verb, "seven"]).0, 2, "{verb}");
    }
    let job = machine.submit(&[], "true");
    machine.wait(job);
    let number = job.to_string();
    for arguments in [&["cancel"][..], &["hold"], &["release"], &["local", "priority", "--to", "1"]] {
        assert_eq!(machine.reported(&[arguments, &[&number]].concat()).0, 1, "{arguments:?}");
    }
    let on_hold = machine.submit(&["--hold"], "true").to_string();
    let (code, why) = machine.reported(&["local", "move", &on_hold, "--to", "root.nowhere"]);
    assert!(code == 1 && why.contains("root.users."), "{code} {why}");
    let (code, why) = machine.reported(&["requeue", &on_hold]);
    assert!(code == 1 && why.contains("is on hold"), "{code} {why}");
}

#[test]
fn large_empty_and_unusual_arguments_reach_the_command() {
    let machine = Machine::up(&[]);
    let large = "y".repeat(100_000);
    let script = "printf '%s|' \"$#\" \"$1\" \"$3\"; printf %s \"$2$BIG\" | wc -c";
    let odd = "new\nline \u{1b}[31m \u{202e}x";
    let arguments = [
        "submit",
        "--env",
        &format!("BIG={large}"),
        "--name",
        odd,
        "--wait",
        "--",
        "sh",
        "-c",
        script,
        "sh",
        "",
        &large,
        odd,
    ];
    let output = machine.call(&arguments);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(machine.logs(1).trim(), format!("3||{odd}|200000"));
    let history = String::from_utf8(machine.call(&["history"]).stdout).unwrap();
    assert!(!history.contains('\u{1b}') && !history.contains('\u{202e}'), "nothing reaches the terminal: {history:?}");
    let binary = machine.submit(&[], "printf '\\377\\000\\001'; exit 0");
    machine.wait(binary);
    assert_eq!(machine.call(&["logs", &binary.to_string()]).stdout, [255, 0, 1]);
}

#[test]
fn garbage_on_the_socket_is_answered_and_affects_no_client() {
    let machine = Machine::up(&[]);
    let answer = |bytes: &[u8]| {
        let mut stream = UnixStream::connect(machine.socket()).unwrap();
        // The daemon may close the connection before all bytes are written.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut text = Vec::new();
        let _ = stream.read_to_end(&mut text);
        String::from_utf8_lossy(&text).into_owned()
    };
    assert!(answer(b"GET / HTTP/1.1\r\n\r\n").contains("invalid request"));
    assert!(answer(&[0, 255, 10]).contains("invalid request"));
    assert!(answer(b"{\"submit\":{}}\n").contains("invalid request"));
    assert!(answer(&[b'['; 100_000]).contains("invalid request"));
    let odd = br#"{"submit":{"command":["true"],"name":"","queue":"","vcore":1,"memory":1,"gpu":0,"time_limit":18446744073709551615,"priority":0,"after":[],"retry":0,"when_stopped":"requeue","hold":false,"env":[],"dir":"/","umask":0}}"#;
    assert!(answer(&[&odd[..], b"\n"].concat()).contains("to 100 years"));
    let odd = String::from_utf8_lossy(odd).replace("18446744073709551615", "1");
    let odd = odd.replace(r#""after":[]"#, r#""after":[{"job":1,"how":true,"of":{"to":18446744073709551615}}]"#) + "\n";
    let refused = answer(odd.as_bytes());
    assert!(refused.contains("--after jobs in ranges and arrays"), "{refused}");
    assert_eq!(answer(b""), "");
    let whole = answer(&vec![b'a'; 9 << 20]);
    assert!(whole.is_empty() || whole.contains("invalid request"));
    let mut on_hold: Vec<UnixStream> = (0..20).map(|_| UnixStream::connect(machine.socket()).unwrap()).collect();
    on_hold.iter_mut().for_each(|stream| stream.write_all(b"{\"su").unwrap());
    assert_eq!(machine.call(&["submit", "--wait", "--", "sh", "-c", "exit 4"]).status.code(), Some(4));
}

#[test]
fn two_daemons_do_not_share_jobs_or_a_socket() {
    let machine = Machine::up(&[]);
    let up = |jobs: &str, socket: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
        command.args(["local", "up", "--log", "warn", "--dir"]).arg(machine.dir.join(jobs));
        command.arg("--socket").arg(machine.dir.join(socket));
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, why) = up("jobs", "run/other.sock");
    assert!(code == Some(1) && why.contains("jobs"), "{code:?} {why}");
    let (code, why) = up("other", "run/local.sock");
    assert!(code == Some(1) && why.contains("a daemon already listens there"), "{code:?} {why}");
    let (code, why) = up("third", &"long".repeat(30));
    assert!(code == Some(1) && why.contains("at most 107 bytes"), "{code:?} {why}");
    assert_eq!(machine.call(&["submit", "--wait", "--", "true"]).status.code(), Some(0), "the first one still serves");
}
