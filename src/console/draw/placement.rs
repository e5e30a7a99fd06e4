//! Where a submission would go: the form on top, below it what it comes to, the walk, and the rules in force.
//!
//! ```text
//! ▌user    kim▁                     groups  ml                       queue  root.nowhere.x
//!  type    none                     tags    namespace=red
//!
//!  → root.users.kim   by rule 2, new dynamic leaf, max mem 10G (template of root.users)
//!
//!  1 provided         root.nowhere.x  does not exist, create is off                next rule
//!  2 user, create     kim
//!    parent: fixed    root.users      exists, parent
//!                     root.users.kim  does not exist, would be a new dynamic leaf  placed
//!
//!  rules in force                                     placed of reached
//!  1 provided                                              12 of 40      line 4
//! ```
//!
//! When narrow the form has two fields in a line, then one; where that leaves too little, only the field under the cursor is shown.

use ratatui::layout::{Position, Rect};

use super::super::format;
use super::super::model::Model;
use super::super::model::layer::Layer;
use super::super::model::page::Page;
use super::super::model::placement::{Against, Field, PlacementPage};
use super::super::text;
use super::super::theme::{Role, Theme, sign_set};
use super::super::update::placement::{part, preview};
use super::pen::{self, Pen, Piece, dim, piece, plain};
use super::walk;
use crate::view::PartitionView;
use crate::view::place::RuleLine;

/// What is said of a preview on the configuration of a YuniKorn.
const ESTIMATE: &str = "an estimate: worked out here on the configuration that was read, a YuniKorn offers no preview";

/// Lines of pieces.
type Lines = Vec<Vec<Piece>>;

/// What a label takes.
const LABEL: u16 = 8;
/// The least room below the form.
const LEAST_BELOW: u16 = 6;

/// What is worth saying in the second line.
pub fn facts(model: &Model, page: &PlacementPage) -> Vec<Vec<Piece>> {
    let Some(part) = part(&model.cluster, page) else { return Vec::new() };
    let against = match page.against {
        Against::Running => "in force",
        _ => "of this file",
    };
    vec![
        vec![dim(format!("refused {}", part.hits.refused))],
        vec![plain(format::count(part.rules.len() as u64, "rule")), dim(format!(" {against}"))],
    ]
}

/// Where each field stands.
fn fields(page: &PlacementPage, area: Rect) -> Vec<(Field, Rect)> {
    let in_line = match area.width {
        0..64 => 1,
        64..100 => 2,
        _ => 3,
    };
    let tall = u16::try_from(Field::ALL.len().div_ceil(usize::from(in_line))).unwrap_or(u16::MAX);
    if area.height < tall + LEAST_BELOW {
        return vec![(page.field, Rect { height: 1.min(area.height), ..area })];
    }
    let wide = area.width / in_line;
    let place = |(at, field): (usize, &Field)| {
        let at = u16::try_from(at).unwrap_or(u16::MAX);
        (*field, Rect { x: area.x + at % in_line * wide, y: area.y + at / in_line, width: wide, height: 1 })
    };
    Field::ALL.iter().enumerate().map(place).collect()
}

/// What is left below the form.
fn below(page: &PlacementPage, area: Rect) -> Rect {
    let end = fields(page, area).iter().map(|(_, rect)| rect.bottom()).max().unwrap_or(area.y);
    let gap = u16::from(area.height > LEAST_BELOW + 4);
    let top = (end + gap).min(area.bottom());
    Rect { x: area.x + 1, y: top, width: area.width.saturating_sub(2), height: area.bottom() - top }
}

/// How many lines stand below the form, and for how many there is room.
pub fn extent(model: &Model, page: &PlacementPage, area: Rect) -> (usize, usize) {
    let below = below(page, area);
    (content(model, page, usize::from(below.width)).len(), usize::from(below.height))
}

/// Draws the page.
pub fn draw(pen: &mut Pen<'_>, model: &Model, page: &PlacementPage, area: Rect) {
    let writing = matches!(model.layers.last(), Some(Layer::Form));
    let shown = fields(page, area);
    let alone = shown.len() == 1;
    for (field, rect) in shown {
        let here = field == page.field;
        if here {
            pen.text(rect.x, rect.y, 1, pen.signs().bar, Role::SelectionBar);
        }
        let role = if here { Role::Accent } else { Role::Dim };
        pen.text(rect.x + 1, rect.y, LABEL, field.label(), role);
        let room = value_room(rect, alone);
        let line = page.form.line(field);
        if line.text().is_empty() && !(here && writing) {
            pen.text(rect.x + 1 + LABEL, rect.y, room, field.hint(), Role::Ghost);
        } else if here && writing {
            let (before, after) = around(line.before(), line.text(), room, pen.signs().ellipsis);
            let used = pen.text(rect.x + 1 + LABEL, rect.y, room, &before, Role::Strong);
            let used = used + pen.text(rect.x + 1 + LABEL + used, rect.y, room - used, &after, Role::Strong);
            let suggestion = text::escape(&page.suggestion);
            pen.text(rect.x + 1 + LABEL + used, rect.y, room - used, &suggestion, Role::Ghost);
        } else {
            pen.text(rect.x + 1 + LABEL, rect.y, room, line.text(), Role::Text);
        }
        if alone {
            let place = format!("{} of {}", field as usize + 1, Field::ALL.len());
            pen.pieces_right(rect.x, rect.y, rect.width.saturating_sub(1), &[dim(place)]);
        }
    }
    let below = below(page, area);
    let lines = content(model, page, usize::from(below.width));
    pen.lines(below, &lines, page.top);
    let room = usize::from(below.height);
    if lines.len() > page.top + room {
        let more = format!(" {} more ", lines.len() - page.top - room);
        let wide = u16::try_from(more.len()).unwrap_or(0);
        pen.over(below.right().saturating_sub(wide), below.bottom().saturating_sub(1), wide, &more, Role::HintKey);
    }
}

