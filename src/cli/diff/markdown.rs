//! The differences of two commits as a comment: at most 60 lines, with long parts folded.

use super::commits::{Review, effect_line};
use config::{Diff, Fault};

const MOST_LINES: usize = 60;
/// Lines around a folded part: two blank lines, summary, two fences, and its end.
const AROUND: usize = 7;
/// Maximum length of a line, in characters.
const LONGEST: usize = 240;

pub(super) fn comment(review: &Review) -> String {
    let mut lines = vec![
        format!("### Queue configuration: {}", plain(&review.summary())),
        String::new(),
        format!("`{}`, core {}", plain(&review.commits), review.core),
    ];
    let mut parts = Vec::new();
    let (mut changes, mut faults) = (Vec::new(), Vec::new());
    for one in &review.files {
        changes.push(format!("# {}: {}", one.file, one.summary()));
        let diff = one.diff.as_ref().map(Diff::to_text).unwrap_or_default();
        changes.extend(diff.lines().map(signed));
        faults.extend(one.new.iter().map(|fault| fault_line(&one.file, fault)));
    }
    if !faults.is_empty() {
        parts.push((format!("New errors and warnings ({})", faults.len()), "text", faults));
    }
    if let Some(effects) = &review.effects {
        let all: Vec<String> = effects.iter().map(|effect| effect_line(effect, 5)).collect();
        match all.len() {
            0 => lines.extend([String::new(), "No application is affected.".to_owned()]),
            count => parts.push((format!("Effects on applications ({count})"), "text", all)),
        }
    }
    if !changes.is_empty() {
        parts.push(("Changes".to_owned(), "diff", changes));
    }
    let left = MOST_LINES.saturating_sub(lines.len() + AROUND * parts.len());
    let lengths: Vec<usize> = parts.iter().map(|(.., body)| body.len()).collect();
    for ((title, language, body), most) in parts.into_iter().zip(shares(&lengths, left)) {
        fold(&title, language, &body, most, &mut lines);
    }
    lines.join("\n") + "\n"
}

/// Replaces `~` of a changed queue with `!`, which a `diff` fence colors.
fn signed(line: &str) -> String {
    line.strip_prefix('~').map_or_else(|| line.to_owned(), |rest| format!("!{rest}"))
}

fn fault_line(file: &str, fault: &Fault) -> String {
    let hint = if fault.hint.is_empty() { String::new() } else { format!("; {}", fault.hint) };
    format!("{file}:{fault}{hint}")
}

fn fold(title: &str, language: &str, body: &[String], most: usize, lines: &mut Vec<String>) {
    lines.extend([String::new(), format!("<details><summary>{title}</summary>"), String::new()]);
    lines.push(format!("````{language}"));
    let shown = if body.len() > most { most.saturating_sub(1) } else { body.len() };
    lines.extend(body.iter().take(shown).map(|line| cut(line)));
    if shown < body.len() {
        lines.push(format!("… {} more lines; see `kornsole diff --git`", body.len() - shown));
    }
    lines.extend(["````".to_owned(), String::new(), "</details>".to_owned()]);
}

fn cut(line: &str) -> String {
    let line = line.replace("````", "'''");
    match line.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}

fn plain(text: &str) -> String {
    text.replace('`', "'").replace('<', "&lt;")
}

/// The number of lines for each part: short parts are complete, the others share the rest.
fn shares(lengths: &[usize], most: usize) -> Vec<usize> {
    let mut given = vec![0; lengths.len()];
    let mut left = most;
    loop {
        let open: Vec<usize> = (0..lengths.len()).filter(|at| given[*at] < lengths[*at]).collect();
        let each = left / open.len().max(1);
        if open.is_empty() || each == 0 {
            return given;
        }
        for at in open {
            let more = each.min(lengths[at] - given[at]);
            given[at] += more;
            left -= more;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_parts_are_complete_and_long_ones_share_the_rest() {
        assert_eq!(shares(&[2, 3], 10), [2, 3]);
        assert_eq!(shares(&[2, 100, 100], 20), [2, 9, 9]);
        assert_eq!(shares(&[100, 100], 21), [10, 10]);
        assert_eq!(shares(&[], 5), Vec::<usize>::new());
    }

    #[test]
    fn a_part_has_no_more_lines_than_it_may_and_stays_in_its_fence() {
        let body: Vec<String> = (0..9).map(|number| format!("````{number}{}", "x".repeat(300))).collect();
        let mut lines = Vec::new();
        fold("t", "text", &body, 4, &mut lines);
        assert_eq!(lines.len(), 4 + AROUND);
        assert_eq!(lines.iter().filter(|line| line.starts_with("````")).count(), 2);
        assert!(lines.iter().all(|line| line.chars().count() <= LONGEST + 1));
        assert_eq!(lines[7], "… 6 more lines; see `kornsole diff --git`");
    }
}
