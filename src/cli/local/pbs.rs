//! `#PBS` lines on one machine. An unknown option that affects the run is an error.

use std::path::PathBuf;

use super::amounts;
use super::batch::{Batch, Export};
use super::options::JobOptions;
use super::sbatch_values::dependencies;
use local::dialect::Dialect;

/// Options without an effect on one machine: account, priority, mail, project.
const HARMLESS: [char; 6] = ['A', 'M', 'P', 'k', 'm', 'p'];

/// The requests of a script.
#[derive(Default)]
pub struct Pbs {
    options: JobOptions,
    cores: Option<i64>,
    /// `ppn` in Torque, `mpiprocs` in PBS.
    slots: Option<i64>,
    /// The variables of `-v`.
    names: Option<Vec<String>>,
    /// `-V`: all variables.
    all: bool,
    joined: bool,
    /// Name of the program that runs the script.
    shell: String,
}

impl Pbs {
    /// The requests of a script with this text.
    pub fn of(script: &str) -> Self {
        let first = script.lines().next().and_then(|line| line.strip_prefix("#!")).unwrap_or_default();
        let mut words = first.split_whitespace().map(file_name).skip_while(|word| *word == "env");
        Self { shell: words.next().unwrap_or_default().to_owned(), ..Self::default() }
    }

    /// Parses the words of one line. Returns the ignored options.
    ///
    /// # Errors
    /// An unknown option or an invalid value.
    pub fn line(&mut self, words: &[String]) -> Result<Vec<String>, String> {
        let mut ignored = Vec::new();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut letters = word.strip_prefix('-').unwrap_or_default().chars();
            let letter = letters.next().ok_or_else(|| format!("cannot apply {word}: expected an option of qsub"))?;
            let rest = letters.as_str();
            if ['V', 'h'].contains(&letter) && rest.is_empty() {
                self.all |= letter == 'V';
                self.options.hold |= letter == 'h';
                continue;
            }
            let value = match rest {
                "" => words.next().cloned().ok_or_else(|| format!("cannot apply {word}: missing value"))?,
                rest => rest.to_owned(),
            };
            if HARMLESS.contains(&letter) {
                ignored.push(format!("-{letter} {value}"));
            } else {
                self.option(letter, &value).map_err(|why| format!("cannot apply -{letter} {value}: {why}"))?;
            }
        }
        Ok(ignored)
    }

    fn option(&mut self, letter: char, value: &str) -> Result<(), String> {
        let options = &mut self.options;
        match letter {
            'N' => options.name = Some(value.to_owned()),
            'q' => options.queue = Some(value.to_owned()),
            'o' => options.output = Some(file(value)),
            'e' => options.error = Some(file(value)),
            // The shell of the script is that of its first line.
            'S' if !self.shell.is_empty() && file_name(value) == self.shell => {}
            'd' | 'w' => options.dir = Some(PathBuf::from(value)),
            'J' | 't' => options.array = Some(amounts::array(value)?),
            'j' => self.joined = value != "n",
            'r' => (options.requeue, options.no_requeue) = (value == "y", value == "n"),
            'v' => self.variables(value),
            'W' => match value.strip_prefix("depend=") {
                Some(jobs) => options.dependency = Some(dependencies(jobs)?),
                None => return Err("not supported, and it changes the job; remove the option".to_owned()),
            },
            'l' => value.split(',').try_for_each(|part| self.resource(part))?,
            _ => return Err("not supported, and it changes the job; remove the option".to_owned()),
        }
        Ok(())
    }

    fn variables(&mut self, value: &str) {
        let names = self.names.get_or_insert_default();
        for part in value.split(',') {
            match part.split_once('=') {
                Some((name, value)) => self.options.env.push((name.to_owned(), value.to_owned())),
                None => names.push(part.to_owned()),
            }
        }
    }

    /// `walltime=1:00:00`, `mem=4gb`, `ncpus=4`, `nodes=1:ppn=4`, `select=1:ncpus=4:mem=4gb:ngpus=1`.
    fn resource(&mut self, text: &str) -> Result<(), String> {
        for (at, part) in text.split(':').enumerate() {
            let (name, value) = match part.split_once('=') {
                // The value of `walltime` contains colons.
                Some(("walltime", _)) => return self.walltime(text.strip_prefix("walltime=").unwrap_or_default()),
                Some(pair) => pair,
                None => return Err(format!("{part} is not supported; remove it")),
            };
            let count = || {
                value
                    .parse::<i64>()
                    .ok()
                    .filter(|count| (1..=1_000_000).contains(count))
                    .ok_or("expected a number from 1")
            };
            match name {
                "nodes" | "select" if at == 0 && value == "1" => {}
                "nodes" | "select" => return Err("a local job has one node; use 1".to_owned()),
                "ncpus" => self.cores = Some(count()?),
                // Each slot has one core.
                "ppn" => (self.cores, self.slots) = (Some(count()?), Some(count()?)),
                "ompthreads" => self.options.env.push(("OMP_NUM_THREADS".to_owned(), count()?.to_string())),
                "mpiprocs" => self.slots = Some(count()?),
                "ngpus" | "gpus" => self.options.gpu = Some(count()?.min(1024)),
                "mem" | "pmem" => self.options.mem = Some(memory(value)?),
                "place" => return Err("not supported on one machine; remove it".to_owned()),
                _ => return Err(format!("{name} is not supported; remove it")),
            }
        }
        Ok(())
    }

    fn walltime(&mut self, value: &str) -> Result<(), String> {
        const DUE: &str = "expected H:M:S, D:H:M:S, or seconds";
        let parts: Vec<&str> = value.split(':').collect();
        let units = [24 * 60 * 60, 60 * 60, 60, 1].get(4_usize.saturating_sub(parts.len())..).ok_or(DUE)?;
        let mut seconds = Some(0_u64).filter(|_| parts.len() <= 4);
        for (part, unit) in parts.into_iter().zip(units) {
            let part = part.parse::<u64>().map_err(|_| DUE)?;
            seconds = seconds.and_then(|sum| sum.checked_add(part.checked_mul(*unit)?));
        }
        self.options.time = Some(seconds.filter(|seconds| *seconds > 0).ok_or(DUE)?);
        Ok(())
    }

    /// Returns the result of all lines.
    pub fn finish(self) -> (JobOptions, Batch) {
        let mut options = self.options;
        options.cpu = self.cores.max(self.slots).map(|cores| cores * 1000);
        if self.joined {
            options.error = None;
        }
        let export = self.names.filter(|_| !self.all).map_or(Export::All, Export::Only);
        (options, Batch { tasks: self.slots.unwrap_or(1), export, ..Batch::new(Dialect::Pbs) })
    }
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A file name with the placeholder of PBS for the index.
fn file(name: &str) -> PathBuf {
    PathBuf::from(name.replace("^array_index^", "%a"))
}

