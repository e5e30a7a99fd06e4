//! Columns of a list, and saved views.

use crate::present::arrange::chosen_columns;
use crate::state::column::ColumnChoice;
use crate::state::saved::SavedView;
use crate::state::work::Work;
use crate::state::{Grade, State};
use crate::update::{lists, navigate};

const USUAL: &str = "default";

/// `cpu`, or `cpu:8` with its width.
///
/// # Errors
/// Unknown column, or invalid width.
pub fn read(word: &str, known: &[&'static str]) -> Result<ColumnChoice, String> {
    let (name, width) = match word.split_once(':') {
        None => (word, None),
        Some((name, width)) => {
            let number = width.parse().ok().filter(|width| (1..=200).contains(width));
            (
                name,
                Some(number.ok_or_else(|| format!("{width} is not a width: write 1 to 200, for example {name}:12"))?),
            )
        }
    };
    if !known.contains(&name) {
        return Err(format!("no column {name} here; available: {}", known.join(", ")));
    }
    Ok(ColumnChoice { name: name.to_owned(), width })
}

/// Formats a column.
pub fn written(choice: &ColumnChoice) -> String {
    choice.width.map_or_else(|| choice.name.clone(), |width| format!("{}:{width}", choice.name))
}

/// Names in order, `+name` and `-name`, or `default`.
pub fn choose(state: &mut State, argument: &str) {
    let known = lists::columns(state);
    if argument == USUAL {
        return set(state, None);
    }
    match chosen(state, argument, &known) {
        Ok(columns) => set(state, Some(columns)),
        Err(why) => state.report(Grade::Refusal, why),
    }
}

/// Sets and stores the columns; `None`: automatic.
pub fn set(state: &mut State, columns: Option<Vec<ColumnChoice>>) {
    let page = state.page().name();
    match columns {
        None => {
            state.columns.remove(page);
            state.report(Grade::Info, "columns are chosen by the width");
        }
        Some(columns) => {
            state.columns.insert(page, columns);
            state.wide = false;
        }
    }
    keep(state, page);
}

fn chosen(state: &State, words: &str, known: &[&'static str]) -> Result<Vec<ColumnChoice>, String> {
    let words: Vec<&str> = words.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    let changes = |word: &&str| word.starts_with(['+', '-']);
    let mut columns = match words.iter().any(changes) {
        false => Vec::new(),
        true => {
            let shown =
                || on_screen(state).into_iter().map(|(name, _)| ColumnChoice { name: name.to_owned(), width: None });
            chosen_columns(state).map_or_else(|| shown().collect(), <[ColumnChoice]>::to_vec)
        }
    };
    for word in words {
        let (adds, word) = match word.strip_prefix('-') {
            Some(rest) => (false, rest),
            None => (true, word.strip_prefix('+').unwrap_or(word)),
        };
        let choice = read(word, known)?;
        columns.retain(|column| column.name != choice.name);
        if adds {
            columns.push(choice);
        }
    }
    if columns.is_empty() { Err("a list needs at least one column".to_owned()) } else { Ok(columns) }
}

/// The columns with widths, the names first.
pub fn on_screen(state: &State) -> Vec<(&'static str, u16)> {
    let mut columns: Vec<(&'static str, u16)> = Vec::new();
    let Some(regions) = crate::present::layout::regions(state) else { return columns };
    let width = crate::present::lists::regions_of(state, &regions).rows.width;
    let Some(table) = crate::present::lists::table(state, width) else { return columns };
    for (name, width) in table.columns.iter().filter_map(|column| Some((column.sorted.by?, column.width))) {
        if !columns.iter().any(|(there, _)| *there == name) {
            columns.push((name, width));
        }
    }
    columns
}

fn keep(state: &mut State, page: &'static str) {
    let value = state.columns.get(page).map(|columns| list(columns));
    keep_setting(state, "columns", page, value);
}

fn list(columns: &[ColumnChoice]) -> String {
    let words: Vec<String> = columns.iter().map(|choice| quoted(&written(choice))).collect();
    format!("[{}]", words.join(", "))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Without a settings file the value lasts until exit.
fn keep_setting(state: &mut State, table: &'static str, key: &str, value: Option<String>) {
    if state.saved_dir.as_os_str().is_empty() {
        return;
    }
    state.emit(Work::KeepSetting { file: state.saved_dir.clone(), table, key: key.to_owned(), value });
}

/// Toggles wide mode.
pub fn toggle_wide(state: &mut State) {
    state.wide = !state.wide;
    state.first_column = 0;
    let words = if state.wide { "all columns; > and < scroll" } else { "columns that fit" };
    state.report(Grade::Info, words);
}

/// In wide mode, scrolls the columns.
pub fn shift(state: &mut State, step: isize) {
    if !state.wide {
        state.wide = true;
        state.first_column = 0;
    }
    let most = lists::columns(state).len().saturating_sub(2);
    state.first_column = state.first_column.saturating_add_signed(step).min(most);
}

/// `save NAME` stores, `delete NAME` removes one.
pub fn view(state: &mut State, argument: Option<&str>) {
    let words = argument.unwrap_or_default().trim();
    match words.split_once(' ').map_or((words, ""), |(word, rest)| (word, rest.trim())) {
        ("", _) => {
            let names: Vec<&str> = state.views.keys().map(String::as_str).collect();
            let words = if names.is_empty() {
                "none yet; :view save NAME saves this list".to_owned()
            } else {
                names.join(", ")
            };
            state.report(Grade::Info, format!("views: {words}"));
        }
        ("save", name) => save(state, name),
        ("delete", name) => {
            if state.views.remove(name).is_none() {
                return state.report(Grade::Refusal, format!("no view {name}"));
            }
            keep_setting(state, "views", name, None);
            state.report(Grade::Info, format!("the view {name} is deleted"));
        }
        (name, _) => match state.views.get(name).cloned() {
            Some(view) => show(state, name, view),
            None => state.report(Grade::Refusal, format!("no view {name}; :view save {name} saves this list")),
        },
    }
}

fn save(state: &mut State, name: &str) {
    let plain = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || !name.chars().all(plain) || matches!(name, "save" | "delete") {
        return state.report(Grade::Refusal, "a view name has letters, digits, `-`, and `_`");
    }
    let page = state.page().name();
    let columns = chosen_columns(state).map_or_else(Vec::new, <[ColumnChoice]>::to_vec);
    let Some(list) = state.page().list() else {
        return state.report(Grade::Refusal, "only a list can be saved as a view");
    };
    let (sort, descending) = list.sort();
    let view = SavedView {
        page: page.to_owned(),
        filter: list.filter().to_owned(),
        sort: sort.to_owned(),
        descending,
        columns,
    };
    let text = inline(&view);
    state.views.insert(name.to_owned(), view);
    state.report(Grade::Info, format!("saved as the view {name}; :view {name} opens it"));
    keep_setting(state, "views", name, Some(text));
}

fn inline(view: &SavedView) -> String {
    let columns = if view.columns.is_empty() { String::new() } else { format!(", columns = {}", list(&view.columns)) };
    let sort = if view.descending { format!("-{}", view.sort) } else { view.sort.clone() };
    format!("{{ page = {}, filter = {}, sort = {}{columns} }}", quoted(&view.page), quoted(&view.filter), quoted(&sort))
}

fn show(state: &mut State, name: &str, view: SavedView) {
    if state.page().name() != view.page {
        match view.page.as_str() {
            "queues" => navigate::queues(state, None),
            "apps" => navigate::apps(state, None),
            "nodes" => navigate::nodes(state),
            "users" => navigate::users(state),
            "events" => super::events::open(state, None),
            "audit" => super::audit::open(state, None),
            "revisions" => super::revisions::open(state),
            page => return state.report(Grade::Refusal, format!("the view {name} needs a {page}: open one first")),
        }
    }
    let page = state.page().name();
    if view.columns.is_empty() {
        state.columns.remove(page);
    } else {
        state.columns.insert(page, view.columns);
    }
    if let Some(list) = state.page_mut().list_mut() {
        list.set_filter(&view.filter);
        list.set_sort(&view.sort, view.descending);
    }
    lists::rebuild(state, true);
}
