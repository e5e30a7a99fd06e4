//! Everything about one thing, and where each value comes from: as a pane by the list, cut at its end, or as a page to scroll.
//!
//! ```text
//!  root.tenants.tenant-a.etl   leaf, managed, Active, line 31
//!  priority    5 = highest application 5                     resources   used   guar    max   room
//!    seen in   tenant-a  10  ⌂ fence, offset 10              cpu          7.5      4     20   12.5  by tenant-a
//!  sorting     fifo, by priority                             mem          15G     8G    40G    25G  by tenant-a
//! ```
//!
//! Two columns from 112 columns of room on, otherwise one below the other. Content is made of sections; the pane leaves out the
//! last lines when they do not fit, and says so.

mod account;
mod app;
mod event;
mod health;
mod history;
mod info;
pub mod node;
mod partitions;
mod queue;
mod records;
mod why;

use ratatui::layout::Rect;

use super::super::theme::{Role, Signs, sign_set};
use super::pen::{Pen, Piece, dim, piece, plain};
use crate::console::present::layout;
use crate::console::present::layout::Pane;
use crate::console::present::subject;
use crate::console::present::text;
use crate::console::state::State;
use crate::console::state::page::{DetailsPage, Subject};

/// Lines of pieces.
type Lines = Vec<Vec<Piece>>;

/// From which width on there are two columns.
const TWO_COLUMNS: u16 = 112;
/// Where values begin behind their labels.
const LABEL: usize = 13;

/// What is known of a thing: a title over two columns.
#[derive(Default)]
pub struct Sheet {
    /// The name.
    title: Vec<Piece>,
    /// What it is: behind the name, or below it where there is no room.
    what: Vec<Piece>,
    /// What stands at the left, or first.
    left: Lines,
    /// What stands at the right, or last.
    right: Lines,
}

/// Adds a line with a label.
fn labelled(lines: &mut Lines, label: &str, value: Vec<Piece>) {
    // A label that is too long for its column moves what stands beside it.
    let gap = if text::width(label) < LABEL { "" } else { "  " };
    let mut line = vec![dim(format!("{label:<LABEL$}{gap}"))];
    line.extend(value);
    lines.push(line);
}

/// Adds a text with a label, wrapped in `width` columns.
fn labelled_text(lines: &mut Lines, label: &str, value: &str, width: usize, role: Role) {
    let value = text::escape(value).into_owned();
    for (at, line) in text::wrap(&value, width.saturating_sub(LABEL)).into_iter().enumerate() {
        labelled(lines, if at == 0 { label } else { "" }, vec![piece(role, line)]);
    }
}

/// The sheet of a subject for columns of `width`.
fn sheet(state: &State, subject: &Subject, width: usize) -> Sheet {
    let signs = sign_set(state);
    match subject {
        Subject::Queue(path) => queue::sheet(state, path, width, signs),
        Subject::App(row) => app::sheet(state, row, width, signs),
        Subject::Node(id) => node::sheet(state, id, width, signs),
        Subject::Account(account) => account::sheet(state, account, width, signs),
        Subject::Why(row) => why::app(state, row, width, signs),
        Subject::Access(path) => why::access_to(state, path, width, signs),
        Subject::Health(checkup) => health::sheet(state, checkup, width, signs),
        Subject::Info => info::sheet(state, width),
        Subject::Partitions => partitions::sheet(state, signs),
        Subject::Event(record) => event::sheet(record, width, signs),
        Subject::Entry(entry) => records::entry(entry, width, signs),
        Subject::Revision(number) => records::revision(state, *number, width),
        Subject::Compare(old, new) => records::compare(state, (*old, *new), width, signs),
        Subject::History(queue) => history::sheet(state, queue.as_ref(), width, signs),
    }
}

/// All lines of a sheet in one column of a width.
pub fn lines(state: &State, subject: &Subject, width: usize) -> Lines {
    in_one(sheet(state, subject, width), width)
}

/// The labels of a sheet, each with what stands beside it.
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

/// Whether there is room for two columns, and content for them.
fn in_two(subject: &Subject, width: u16) -> bool {
    width >= TWO_COLUMNS
        && matches!(
            subject,
            Subject::Queue(_) | Subject::App(_) | Subject::Node(_) | Subject::Account(_) | Subject::Entry(_)
        )
}

