//! Copies to the terminal's clipboard, and exports to files.

use std::path::PathBuf;

use crate::present::export;
use crate::present::format;
use crate::present::lists;
use crate::present::subject;
use crate::present::subject::name;
use crate::state::effect::Effect;
use crate::state::page::{Page, Subject};
use crate::state::work::Work;
use crate::state::{Grade, State};
use crate::update::audit;
use crate::update::command_line::open_command_line_with;
use crate::update::pod;
use model::QueuePath;
use view::AppRow;

/// The copied part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The name: a queue path or an id.
    Name,
    /// The displayed row.
    Row,
    /// The object as YAML.
    Yaml,
}

/// Copies a part of the selected row.
pub fn copy(state: &mut State, piece: Piece) {
    if piece == Piece::Yaml && pod::copy(state) {
        return;
    }
    let text = match piece {
        Piece::Name => name(state),
        Piece::Row => row(state),
        Piece::Yaml => yaml(state),
    };
    let Some(text) = text else {
        return state.report(Grade::Refusal, "nothing to copy here");
    };
    let first = text.lines().next().unwrap_or_default().to_owned();
    let lines = text.lines().count();
    let what = if lines > 1 { format!("{lines} lines") } else { first };
    state.emit(Effect::Copy(text));
    state.report(Grade::Info, format!("sent to the terminal's clipboard (OSC 52): {what}"));
}

fn row(state: &State) -> Option<String> {
    let cells: Vec<String> = export::row(state).into_iter().map(|(_, cell)| cell).collect();
    (!cells.is_empty()).then(|| cells.join("\t"))
}

fn yaml(state: &State) -> Option<String> {
    match subject::of(state)? {
        Subject::Queue(path) | Subject::Access(path) => queue_yaml(state, &path),
        Subject::App(row) | Subject::Why(row) => Some(app_yaml(&row)),
        _ => None,
    }
    .or_else(|| row_yaml(state))
}

fn row_yaml(state: &State) -> Option<String> {
    let text = |text: &str| serde_json::Value::from(text).to_string();
    let lines = export::row(state).into_iter().map(|(title, value)| format!("{}: {}\n", text(&title), text(&value)));
    Some(lines.collect()).filter(|yaml: &String| !yaml.is_empty())
}

fn queue_yaml(state: &State, path: &QueuePath) -> Option<String> {
    let at = state.cluster.part()?.queue_at(path)?.settings.at?;
    let text = &state.cluster.view.configuration.as_ref()?.text;
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let line = usize::try_from(at.line).ok()?.checked_sub(1)?;
    let (start, end) = crate::state::editor::item(&lines, line).unwrap_or((line, line));
    let block = lines.get(start..=end)?;
    let margin =
        block.iter().filter(|line| !line.trim().is_empty()).map(|line| line.len() - line.trim_start().len()).min()?;
    Some(block.iter().map(|line| format!("{}\n", line.get(margin..).unwrap_or_default())).collect())
}

fn app_yaml(row: &AppRow) -> String {
    let text = |text: &str| serde_json::Value::from(text).to_string();
    let mut yaml = format!("application: {}\nqueue: {}\n", text(row.id.as_str()), text(row.queue.as_str()));
    yaml += &format!("user: {}\nstate: {}\n", text(&row.who.user), row.state);
    if !row.who.groups.is_empty() {
        yaml +=
            &format!("groups: [{}]\n", row.who.groups.iter().map(|group| text(group)).collect::<Vec<_>>().join(", "));
    }
    if !row.tags.is_empty() {
        yaml += "tags:\n";
        row.tags.iter().for_each(|(name, value)| yaml += &format!("  {}: {}\n", text(name), text(value)));
    }
    yaml
}

/// Suggests a file name for the page.
pub fn export_as(state: &mut State) {
    let form = if matches!(state.page(), Page::Config(_)) { "yaml" } else { "csv" };
    let line = format!("export {}.{form}", state.page().name());
    open_command_line_with(state, &line);
}

/// Writes in the format of the extension.
pub fn export_to(state: &mut State, file: &str) {
    let file = PathBuf::from(file.trim());
    if let Page::Config(page) = state.page() {
        let is_patch = file.to_string_lossy().ends_with(".patch.yaml");
        let entry = page.base.as_ref().and_then(|base| base.config_map.clone());
        let (text, what) = match entry.filter(|_| is_patch) {
            Some(entry) => (entry.patch(&page.buffer.text()), format!("a patch of the ConfigMap {}", entry.name)),
            None => (page.buffer.text(), "the text".to_owned()),
        };
        state.emit(Work::Write { file, text, what });
        return;
    }
    if let Page::Audit(page) = state.page()
        && file.extension().is_some_and(|extension| extension == "jsonl")
    {
        state.emit(audit::export(page, file));
        return;
    }
    let what = match state.page() {
        Page::Details(_)
        | Page::Explain(_)
        | Page::Pod(_)
        | Page::Contexts(_)
        | Page::Placement(_)
        | Page::Change(_) => "the page".to_owned(),
        _ => format::count(lists::len(state) as u64, "row"),
    };
    state.emit(Work::Export { state: Box::new(state.clone()), file, what });
}
