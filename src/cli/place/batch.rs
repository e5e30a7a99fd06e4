//! Many submissions, each compared with its expectation.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;

use clap::ValueEnum;

use super::PlaceArgs;
use super::row::{Header, Row, of_yaml, unreadable};
use super::table::Table;
use crate::cli::load;
use crate::cli::predicted;
use crate::cli::printed;
use config::csv::{Csv, Record};
use config::fault::escaped;
use config::{Fault, Source};
use model::QueuePath;
use view::PartitionView;
use view::placement::{Placement, PlacementOutcome, Request};
use wire::convert::placement::{Answer, Submitted};

/// The format of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BatchFormat {
    /// CSV with a header
    Csv,
    /// YAML or JSON list
    Yaml,
}

const REJECTED: &str = "rejected";

/// The maximum number of reported errors.
const FAULTS: usize = 100;

/// Places the submissions of a file. Returns the exit code: 1 if one is invalid or placed differently, 2 if the format
/// is unknown.
///
/// # Errors
/// The results cannot be written.
pub fn run(
    args: &PlaceArgs,
    file: &Path,
    part: &PartitionView,
    out: &mut impl Write,
    err: &mut impl Write,
) -> io::Result<u8> {
    let Some(format) = args.batch_format.or_else(|| by_ending(file)) else {
        let name = escaped(&file.display().to_string());
        writeln!(err, "error: cannot read {name}: unknown format; use --batch-format csv or yaml")?;
        return Ok(2);
    };
    let mut batch = Batch::new(args.json, part, file, out, err);
    match format {
        BatchFormat::Yaml => match load::bytes(file) {
            Ok(bytes) => batch.yaml(&bytes)?,
            Err(message) => batch.unreadable(&message)?,
        },
        BatchFormat::Csv => match reader(file) {
            Ok(reader) => batch.csv(reader)?,
            Err(message) => batch.unreadable(&message)?,
        },
    }
    batch.end()
}

fn by_ending(file: &Path) -> Option<BatchFormat> {
    match file.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "csv" => Some(BatchFormat::Csv),
        "yaml" | "yml" | "json" => Some(BatchFormat::Yaml),
        _ => None,
    }
}

fn reader(file: &Path) -> Result<Box<dyn BufRead>, String> {
    const SPACE: usize = 1 << 16;
    if file == Path::new("-") {
        return Ok(Box::new(BufReader::with_capacity(SPACE, io::stdin())));
    }
    match File::open(file) {
        Ok(opened) => Ok(Box::new(BufReader::with_capacity(SPACE, opened))),
        Err(error) => Err(format!("cannot read {}: {error}", file.display())),
    }
}

struct Batch<'a, O, E> {
    part: &'a PartitionView,
    name: String,
    out: &'a mut O,
    err: &'a mut E,
    /// `None` for JSON.
    table: Option<Table<6>>,
    placed: u64,
    rejected: u64,
    expected: u64,
    failed: u64,
    faults: usize,
    unreadable: bool,
}

impl<'a, O: Write, E: Write> Batch<'a, O, E> {
    fn new(json: bool, part: &'a PartitionView, file: &Path, out: &'a mut O, err: &'a mut E) -> Self {
        let titles = ["  LINE", "USER", "REQUESTED", "RESULT", "EXPECTED", "WHY"];
        Self {
            part,
            name: file.display().to_string(),
            out,
            err,
            table: (!json).then(|| Table::new(titles, [8, 24, 40, 48, 44, 0])),
            placed: 0,
            rejected: 0,
            expected: 0,
            failed: 0,
            faults: 0,
            unreadable: false,
        }
    }

    fn yaml(&mut self, bytes: &[u8]) -> io::Result<()> {
        let (rows, faults) = of_yaml(bytes);
        let text = String::from_utf8_lossy(bytes);
        self.faults = faults.len();
        let shown = &faults[..faults.len().min(FAULTS)];
        self.err.write_all(Source::new(&self.name, &text).render_all(shown).as_bytes())?;
        if faults.is_empty() { rows.iter().try_for_each(|row| self.place(row)) } else { Ok(()) }
    }

