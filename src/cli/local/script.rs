//! What a script asks for itself, in the comments before its first command: lines with `#kornsole`, and lines with `#SBATCH`, of which
//! those that matter are understood and the others are named.

use super::options::JobOptions;

/// What a script says about the job that it is.
#[derive(Debug, Default)]
pub struct Found {
    /// What it asks for.
    pub options: JobOptions,
    /// What is not supported and was left out, each with its place.
    pub left_out: Vec<String>,
}

/// Reads the comments of a script.
///
/// # Errors
/// The first line that does not read: `FILE:LINE: why`.
pub fn read(file: &str, text: &str) -> Result<Found, String> {
    let (mut own, mut slurm, mut left_out) = (JobOptions::default(), JobOptions::default(), Vec::new());
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if !line.is_empty() && !line.starts_with('#') {
            break;
        }
        let at = |why: String| format!("{file}:{number}: {why}");
        let words = |rest: &str| {
            let comment_free = rest.split(" #").next().unwrap_or_default();
            shlex::split(comment_free).ok_or_else(|| at("a quote is not closed".to_owned()))
        };
        if let Some(rest) = line.strip_prefix("#kornsole ") {
            let found = JobOptions::read(&words(rest)?).map_err(at)?;
            // A later line wins, as a later option does.
            own = found.or(own);
        } else if let Some(rest) = line.strip_prefix("#SBATCH ") {
            let (understood, unknown) = translated(&words(rest)?).map_err(at)?;
            left_out.extend(unknown.into_iter().map(|what| at(format!("#SBATCH {what} is not supported and ignored"))));
            let found = JobOptions::read(&understood).map_err(|why| at(format!("#SBATCH: {why}")))?;
            slurm = found.or(slurm);
        }
    }
    Ok(Found { options: own.or(slurm), left_out })
}

/// The options of a line for sbatch as options of `kornsole submit`, and those that it has not.
fn translated(words: &[String]) -> Result<(Vec<String>, Vec<String>), String> {
    let (mut known, mut unknown) = (Vec::new(), Vec::new());
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let (name, mut value) = match word.split_once('=') {
            Some((name, value)) if name.starts_with("--") => (name, Some(value.to_owned())),
            _ if word.starts_with('-') && !word.starts_with("--") && word.len() > 2 => {
                (&word[..word.char_indices().nth(2).map_or(word.len(), |(at, _)| at)], None)
            }
            _ => (word.as_str(), None),
        };
        if value.is_none() && name.len() < word.len() {
            value = Some(word[name.len()..].to_owned());
        }
        let flag = match name {
            "--requeue" => Some("--requeue"),
            "--no-requeue" => Some("--no-requeue"),
            "--hold" | "-H" => Some("--hold"),
            _ => None,
        };
        if let Some(flag) = flag {
            known.push(flag.to_owned());
            continue;
        }
        if value.is_none() {
            value = words.next_if(|next| !next.starts_with('-')).cloned();
        }
        let shown = || value.as_ref().map_or_else(|| name.to_owned(), |value| format!("{name}={value}"));
        match valued(name, value.as_deref().unwrap_or_default())? {
            Some(pair) => known.extend(pair),
            None => unknown.push(shown()),
        }
    }
    Ok((known, unknown))
}

/// The option for one of sbatch with a value; nothing for one that says what is so anyway, `None` for one that is not supported.
fn valued(name: &str, value: &str) -> Result<Option<Vec<String>>, String> {
    let pair = |option: &str, value: String| Ok(Some(vec![format!("{option}={value}")]));
    match name {
        "--job-name" | "-J" => pair("--name", value.to_owned()),
        "--cpus-per-task" | "-c" => pair("--cpu", value.to_owned()),
        "--mem" => pair("--mem", memory(value)?),
        "--time" | "-t" => pair("--time", format!("{}s", time(value)?)),
        "--partition" | "-p" => pair("--queue", value.to_owned()),
        "--array" | "-a" => pair("--array", value.to_owned()),
        "--output" | "-o" => pair("--output", value.to_owned()),
        "--chdir" | "-D" => pair("--dir", value.to_owned()),
        "--gpus" | "-G" => pair("--gpu", count_of_gpus(value).to_owned()),
        "--gres" if value.starts_with("gpu") && !value.contains(',') => {
            let rest = value.strip_prefix("gpu").unwrap_or_default();
            pair("--gpu", if rest.is_empty() { "1".to_owned() } else { count_of_gpus(rest).to_owned() })
        }
        "--dependency" | "-d" => match dependencies(value) {
            Some(after) => pair("--after", after),
            None => Ok(None),
        },
        // One process on one machine is what there is.
        "--nodes" | "-N" | "--ntasks" | "-n" | "--ntasks-per-node" if value == "1" => Ok(Some(Vec::new())),
        _ => Ok(None),
    }
}

