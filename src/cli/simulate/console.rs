//! Simulations for the console, with the arguments of the command.

use std::path::Path;
use std::sync::Arc;

use clap::{Args as _, FromArgMatches as _};

use super::compare::sentences;
use super::progress::Reported;
use super::search::searched;
use super::sweep::{Report, Row, sweep};
use super::variant::Label;
use super::{Cluster, Ended, Past, SimulateArgs, never, read, variant};
use console::{SimulateJob, Simulator};
use forecast::simulate::{Group, Metrics, Waits};
use scheduler::NodeSpec;
use view::simulation::{SimulatedGroup, SimulatedRun, SimulatedUse, SimulatedWaits, Simulation};

/// Runs simulations for a console; paths are relative to `dir`, or to the working directory.
pub fn simulator(dir: Option<&Path>) -> Simulator {
    let dir = dir.map(Path::to_owned).unwrap_or_default();
    Simulator::new(move |job, reported| made(job, &dir, reported).map_err(|ended| ended.message))
}

fn made(job: &SimulateJob, dir: &Path, reported: &Reported<'_>) -> Result<Simulation, Ended> {
    let words = words(&job.words)?;
    if let [file] = words.as_slice()
        && Path::new(file).extension().is_some_and(|end| end == "jsonl")
    {
        return finished(&dir.join(file));
    }
    let words = if job.past.is_some() { of_the_past(words) } else { words };
    let mut args = parsed(&words)?;
    if let Some(past) = &job.past {
        let journal = past.journal.clone().ok_or_else(|| Ended::usage("no past data is saved here"))?;
        (args.past, args.state) = (Some(Past { journal, until: past.until }), None);
    }
    let files = args.workloads.iter_mut().chain(&mut args.configs);
    let files = files.chain(&mut args.state).chain(&mut args.nodes).chain(&mut args.pods).chain(&mut args.resume);
    files.for_each(|file| *file = dir.join(&*file));
    let nodes = job.nodes.iter().map(|(id, capacity)| NodeSpec {
        id: id.clone(),
        capacity: capacity.clone(),
        ..NodeSpec::default()
    });
    args.cluster = job.config.as_ref().map(|config| Cluster { config: config.to_string(), nodes: nodes.collect() });
    variant::check(&args)?;
    let watch = (job.stop.flag(), reported);
    let inputs = read::inputs(&args, watch)?;
    let (rows, sentences) = if args.find.is_some() {
        let search = searched(&args, &inputs, watch)?;
        (search.tried.into_iter().map(|one| one.result).collect(), vec![search.sentence])
    } else {
        let report = sweep(&args, &inputs, variant::variants(&args, &inputs), watch)?;
        let sentences = sentences(&report);
        (report.rows, sentences)
    };
    let runs = runs(&rows, &sentences, &inputs.notes);
    Ok(Simulation { notes: inputs.notes, sentences, runs })
}

/// The arguments of a simulation of the past; the first can be its start.
fn of_the_past(mut words: Vec<String>) -> Vec<String> {
    if words.first().is_some_and(|first| !first.starts_with('-')) {
        words.insert(0, "--from".to_owned());
    }
    // Reports on a time range need a directory; the console's journal replaces it.
    words.splice(0..0, ["--state", "."].map(str::to_owned));
    words
}

