//! The contexts: opens or contacts them.

use crate::present::contexts as shown;
use crate::state::contexts::{ContextFacts, ContextState, ContextsPage};
use crate::state::effect::Effect;
use crate::state::page::Page;
use crate::state::{Grade, State};
use crate::update::navigate;
use crate::update::stack::push;

const AT_ONCE: usize = 8;

/// Contacts failed ones again.
pub fn open(state: &mut State) {
    state.contexts.known.retain(|_, known| !matches!(known, ContextState::Failed(_)));
    if let Some(why) = state.contexts.fault.clone() {
        state.report(Grade::Warning, why);
    }
    if !matches!(state.page(), Page::Contexts(_)) {
        let here = |name: &str| state.contexts.here.as_deref() == Some(name);
        let index = state.contexts.names().position(here).unwrap_or(0);
        push(state, Page::Contexts(ContextsPage { index, top: 0 }));
    }
}

fn at_cursor(state: &State) -> Option<String> {
    let Page::Contexts(page) = state.page() else { return None };
    state.contexts.all.get(page.index).map(|one| one.name.clone())
}

/// Opens the selected context.
pub fn go(state: &mut State) {
    if let Some(name) = at_cursor(state) {
        navigate::context(state, &name);
    }
}

/// Contacts the context, even if that runs a program.
pub fn ask(state: &mut State) {
    if let Some(name) = at_cursor(state).filter(|name| state.contexts.known.get(name) != Some(&ContextState::Asked)) {
        emit(state, name);
    }
}

/// Contacts new contexts, a few at a time.
pub fn want(state: &mut State) {
    if !matches!(state.page(), Page::Contexts(_)) {
        return;
    }
    let contexts = &state.contexts;
    let asked = contexts.known.values().filter(|known| **known == ContextState::Asked).count();
    let new = contexts.all.iter().filter(|one| one.plugin.is_none() && !contexts.known.contains_key(&one.name));
    let names: Vec<String> = new.take(AT_ONCE.saturating_sub(asked)).map(|one| one.name.clone()).collect();
    names.into_iter().for_each(|name| emit(state, name));
}

fn emit(state: &mut State, name: String) {
    state.contexts.known.insert(name.clone(), ContextState::Asked);
    state.emit(Effect::AskContext(name));
}

/// Takes the response of a context.
pub fn take(state: &mut State, name: String, answer: Result<ContextFacts, String>) {
    let known = answer.map_or_else(ContextState::Failed, ContextState::Reached);
    state.contexts.known.insert(name, known);
}

/// Scrolls to the selected context.
pub fn settle(state: &mut State, height: usize) {
    let Page::Contexts(page) = state.page() else { return };
    let last = state.contexts.all.len().saturating_sub(1);
    let index = page.index.min(last);
    let line = index + shown::TITLES;
    let space = height.saturating_sub(shown::below(state, index)).max(1);
    let top = page
        .top
        .min(line.saturating_sub(usize::from(index == 0) * shown::TITLES))
        .max((line + 1).saturating_sub(space));
    if let Page::Contexts(page) = state.page_mut() {
        *page = ContextsPage { index, top };
    }
}
