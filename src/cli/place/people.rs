//! One placement as text: the rules in columns, and the result.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

use crate::cli::predicted;
use config::fault::escaped;
use view::PartitionView;
use view::placement::{Admission, Line, Placed, PlacementOutcome, Request, template_words};

/// Prints a placement under the configuration of `file`.
pub fn print(
    file: &str,
    part: &PartitionView,
    request: &Request<'_>,
    admission: &Admission,
    out: &mut impl Write,
) -> io::Result<()> {
    let rules = match part.rules.len() {
        1 => "1 rule".to_owned(),
        count => format!("{count} rules"),
    };
    let core = predicted::line(part.rules.profile());
    writeln!(out, "{}, partition {}: {rules}, {core}", escaped(file), escaped(&part.name))?;
    writeln!(out, "{}\n", escaped(&asked(request, admission)))?;
    for line in columns(&admission.placement.lines(&part.rules)) {
        writeln!(out, "  {line}")?;
    }
    match &admission.placement.outcome {
        PlacementOutcome::Placed(placed) => {
            landed(part, placed, out)?;
            let limits = part.limits_for(&admission.who, &placed.path);
            limits.iter().try_for_each(|limit| {
                let what = escaped(&limit.what());
                writeln!(out, "   {what}   limit; would {}", escaped(&limit.would()))
            })
        }
        PlacementOutcome::Refused(refused) => {
            writeln!(out, "-> rejected, {}: {}", refused.refusal.code(), escaped(&refused.refusal.to_string()))
        }
    }
}

fn asked(request: &Request<'_>, admission: &Admission) -> String {
    let or_none = |text: &str| if text.is_empty() { "(none)".to_owned() } else { text.to_owned() };
    let groups = or_none(&admission.who.groups.join(", "));
    let mut line = format!("user {}   groups {groups}   queue {}", or_none(request.user), or_none(request.queue));
    if !request.tags.is_empty() {
        let tags: Vec<String> = request.tags.iter().map(|(name, value)| format!("{name}={value}")).collect();
        line += &format!("   tags {}", tags.join(", "));
    }
    if admission.placement.trace.forced {
        line += "   forced";
    }
    line
}

fn landed(part: &PartitionView, placed: &Placed, out: &mut impl Write) -> io::Result<()> {
    let Some((_, parents)) = placed.create.split_last() else {
        return writeln!(out, "-> {}", placed.path);
    };
    for parent in parents {
        writeln!(out, "   {parent}   new dynamic parent")?;
    }
    let template = match placed.template(part) {
        Some((from, template)) => format!(", {} (template of {from})", escaped(&template_words(template))),
        None if placed.recovery => ", for recovery".to_owned(),
        None => ", no template".to_owned(),
    };
    writeln!(out, "-> {}   new dynamic leaf{template}", placed.path)
}

fn columns(lines: &[Line]) -> Vec<String> {
    let cells: Vec<[String; 4]> = lines
        .iter()
        .map(|line| {
            let head = format!("{:indent$}{}", "", line.head, indent = 2 * line.depth);
            [head, line.subject.clone(), line.note.clone(), line.mark.to_string()].map(|cell| escaped(&cell))
        })
        .collect();
    let width = |column: usize| cells.iter().map(|cells| cells[column].width()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2), 0];
    let row = |cells: &[String; 4]| {
        let padded = cells.iter().zip(widths).map(|(cell, width)| pad(cell, width)).collect::<Vec<_>>();
        padded.join("  ").trim_end().to_owned()
    };
    cells.iter().map(row).collect()
}

/// Pads a text to a display width.
pub fn pad(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text.width())))
}
