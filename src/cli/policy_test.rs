//! `kornsole test`: test cases for a queue configuration.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use clap::Args;

use super::junit::{self, Case as JunitCase};
use super::predicted::{self, PredictedCore};
use super::{fail, inputs, load, printed};
use ::config::{Config, DEFAULT_POLICY_GROUP};
use forecast::policy::{self, Case, Failure};
use model::Profile;

/// The arguments of `kornsole test`.
#[derive(Args, Clone, Debug)]
pub struct TestArgs {
    /// Files with policy tests (YAML); `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Queue configuration, instead of the one that each file names
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Only run tests with this text in their name
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Write a JUnit report
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Print one JSON object for each test
    #[arg(long)]
    pub json: bool,
    /// The profile for files that do not name one
    #[command(flatten)]
    pub core: PredictedCore,
    /// Entry of a ConfigMap to read: NAME.yaml
    #[arg(long, value_name = "NAME", default_value = DEFAULT_POLICY_GROUP)]
    pub policy_group: String,
}

struct Ran {
    file: String,
    case: Case,
    core: Profile,
    seconds: f64,
    failures: Vec<Failure>,
}

/// Runs the cases of all files. Exit code 0: all pass; 1: a test fails; 2: a file or a configuration cannot be read.
pub fn run(args: &TestArgs) -> ExitCode {
    let mut all = Vec::new();
    for file in &args.files {
        match of_file(file, args) {
            Ok(ran) => all.extend(ran),
            Err(why) => return fail(&why, 2),
        }
    }
    if all.is_empty() {
        return fail("no test has a name with the text of --filter", 2);
    }
    if let Some(file) = &args.junit
        && let Err(why) = std::fs::write(file, report(&all))
    {
        return fail(&format!("cannot write {}: {why}", file.display()), 2);
    }
    let printed = print(&all, args, &mut printed::out());
    match printed {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            fail(&format!("cannot write the result: {error}"), 2)
        }
        _ => ExitCode::from(u8::from(all.iter().any(|ran| !ran.failures.is_empty()))),
    }
}

fn of_file(file: &Path, args: &TestArgs) -> Result<Vec<Ran>, String> {
    let bytes = load::unpacked(file, load::SMALL)?;
    let policy::Reading { file: read, faults } = policy::read(&bytes);
    let Some(read) = read else {
        return Err(load::fault_report(file, &bytes, &faults));
    };
    let named = read.config.as_ref().map(|name| file.parent().unwrap_or(Path::new("")).join(name));
    let config = args.config.clone().or(named).ok_or_else(|| {
        format!("{}: no queue configuration; add `config: queues.yaml`, or use --config FILE", file.display())
    })?;
    let core = args.core.or(read.core.unwrap_or_else(predicted::by_settings));
    let config: Arc<Config> = inputs::one(&config, &args.policy_group)?.parsed(core)?;
    let unknown = policy::unknown_queues(&read, &config, core).map_err(|why| format!("{}: {why}", file.display()))?;
    if !unknown.is_empty() {
        return Err(load::fault_report(file, &bytes, &unknown));
    }
    let mut all = Vec::new();
    for case in read.cases {
        if args.filter.as_ref().is_some_and(|text| !case.name.contains(text)) {
            continue;
        }
        let started_at = Instant::now();
        let failures = policy::run(&case, &config, core).map_err(|why| format!("{}: {why}", file.display()))?;
        let seconds = started_at.elapsed().as_secs_f64();
        all.push(Ran { file: file.display().to_string(), case, core, seconds, failures });
    }
    Ok(all)
}

fn print(all: &[Ran], args: &TestArgs, out: &mut impl Write) -> io::Result<()> {
    if args.json {
        for Ran { file, case, core, failures, .. } in all {
            let of = |failure: &Failure| serde_json::json!({"line": failure.at.line, "why": failure.why});
            let failures: Vec<_> = failures.iter().map(of).collect();
            let one = serde_json::json!({
                "file": file, "line": case.at.line, "name": case.name, "core": core.name(),
                "passed": failures.is_empty(), "failures": failures,
            });
            writeln!(out, "{one}")?;
        }
        return out.flush();
    }
    for ran in all {
        let word = if ran.failures.is_empty() { "ok  " } else { "FAIL" };
        writeln!(out, "{word}  {}: {}", ran.file, ran.case.name)?;
        for Failure { at, why } in &ran.failures {
            writeln!(out, "      {}:{}: {why}", ran.file, at.line)?;
        }
    }
    let failed = all.iter().filter(|ran| !ran.failures.is_empty()).count();
    writeln!(out, "\n{} passed, {failed} failed (core {})", all.len() - failed, cores(all))?;
    out.flush()
}

fn cores(all: &[Ran]) -> String {
    let mut cores: Vec<&str> = all.iter().map(|ran| ran.core.name()).collect();
    cores.dedup();
    cores.join(", ")
}

fn report(all: &[Ran]) -> String {
    let case = |ran: &Ran| {
        let lines: Vec<String> =
            ran.failures.iter().map(|one| format!("{}:{}: {}", ran.file, one.at.line, one.why)).collect();
        let failure = ran.failures.first().map(|first| (first.why.clone(), lines.join("\n")));
        JunitCase { class: ran.file.clone(), name: ran.case.name.clone(), time: ran.seconds, failure }
    };
    junit::document("kornsole test", &cores(all), &all.iter().map(case).collect::<Vec<_>>())
}