fn finished(file: &Path) -> Result<Simulation, Ended> {
    let failed = |why: &dyn std::fmt::Display| Ended::input(format!("{}: {why}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|why| failed(&why))?;
    let row = |(number, line): (usize, &str)| {
        serde_json::from_str::<Row>(line)
            .map_err(|why| Ended::input(format!("{}:{}: no finished run: {why}", file.display(), number + 1)))
    };
    let lines = text.lines().enumerate().filter(|(_, line)| !line.is_empty());
    let rows = lines.map(row).collect::<Result<Vec<Row>, Ended>>()?;
    let report = Report { rows, notes: Vec::new() };
    let sentences = sentences(&report);
    let runs = runs(&report.rows, &sentences, &[]);
    Ok(Simulation { notes: report.notes, sentences, runs })
}

/// The arguments of the command, without options that print or write.
fn parsed(words: &[String]) -> Result<SimulateArgs, Ended> {
    let command =
        SimulateArgs::augment_args(clap::Command::new("simulate").no_binary_name(true)).color(clap::ColorChoice::Never);
    let found = command.try_get_matches_from(words).and_then(|found| SimulateArgs::from_arg_matches(&found));
    let args = found.map_err(|why| {
        let text = why.to_string();
        Ended::usage(text.lines().next().unwrap_or_default().trim_start_matches("error: "))
    })?;
    let written = [
        (args.json, "--json"),
        (args.csv, "--csv"),
        (args.html.is_some(), "--html"),
        (args.trace.is_some(), "--trace"),
        (args.backtest, "--backtest"),
    ];
    match written.iter().find(|(given, _)| *given) {
        Some((_, name)) => Err(Ended::usage(format!("{name} works only on the command line: kornsole simulate"))),
        None => Ok(args),
    }
}

/// Splits a command line into words; quotes join words.
fn words(written: &str) -> Result<Vec<String>, Ended> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for c in written.chars() {
        match (quote, c) {
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (Some(open), _) if open == c => quote = None,
            (None, _) if c.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(c),
        }
    }
    if quote.is_some() {
        return Err(Ended::usage("a quote is not closed"));
    }
    words.extend(word);
    Ok(words)
}

fn runs(rows: &[Row], sentences: &[String], notes: &[String]) -> Vec<Arc<SimulatedRun>> {
    let all: Arc<[String]> = sentences.iter().chain(notes).cloned().collect();
    let labels: Vec<Label> = rows.iter().map(|row| row.label.without_seed()).collect();
    let several = rows.iter().any(|row| row.label.seed > 1);
    let run = |row: &Row| {
        let mut name = row.label.without_seed().short(&labels);
        if several {
            name.push_str(&format!(", seed {}", row.label.seed));
        }
        let never = never::sentences(&row.metrics);
        let notes =
            if never.is_empty() { Arc::clone(&all) } else { never.into_iter().chain(all.iter().cloned()).collect() };
        Arc::new(SimulatedRun { notes, ..run(name, &row.metrics) })
    };
    rows.iter().map(run).collect()
}

fn run(name: String, metrics: &Metrics) -> SimulatedRun {
    let thousandths = |share: f64| (share * 1000.0).round() as u32;
    let resources = metrics.resources.iter().map(|(name, used)| SimulatedUse {
        name: name.clone(),
        mean: used.share().map(thousandths).unwrap_or_default(),
        last: used.last,
        series: metrics.series.used.get(name).cloned().unwrap_or_default(),
    });
    SimulatedRun {
        name,
        waits: waits(&metrics.total.waits),
        rejected: metrics.rejected,
        preempted: metrics.total.preempted,
        makespan: metrics.ended,
        fairness: metrics.fairness.map(thousandths),
        resources: resources.collect(),
        every: metrics.series.every,
        waiting: metrics.series.waiting.clone(),
        queues: metrics.queues.iter().map(group).collect(),
        users: metrics.users.iter().map(group).collect(),
        notes: Arc::default(),
    }
}

fn group(group: &Group) -> SimulatedGroup {
    SimulatedGroup { name: group.name.clone(), waits: waits(&group.waits), preempted: group.preempted }
}

fn waits(waits: &Waits) -> SimulatedWaits {
    let Waits { count, waiting, p50, p95, p99, max, .. } = *waits;
    SimulatedWaits { count, waiting, p50, p95, p99, max }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_the_past_may_be_first() {
        let of = |words: &[&str]| of_the_past(words.iter().map(ToString::to_string).collect()).join(" ");
        assert_eq!(of(&["24h", "--set", "root.a.max.vcore=8"]), "--state . --from 24h --set root.a.max.vcore=8");
        assert_eq!(of(&["--from", "2h", "--to", "1h"]), "--state . --from 2h --to 1h");
        assert_eq!(of(&[]), "--state .");
    }

    #[test]
    fn quoted_text_is_one_word() {
        let found = words("a.toml --until 'p95(wait, root.b) < 1m'  \"two words\" ''").ok().unwrap();
        assert_eq!(found, ["a.toml", "--until", "p95(wait, root.b) < 1m", "two words", ""]);
        assert!(words("'open").is_err());
    }
}
