//! A day of two users and their administrator, as typed and seen: `recordings/local-day.transcript`; `UPDATE=1` writes
//! it.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use super::machine::{Machine, is_root, until};

#[derive(Clone, Copy)]
struct Person(&'static str, Option<u32>);

const ANN: Person = Person("ann", Some(65534));
const BOB: Person = Person("bob", Some(1));
const ROOT: Person = Person("root", None);

struct Day {
    machine: Machine,
    tape: String,
}

impl Day {
    fn remark(&mut self, text: &str) {
        let _ = write!(self.tape, "\n# {text}\n");
    }

    /// Someone types a command: it and what it prints go onto the tape. Gives the exit status.
    fn types(&mut self, who: Person, words: &[&str]) -> i32 {
        let output = self.machine.call_as(who.1, words);
        let quoted =
            words.iter().map(|word| if word.contains([' ', ';']) { format!("'{word}'") } else { (*word).to_owned() });
        let _ = writeln!(self.tape, "{}$ kornsole {}", who.0, quoted.collect::<Vec<_>>().join(" "));
        let printed = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        for line in printed.lines() {
            let _ = writeln!(self.tape, "{}", same_each_day(line));
        }
        let code = output.status.code().unwrap();
        if code != 0 {
            let _ = writeln!(self.tape, "[exit {code}]");
        }
        code
    }

    /// Waits until a job is in a state, which is not on the tape.
    fn until(&self, job: u64, state: &str) {
        self.machine.until(job, state);
    }
}

/// A line with one blank between words, with names instead of those of this system, and without what differs from day to day: times, and
/// how much was used.
fn same_each_day(line: &str) -> String {
    let machine = fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let word = |word: &str| {
        let (head, unit) = word.split_at(word.len() - word.chars().last().map_or(0, char::len_utf8));
        let number = head.strip_suffix('m').unwrap_or(head);
        let is_time = matches!(unit, "s") && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let is_clock = word.len() == 8 && word.bytes().filter(|byte| *byte == b':').count() == 2;
        let is_date = word.len() == 10 && word.starts_with("20") && word.matches('-').count() == 2;
        let is_size = ["Ki", "Mi"].iter().any(|unit| word.strip_suffix(unit).is_some_and(|n| n.parse::<f64>().is_ok()));
        match word {
            _ if is_time => "_s".to_owned(),
            _ if is_clock => "_:_:_".to_owned(),
            _ if is_date => "_-_-_".to_owned(),
            _ if is_size => "_Mi".to_owned(),
            _ if word == machine.trim() => "lab".to_owned(),
            _ => word.replace("nobody", "ann").replace("daemon", "bob"),
        }
    };
    line.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

const SMALL: [&str; 6] = ["--dir", "/", "--cpu", "1", "--mem", "100M"];

fn submit<'w>(flags: &[&'w str], command: &[&'w str]) -> Vec<&'w str> {
    [&["submit"], flags, &["--"], command].concat()
}

fn morning(day: &mut Day) {
    day.remark("ann prepares her data, and has a sweep follow it");
    let prepare = submit(&[&SMALL[..], &["--name", "prepare"]].concat(), &["echo", "prepared"]);
    assert_eq!(day.types(ANN, &prepare), 0);
    assert_eq!(day.types(ANN, &["wait", "1"]), 0);
    day.types(ANN, &["logs", "1"]);
    let sweep = ["--name", "sweep", "--after", "1:ok", "--array", "1-3"];
    let script = "echo rate $KORNSOLE_ARRAY_INDEX; test $KORNSOLE_ARRAY_INDEX != 2";
    day.types(ANN, &submit(&[&SMALL[..], &sweep].concat(), &["sh", "-c", script]));
    assert_eq!(day.types(ANN, &["wait", "2", "3", "4"]), 1);
    day.types(ANN, &["jobs", "--state", "failed", "--since", "1d"]);
    day.types(ANN, &["logs", "3"]);
}

fn noon(day: &mut Day) {
    day.remark("bob trains on three of four cores; ann has a large job, which keeps its turn");
    let train = ["--dir", "/", "--cpu", "3", "--mem", "100M", "--name", "train", "--time", "2h", "--no-requeue"];
    // It does not end within the answer to `cancel`.
    day.types(BOB, &submit(&train, &["sh", "-c", "trap \"sleep 2\" TERM; sleep 7200 & wait"]));
    day.until(5, "running");
    let large = ["--dir", "/", "--cpu", "4", "--mem", "100M", "--name", "merge", "--time", "1h"];
    day.types(ANN, &submit(&large, &["echo", "merged"]));
    day.types(ANN, &submit(&[&SMALL[..], &["--name", "late", "--time", "3h"]].concat(), &["echo", "late"]));
    day.types(ANN, &submit(&[&SMALL[..], &["--name", "short", "--time", "10m"]].concat(), &["echo", "short"]));
    assert_eq!(day.types(ANN, &["wait", "8"]), 0);
    until(|| day.machine.job(7)["reason"].as_str().is_some_and(|reason| reason.starts_with("waits for job 6")));
    day.types(ANN, &["jobs"]);
    day.remark("neither touches what is the other's");
    for command in [&["job", "5"][..], &["cancel", "5"], &["logs", "5"]] {
        assert_eq!(day.types(ANN, command), 1);
    }
    day.types(BOB, &["jobs", "--json", "--user", "nobody"]);
}

fn evening(day: &mut Day) {
    day.remark(
        "the administrator drains the machine for a new disk, and the daemon is killed and starts again meanwhile",
    );
    assert_eq!(day.types(ROOT, &["local", "drain", "--reason", "new disk"]), 0);
    day.types(BOB, &submit(&[&SMALL[..], &["--name", "next"]].concat(), &["echo", "next"]));
    day.machine.kill();
    day.machine.start();
    day.until(5, "running");
    assert_eq!(day.types(ROOT, &["local", "resume"]), 0);
    day.remark("bob stops his training, and the large job has its turn");
    assert_eq!(day.types(BOB, &["cancel", "5", "--reason", "enough epochs"]), 0);
    assert_eq!(day.types(ANN, &["wait", "6", "7"]), 0);
    assert_eq!(day.types(BOB, &["wait", "9"]), 0);
    assert_eq!(day.types(BOB, &["wait", "5"]), 125);
    for (who, jobs) in [(ANN, [1, 3, 6]), (BOB, [5, 9, 9])] {
        for job in jobs {
            let reason = day.machine.job(job)["reason"].as_str().unwrap().to_owned();
            let _ = writeln!(day.tape, "# job {job} of {}: {}", who.0, same_each_day(&reason));
        }
    }
}

#[test]
fn a_day_of_two_users_is_as_on_its_tape() {
    if !is_root("two users") {
        return;
    }
    let mut day = Day { machine: Machine::up(&["--gpu", "0"]), tape: String::new() };
    morning(&mut day);
    noon(&mut day);
    evening(&mut day);
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/local-day.transcript");
    if std::env::var_os("UPDATE").is_some() {
        fs::write(&file, &day.tape).unwrap();
    }
    assert_eq!(day.tape, fs::read_to_string(&file).unwrap_or_default(), "UPDATE=1 writes the tape again");
}
