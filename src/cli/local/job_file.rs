//! A job as YAML: `command`, and long options of `kornsole submit`.

use super::options::JobOptions;
use config::yaml::{self, Node};
use config::{Faults, Place, Severity, Source};
use model::Profile;

/// The job of a file.
#[derive(Debug, Default)]
pub struct JobFile {
    /// The command; may be empty.
    pub command: Vec<String>,
    /// The options of the file in the form of arguments.
    pub options: JobOptions,
}

const KEYS: [&str; 22] = [
    "command",
    "queue",
    "name",
    "cpu",
    "mem",
    "gpu",
    "time",
    "priority",
    "after",
    "array",
    "retry",
    "requeue",
    "no-requeue",
    "no-preempt",
    "hold",
    "env",
    "dir",
    "output",
    "error",
    "signal",
    "checkpoint",
    "at-end",
];
const FLAGS: [&str; 4] = ["requeue", "no-requeue", "no-preempt", "hold"];

/// Fails with every error and its location.
pub fn read(name: &str, bytes: &[u8]) -> Result<JobFile, String> {
    let mut faults = Faults::new(Profile::Kornsole);
    let text = yaml::decode(bytes, &mut faults).unwrap_or_default();
    let document = yaml::parse(text, &mut faults);
    let mut found = JobFile::default();
    let root = document.as_ref().and_then(|document| document.root());
    match root.and_then(|root| root.map("the job", &KEYS, "", &mut faults)) {
        Some(fields) => {
            for (key, value) in fields.into_iter().filter(|(key, value)| KEYS.contains(&key.text) && !value.is_null()) {
                read_key(&mut found, key.text, value, &mut faults);
            }
        }
        None if !faults.has_errors() => {
            let hint = "write keys, for example `command: make test` and `cpu: 2`";
            faults.error("JOB-001", Place { line: 1, column: 1 }, "", "the file has no job", hint);
        }
        None => {}
    }
    let has_errors = faults.has_errors();
    let faults = faults.into_sorted();
    let errors: Vec<_> = faults.into_iter().filter(|fault| fault.severity == Severity::Error).collect();
    if has_errors { Err(Source::new(name, text).render_all(&errors)) } else { Ok(found) }
}

fn read_key(found: &mut JobFile, key: &str, value: Node<'_>, faults: &mut Faults) {
    let text = |node: Node<'_>, faults: &mut Faults| node.text(key, "", faults).good().map(|text| text.value);
    let mut words = Vec::new();
    match key {
        // A single string runs in a shell, like in a terminal.
        "command" if !value.is_list() => {
            let line = text(value, faults).unwrap_or_default();
            found.command = ["sh", "-c", &line].map(str::to_owned).to_vec();
        }
        "command" => {
            let items = value.items(key, "", faults).unwrap_or_default();
            found.command = items.into_iter().filter_map(|item| text(item, faults)).collect();
        }
        "env" => {
            for (name, value) in value.any_map(key, "", faults).into_iter().flatten() {
                words.extend(text(value, faults).map(|value| format!("--env={}={value}", name.text)));
            }
        }
        "after" if value.is_list() => {
            let items = value.items(key, "", faults).unwrap_or_default();
            words.extend(items.into_iter().filter_map(|item| text(item, faults)).map(|job| format!("--after={job}")));
        }
        _ if FLAGS.contains(&key) => {
            let is = value.bool(key, "", faults).good().is_some_and(|is| is.value);
            words.extend(is.then(|| format!("--{key}")));
        }
        _ => words.extend(text(value, faults).map(|value| format!("--{key}={value}"))),
    }
    match JobOptions::read(&words) {
        Ok(options) => found.options = std::mem::take(&mut found.options).or(options),
        Err(why) => faults.error("JOB-002", value.at(), "", why, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_a_job() {
        let text = "command: [make, test]\ncpu: 2\nmem: 4G\nenv: {A: 1, B: two}\nafter: [3, '4:any']\nhold: true\narray: 1-3%2\n";
        let file = read("job.yaml", text.as_bytes()).unwrap();
        assert_eq!(file.command, ["make", "test"]);
        let options = file.options;
        assert_eq!((options.cpu, options.hold, options.after.len(), options.env.len()), (Some(2000), true, 2, 2));
        assert_eq!(read("job.yaml", b"command: a | b\n").unwrap().command, ["sh", "-c", "a | b"]);
    }

    #[test]
    fn every_fault_has_its_place() {
        let why = read("job.yaml", b"command: true\nprioriti: 2\ntime: soon\nhold: maybe\n").unwrap_err();
        for place in ["job.yaml:2:1", "job.yaml:3:7", "job.yaml:4:7"] {
            assert!(why.contains(place), "{place} is not in {why}");
        }
        assert!(why.contains("did you mean `priority`"), "{why}");
        assert!(read("job.yaml", b"").unwrap_err().contains("no job"));
        assert!(read("job.yaml", b"[1, 2]").is_err() && read("job.yaml", b"{").is_err() && read("j", &[0xff]).is_err());
    }
}
