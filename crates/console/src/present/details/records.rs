//! Audit entries, texts of revisions, and comparisons.

use crate::present::details::sheet::{Sheet, labeled, labeled_text};
use crate::present::format;
use crate::present::lists::audit::result;
use crate::present::pieces::{Lines, Piece, dim, piece, plain};
use crate::present::text;
use crate::state::State;
use crate::theme::{Role, Symbols};
use config::diff::What;
use model::Time;
use view::audit::{AuditEntry, Facts};

/// `kornsole config show` prints all.
const LINES: usize = 5_000;

/// The sheet of an entry.
pub fn entry(entry: &AuditEntry, now: Time, width: usize, symbols: &Symbols) -> Sheet {
    let title = format!("{} {}", entry.action, entry.object);
    let mut sheet = Sheet { title: vec![piece(Role::Title, title)], what: vec![result(entry)], ..Sheet::default() };
    let left = &mut sheet.left;
    let groups = if entry.groups.is_empty() { String::new() } else { format!(" ({})", entry.groups.join(", ")) };
    labeled_text(left, "who", &format!("{}{groups}", crate::present::words::who(entry)), width, Role::Text);
    labeled_text(left, "from", &entry.address, width, Role::Text);
    labeled(left, "when", vec![plain(format::when(entry.at, now)), dim(format!("   entry {}", entry.id))]);
    if !entry.partition.is_empty() {
        labeled_text(left, "partition", &entry.partition, width, Role::Text);
    }
    if !entry.reason.is_empty() {
        labeled_text(left, "reason", &entry.reason, width, Role::Text);
    }
    if !entry.why.is_empty() {
        labeled_text(left, "refused", &entry.why, width, Role::Warning);
    }
    if !entry.request.is_empty() {
        labeled_text(left, "request", &entry.request, width, Role::Dim);
    }
    sheet.right = facts(entry, symbols);
    sheet
}

fn facts(entry: &AuditEntry, symbols: &Symbols) -> Lines {
    let mut lines = Vec::new();
    let value = |facts: &Facts, name: &str| {
        let found = facts.iter().find(|(known, _)| known == name);
        found.map_or_else(|| symbols.none.to_owned(), |(_, value)| value.clone())
    };
    let mut names: Vec<&String> = entry.before.iter().map(|(name, _)| name).collect();
    names.extend(entry.after.iter().map(|(name, _)| name).filter(|name| !entry.before.iter().any(|(n, _)| n == *name)));
    for name in names {
        let (before, after) = (value(&entry.before, name), value(&entry.after, name));
        let message: Vec<Piece> = if entry.allowed && before != after {
            vec![dim(before), dim(format!(" {} ", symbols.arrow)), piece(Role::Strong, after)]
        } else {
            vec![plain(before)]
        };
        labeled(&mut lines, name, message);
    }
    lines
}

/// The sheet of a revision: its text.
pub fn revision(state: &State, number: u64, width: usize) -> Sheet {
    let mut sheet = Sheet { title: vec![piece(Role::Title, format!("revision {number}"))], ..Sheet::default() };
    if let Some(known) = state.cluster.ledger.revision(number) {
        sheet.what = vec![dim(format!(
            "{}, at {}",
            crate::present::words::origin(known),
            format::when(known.at, state.cluster.past.live)
        ))];
    }
    sheet.left.push(Vec::new());
    match state.cluster.ledger.text(number) {
        None => sheet.left.push(vec![dim("loading its text")]),
        Some(Err(why)) => sheet.left.push(vec![piece(Role::Warning, why.to_owned())]),
        Some(Ok(whole)) => {
            for (number, line) in whole.lines().enumerate().take(LINES) {
                let number = dim(format!("{:>4}  ", number + 1));
                let space = width.saturating_sub(6).max(8);
                let line = text::cut(&text::escape(line), space, "…").into_owned();
                sheet.left.push(vec![number, plain(line)]);
            }
            let more = whole.lines().count().saturating_sub(LINES);
            if more > 0 {
                sheet.left.push(vec![dim(format!("and {}", format::count(more as u64, "more line")))]);
            }
        }
    }
    sheet
}

/// The sheet of a comparison.
pub fn compare(state: &State, of: (u64, u64), width: usize, symbols: &Symbols) -> Sheet {
    let title = format!("revision {} {} {}", of.0, symbols.arrow, of.1);
    let mut sheet = Sheet { title: vec![piece(Role::Title, title)], ..Sheet::default() };
    if let Some(known) = state.cluster.ledger.revision(of.1) {
        sheet.what = vec![dim(crate::present::words::origin(known))];
    }
    let compared = state.cluster.ledger.compared.as_ref().filter(|compared| compared.of == of);
    match compared.map(|compared| &compared.lines) {
        None => sheet.left.push(vec![dim("comparing")]),
        Some(Err(why)) => {
            let lines = text::wrap(&text::escape(why), width);
            sheet.left.extend(lines.into_iter().map(|line| vec![piece(Role::Warning, line)]));
        }
        Some(Ok(lines)) if lines.is_empty() => sheet.left.push(vec![dim("only comments and order are different")]),
        Some(Ok(lines)) => {
            for line in lines {
                let role = match line.symbol {
                    Some(What::Added) => Role::DiffAdd,
                    Some(What::Removed) => Role::DiffRemove,
                    Some(What::Changed) => Role::DiffChange,
                    None => Role::Text,
                };
                let indent = if line.setting { "    " } else { "" };
                let mut message = vec![piece(role, format!("{indent}{} {}", line.symbol(), line.text))];
                if !line.effect.is_empty() {
                    message.push(dim(format!("   {}", line.effect)));
                }
                sheet.left.push(message);
            }
        }
    }
    sheet
}
