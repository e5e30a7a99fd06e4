//! `kornsole check`: validate queue configurations, all faults at once.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use super::check_output::{as_annotations, as_json, as_text, data};
use super::check_pods::Pods;
use super::inputs::{self, ConfigFile, Unread};
use super::predicted::{self, PredictedCore};
use super::sarif;
use config::{DEFAULT_POLICY_GROUP, Reading, Severity, fault::escaped, lint, yaml};
use model::Profile;

/// The arguments of `kornsole check`.
#[derive(Args, Clone, Debug)]
pub struct CheckArgs {
    /// Queue configurations, or files that contain one; `-` is standard input
    ///
    /// Directories and patterns are accepted too. kornsole reads ConfigMaps, Helm values, Argo CD, Flux, Kustomize, Terraform, and gzip
    /// files.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print one JSON array
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// Whose validator decides
    #[command(flatten)]
    pub core: PredictedCore,
    /// Pod manifests to check with each configuration: gangs and rejected applications
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub pods: Vec<PathBuf>,
    /// Entry of a ConfigMap to read: NAME.yaml
    #[arg(long, value_name = "NAME", default_value = DEFAULT_POLICY_GROUP)]
    pub policy_group: String,
    /// Warning to treat as an error (repeatable)
    #[arg(long, value_name = "ID", value_parser = lint::IDS)]
    pub deny: Vec<String>,
    /// Warning to ignore (repeatable)
    #[arg(long, value_name = "ID", value_parser = lint::IDS)]
    pub allow: Vec<String>,
}

/// How faults are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text with the source line and a caret
    #[default]
    Text,
    /// One JSON array
    Json,
    /// GitHub Actions annotations
    Github,
    /// One SARIF log, for code review tools
    Sarif,
}

/// Checks the files and prints what is wrong. Exit code 0: all are valid; 1: one is not, or cannot be read.
pub fn run(args: &CheckArgs) -> ExitCode {
    let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
    match check(args, args.core.profile(), &mut io::stdin().lock(), &mut out, &mut err) {
        Ok(code) => ExitCode::from(code),
        // The reader has seen enough: a closed pipe is no failure.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(1),
    }
}

fn check(
    args: &CheckArgs,
    core: Profile,
    stdin: &mut impl Read,
    out: &mut impl Write,
    err: &mut impl Write,
) -> io::Result<u8> {
    let format = if args.json { Format::Json } else { args.format };
    let mut code = 0;
    let mut report = Vec::new();
    let mut read = Vec::new();
    let mut from_stdin = None;
    let pods = Pods::read(&args.pods).or_else(|why| {
        code = 1;
        writeln!(err, "error: cannot check pods: {why}").map(|()| Pods::default())
    })?;
    for path in &args.files {
        let configs = match bytes_of(path, stdin, &mut from_stdin)? {
            Some(bytes) => inputs::of_bytes(path, bytes, &args.policy_group),
            None => inputs::each(path, &args.policy_group),
        };
        if configs.is_empty() {
            let name = path.display().to_string();
            writeln!(err, "error: {}: no queue configuration found; {}", escaped(&name), config::input::FORMS)?;
            code = 1;
        }
        for found in configs {
            let checked = match Checked::of(found, core) {
                Ok(checked) => checked,
                Err(why) => {
                    writeln!(err, "error: {}", escaped(&why))?;
                    code = 1;
                    continue;
                }
            };
            let checked = checked.linted(args);
            let Checked { name, reading, file, .. } = &checked;
            if let Some(description) = file.as_ref().and_then(ConfigFile::description) {
                writeln!(err, "{}", escaped(&description))?;
            }
            code = code.max(u8::from(!reading.is_valid()));
            let notes = pods.notes(reading, core);
            match format {
                Format::Json => {
                    let mut one = as_json(name, reading, core);
                    if !args.pods.is_empty() {
                        one["pods"] = json!(notes);
                    }
                    report.push(one);
                }
                Format::Github => {
                    as_annotations(name, reading, out)?;
                    each(&notes, |note| writeln!(out, "::warning title=pods::{}", data(note)))?;
                }
                Format::Text => checked.print(&notes, core, out)?,
                Format::Sarif => {
                    // A result of SARIF is in a file; these are between two.
                    each(&notes, |note| writeln!(err, "warning: {}", escaped(note)))?;
                    read.push((name.clone(), reading.clone()));
                }
            }
        }
    }
    finish(format, core, report, &read, (out, err))?;
    out.flush()?;
    Ok(code)
}

