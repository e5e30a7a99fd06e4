//! Warnings that a comment allows: `# kornsole: allow W-003 because …`.

use super::fault::{Fault, Severity};

/// On its line, or on the next one if the line has nothing else.
const ALLOWED: &str = "# kornsole: allow ";

/// Removes the warnings that comments in a text allow, with locations in this text. Errors remain.
pub fn without_allowed(text: &str, faults: &mut Vec<Fault>) {
    if faults.is_empty() || !text.contains(ALLOWED) {
        return;
    }
    let allowed = allowed_lines(text);
    let is_allowed = |fault: &Fault| {
        let of_line = allowed.iter().filter(|(line, _)| *line == fault.at.line);
        fault.severity == Severity::Warning && of_line.into_iter().any(|(_, ids)| ids.contains(fault.code))
    };
    faults.retain(|fault| !is_allowed(fault));
}

fn allowed_lines(text: &str) -> Vec<(u32, &str)> {
    let mut allowed = Vec::new();
    let mut pending: Vec<&str> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
        let ids = line.split_once(ALLOWED).map(|(_, ids)| ids.split(" because").next().unwrap_or(ids));
        let is_comment = line.trim_start().starts_with('#');
        if is_comment || line.trim().is_empty() {
            pending.extend(ids);
            continue;
        }
        allowed.extend(pending.drain(..).chain(ids).map(|ids| (number, ids)));
    }
    allowed
}