fn value_room(rect: Rect, alone: bool) -> u16 {
    rect.width.saturating_sub(LABEL + 3 + if alone { 8 } else { 0 })
}

/// What of a text stands before and after the cursor in `room` columns, so that the cursor is in sight.
fn around(before: &str, all: &str, room: u16, ellipsis: &str) -> (String, String) {
    let after = all[before.len()..].to_owned();
    let before = text::escape(before).into_owned();
    (text::cut_start(&before, usize::from(room).saturating_sub(1), ellipsis).into_owned(), after)
}

/// The place of the text cursor while the form is written.
pub fn cursor(model: &Model, theme: &Theme, area: Rect) -> Option<Position> {
    let (Page::Placement(page), Some(Layer::Form)) = (model.page(), model.layers.last()) else { return None };
    let shown = fields(page, area);
    let alone = shown.len() == 1;
    let (field, rect) = shown.into_iter().find(|(field, _)| *field == page.field)?;
    let line = page.form.line(field);
    let (before, _) = around(line.before(), line.text(), value_room(rect, alone), theme.signs.ellipsis);
    let x = rect.x + 1 + LABEL + u16::try_from(text::width(&before)).unwrap_or(0);
    Some(Position { x: x.min(area.right().saturating_sub(1)), y: rect.y })
}

/// What stands below the form.
fn content(model: &Model, page: &PlacementPage, width: usize) -> Lines {
    let Some(part) = part(&model.cluster, page) else { return without_rules(page, width) };
    let mut lines = match preview(part, &page.form) {
        Err(fault) => wrapped(&fault, width, Role::Warning),
        Ok(admission) => {
            let mut lines = walk::verdict(&admission.placement, Some(part), width, sign_set(model));
            if model.cluster.estimates && matches!(page.against, Against::Running) {
                lines.extend(wrapped(ESTIMATE, width, Role::Warning));
            }
            lines.push(Vec::new());
            lines.extend(walk::lines(&admission.placement.lines(&part.rules), width));
            lines
        }
    };
    lines.push(Vec::new());
    rules(&mut lines, part, page, width);
    lines
}

fn without_rules(page: &PlacementPage, width: usize) -> Lines {
    match &page.against {
        Against::Reading(name) => wrapped(&format!("{name} is being read"), width, Role::Dim),
        Against::Faulty(name, told) => {
            let mut lines = wrapped(&format!("{name} is no configuration that could hold:"), width, Role::Error);
            lines.extend(told.lines().map(|line| vec![plain(line.to_owned())]));
            lines
        }
        Against::Running | Against::File(..) => wrapped("no configuration is loaded", width, Role::Dim),
    }
}

fn wrapped(words: &str, width: usize, role: Role) -> Lines {
    text::wrap(&text::escape(words), width).into_iter().map(|line| vec![piece(role, line)]).collect()
}

/// The rules, with how often each decided.
fn rules(lines: &mut Lines, part: &PartitionView, page: &PlacementPage, width: usize) {
    let running = matches!(page.against, Against::Running);
    let told = part.rules.told();
    let (title, hits) = if running { ("rules in force", "placed of reached") } else { ("rules of the file", "") };
    let heads: Vec<String> = told.iter().map(head).collect();
    let head_width = heads.iter().map(|head| text::width(head)).max().unwrap_or(0).max(title.len());
    let hit_width = if running { 19 } else { 0 };
    lines.push(vec![piece(Role::Title, format!("{title:<head_width$}")), dim(format!("{hits:>hit_width$}"))]);
    for (line, head) in told.iter().zip(heads) {
        let hit = part.hits.get(line.rule);
        let hits =
            if running && line.depth == 0 { format!("{} of {}", hit.placed, hit.reached) } else { String::new() };
        let role = if hit.placed > 0 { Role::Text } else { Role::Dim };
        let pad = head_width.saturating_sub(text::width(&head));
        let mut row = vec![
            piece(if line.depth == 0 { Role::Text } else { Role::Dim }, format!("{head}{}", " ".repeat(pad))),
            piece(role, format!("{hits:>hit_width$}")),
        ];
        let place = if line.at.line > 0 { format!("line {}", line.at.line) } else { String::new() };
        let details: Vec<String> = [line.filter.clone(), place].into_iter().filter(|text| !text.is_empty()).collect();
        let details = text::escape(&details.join("   ")).into_owned();
        if pen::width(&row) + 3 + text::width(&details) <= width {
            row.extend([plain("   "), dim(details)]);
            lines.push(row);
        } else {
            lines.push(row);
            let more = text::wrap(&details, width.saturating_sub(6)).into_iter();
            lines.extend(more.map(|line| vec![plain("      "), dim(line)]));
        }
    }
}

fn head(line: &RuleLine) -> String {
    let value = if line.value.is_empty() { String::new() } else { format!(" {}", line.value) };
    let indent = if line.depth == 0 { 0 } else { 2 + 2 * line.depth };
    let text = format!("{:indent$}{}{value}", "", line.head);
    text::escape(&text).into_owned()
}