/// Prints what comes after the last configuration.
fn finish(
    format: Format,
    core: Profile,
    report: Vec<Value>,
    read: &[(String, Reading)],
    (out, err): (&mut impl Write, &mut impl Write),
) -> io::Result<()> {
    match format {
        Format::Json => writeln!(out, "{:#}", Value::Array(report))?,
        Format::Sarif => {
            let faults = read.iter().flat_map(|(name, reading)| reading.faults.iter().map(|fault| (&**name, fault)));
            writeln!(out, "{:#}", sarif::log(faults, core))?;
        }
        Format::Github => writeln!(err, "{}", predicted::line(core))?,
        Format::Text => {}
    }
    Ok(())
}

fn each(notes: &[String], write: impl FnMut(&String) -> io::Result<()>) -> io::Result<()> {
    notes.iter().try_for_each(write)
}

/// One configuration with what is wrong with it.
struct Checked {
    name: String,
    /// The text that the places are in.
    text: Arc<str>,
    reading: Reading,
    /// The file with the configuration, where one was found.
    file: Option<ConfigFile>,
}

impl Checked {
    /// Checks what was found in a file.
    ///
    /// # Errors
    /// The file cannot be read at all.
    fn of(found: Result<ConfigFile, Unread>, core: Profile) -> Result<Self, String> {
        match found {
            Ok(file) => {
                let (name, reading) = (file.name.display().to_string(), file.read(core));
                Ok(Self { name, text: Arc::clone(&file.text), reading, file: Some(file) })
            }
            Err(Unread::Faulty { name, text, faults }) => {
                let reading = Reading { config: None, faults };
                Ok(Self { name: name.display().to_string(), text: Arc::from(text), reading, file: None })
            }
            Err(Unread::Input(why)) => Err(why),
        }
    }

    /// Prints the faults, what pods make of the configuration, and whether another core accepts it.
    fn print(&self, notes: &[String], core: Profile, out: &mut impl Write) -> io::Result<()> {
        as_text(&self.name, &self.text, &self.reading, core, out)?;
        each(notes, |note| writeln!(out, "warning: {}", escaped(note)))?;
        match self.file.as_ref().filter(|file| !file.read(core).is_valid()) {
            Some(file) => out.write_all(predicted::taken_by(file, core).as_bytes()),
            None => Ok(()),
        }
    }

    /// The same with the warnings that are not allowed; one that is denied refuses the configuration.
    fn linted(mut self, args: &CheckArgs) -> Self {
        let Some(file) = &self.file else { return self };
        let warnings = lint::judged(file.lint(), &args.allow, &args.deny);
        if warnings.iter().any(|fault| fault.severity == Severity::Error) {
            self.reading.config = None;
        }
        self.reading.faults.extend(warnings);
        self.reading.faults.sort_by_key(|fault| (fault.at, fault.severity));
        self
    }
}

/// The content of standard input, which is read once, at most one byte more than is ever read as a configuration; `None` for a file.
fn bytes_of(path: &Path, stdin: &mut impl Read, from_stdin: &mut Option<Vec<u8>>) -> io::Result<Option<Vec<u8>>> {
    if path != Path::new("-") {
        return Ok(None);
    }
    if from_stdin.is_none() {
        let mut bytes = Vec::new();
        stdin.take(yaml::LARGEST as u64 + 1).read_to_end(&mut bytes)?;
        *from_stdin = Some(bytes);
    }
    Ok(from_stdin.clone())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        check: CheckArgs,
    }

    const BAD: &str = "\
partitions:
- name: default
  queues:
  - name: root
    submitacl: '*'
    queues:
    - name: a b
      resources:
        max: {memory: 500m}
    - name: ok
      properties: {priority.offset: high}
