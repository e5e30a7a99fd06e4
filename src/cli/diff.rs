//! `kornsole diff`: two queue configurations compared as trees.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use super::inputs;
use super::predicted::{self, PredictedCore};
use super::printed;
use ::config::{self, Config, DEFAULT_POLICY_GROUP};
use model::Profile;

/// The arguments of `kornsole diff`.
#[derive(Args, Clone, Debug)]
pub struct DiffArgs {
    /// Old configuration, in any form that `check` reads; `-` is standard input
    pub old: PathBuf,
    /// New queue configuration
    pub new: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// By whose rules both are read
    #[command(flatten)]
    pub core: PredictedCore,
    /// Entry of a ConfigMap to read: NAME.yaml
    #[arg(long, value_name = "NAME", default_value = DEFAULT_POLICY_GROUP)]
    pub policy_group: String,
}

/// Prints what is different. Exit codes as in diff(1): 0 nothing, 1 something, 2 wrong use or a file that cannot be read
/// as a valid configuration.
pub fn run(args: &DiffArgs) -> ExitCode {
    let (mut out, mut err) = (io::stdout().lock(), io::stderr().lock());
    match compare(args, &mut out, &mut err) {
        Ok(code) => ExitCode::from(code),
        // Who reads has seen that there is something.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::from(1),
        Err(_) => ExitCode::from(2),
    }
}

fn compare(args: &DiffArgs, out: &mut impl Write, err: &mut impl Write) -> io::Result<u8> {
    if args.old == Path::new("-") && args.new == args.old {
        writeln!(err, "error: cannot read both configurations from standard input; name a file for one of them")?;
        return Ok(2);
    }
    let core = args.core.profile();
    let mut read = Vec::new();
    for file in [&args.old, &args.new] {
        match config_of(file, args, core) {
            Ok(config) => read.push(config),
            Err(message) => writeln!(err, "{}", printed::error(message.trim_end()))?,
        }
    }
    let [old, new] = read.as_slice() else { return Ok(2) };
    let diff = config::diff(old, new);
    if args.json {
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