/// Parses bytes: `400mb`, `4gb`, or a number of bytes.
fn memory(value: &str) -> Result<i64, String> {
    let at = value.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(value.len());
    let shift = match value[at..].to_ascii_lowercase().as_str() {
        "" | "b" => 0,
        "kb" | "k" => 10,
        "mb" | "m" => 20,
        "gb" | "g" => 30,
        "tb" | "t" => 40,
        _ => return Err("expected a quantity with kb, mb, gb, or tb".to_owned()),
    };
    let bytes = value[..at].parse::<i64>().ok().and_then(|number| number.checked_mul(1 << shift));
    bytes.filter(|bytes| *bytes > 0).ok_or_else(|| "expected a quantity with kb, mb, gb, or tb".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Result<(JobOptions, Batch), String> {
        let mut found = Pbs::default();
        for line in lines {
            found.line(&line.split(' ').map(str::to_owned).collect::<Vec<_>>())?;
        }
        Ok(found.finish())
    }

    #[test]
    fn lines_of_qsub_are_understood_or_refused() {
        let (options, batch) = read(&[
            "-N train -q root.gpu",
            "-l select=1:ncpus=4:mem=4gb:ngpus=2",
            "-l walltime=1:30:00",
            "-J 1-9:2",
            "-W depend=afterok:7:8",
        ])
        .unwrap();
        assert_eq!((options.name.as_deref(), options.queue.as_deref()), (Some("train"), Some("root.gpu")));
        assert_eq!(
            (options.cpu, options.mem, options.gpu, options.time),
            (Some(4000), Some(4 << 30), Some(2), Some(5400))
        );
        assert_eq!((options.array.unwrap().indices, options.dependency.unwrap().after.len()), (vec![1, 3, 5, 7, 9], 2));
        assert_eq!(batch, Batch::new(Dialect::Pbs));
        let (options, batch) = read(&["-l nodes=1:ppn=8,mem=400mb", "-v A=1,B", "-j oe -e err"]).unwrap();
        assert_eq!((options.cpu, options.mem, options.error), (Some(8000), Some(400 << 20), None));
        assert_eq!((options.env.len(), batch.export, batch.tasks), (1, Export::Only(vec!["B".to_owned()]), 8));
        let (options, batch) = read(&["-l select=1:ncpus=8:mpiprocs=2"]).unwrap();
        assert_eq!((options.cpu, batch.tasks), (Some(8000), 2));
        let (options, _) =
            read(&["-l select=1:ncpus=8:ompthreads=4 -l walltime=2:01:00:05", "-o out_^array_index^.txt"]).unwrap();
        assert_eq!((options.time, options.output), (Some(2 * 86_400 + 3605), Some(PathBuf::from("out_%a.txt"))));
        assert_eq!(options.env, [("OMP_NUM_THREADS".to_owned(), "4".to_owned())]);
        let shell = |script: &str| Pbs::of(script).line(&["-S".to_owned(), "/usr/bin/bash".to_owned()]).is_ok();
        assert_eq!(
            ["#!/bin/bash -l\n", "#!/usr/bin/env bash\n", "#!/bin/sh\n", ""].map(shell),
            [true, true, false, false]
        );
        for line in [
            "-l walltime=1:1:1:1:1",
            "-l nodes=2",
            "-l feature=x",
            "-S /bin/csh",
            "-I x",
            "-l mem=4x",
            "-W umask=2",
            "-l walltime=soon",
            "-N",
        ] {
            assert!(read(&[line]).is_err(), "{line}");
        }
    }
}