";

    /// Exit code, standard output and standard error for these arguments and this standard input.
    fn checked(arguments: &[&str], stdin: &str) -> (u8, String, String) {
        let cli = Cli::try_parse_from([&["check"], arguments].concat()).unwrap();
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let core = cli.check.core.or(Profile::NEWEST);
        let code = check(&cli.check, core, &mut stdin.as_bytes(), &mut out, &mut err).unwrap();
        (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
    }

    #[test]
    fn faults_for_people() {
        let (code, out, _) = checked(&["-"], BAD);
        assert_eq!(code, 1);
        insta::assert_snapshot!(out);
    }

    #[test]
    fn faults_as_json() {
        let (code, out, _) = checked(&["--json", "-"], BAD);
        assert_eq!(code, 1);
        insta::assert_snapshot!(out);
        let (code, out, _) = checked(&["--json", "-"], "partitions: [{queues: [{name: root, submitacl: '*'}]}]");
        let report: Value = serde_json::from_str(&out).unwrap();
        assert_eq!((code, report), (0, json!([{"core": "1.9.0", "file": "-", "valid": true, "faults": []}])));
    }

    #[test]
    fn faults_as_annotations() {
        let (code, out, _) = checked(&["--format", "github", "-"], BAD);
        assert_eq!(code, 1);
        insta::assert_snapshot!(out);
    }

    #[test]
    fn faults_as_sarif() {
        let (code, out, _) = checked(&["--format", "sarif", "-"], BAD);
        assert_eq!(code, 1);
        insta::assert_snapshot!(out.replace(env!("CARGO_PKG_VERSION"), "VERSION"));
    }

    #[test]
    fn exit_codes() {
        let good = "partitions: [{queues: [{name: root, submitacl: '*'}]}]";
        assert_eq!(checked(&["-"], good), (0, "-: valid (core 1.9.0)\n".into(), String::new()));
        let (code, _, err) = checked(&["no/such/file", "-"], good);
        assert_eq!(code, 1);
        assert!(err.contains("error: cannot read no/such/file: "), "{err}");
        assert!(Cli::try_parse_from(["check"]).is_err());
        assert!(Cli::try_parse_from(["check", "--core", "2.0", "-"]).is_err());
    }

    #[test]
    fn a_release_decides_when_asked() {
        let text = "partitions: [{queues: [{name: 'a/b', submitacl: '*'}]}]";
        assert_eq!(checked(&["-"], text), (0, "-: valid (core 1.9.0)\n".into(), String::new()));
        assert_eq!(checked(&["--core", "1.5.1", "-"], text).0, 1);
        let (code, out, _) = checked(&["--core", "kornsole", "-"], text);
        assert_eq!(code, 1);
        assert!(out.ends_with("-: core kornsole rejects it, YuniKorn 1.9.0 accepts it: use --core 1.9.0\n"), "{out}");
        assert_eq!(checked(&["--core", "1.8.0", "-"], text).0, 0);
    }

    /// A gang of one pod with a sidecar of 512Mi, in a group of 2Gi, with a style that there is not.
    const GANG: &str = r#"
apiVersion: v1
kind: Pod
metadata:
  name: head
  namespace: ray
  uid: h1
  creationTimestamp: "2025-01-01T10:00:00Z"
  labels: {applicationId: ray-0, queue: root.test}
  annotations:
    yunikorn.apache.org/task-group-name: head
    yunikorn.apache.org/schedulingPolicyParameters: gangSchedulingStyle=hard
    yunikorn.apache.org/task-groups: '[{"name": "head", "minMember": 1, "minResource": {"cpu": "1", "memory": "2Gi"}}]'
spec:
  schedulerName: yunikorn
  containers:
  - {name: head, resources: {requests: {cpu: "1", memory: 2Gi}}}
  - {name: sidecar, resources: {requests: {memory: 512Mi}}}
"#;

    fn with_gang(queue: &str) -> (u8, String, String) {
        static COUNT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let file = std::env::temp_dir().join(format!("kornsole-check-{}-{number}.yaml", std::process::id()));
        std::fs::write(&file, GANG).unwrap();
        let config =
            format!("partitions: [{{queues: [{{name: root, submitacl: '*', queues: [{{name: test, {queue}}}]}}]}}]");
        let found = checked(&["-", "--pods", &file.display().to_string()], &config);
        std::fs::remove_file(file).unwrap();
        found
    }

    #[test]
    fn a_gang_that_is_too_small_or_has_no_style_is_named() {
        let (code, out, err) = with_gang("resources: {}");
        assert_eq!((code, err.as_str()), (0, ""));
        let lines: Vec<&str> = out.lines().collect();
        assert_eq!(lines.len(), 3, "{out}");
        assert!(lines[1].starts_with("warning: pod ray/head: gangSchedulingStyle=hard has no effect"), "{out}");
        let small = "warning: pod ray/head: its task group \"head\" requests less than the pod: memory 2Gi of 2.5Gi.";
        assert!(lines[2].starts_with(small), "{out}");
    }

    #[test]
    fn a_queue_that_takes_no_such_gang_is_named() {
        let (_, sorts, _) = with_gang("properties: {application.sort.policy: fair}");
        assert!(sorts.contains("warning: application ray-0: rejected: ") && sorts.contains("sorts by fifo"), "{sorts}");
        let (_, small, _) = with_gang("resources: {max: {memory: 1Gi}}");
        assert!(small.contains("larger than max queue allocation of root.test"), "{small}");
    }

    #[test]
    fn pods_that_cannot_be_read_are_an_error() {
        let (code, _, err) = checked(&["-", "--pods", "/nowhere/pods.yaml"], "partitions: [{queues: [{name: root}]}]");
        assert!(code == 1 && err.starts_with("error: cannot check pods: "), "{err}");
    }
}
