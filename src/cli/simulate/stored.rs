//! Storage of finished runs, so that an interruption loses none.

use std::fs::{File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::read::Inputs;
use super::sweep::Row;
use super::variant::Variant;
use super::{Ended, SimulateArgs};

const UNFINISHED: &str = "kornsole-runs";
const MOST: usize = 1000;

pub(super) struct Retained {
    path: Option<PathBuf>,
    rows: Vec<Row>,
    file: Mutex<Option<File>>,
    unfinished: Option<PathBuf>,
}

impl Retained {
    /// Opens the file of `--resume`.
    pub fn open(args: &SimulateArgs) -> Result<Self, Ended> {
        let opened = args.resume.as_deref().map(opened).transpose()?;
        let (file, rows) = opened.map_or((None, Vec::new()), |(file, rows)| (Some(file), rows));
        Ok(Self { path: args.resume.clone(), rows, file: Mutex::new(file), unfinished: args.unfinished.clone() })
    }

    pub fn known(&self, args: &SimulateArgs, inputs: &Inputs, variant: &Variant) -> Option<Row> {
        let (label, digest) = (variant.label(inputs), digest(args, inputs, variant));
        self.rows.iter().find(|row| row.label == label && row.digest == digest).cloned()
    }

    pub fn keep(&self, row: &Row) {
        if let Some(file) = self.file.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            // A full disk loses only the ability to resume, not the result.
            let _written = written(file, [row]);
        }
    }

    /// Reports how to continue; without a named file, creates one.
    pub fn interrupted(&self, finished: &[Row], of: &str) -> Ended {
        let how = match (&self.path, &self.unfinished) {
            (Some(file), _) => format!("finished runs are in {}; repeat the command to continue", file.display()),
            _ if finished.is_empty() => "repeat the command to start again".to_owned(),
            (None, None) => "use --resume FILE to save finished runs".to_owned(),
            (None, Some(dir)) => match unfinished(dir, finished) {
                Ok(file) => format!(
                    "finished runs are in {0}; repeat the command with --resume {0} to continue",
                    file.strip_prefix(".").unwrap_or(&file).display()
                ),
                Err(why) => format!("cannot save the finished runs: {why}; use --resume FILE"),
            },
        };
        let count = finished.len();
        Ended { message: format!("interrupted after {count}{of}; {how}"), code: 130 }
    }
}

fn unfinished(dir: &Path, rows: &[Row]) -> std::io::Result<PathBuf> {
    for number in 1..MOST {
        let name = if number == 1 { format!("{UNFINISHED}.jsonl") } else { format!("{UNFINISHED}-{number}.jsonl") };
        let path = dir.join(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => return written(&mut file, rows).map(|()| path),
            Err(why) if why.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(why) => return Err(why),
        }
    }
    Err(std::io::Error::other(format!("{MOST} files {UNFINISHED}-*.jsonl exist already")))
}

fn written<'r>(file: &mut File, rows: impl IntoIterator<Item = &'r Row>) -> std::io::Result<()> {
    let mut lines = Vec::new();
    for row in rows {
        serde_json::to_writer(&mut lines, row)?;
        lines.push(b'\n');
    }
    file.write_all(&lines)
}

/// Files and options that a stored run must match besides its label.
pub(super) fn digest(args: &SimulateArgs, inputs: &Inputs, variant: &Variant) -> String {
    let options = format!(
        "{:?}{:?}{:?}{:?}{:?}{}{:?}",
        args.node, args.fill, args.runtimes, args.queues, args.time, args.lose_preempted, inputs.node_groups
    );
    format!("{}-{options}", inputs.digest(variant.workload, variant.config))
}

/// An incomplete last line is ignored.
fn opened(path: &Path) -> Result<(File, Vec<Row>), Ended> {
    let failed = |why: std::io::Error| Ended::input(format!("{}: {why}", path.display()));
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(failed)?;
    let mut rows = Vec::new();
    let mut ends_with_line = true;
    for (number, line) in BufReader::new(&file).split(b'\n').enumerate() {
        let line = line.map_err(failed)?;
        match serde_json::from_slice(&line) {
            Ok(row) => rows.push(row),
            Err(_) if number == 0 && !line.is_empty() => {
                return Err(Ended::input(format!(
                    "{}:1: not a file of finished runs; the file is unchanged",
                    path.display()
                )));
            }
            Err(_) => ends_with_line = false,
        }
    }
    if !ends_with_line {
        file.write_all(b"\n").map_err(failed)?;
    }
    Ok((file, rows))
}
