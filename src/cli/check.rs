//! `kornsole check`: validates queue configurations and reports all errors at once.

use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::check_output::{annotation, as_annotations, as_json, as_text, with_notes};
use super::check_pods::{Note, Pods};
use super::inputs::{self, ConfigFile, Unread};
use super::predicted::{self, PredictedCore};
use super::{printed, sarif};
use config::lint::Known;
use config::{DEFAULT_POLICY_GROUP, Fault, Reading, Severity, fault::escaped, lint, yaml};
use model::Profile;

/// The arguments of `kornsole check`.
#[derive(Args, Clone, Debug)]
pub struct CheckArgs {
    /// Queue configurations, or files that contain one; `-` is standard input
    ///
    /// Directories and patterns are accepted too. kornsole reads ConfigMaps, Helm values, Argo CD, Flux, Kustomize, Terraform, gzip, and
    /// zstd files.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print one JSON array
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Format of the output
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub format: Format,
    /// The profile that validates
    #[command(flatten)]
    pub core: PredictedCore,
    /// Pod manifests to check with each configuration: gangs and rejected applications
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub pods: Vec<PathBuf>,
    /// Manifests of the nodes, to compare guarantees with (`kubectl get nodes -o json`)
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub nodes: Vec<PathBuf>,
    /// Entry of a ConfigMap to read: NAME.yaml
    #[arg(long, value_name = "NAME", default_value = DEFAULT_POLICY_GROUP)]
    pub policy_group: String,
    /// Warning to treat as an error, for example W-001 or CFG-S09 (repeatable)
    #[arg(long, value_name = "ID", value_parser = lint::WARNING_IDS, hide_possible_values = true)]
    pub deny: Vec<String>,
    /// Warning to ignore (repeatable)
    #[arg(long, value_name = "ID", value_parser = lint::WARNING_IDS, hide_possible_values = true)]
    pub allow: Vec<String>,
}

/// The output format of errors.
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

/// Checks the files and prints the errors. Exit code 0: all are valid; 1: a file is invalid or cannot be read.
pub fn run(args: &CheckArgs) -> ExitCode {
    let (mut out, mut err) = (printed::out(), printed::err());
    match check(args, args.core.profile(), &mut io::stdin().lock(), &mut out, &mut err) {
        Ok(code) => ExitCode::from(code),
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
    let (mut code, mut report, mut read, mut from_stdin) = (0, Vec::new(), Vec::new(), None);
    let manifests = [args.pods.as_slice(), &args.nodes].concat();
    let pods = Pods::read(&manifests).or_else(|why| {
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
            let (notes, known) = pods.submitted(&checked.reading, core);
            let notes = Note::judged(notes, &args.allow, &args.deny);
            let checked = checked.linted(args, &known);
            let Checked { name, reading, file, .. } = &checked;
            if let Some(description) = file.as_ref().and_then(ConfigFile::description) {
                writeln!(err, "{}", escaped(&description))?;
            }
            code = code.max(u8::from(!reading.is_valid() || notes.iter().any(|note| note.is_error)));
            match format {
                Format::Json if args.pods.is_empty() => report.push(as_json(name, reading, core)),
                Format::Json => report.push(with_notes(as_json(name, reading, core), &notes)),
                Format::Github => {
                    as_annotations(name, reading, out)?;
                    each(&notes, |note| annotation(note.fault(), out))?;
                }
                Format::Text => checked.print(&notes, core, out)?,
                Format::Sarif => {
                    read.extend(reading.faults.iter().map(|fault| (name.clone(), fault.clone())));
                    let of_pods = notes.iter().map(Note::fault);
                    // A note without a place belongs to the configuration.
                    read.extend(
                        of_pods
                            .map(|(file, fault)| (if file.is_empty() { name.clone() } else { file.to_owned() }, fault)),
                    );
                }
            }
        }
    }
    finish(format, core, report, &read, (out, err))?;
    out.flush()?;
    Ok(code)
}

fn finish(
    format: Format,
    core: Profile,
    report: Vec<Value>,
    read: &[(String, Fault)],
    (out, err): (&mut impl Write, &mut impl Write),
) -> io::Result<()> {
    match format {
        Format::Json => writeln!(out, "{:#}", Value::Array(report))?,
        Format::Sarif => {
            writeln!(out, "{:#}", sarif::log(read.iter().map(|(name, fault)| (&**name, fault)), core))?;
        }
        Format::Github => writeln!(err, "{}", predicted::line(core))?,
        Format::Text => {}
    }
    Ok(())
}

fn each(notes: &[Note], write: impl FnMut(&Note) -> io::Result<()>) -> io::Result<()> {
    notes.iter().try_for_each(write)
}

/// A configuration with its errors.
struct Checked {
    name: String,
    /// The text with the locations.
    text: Arc<str>,
    reading: Reading,
    file: Option<ConfigFile>,
}

impl Checked {
    /// Fails only for an unreadable file.
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

    /// Prints the errors, the effects on pods, and whether another core accepts the configuration.
    fn print(&self, notes: &[Note], core: Profile, out: &mut impl Write) -> io::Result<()> {
        as_text(&self.name, &self.text, &self.reading, core, out)?;
        each(notes, |note| {
            let place = note.place.as_ref().map(|(file, line)| format!(" at {file}:{line}")).unwrap_or_default();
            writeln!(out, "{}: {}{}", note.severity(), escaped(&note.text), escaped(&place))
        })?;
        match self.file.as_ref().filter(|file| !file.read(core).is_valid()) {
            Some(file) => out.write_all(predicted::taken_by(file, core).as_bytes()),
            None => Ok(()),
        }
    }

    /// Adds the denied warnings; one of them rejects the configuration.
    fn linted(mut self, args: &CheckArgs, known: &Known) -> Self {
        let Some(file) = &self.file else { return self };
        self.reading.faults.extend(file.lint_for(known));
        self.reading.faults = lint::judged(self.reading.faults, &args.allow, &args.deny);
        if self.reading.faults.iter().any(|fault| fault.severity == Severity::Error) {
            self.reading.config = None;
        }
        self.reading.faults.sort_by_key(|fault| (fault.at, fault.severity));
        self
    }
}

/// The content of standard input, at most one byte above the limit of a configuration; `None` for a file.
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
mod tests;
