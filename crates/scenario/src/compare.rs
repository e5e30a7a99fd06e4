//! Compares a workload under two profiles: the first different decision, and the switches that cause it.

use std::io::{self, Write};

use serde_json::Value;

use super::file::Scenario;
use super::run::Runner;
use super::trace::Trace;
use model::Profile;
use scheduler::Switches;
use scheduler::interface::switch_table::{SWITCHES, SwitchRow};

/// The first difference of two runs.
#[derive(Clone, Debug)]
pub struct Parting {
    /// The line of the trace, from 0.
    pub line: usize,
    /// The trace line of the first run; `None` if it has ended.
    pub from: Option<Value>,
    /// The trace line of the second run.
    pub to: Option<Value>,
    /// The minimal set of switches that makes the first run continue like the second one.
    pub switches: Vec<&'static str>,
    /// The difference also needs the other parser of configurations.
    pub reading: bool,
}

/// Runs a workload under two profiles; `read` parses its configuration for a profile. `None` if the traces are equal.
///
/// # Errors
/// Only those of traces, which are in memory.
pub fn first_parting(
    scenario: &Scenario,
    read: &dyn Fn(Profile) -> config::Reading,
    from: Profile,
    to: Profile,
) -> io::Result<Option<Parting>> {
    let run = |switches, profile, most| lines(scenario, read(profile), switches, profile, most);
    let one = run(Switches::of(from), from, usize::MAX)?;
    let other = run(Switches::of(to), to, usize::MAX)?;
    let longest = one.len().max(other.len());
    let Some(line) = (0..longest).find(|at| one.get(*at) != other.get(*at)) else { return Ok(None) };
    let continues = |switches, profile| {
        let local = run(switches, profile, line + 1)?;
        Ok::<bool, io::Error>(local.get(..=line).or(Some(&local)) == other.get(..=line).or(Some(&other)))
    };
    let full = SWITCHES.iter().fold(Switches::of(from), |switches, row| taken(switches, row, to));
    let reading = !continues(full, from)?;
    let read_as = if reading { to } else { from };
    let mut switches = full;
    let mut needed = Vec::new();
    for row in SWITCHES.iter().filter(|row| row.take.is_some() && row.parts(from, to)) {
        let without = taken(switches, row, from);
        if continues(without, read_as)? {
            switches = without;
        } else {
            needed.push(row.name);
        }
    }
    let (from, to) = (one.get(line).cloned(), other.get(line).cloned());
    Ok(Some(Parting { line, from, to, switches: needed, reading }))
}

fn taken(mut switches: Switches, row: &SwitchRow, profile: Profile) -> Switches {
    if let Some(take) = row.take {
        take(&mut switches, &Switches::of(profile));
    }
    switches
}

/// The first lines of a trace, without informational ones.
fn lines(
    scenario: &Scenario,
    config: config::Reading,
    switches: Switches,
    profile: Profile,
    most: usize,
) -> io::Result<Vec<Value>> {
    let mut trace = Trace::new(FirstLines { bytes: Vec::new(), left: most });
    match Runner::switched(switches, profile).run(scenario, config, &mut trace) {
        Err(error) if error.kind() != io::ErrorKind::WriteZero => return Err(error),
        _ => {}
    }
    let written = trace.into_inner();
    let text = String::from_utf8_lossy(&written.bytes);
    let line = |line: &str| {
        let mut line: Value = serde_json::from_str(line).unwrap_or_default();
        if let Some(line) = line.as_object_mut() {
            line.remove("message");
        }
        line
    };
    Ok(text.lines().take(most).map(line).collect())
}

struct FirstLines {
    bytes: Vec<u8>,
    left: usize,
}

impl Write for FirstLines {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.left == 0 {
            return Ok(0);
        }
        let ends = bytes.iter().filter(|byte| **byte == b'\n').count();
        self.left = self.left.saturating_sub(ends);
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
