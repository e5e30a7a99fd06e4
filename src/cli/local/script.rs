//! Requests in a script's comments before its first command: lines with `#kornsole`, `#SBATCH`, or `#PBS`.
//!
//! An unknown option that affects the run is an error; others are ignored and listed.

use super::batch::Batch;
use super::options::JobOptions;
use super::pbs::Pbs;
use super::sbatch::Sbatch;

/// The requests of a script.
#[derive(Debug, Default)]
pub struct Found {
    /// The job options.
    pub options: JobOptions,
    /// Requests for another scheduler.
    pub batch: Option<Batch>,
    /// The ignored options in one line; may be empty.
    pub ignored: String,
}

/// Fails at the first invalid line: `FILE:LINE: why`.
pub fn read(file: &str, text: &str) -> Result<Found, String> {
    let (mut own, mut slurm, mut pbs) = (JobOptions::default(), None::<Sbatch>, None::<Pbs>);
    let mut ignored = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let trimmed = line.trim();
        if !trimmed.is_empty() && !trimmed.starts_with('#') {
            break;
        }
        let at = |why: String| format!("{file}:{number}: {why}");
        let note = |what: Vec<String>| what.into_iter().map(move |what| format!("{what} (line {number})"));
        if let Some(rest) = trimmed.strip_prefix("#kornsole ") {
            let found = JobOptions::read(&words(rest).map_err(at)?).map_err(at)?;
            // A later line overrides an earlier one, like options.
            own = found.or(own);
        } else if let Some(rest) = after(line, "#SBATCH") {
            ignored.extend(note(slurm.get_or_insert_default().line(&words(rest).map_err(at)?).map_err(at)?));
        } else if let Some(rest) = after(line, "#PBS") {
            ignored.extend(note(pbs.get_or_insert_with(|| Pbs::of(text)).line(&words(rest).map_err(at)?).map_err(at)?));
        }
    }
    let batch = match (slurm, pbs) {
        (Some(_), Some(_)) => return Err(format!("{file}: #SBATCH and #PBS lines together; remove those of one kind")),
        (Some(slurm), None) => Some(slurm.finish().map_err(|why| format!("{file}: {why}"))?),
        (None, pbs) => pbs.map(Pbs::finish),
    };
    let (remote, batch) = batch.map_or_else(Default::default, |(options, batch)| (options, Some(batch)));
    let ignored = match ignored.is_empty() {
        true => String::new(),
        false => format!("{file}: ignored options without an effect on this machine: {}", ignored.join(", ")),
    };
    Ok(Found { options: own.or(remote), batch, ignored })
}

/// Slurm and PBS accept it only in the first column.
fn after<'l>(line: &'l str, word: &str) -> Option<&'l str> {
    line.strip_prefix(word).filter(|rest| rest.starts_with([' ', '\t']))
}