/// The width of one column of the content.
fn column_width(subject: &Subject, width: u16) -> u16 {
    if in_two(subject, width) { (width - 3) / 2 } else { width }
}

/// The content in lines for an area of one column; the title first.
fn in_one(sheet: Sheet, width: usize) -> Lines {
    let mut title = sheet.title;
    let mut lines = if super::pen::width(&title) + 3 + super::pen::width(&sheet.what) <= width {
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

/// How many lines the page of details has.
pub fn height(state: &State) -> usize {
    let crate::console::state::page::Page::Details(page) = state.page() else { return 0 };
    let Some(regions) = layout::regions(state) else { return 0 };
    let width = regions.rows.width.saturating_sub(2);
    let sheet = sheet(state, &page.subject, usize::from(column_width(&page.subject, width)));
    if in_two(&page.subject, width) {
        1 + sheet.left.len().max(sheet.right.len())
    } else {
        in_one(sheet, usize::from(width)).len()
    }
}

/// Draws the page of details.
pub fn draw_page(pen: &mut Pen<'_>, state: &State, page: &DetailsPage, area: Rect) {
    let area = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let sheet = sheet(state, &page.subject, usize::from(column_width(&page.subject, area.width)));
    if !in_two(&page.subject, area.width) {
        pen.lines(area, &in_one(sheet, usize::from(area.width)), page.top);
        return;
    }
    two_columns(pen, sheet, area, page.top);
}

/// Draws the pane by the list.
pub fn draw_pane(pen: &mut Pen<'_>, state: &State, pane: Pane) {
    if pane.beside {
        pen.wall(pane.border);
    } else {
        pen.line(pane.border.x, pane.border.y, pane.border.width);
    }
    let area = pane.area;
    let Some(subject) = subject::of(state) else {
        pen.text(area.x, area.y, area.width, "nothing under the cursor", Role::Dim);
        return;
    };
    let sheet = sheet(state, &subject, usize::from(column_width(&subject, area.width)));
    let room = usize::from(area.height);
    let lines = if in_two(&subject, area.width) {
        let lines = 1 + sheet.left.len().max(sheet.right.len());
        two_columns(pen, sheet, area, 0);
        lines
    } else {
        let mut lines = in_one(sheet, usize::from(area.width));
        if lines.len() > room {
            lines.retain(|line| !line.is_empty());
        }
        pen.lines(area, &lines, 0);
        lines.len()
    };
    if lines > room {
        let more = format!(" i: {} more ", lines - room);
        let wide = u16::try_from(more.len()).unwrap_or(0);
        let (x, y) = if pane.beside { (area.right(), area.bottom() - 1) } else { (pane.border.right(), pane.border.y) };
        pen.over(x.saturating_sub(wide + 1), y, wide, &more, Role::HintKey);
    }
}

fn two_columns(pen: &mut Pen<'_>, sheet: Sheet, area: Rect, top: usize) {
    if top == 0 {
        let used = pen.pieces(area.x, area.y, area.width, &sheet.title) + 3;
        pen.pieces(area.x + used, area.y, area.width.saturating_sub(used), &sheet.what);
    }
    let column = (area.width - 3) / 2;
    let gone = u16::from(top == 0);
    let below = Rect { y: area.y + gone, height: area.height.saturating_sub(gone), width: column, ..area };
    pen.lines(below, &sheet.left, top.saturating_sub(1));
    pen.lines(Rect { x: area.right() - column, ..below }, &sheet.right, top.saturating_sub(1));
}

/// A thing that is not there any more.
fn gone(name: String) -> Sheet {
    Sheet { title: vec![piece(Role::Title, name)], what: vec![dim("is gone")], ..Sheet::default() }
}

/// A figure, or the sign for nothing.
fn figure(name: &str, amount: Option<i64>, signs: &Signs) -> Piece {
    match amount {
        None => dim(signs.nothing),
        Some(amount) => plain(crate::model::quantity::show_amount(name, amount)),
    }
}

/// A figure in a column of its own, at the right.
fn at_right(cell: Piece, width: usize) -> Piece {
    let pad = width.saturating_sub(text::width(&cell.text));
    piece(cell.role, format!("{}{}", " ".repeat(pad), cell.text))
}
