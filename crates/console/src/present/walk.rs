//! The rule trace of a placement in lines. Without space the note is below its rule.

use crate::present::pieces::{Piece, dim, piece, plain};
use crate::present::text;
use crate::theme::{Role, Symbols};
use view::PartitionView;
use view::placement::{Line, Mark, Placement, PlacementOutcome, RuleRef, template_words};

const LEAST_NOTE: usize = 24;

/// The trace in at most `width` columns.
pub fn lines(walk: &[Line], width: usize, symbols: &Symbols) -> Vec<Vec<Piece>> {
    let cells: Vec<[String; 4]> = walk
        .iter()
        .map(|line| {
            let head = format!("{:indent$}{}", "", line.head, indent = 2 * line.depth);
            [head, line.subject.clone(), line.note.clone(), marked(line.mark, symbols)]
                .map(|cell| text::escape(&cell).into_owned())
        })
        .collect();
    let widest = |column: usize| cells.iter().map(|cells| text::width(&cells[column])).max().unwrap_or(0);
    let (head, subject, note, mark) = (widest(0), widest(1), widest(2), widest(3));
    let others = head + subject + mark + 6;
    let space = width.saturating_sub(others);
    let mut lines = Vec::new();
    for (cells, line) in cells.iter().zip(walk) {
        if others + note.min(LEAST_NOTE) <= width {
            columns(&mut lines, cells, line.mark, [head, subject, note.min(space)]);
        } else {
            stacked(&mut lines, cells, line.mark, width);
        }
    }
    lines
}

fn columns(lines: &mut Vec<Vec<Piece>>, cells: &[String; 4], mark: Mark, widths: [usize; 3]) {
    let [head, subject, note, word] = cells;
    let reached = if mark == Mark::NotReached { Role::Dim } else { Role::Text };
    for (at, note) in text::wrap(note, widths[2]).into_iter().enumerate() {
        let first = at == 0;
        let cell = |text: &str, width| if first { padded(text, width) } else { " ".repeat(width) };
        lines.push(vec![
            piece(if mark == Mark::NotReached { Role::Dim } else { Role::Strong }, cell(head, widths[0])),
            plain("  "),
            piece(reached, cell(subject, widths[1])),
            plain("  "),
            dim(padded(&note, widths[2])),
            plain("  "),
            piece(role(mark), if first { word.clone() } else { String::new() }),
        ]);
    }
}

fn stacked(lines: &mut Vec<Vec<Piece>>, cells: &[String; 4], mark: Mark, width: usize) {
    let [head, subject, note, word] = cells;
    if !head.is_empty() {
        let strong = if mark == Mark::NotReached { Role::Dim } else { Role::Strong };
        lines.push(vec![piece(strong, head.clone())]);
    }
    let indent = 4;
    let space = width.saturating_sub(indent);
    if !subject.is_empty() && !note.is_empty() && text::width(subject) + 2 + text::width(note) <= space {
        let line = vec![plain(" ".repeat(indent)), plain(subject.clone()), plain("  "), dim(note.clone())];
        lines.push(line);
    } else {
        for (role, text) in [(Role::Text, subject), (Role::Dim, note)] {
            let wrapped = text::wrap(text, space).into_iter().filter(|line| !line.is_empty());
            lines.extend(wrapped.map(|line| vec![plain(" ".repeat(indent)), piece(role, line)]));
        }
    }
    if !word.is_empty() {
        let word = piece(role(mark), format!("  {word}"));
        match lines.last_mut() {
            Some(line) if crate::present::pieces::width(line) + text::width(&word.text) <= width => line.push(word),
            _ => lines.push(vec![plain(" ".repeat(indent.saturating_sub(2))), word]),
        }
    }
}

fn marked(mark: Mark, symbols: &Symbols) -> String {
    match mark {
        Mark::Placed => format!("{} {mark}", symbols.good),
        Mark::Rejected => format!("{} {mark}", symbols.bad),
        Mark::None | Mark::Next | Mark::NotReached => mark.to_string(),
    }
}

fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(text::width(text))))
}

const fn role(mark: Mark) -> Role {
    match mark {
        Mark::Placed => Role::Good,
        Mark::Rejected => Role::Error,
        Mark::None | Mark::Next | Mark::NotReached => Role::Dim,
    }
}

/// The queue with created queues, or the reason of the rejection.
pub fn verdict(
    placement: &Placement,
    part: Option<&PartitionView>,
    width: usize,
    symbols: &Symbols,
) -> Vec<Vec<Piece>> {
    let (symbol, role, first, rest) = match &placement.outcome {
        PlacementOutcome::Placed(placed) => {
            let by = match placed.rule {
                RuleRef::Rule(number) => format!("rule {}", number + 1),
                rule => rule.to_string(),
            };
            let mut words = vec![format!("by {by}")];
            if let Some((_, parents)) = placed.create.split_last() {
                words.push("new dynamic leaf".to_owned());
                match part.and_then(|part| placed.template(part)) {
                    Some((from, template)) => words.push(format!("{} (template of {from})", template_words(template))),
                    None => words.push("no template".to_owned()),
                }
                words.extend(parents.iter().map(|parent| format!("below the new parent {parent}")));
            }
            (symbols.arrow, Role::Good, placed.path.to_string(), words.join(", "))
        }
        PlacementOutcome::Refused(refused) => {
            (symbols.limit, Role::Error, format!("rejected, {}", refused.refusal.code()), refused.refusal.to_string())
        }
    };
    let (first, rest) = (text::escape(&first).into_owned(), text::escape(&rest).into_owned());
    let used = text::width(&first) + 5;
    let mut lines = vec![vec![piece(role, symbol), plain(" "), piece(role, first)]];
    if used + text::width(&rest) <= width {
        lines[0].extend([plain("   "), plain(rest)]);
    } else {
        lines.extend(text::wrap(&rest, width.saturating_sub(2)).into_iter().map(|line| vec![plain("  "), plain(line)]));
    }
    lines
}
