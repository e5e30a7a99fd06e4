//! What may be done with the text, and bringing it into force.

use std::sync::Arc;
use std::time::Duration;

use super::super::{bulk, change};
use super::{follow, is_behind, page_mut, page_of, shown};
use crate::console::present::format;
use crate::console::state::config::{Applying, ConfigPage};
use crate::console::state::editor::Checked;
use crate::console::state::layer::{Confirm, Layer, Question, Typed};
use crate::console::state::line_edit::LineEdit;
use crate::console::state::orders::Purpose;
use crate::console::state::page::Page;
use crate::console::state::{Grade, State};
use crate::view::act::{Act, Configuration};

/// Whether the configuration is on the screen.
pub fn on_page(state: &State) -> Result<(), String> {
    if matches!(state.page(), Page::Config(_)) { Ok(()) } else { Err("only on the configuration".to_owned()) }
}

/// Whether its text can be edited.
pub fn can_edit(state: &State) -> Result<(), String> {
    on_page(state)?;
    state.cluster.past.why_off().map_or(Ok(()), Err)?;
    match page_of(state) {
        Some(page) if page.base.is_some() => Ok(()),
        _ => Err("the text of the configuration in force is not known".to_owned()),
    }
}

/// Whether there is a fault or a place to go to.
pub fn has_faults(state: &State) -> Result<(), String> {
    on_page(state)?;
    match page_of(state) {
        Some(page) if !page.checked.faults.is_empty() || !page.find.is_empty() => Ok(()),
        _ => Err("no faults".to_owned()),
    }
}

/// Whether there is an edit to go back from.
pub fn can_revert(state: &State) -> Result<(), String> {
    can_edit(state)?;
    if page_of(state).is_some_and(|page| page.modified) { Ok(()) } else { Err("nothing is changed".to_owned()) }
}

/// Whether there is a version before.
pub fn can_restore(state: &State) -> Result<(), String> {
    can_edit(state)?;
    match page_of(state).and_then(|page| page.before.as_ref()) {
        Some(_) => Ok(()),
        None => Err("no configuration was applied from here yet".to_owned()),
    }
}

/// Whether something was changed underneath.
pub fn can_merge(state: &State) -> Result<(), String> {
    can_edit(state)?;
    match page_of(state) {
        Some(page) if is_behind(state, page) => Ok(()),
        _ => Err("nothing was changed underneath".to_owned()),
    }
}

/// Whether the text could be applied.
pub fn can_apply(state: &State) -> Result<(), String> {
    state.cluster.past.why_off().map_or(Ok(()), Err)?;
    let page = match state.page() {
        Page::Config(page) => page,
        Page::Change(page) => return change::can_apply(state, page),
        _ => return Err("only on the configuration, or in a form on a queue".to_owned()),
    };
    if page.base.is_none() {
        return Err("the text of the configuration in force is not known".to_owned());
    }
    if page.applying.is_some() {
        return Err("it is being applied".to_owned());
    }
    if !page.modified {
        return Err("nothing is changed".to_owned());
    }
    if !page.is_checked() {
        return Err("the text is still being checked".to_owned());
    }
    if is_behind(state, page) && page.checked.errors() == 0 {
        return Err("another configuration is in force by now; :merge takes both, :rebase keeps yours".to_owned());
    }
    sound(&page.checked).map_err(|why| match page.checked.errors() {
        0 => why,
        _ => format!("{why}; n goes there"),
    })
}

/// Whether a text that was looked at could come into force: without faults, and by whoever is here.
pub fn sound(checked: &Checked) -> Result<(), String> {
    match (checked.errors(), &checked.refused) {
        (0, None) => Ok(()),
        (0, Some(why)) => Err(format!("it would be refused: {why}")),
        (1, _) => Err("a fault refuses it".to_owned()),
        (more, _) => Err(format!("{more} faults refuse it")),
    }
}

/// Asks whether the text is to be applied.
pub fn ask_apply(state: &mut State) {
    let Page::Config(page) = state.page() else { return };
    let kept = state.cluster.past.kept;
    let question = question("Apply the configuration?".to_owned(), &page.checked, page.base.as_deref(), kept);
    state.layers.push(Layer::Confirm(question));
}

/// The question before a text comes into force; `kept`: all that the scheduler does is. One that lets a whole subtree drain, or many
/// applications, asks for a name.
pub fn question(title: String, checked: &Checked, base: Option<&Configuration>, kept: bool) -> Confirm {
    let summary = &checked.summary;
    let mut lines =
        vec![if summary.is_empty() { "only comments and order change".to_owned() } else { summary.clone() }];
    for gone in checked.removed.iter().take(6) {
        let below = if gone.subtree { " with all below it" } else { "" };
        lines.push(match gone.apps {
            0 => format!("{}{below} is empty and goes at once", gone.queue),
            apps => format!("{}{below} drains, held by {}", gone.queue, format::count(apps as u64, "application")),
        });
    }
    lines.push(match base.and_then(|base| base.file.as_ref()) {
        Some(file) => format!("It is written to {} and comes into force at once.", file.display()),
        None if kept => "It comes into force at once, and is kept with the state.".to_owned(),
        None => "It comes into force at once; it is in memory only.".to_owned(),
    });
    let apps: usize = checked.removed.iter().map(|gone| gone.apps).sum();
    let grave = checked.removed.iter().find(|gone| gone.subtree || apps > bulk::PLAIN);
    let typed = grave.map(|gone| Typed { want: gone.queue.to_string(), line: LineEdit::default() });
    Confirm { title, lines, accept: "Apply", accepting: false, typed, what: Question::Apply, from: Duration::ZERO }
}

/// Has the text brought into force.
pub fn apply(state: &mut State) {
    if let Err(told) = can_apply(state) {
        return state.say(Grade::Refusal, told);
    }
    let Some(page) = shown(state) else { return };
    let base = page.base.as_ref().map(|base| base.checksum.clone());
    let text = page.buffer.text();
    let act = Act::Configure { text: text.clone(), base, dry_run: false };
    let number = state.orders.give(act.into(), Purpose::Tell);
    if let Some(page) = shown(state) {
        page.applying = Some(Applying { number, text });
    }
}

/// Takes what came of bringing it into force, which is told already. What was written meanwhile stays, as an edit of what is in force
/// now.
pub fn ordered(state: &mut State, number: u64, applied: bool) {
    let here = |page: &&mut ConfigPage| page.applying.as_ref().is_some_and(|applying| applying.number == number);
    let Some(page) = page_mut(state).filter(here) else { return };
    let sent = page.applying.take();
    if applied {
        page.before = page.base.clone();
        page.modified = sent.as_ref().is_none_or(|sent| sent.text != page.buffer.text());
        page.applied = sent.map(|sent| sent.text).filter(|_| page.modified);
    }
    follow(state);
}

/// Another configuration was brought into force from here by other means than its text; the one before can be put back.
pub fn replaced(state: &mut State, before: Option<Arc<Configuration>>) {
    if page_of(state).is_none() {
        let running = state.cluster.newest.configuration.clone();
        state.parked.config = Some(Box::new(ConfigPage::new(running)));
    }
    if let Some(page) = page_mut(state) {
        page.before = before;
    }
    follow(state);
}
