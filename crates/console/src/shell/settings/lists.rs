//! Settings for columns and saved views.

use std::collections::BTreeMap;

use crate::state::column::ColumnChoice;
use crate::state::column_names::{of_page, pages};
use crate::state::saved::SavedView;
use crate::update::columns::read as read_column;
use config::Fault;
use config::toml_table::{Entry, Table};

/// `[columns]`: names by page.
pub fn columns(table: &Table<'_, '_>, faults: &mut Vec<Fault>) -> BTreeMap<&'static str, Vec<ColumnChoice>> {
    let mut all = BTreeMap::new();
    for entry in table.entries() {
        let Some(page) = pages().into_iter().find(|page| *page == entry.name) else {
            faults.push(entry.unknown("OWN-030", "page with columns", &pages()));
            continue;
        };
        let chosen = chosen(&entry, page, faults);
        if !chosen.is_empty() {
            all.insert(page, chosen);
        }
    }
    all
}

fn chosen(entry: &Entry<'_, '_>, page: &str, faults: &mut Vec<Fault>) -> Vec<ColumnChoice> {
    let known = of_page(page).unwrap_or_default();
    let mut columns = Vec::new();
    for word in entry.texts(faults).unwrap_or_default() {
        match read_column(&word, &known) {
            Ok(choice) => columns.push(choice),
            Err(why) => faults.push(entry.wrong("OWN-031", why, "`:columns` completes their names")),
        }
    }
    columns
}

/// Reads `[views]`: page, filter, order, and columns by name.
pub fn views(table: &Table<'_, '_>, faults: &mut Vec<Fault>) -> BTreeMap<String, SavedView> {
    let read = |entry: Entry<'_, '_>| Some((entry.name.to_owned(), view(&entry, faults)?));
    table.entries().into_iter().filter_map(read).collect()
}

fn view(entry: &Entry<'_, '_>, faults: &mut Vec<Fault>) -> Option<SavedView> {
    let table = entry.table(faults)?;
    let mut view = SavedView::default();
    let fields = table.entries();
    for field in &fields {
        match field.name {
            "page" => view.page = field.text(faults).unwrap_or_default().to_owned(),
            "filter" => view.filter = field.text(faults).unwrap_or_default().to_owned(),
            "sort" => {
                let sort = field.text(faults).unwrap_or_default();
                view.descending = sort.starts_with('-');
                sort.trim_start_matches('-').clone_into(&mut view.sort);
            }
            "columns" => {}
            _ => faults.push(field.unknown("OWN-002", "field of a view", &["page", "filter", "sort", "columns"])),
        }
    }
    let Some(known) = of_page(&view.page) else {
        let words = format!("the view {} needs a page with a list", entry.name);
        faults.push(entry.fault("OWN-030", words, &format!("available: {}", pages().join(", "))));
        return None;
    };
    if let Some(field) = fields.iter().find(|field| field.name == "columns") {
        view.columns = chosen(field, &view.page, faults);
    }
    if !view.sort.is_empty() && !known.contains(&view.sort.as_str()) {
        let words = format!("no column {} to sort by", view.sort);
        faults.push(entry.fault("OWN-031", words, &format!("available: {}", known.join(", "))));
        view.sort.clear();
    }
    Some(view)
}