    fn csv(&mut self, input: impl BufRead) -> io::Result<()> {
        let mut csv = Csv::new(input);
        let (mut record, mut row) = (Record::default(), Row::default());
        let mut header: Option<Header> = None;
        while self.faults < FAULTS {
            let read = match csv.next(&mut record) {
                Ok(Some(read)) => read,
                Ok(None) => break,
                Err(error) => return self.unreadable(&format!("cannot read {}: {error}", self.name)),
            };
            match (&header, read) {
                (_, Err(fault)) => self.fault(&unreadable(fault))?,
                (Some(header), Ok(())) => match header.row(&record, &mut row) {
                    Ok(()) => self.place(&row)?,
                    Err(fault) => self.fault(&fault)?,
                },
                (None, Ok(())) => match Header::read(&record) {
                    Ok(read) => header = Some(read),
                    Err(faults) => return faults.iter().try_for_each(|fault| self.fault(fault)),
                },
            }
        }
        if self.faults >= FAULTS {
            writeln!(self.err, "error: cannot read {} completely: more than {FAULTS} errors", escaped(&self.name))?;
        }
        Ok(())
    }

    fn unreadable(&mut self, message: &str) -> io::Result<()> {
        self.unreadable = true;
        writeln!(self.err, "{}", escaped(&printed::error(message)))
    }

    fn fault(&mut self, fault: &Fault) -> io::Result<()> {
        self.faults += 1;
        let hint = if fault.hint.is_empty() { String::new() } else { format!("\n  = {}", escaped(&fault.hint)) };
        writeln!(self.err, "{}:{fault}{hint}", escaped(&self.name))
    }

    fn place(&mut self, row: &Row) -> io::Result<()> {
        let request = Request { queue: &row.queue, user: &row.user, groups: &row.groups, tags: &row.tags };
        let admission = self.part.preview(&request, None);
        let placement = &admission.placement;
        let met = as_expected(&row.expect, placement);
        match placement.placed() {
            Some(_) => self.placed += 1,
            None => self.rejected += 1,
        }
        self.expected += u64::from(met.is_some());
        self.failed += u64::from(met == Some(false));
        match &mut self.table {
            None => {
                let Row { user, groups, queue, tags, .. } = row;
                let submitted = Submitted { groups, line: row.at.line, queue, tags, user };
                let answer = Answer::of(self.part, &admission).naming_core().to(submitted, &row.expect, met);
                serde_json::to_writer(&mut *self.out, &answer)?;
                writeln!(self.out)
            }
            Some(table) => table.row(as_cells(row, placement, met), self.out),
        }
    }

    fn end(mut self) -> io::Result<u8> {
        if let Some(mut table) = self.table.take() {
            let count = self.placed + self.rejected;
            if count > 0 {
                table.flush(self.out)?;
            }
            let core = predicted::line(self.part.rules.profile());
            let noun = if count == 1 { "submission" } else { "submissions" };
            let expected = match (self.expected, self.failed) {
                (0, _) => String::new(),
                (all, 0) => format!("; {all} as expected"),
                (all, failed) => format!("; {failed} of {all} differ from the expected result"),
            };
            writeln!(
                self.out,
                "{count} {noun}: {} placed, {} rejected{expected} ({core})",
                self.placed, self.rejected
            )?;
        }
        Ok(u8::from(self.failed > 0 || self.faults > 0 || self.unreadable))
    }
}

/// `None` without an expectation.
fn as_expected(expect: &str, placement: &Placement) -> Option<bool> {
    if expect.is_empty() {
        return None;
    }
    Some(match placement.placed() {
        None => expect == REJECTED,
        Some(placed) => expect != REJECTED && placed.path == QueuePath::new(expect),
    })
}

fn as_cells(row: &Row, placement: &Placement, met: Option<bool>) -> [String; 6] {
    let (lands, why) = match &placement.outcome {
        PlacementOutcome::Placed(placed) => {
            let entry = placement.trace.rules.last();
            let rule = entry.map(|entry| format!("{} ({})", entry.rule, entry.name())).unwrap_or_default();
            let new = match placed.create.len() {
                0 => "",
                1 => ", a new queue",
                _ => ", new queues",
            };
            (placed.path.to_string(), format!("{rule}{new}"))
        }
        PlacementOutcome::Refused(refused) => {
            let reason = placement.reason().map(|reason| reason.to_string()).unwrap_or_default();
            (REJECTED.to_owned(), format!("{}: {reason}", refused.refusal.code()))
        }
    };
    let expected = match met {
        None => String::new(),
        Some(true) => "yes".to_owned(),
        Some(false) => format!("NO: {}", row.expect),
    };
    [format!("{:>6}", row.at.line), row.user.clone(), row.queue.clone(), lands, expected, why]
        .map(|cell| escaped(&cell))
}
