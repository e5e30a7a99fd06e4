//! The placement page.

use std::sync::Arc;

use crate::input::editing::edit;
use crate::present::layout;
use crate::present::placement::part;
use crate::present::subject;
use crate::present::suggestions;
use crate::state::State;
use crate::state::key::Key;
use crate::state::layer::Layer;
use crate::state::line_edit::{LineStep, Reach};
use crate::state::page::{DetailsPage, Page, Subject};
use crate::state::placement::{Against, EDITED, Form, PlacementPage, WantedFile};
use crate::state::work::Work;
use crate::update::stack::{home, push};
use model::Identity;
use view::View;

/// Opens it with a configuration file; otherwise an open page returns to the running configuration.
pub fn open(state: &mut State, file: Option<&str>) {
    let there = matches!(state.page(), Page::Placement(_));
    home(state);
    let mut page = state.parked.placement.take().unwrap_or_else(|| Box::new(fresh(&state.cluster.identity)));
    match file.map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) => {
            let profile = state.cluster.part().map(|part| part.rules.profile()).unwrap_or_default();
            page.against = Against::Reading(name.to_owned());
            (page.top, page.edited) = (0, None);
            state.emit(Work::ReadConfig(WantedFile { name: name.to_owned(), config: None, profile }));
        }
        None if there || page.edited.is_some() => (page.against, page.edited) = (Against::Running, None),
        None => {}
    }
    push(state, Page::Placement(page));
}

/// Opens it with the edited text; going back returns to the editor.
pub fn try_text(state: &mut State) {
    let Page::Config(page) = state.page() else { return };
    let (version, config) = (page.buffer.version(), page.checked.config.clone());
    let profile = state.cluster.part().map(|part| part.rules.profile()).unwrap_or_default();
    state.layers.retain(|layer| !matches!(layer, Layer::Edit));
    let mut page = state.parked.placement.take().unwrap_or_else(|| Box::new(fresh(&state.cluster.identity)));
    (page.against, page.edited, page.top) = (Against::Reading(EDITED.to_owned()), Some(version), 0);
    state.emit(Work::ReadConfig(WantedFile { name: EDITED.to_owned(), config, profile }));
    push(state, Page::Placement(page));
}

fn fresh(identity: &Identity) -> PlacementPage {
    PlacementPage { form: Form::of(identity), ..PlacementPage::default() }
}

/// Takes a configuration if it is still wanted.
pub fn take(state: &mut State, name: &str, read: Result<Arc<View>, String>) {
    let on_stack = state.pages.iter_mut().find_map(|page| match page {
        Page::Placement(page) => Some(page),
        _ => None,
    });
    let Some(page) = on_stack.or(state.parked.placement.as_mut()) else { return };
    if !matches!(&page.against, Against::Reading(wanted) if wanted == name) {
        return;
    }
    page.against = match read {
        Ok(view) => Against::File(name.to_owned(), view),
        Err(message) => Against::Faulty(name.to_owned(), message),
    };
    state.redraw();
}

/// The selected application's placement, or the queue's ACLs.
pub fn why(state: &mut State) {
    let subject = match subject::of(state) {
        Some(Subject::Queue(path)) => Subject::Access(path),
        Some(Subject::App(row)) => Subject::Why(row),
        _ => return,
    };
    push(state, Page::Details(DetailsPage { subject, top: 0 }));
}

/// Fills the form with an application's submission.
pub fn try_again(state: &mut State) {
    let Some(Subject::App(row) | Subject::Why(row)) = subject::of(state) else { return };
    open(state, None);
    if let Page::Placement(page) = state.page_mut() {
        **page = PlacementPage { form: Form::of_app(&row), ..PlacementPage::default() };
    }
}

/// Goes to another field.
pub fn step(page: &mut PlacementPage, step: isize) {
    page.field = page.field.step(step);
    page.form.line_mut(page.field).enter();
    page.suggestion.clear();
}

/// An empty form is filled with the console's user.
pub fn clear(state: &mut State) {
    let identity = state.cluster.identity.clone();
    if let Page::Placement(page) = state.page_mut() {
        page.form = if page.form.is_empty() { Form::of(&identity) } else { Form::default() };
        page.suggestion.clear();
        page.top = 0;
    }
}

/// Applies a key to the field under the cursor.
pub fn key(state: &mut State, key: Key) {
    let Page::Placement(page) = state.page_mut() else { return };
    if !edit(page.form.line_mut(page.field), key) {
        return;
    }
    page.top = 0;
    suggest_again(state);
    state.redraw();
}

fn suggest_again(state: &mut State) {
    let Page::Placement(page) = state.page() else { return };
    let part = part(&state.cluster, page);
    let rest = part.map(|part| suggestions::rest(part, &state.cluster.identity, &page.form, page.field));
    if let Page::Placement(page) = state.page_mut() {
        page.suggestion = rest.unwrap_or_default();
    }
}

/// Accepts the suggestion; without one the cursor moves right.
pub fn take_suggestion(state: &mut State) {
    let Page::Placement(page) = state.page_mut() else { return };
    let line = page.form.line_mut(page.field);
    if page.suggestion.is_empty() {
        line.apply(LineStep::Move(Reach::Right));
    } else {
        let whole = format!("{}{}", line.text(), page.suggestion);
        line.set(whole);
    }
    suggest_again(state);
}

/// Pastes text into the field under the cursor.
pub fn paste(state: &mut State, text: &str) -> bool {
    let Page::Placement(page) = state.page_mut() else { return false };
    page.form.line_mut(page.field).paste(text);
    page.top = 0;
    suggest_again(state);
    true
}

/// Limits scrolling to the last line.
pub fn settle(state: &mut State) {
    let (lines, space) = match (state.page(), layout::regions(state)) {
        (Page::Placement(page), Some(regions)) => crate::present::placement::extent(state, page, regions.rows),
        _ => (0, 0),
    };
    if let Page::Placement(page) = state.page_mut() {
        page.top = page.top.min(lines.saturating_sub(space));
    }
}
