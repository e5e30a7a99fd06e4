//! The placement page: the form, the result, the rule trace, and the active rules. Its layout is in
//! [`crate::present::form`].

use ratatui::layout::Rect;

use crate::present::form::{Entry, Fields};
use crate::present::format;
use crate::present::pieces;
use crate::present::pieces::{Lines, Piece, dim, piece, plain, symbol_set};
use crate::present::place::Source;
use crate::present::text;
use crate::present::walk;
use crate::state::placement::{Against, Field, Form, PlacementPage};
use crate::state::{Cluster, State};
use crate::theme::Role;
use config::Place;
use view::PartitionView;
use view::placement::{Admission, PlacementOutcome, Request, RuleLine};

const ESTIMATE: &str = "an estimate from the loaded configuration, because YuniKorn has no preview";

/// The facts for the second line.
pub fn facts(state: &State, page: &PlacementPage) -> Vec<Vec<Piece>> {
    let Some(part) = part(&state.cluster, page) else { return Vec::new() };
    let against = match page.against {
        Against::Running => "active",
        _ if page.edited.is_some() => "of the edited text",
        _ => "of this file",
    };
    vec![
        vec![dim(format!("rejected {}", part.hits.refused))],
        vec![plain(format::count(part.rules.len() as u64, "rule")), dim(format!(" {against}"))],
    ]
}

/// The fields of the form.
pub fn fields(page: &PlacementPage, writing: bool) -> Fields<'_> {
    let entry = |field: Field| {
        let (label, hint, line) = (field.label(), field.hint(), page.form.line(field));
        Entry { label, hint, line, changed: false, was: "" }
    };
    let entries = Field::ALL.into_iter().map(entry).collect();
    Fields { entries, here: page.field as usize, writing, suggestion: &page.suggestion }
}

/// The number of lines, and the number that fits.
pub fn extent(state: &State, page: &PlacementPage, area: Rect) -> (usize, usize) {
    let below = fields(page, false).below(area);
    (content(state, page, usize::from(below.width)).len(), usize::from(below.height))
}

/// All lines of the page including the form.
pub fn lines(state: &State, page: &PlacementPage, width: usize) -> Lines {
    let mut lines = fields(page, false).lines();
    lines.push(Vec::new());
    lines.extend(content(state, page, width));
    lines
}

/// The content below the form.
pub fn content(state: &State, page: &PlacementPage, width: usize) -> Lines {
    let Some(part) = part(&state.cluster, page) else { return without_rules(state, page, width) };
    let mut lines = match preview(part, &page.form) {
        Err(fault) => wrapped(&fault, width, Role::Warning),
        Ok(admission) => {
            let mut lines = walk::verdict(&admission.placement, Some(part), width, symbol_set(state));
            if state.cluster.estimates && matches!(page.against, Against::Running) {
                lines.extend(wrapped(ESTIMATE, width, Role::Warning));
            }
            lines.extend(winner(state, part, page, &admission));
            lines.push(Vec::new());
            lines.extend(walk::lines(&admission.placement.lines(&part.rules), width, symbol_set(state)));
            lines
        }
    };
    lines.push(Vec::new());
    rules(&mut lines, state, part, page, width);
    lines
}

fn winner(state: &State, part: &PartitionView, page: &PlacementPage, admission: &Admission) -> Option<Vec<Piece>> {
    let PlacementOutcome::Placed(placed) = &admission.placement.outcome else { return None };
    let rule = part.rules.rule_lines().into_iter().find(|line| line.rule == placed.rule && line.depth == 0)?;
    let place = place(state, page, rule.at);
    (!place.is_empty()).then(|| vec![plain("  "), dim(format!("{}: {place}", head(&rule).trim()))])
}