fn count_of_gpus(value: &str) -> &str {
    value.rsplit(':').next().unwrap_or_default()
}

/// Slurm counts memory in MiB, and its units are powers of 1024.
fn memory(value: &str) -> Result<String, String> {
    let (number, unit) = match value.find(|letter: char| !letter.is_ascii_digit()) {
        Some(at) => value.split_at(at),
        None => (value, "M"),
    };
    let unit = match unit.to_ascii_uppercase().trim_end_matches('B') {
        "K" => "Ki",
        "M" => "Mi",
        "G" => "Gi",
        "T" => "Ti",
        _ => return Err(format!("#SBATCH --mem={value}: write an amount with K, M, G or T")),
    };
    Ok(format!("{number}{unit}"))
}

/// Seconds of `MINUTES`, `MINUTES:SECONDS`, `HOURS:MINUTES:SECONDS`, `DAYS-HOURS`, `DAYS-HOURS:MINUTES`, `DAYS-HOURS:MINUTES:SECONDS`.
fn time(value: &str) -> Result<u64, String> {
    let wrong = || format!("#SBATCH --time={value}: write minutes, H:M:S or D-H:M:S");
    let (days, rest) = value.split_once('-').map_or((None, value), |(days, rest)| (Some(days), rest));
    let read = |text: &str| text.parse::<u64>().map_err(|_| wrong());
    let parts = rest.split(':').map(read).collect::<Result<Vec<u64>, String>>()?;
    let units: &[u64] = match (days, parts.len()) {
        (None, 1) => &[60],
        (None, 2) => &[60, 1],
        (_, 3) => &[3600, 60, 1],
        (Some(_), 1) => &[3600],
        (Some(_), 2) => &[3600, 60],
        _ => return Err(wrong()),
    };
    let mut sum = days.map_or(Ok(0), read)?.checked_mul(86_400);
    for (part, unit) in parts.iter().zip(units) {
        sum = sum.and_then(|sum| sum.checked_add(part.checked_mul(*unit)?));
    }
    sum.filter(|seconds| *seconds > 0).ok_or_else(wrong)
}

/// `afterok:1:2,afterany:3` as `1:ok,2:ok,3:any`.
fn dependencies(value: &str) -> Option<String> {
    let mut found = Vec::new();
    for part in value.split(',') {
        let (kind, jobs) = part.split_once(':')?;
        let how = match kind {
            "afterok" => "ok",
            "afterany" => "any",
            _ => return None,
        };
        found.extend(jobs.split(':').map(|job| format!("{job}:{how}")));
    }
    Some(found.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn lines_for_sbatch_that_matter_are_understood_and_the_others_named() {
        let text = "#!/bin/bash
#SBATCH --job-name=train -c 4
#SBATCH --mem=4G --time=1-02:30:00
#SBATCH -p root.gpu --gres=gpu:a100:2
#SBATCH -a1-8%2 -o out-%A_%a.txt
#SBATCH --dependency=afterok:7:8,afterany:9 --no-requeue
#SBATCH --nodes=1 --mail-user=ann@example.org
#SBATCH --exclusive
";
        let found = read("job.sh", text).unwrap();
        let options = found.options;
        assert_eq!((options.name.as_deref(), options.cpu, options.gpu), (Some("train"), Some(4000), Some(2)));
        assert_eq!((options.mem, options.time), (Some(4 << 30), Some(95_400)));
        assert_eq!((options.queue.as_deref(), options.array.map(|array| array.most)), (Some("root.gpu"), Some(2)));
        assert_eq!((options.after.len(), options.no_requeue), (3, true));
        assert_eq!(
            found.left_out,
            [
                "job.sh:7: #SBATCH --mail-user=ann@example.org is not supported and ignored",
                "job.sh:8: #SBATCH --exclusive is not supported and ignored"
            ]
        );
        let why = read("job.sh", "#SBATCH --time=never\n").unwrap_err();
        assert!(why.starts_with("job.sh:1: #SBATCH --time=never"), "{why}");
    }

    #[test]
    fn times_of_slurm_are_read() {
        let read = ["30", "1:30", "2:00:00", "1-1", "1-1:30", "1-0:0:5"].map(time);
        assert_eq!(read, [1800, 90, 7200, 90_000, 91_800, 86_405].map(Ok));
        assert!(["", "0", "1:2:3:4", "x", "99999999999999999999-0"].into_iter().all(|text| time(text).is_err()));
    }
}