fn words(rest: &str) -> Result<Vec<String>, String> {
    let end = rest.match_indices('#').map(|(at, _)| at).find(|at| rest[..*at].ends_with([' ', '\t']));
    shlex::split(&rest[..end.unwrap_or(rest.len())]).ok_or_else(|| "a quote is not closed".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::local::batch::Export;

    #[test]
    fn lines_for_kornsole_are_options() {
        let text = "#!/bin/sh\n# a comment\n#kornsole --cpu 2 --name 'my job' # why\n\n#kornsole --mem 1G\nmake\n#kornsole --cpu 9\n";
        let found = read("job.sh", text).unwrap();
        let options = found.options;
        assert_eq!(
            (options.cpu, options.name.as_deref(), options.mem),
            (Some(2000), Some("my job"), Some(1_000_000_000))
        );
        let why = read("job.sh", "#!/bin/sh\n#kornsole --time soon\n").unwrap_err();
        assert!(why.starts_with("job.sh:2: ") && why.contains("soon"), "{why}");
        assert!(read("job.sh", "#kornsole --name 'open\n").unwrap_err().starts_with("job.sh:1: a quote"));
    }

    #[test]
    fn lines_for_sbatch_get_their_meaning_and_harmless_ones_are_named() {
        let text = "#!/bin/bash
#SBATCH --job-name=train -c 4 -n 2
#SBATCH --mem-per-cpu=500 --time=1-02:30:00\t# a comment
#SBATCH -p root.gpu --gres=gpu:a100:2
#SBATCH -a1-8%2 -o out-%A_%a.txt -e err
#SBATCH --dependency=afterok:7:8,afterany:9 --no-requeue
#SBATCH --nodes=1 --mail-user=ann@example.org -A lab
##SBATCH --mem=1T
  #SBATCH --array=1-3
#SBATCH --export=NONE,A=1 --begin now+1hour
echo
#SBATCH --constraint=late
";
        let found = read("job.sh", text).unwrap();
        let (options, batch) = (found.options, found.batch.unwrap());
        assert_eq!((options.name.as_deref(), options.cpu, options.gpu), (Some("train"), Some(8000), Some(2)));
        assert_eq!((options.mem, options.time), (Some((8 * 500) << 20), Some(95_400)));
        assert_eq!((options.queue.as_deref(), options.array.map(|array| array.most)), (Some("root.gpu"), Some(2)));
        assert_eq!((options.dependency.unwrap().after.len(), options.no_requeue, options.env.len()), (3, true, 1));
        assert_eq!(options.error.as_deref(), Some(std::path::Path::new("err")));
        assert_eq!((batch.tasks, batch.cpus_per_task, batch.begin.is_some()), (2, Some(4), true));
        assert_eq!(batch.export, Export::Only(Vec::new()));
        let due = "job.sh: ignored options without an effect on this machine: --mail-user=ann@example.org (line 7), --account=lab (line 7)";
        assert_eq!(found.ignored, due);
    }

    #[test]
    fn an_option_that_changes_what_is_run_and_is_not_understood_names_its_line() {
        let refused = [
            "--constraint=rome",
            "--time=never",
            "-w elsewhere",
            "--nodes=2",
            "--exclusive=user",
            "--licenses=x:1",
            "--begin=soon",
            "--gres=disk:1",
            "--input=data",
            "--new-option",
            "-y",
            "--open-mode=truncate",
            "--mem",
            "--ntasks=0",
            "--wrap=ls",
        ];
        for option in refused {
            let why = read("job.sh", &format!("#!/bin/sh\n#SBATCH {option}\n")).unwrap_err();
            assert!(why.starts_with("job.sh:2: cannot apply "), "{option}: {why}");
        }
        let together = read("job.sh", "#SBATCH --mem=1G\n#SBATCH --mem-per-cpu=1G\n").unwrap_err();
        assert!(together.contains("use one of them"), "{together}");
        assert!(read("job.sh", "#SBATCH -n1\n#PBS -N a\n").unwrap_err().contains("together"));
    }

    #[test]
    fn cores_memory_and_gpus_of_slurm_are_those_of_the_job() {
        let asked = |line: &str| {
            let found = read("job.sh", &format!("#SBATCH {line}\n")).unwrap();
            let batch = found.batch.unwrap();
            let options = found.options;
            (options.cpu, options.mem, options.gpu, batch.whole_memory, batch.exclusive)
        };
        assert_eq!(asked("--mem=50"), (None, Some(50 << 20), None, false, false));
        assert_eq!(asked("--mem=0 --exclusive"), (None, None, None, true, true));
        assert_eq!(asked("--ntasks-per-node 3 --gpus-per-task=2"), (Some(3000), None, Some(6), false, false));
        assert_eq!(asked("--gpus-per-node=a100:1"), (None, None, Some(1), false, false));
        assert_eq!(asked("-G 2 --cpus-per-gpu=4 --mem-per-gpu=1G"), (Some(8000), Some(2 << 30), Some(2), false, false));
    }
}