fn without_rules(state: &State, page: &PlacementPage, width: usize) -> Lines {
    match &page.against {
        Against::Reading(name) => wrapped(&format!("loading {name}"), width, Role::Dim),
        Against::Faulty(name, message) => {
            let mut lines = wrapped(&format!("{name} is not a valid configuration:"), width, Role::Error);
            lines.extend(message.lines().map(|line| vec![plain(line.to_owned())]));
            lines
        }
        Against::Running | Against::File(..) => wrapped(state.cluster.why_no_part(), width, Role::Dim),
    }
}

fn wrapped(words: &str, width: usize, role: Role) -> Lines {
    text::wrap(&text::escape(words), width).into_iter().map(|line| vec![piece(role, line)]).collect()
}

fn rules(lines: &mut Lines, state: &State, part: &PartitionView, page: &PlacementPage, width: usize) {
    let running = matches!(page.against, Against::Running);
    let message = part.rules.rule_lines();
    let (title, hits) = if running {
        ("active rules", "placed of reached")
    } else {
        (if page.edited.is_some() { "rules of the edited text" } else { "rules of the file" }, "")
    };
    let heads: Vec<String> = message.iter().map(head).collect();
    let head_width = heads.iter().map(|head| text::width(head)).max().unwrap_or(0).max(title.len());
    let hit_width = if running { 19 } else { 0 };
    lines.push(vec![piece(Role::Title, format!("{title:<head_width$}")), dim(format!("{hits:>hit_width$}"))]);
    for (line, head) in message.iter().zip(heads) {
        let hit = part.hits.get(line.rule);
        let hits =
            if running && line.depth == 0 { format!("{} of {}", hit.placed, hit.reached) } else { String::new() };
        let role = if hit.placed > 0 { Role::Text } else { Role::Dim };
        let pad = head_width.saturating_sub(text::width(&head));
        let mut row = vec![
            piece(if line.depth == 0 { Role::Text } else { Role::Dim }, format!("{head}{}", " ".repeat(pad))),
            piece(role, format!("{hits:>hit_width$}")),
        ];
        let place = place(state, page, line.at);
        let details: Vec<String> = [line.filter.clone(), place].into_iter().filter(|text| !text.is_empty()).collect();
        let details = text::escape(&details.join("   ")).into_owned();
        if pieces::width(&row) + 3 + text::width(&details) <= width {
            row.extend([plain("   "), dim(details)]);
            lines.push(row);
        } else {
            lines.push(row);
            let more = text::wrap(&details, width.saturating_sub(6)).into_iter();
            lines.extend(more.map(|line| vec![plain("      "), dim(line)]));
        }
    }
}

fn place(state: &State, page: &PlacementPage, at: Place) -> String {
    match &page.against {
        _ if at.line == 0 => String::new(),
        Against::File(..) if page.edited.is_some() => format!("line {} of the edited text", at.line),
        Against::File(name, _) => format!("{}:{}", text::escape(name), at.line),
        _ => Source::of(state).place(at).unwrap_or_default(),
    }
}

fn head(line: &RuleLine) -> String {
    let value = if line.value.is_empty() { String::new() } else { format!(" {}", line.value) };
    let indent = if line.depth == 0 { 0 } else { 2 + 2 * line.depth };
    let text = format!("{:indent$}{}{value}", "", line.head);
    text::escape(&text).into_owned()
}

/// The tested partition: in a file that of the same name, otherwise its first.
pub fn part<'m>(cluster: &'m Cluster, page: &'m PlacementPage) -> Option<&'m PartitionView> {
    match &page.against {
        Against::Running => cluster.part(),
        Against::File(_, view) => {
            view.partitions.iter().find(|part| part.name == cluster.partition).or_else(|| view.partitions.first())
        }
        Against::Reading(_) | Against::Faulty(..) => None,
    }
}

/// Fails for invalid submissions.
pub fn preview(part: &PartitionView, form: &Form) -> Result<Admission, String> {
    use crate::state::placement::Field;
    let (groups, tags) = (form.groups(), form.tags()?);
    let text = |field| form.line(field).text();
    let request = Request { queue: text(Field::Queue), user: text(Field::User), groups: &groups, tags: &tags };
    Ok(part.preview(&request, None))
}
