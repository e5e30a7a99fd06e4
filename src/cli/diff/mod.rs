//! `kornsole diff`: compares two queue configurations as trees, from files or commits.

mod commits;
mod effects;
mod git;
mod markdown;
mod review;

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, ValueEnum};

use self::effects::ApplicationArgs;
use super::inputs;
use super::predicted::{self, PredictedCore};
use super::printed;
use super::remote::ClientArgs;
use ::config::{self, Config, DEFAULT_POLICY_GROUP, lint};
use model::Profile;

/// The arguments of `kornsole diff`.
#[derive(Args, Clone, Debug)]
#[command(
    override_usage = "kornsole diff [OPTIONS] OLD NEW\n       kornsole diff [OPTIONS] --git BASE[..HEAD] [PATH]..."
)]
pub struct DiffArgs {
    /// Old and new configuration; with --git, paths in the repository
    ///
    /// Any form that `check` reads; `-` is standard input.
    #[arg(value_name = "FILE", required_unless_present = "git")]
    pub files: Vec<PathBuf>,
    /// Compare the configurations of two commits; BASE...HEAD compares with their common ancestor
    #[arg(long, value_name = "BASE[..HEAD]")]
    pub git: Option<String>,
    /// Format of the output, with --git
    #[arg(long, value_enum, default_value_t = Format::Text, requires = "git", conflicts_with = "json")]
    pub format: Format,
    /// With --git: warning to treat as an error, for example W-001 or CFG-S09 (repeatable)
    #[arg(long, value_name = "ID", value_parser = lint::WARNING_IDS, hide_possible_values = true, requires = "git")]
    pub deny: Vec<String>,
    /// With --git: warning to ignore (repeatable)
    #[arg(long, value_name = "ID", value_parser = lint::WARNING_IDS, hide_possible_values = true, requires = "git")]
    pub allow: Vec<String>,
    /// The source of the applications
    #[command(flatten)]
    pub applications: ApplicationArgs,
    /// The profile that reads both
    #[command(flatten)]
    pub core: PredictedCore,
    /// Entry of a ConfigMap to read: NAME.yaml
    #[arg(long, value_name = "NAME", default_value = DEFAULT_POLICY_GROUP)]
    pub policy_group: String,
    /// The connection options
    #[command(flatten)]
    pub client: ClientArgs,
}

/// The output format of `--git`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text with source lines and carets
    #[default]
    Text,
    /// A comment for a merge request, at most 60 lines
    Markdown,
    /// GitHub Actions annotations
    Github,
    /// One SARIF log, for code review tools
    Sarif,
    /// JUnit XML, for test reports
    Junit,
    /// One JSON object
    Json,
}

/// Prints the differences. Exit codes as in diff(1): 0 none, 1 differences, 2 invalid usage or an invalid
/// configuration. With --git like `check`: 0 valid, 1 invalid.
pub fn run(args: &DiffArgs) -> ExitCode {
    let (mut out, mut err) = (printed::out(), printed::err());
    let (done, broken) = match &args.git {
        Some(commits) => (commits::compare(args, commits, &mut out, &mut err), 0),
        None => (compare(args, &mut out, &mut err), 1),
    };
    match done {
        Ok(code) => ExitCode::from(code),
        // The reader has seen that there is a difference.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(broken),
        Err(_) => ExitCode::from(2 - u8::from(args.git.is_some())),
    }
}

fn compare(args: &DiffArgs, out: &mut impl Write, err: &mut impl Write) -> io::Result<u8> {
    let [old, new] = args.files.as_slice() else {
        let found = args.files.len();
        writeln!(err, "error: expected two configurations, found {found}; use `kornsole diff OLD NEW`, or --git")?;
        return Ok(2);
    };
    if old == Path::new("-") && new == old {
        writeln!(err, "error: cannot read both configurations from standard input; name a file for one of them")?;
        return Ok(2);
    }
    let core = args.core.profile();
    let mut read = Vec::new();
    for file in [old, new] {
        match config_of(file, args, core) {
            Ok(config) => read.push(config),
            Err(message) => writeln!(err, "{}", printed::error(message.trim_end()))?,
        }
    }
    let [old, new] = read.as_slice() else { return Ok(2) };
    let diff = config::diff(old, new);
    if args.client.json {
        let mut json = diff.to_json();
        json["core"] = core.name().into();
        writeln!(out, "{json:#}")?;
    } else if diff.is_empty() {
        writeln!(out, "no differences ({})", predicted::line(core))?;
    } else {
        write!(out, "{}\n{} ({})\n", diff.to_text(), diff.summary(), predicted::line(core))?;
    }
    out.flush()?;
    Ok(u8::from(!diff.is_empty()))
}

fn config_of(file: &Path, args: &DiffArgs, core: Profile) -> Result<Config, String> {
    let file = inputs::one(file, &args.policy_group)?;
    let reading = file.read(core);
    reading.config.ok_or_else(|| file.report(&reading.faults))
}
