//! Details of one object with the origin of each value: a pane, which counts omitted lines, or a scrolled page.

mod account;
mod app;
mod event;
mod health;
mod history;
mod info;
pub mod kubernetes;
pub mod node;
mod partitions;
mod queue;
mod quota;
mod records;
pub mod sheet;
pub mod side_text;
mod sides;
mod sides_tree;
mod simulated;
mod timeline;
mod why;

pub use self::sheet::Sheet;
use crate::present::layout;
use crate::present::pieces::{Lines, Piece, plain, symbol_set};
use crate::state::State;
use crate::state::page::Subject;
use crate::theme::Role;

const TWO_COLUMNS: u16 = 112;
/// The sheet of a subject for columns of `width`.
pub fn sheet(state: &State, subject: &Subject, width: usize) -> Sheet {
    let symbols = symbol_set(state);
    match subject {
        Subject::Queue(path) => queue::sheet(state, path, width, symbols),
        Subject::App(row) => app::sheet(state, row, width, symbols),
        Subject::Node(id) => node::sheet(state, id, width, symbols),
        Subject::Account(account) => account::sheet(state, account, width, symbols),
        Subject::Why(row) => why::app(state, row, width, symbols),
        Subject::Access(path) => why::access_to(state, path, width, symbols),
        Subject::Health(checkup) => health::sheet(state, checkup, width, symbols),
        Subject::Info => info::sheet(state, width),
        Subject::Partitions => partitions::sheet(state, width, symbols),
        Subject::Event(record) => event::sheet(state, record, width, symbols),
        Subject::Entry(entry) => records::entry(entry, state.cluster.past.live, width, symbols),
        Subject::Revision(number) => records::revision(state, *number, width),
        Subject::Sides => sides::sheet(state, width, symbols),
        Subject::Compare(old, new) => records::compare(state, (*old, *new), width, symbols),
        Subject::Simulated(run) => simulated::sheet(run, width, symbols),
        Subject::History(queue) => history::sheet(state, queue.as_ref(), width, symbols),
    }
}

/// All lines of a sheet in one column.
pub fn lines(state: &State, subject: &Subject, width: usize) -> Lines {
    in_one(sheet(state, subject, width), width)
}

/// The labels of a sheet with their texts.
pub fn labels(state: &State, subject: &Subject) -> Vec<(String, String)> {
    let sheet = sheet(state, subject, usize::from(TWO_COLUMNS));
    let label = |line: &Vec<Piece>| {
        let (first, rest) = line.split_first()?;
        let label = first.text.trim();
        let padded = first.role == Role::Dim && first.text.ends_with(' ') && first.text.len() >= 9;
        let numbered = label.chars().all(|c| c.is_ascii_digit());
        let rest: String = rest.iter().map(|piece| piece.text.as_ref()).collect();
        (padded && !numbered).then(|| (label.to_owned(), rest.split_whitespace().collect::<Vec<_>>().join(" ")))
    };
    sheet.left.iter().chain(&sheet.right).filter_map(label).collect()
}

/// Whether two columns fit and have content.
pub fn in_two(subject: &Subject, width: u16) -> bool {
    width >= TWO_COLUMNS
        && matches!(
            subject,
            Subject::Queue(_) | Subject::App(_) | Subject::Node(_) | Subject::Account(_) | Subject::Entry(_)
        )
}

/// The width of one column.
pub fn column_width(subject: &Subject, width: u16) -> u16 {
    if in_two(subject, width) { (width - 3) / 2 } else { width }
}

/// The content in one column, the title first.
pub fn in_one(sheet: Sheet, width: usize) -> Lines {
    let mut title = sheet.title;
    let mut lines = if crate::present::pieces::width(&title) + 3 + crate::present::pieces::width(&sheet.what) <= width {
        title.push(plain("   "));
        title.extend(sheet.what);
        vec![title]
    } else {
        vec![title, sheet.what]
    };
    lines.extend(sheet.left);
    lines.push(Vec::new());
    lines.extend(sheet.right);
    lines
}

/// The number of lines of the details page.
pub fn height(state: &State) -> usize {
    let crate::state::page::Page::Details(page) = state.page() else { return 0 };
    let Some(regions) = layout::regions(state) else { return 0 };
    let width = regions.rows.width.saturating_sub(2);
    let sheet = sheet(state, &page.subject, usize::from(column_width(&page.subject, width)));
    if in_two(&page.subject, width) {
        1 + sheet.left.len().max(sheet.right.len())
    } else {
        in_one(sheet, usize::from(width)).len()
    }
}
