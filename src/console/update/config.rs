//! The configuration: looking at its text, editing it, and having it checked, applied or given back.

use std::sync::Arc;
use std::time::Duration;

use super::super::action::Effects;
use super::super::editor::{self, Checked, Completion, Job, completions};
use super::super::format;
use super::super::key::Key;
use super::super::layout;
use super::super::line_edit::LineEdit;
use super::super::model::config::{Beside, ConfigPage};
use super::super::model::cursor::Move;
use super::super::model::layer::{Confirm, Layer, Question, Typed};
use super::super::model::orders::Purpose;
use super::super::model::page::Page;
use super::super::model::{Grade, Model};
use super::super::work::Work;
use super::navigate::{home, push};
use super::{bulk, change};
use crate::config::Fault;
use crate::view::act::{Act, Configuration};

/// Goes to the page. What was edited there before is still there.
pub fn open(model: &mut Model) {
    home(model);
    let running = model.cluster.configuration().cloned();
    let page = model.parked.config.take().unwrap_or_else(|| Box::new(ConfigPage::new(running)));
    push(model, Page::Config(page));
    follow(model);
}

/// The page, wherever it is.
pub fn page_mut(model: &mut Model) -> Option<&mut ConfigPage> {
    let on_stack = model.pages.iter_mut().find_map(|page| match page {
        Page::Config(page) => Some(page),
        _ => None,
    });
    on_stack.or(model.parked.config.as_mut()).map(Box::as_mut)
}

/// The same, for looking.
pub fn page_of(model: &Model) -> Option<&ConfigPage> {
    let on_stack = model.pages.iter().find_map(|page| match page {
        Page::Config(page) => Some(page),
        _ => None,
    });
    on_stack.or(model.parked.config.as_ref()).map(Box::as_ref)
}

/// The page, if it is on the screen.
fn shown(model: &mut Model) -> Option<&mut ConfigPage> {
    match model.page_mut() {
        Page::Config(page) => Some(page),
        _ => None,
    }
}

/// Whether another configuration is in force by now than the one that was edited.
pub fn is_behind(model: &Model, page: &ConfigPage) -> bool {
    match (&page.base, &model.cluster.newest.configuration) {
        _ if model.cluster.past.shown.is_some() => false,
        (Some(base), Some(running)) => base.checksum != running.checksum,
        _ => false,
    }
}

/// Takes over the configuration that is in force by now, unless an edit would be lost.
pub fn follow(model: &mut Model) {
    let running = model.cluster.configuration().cloned();
    let now = model.now;
    let Some(page) = page_mut(model) else { return };
    let (Some(running), None) = (running, page.applying) else { return };
    if page.base.as_ref().is_some_and(|base| base.revision == running.revision && base.checksum == running.checksum) {
        return;
    }
    if page.modified && *running.text != *page.buffer.text() {
        return;
    }
    if *running.text != *page.buffer.text() {
        page.buffer.replace(&running.text);
    }
    page.base = Some(running);
    page.modified = false;
    page.due = Some(now);
}

/// The text was changed.
fn changed(model: &mut Model) {
    let now = model.now;
    if let Some(page) = shown(model) {
        page.modified = true;
        page.due = Some(now + ConfigPage::PAUSE);
    }
}

/// Has the text looked at when that is due. Whether something changed on the screen.
pub fn due(model: &mut Model) {
    let (now, view) = (model.now, Arc::clone(&model.cluster.newest));
    let profile = model.cluster.part().map(|part| part.rules.profile()).unwrap_or_default();
    let actor = model.cluster.actor.clone();
    let Some(page) = page_mut(model) else { return };
    if page.checking || page.due.is_none_or(|due| due > now) {
        return;
    }
    page.due = None;
    let Some(base) = &page.base else { return };
    let job = Job {
        version: page.buffer.version(),
        text: page.buffer.text(),
        base: Arc::clone(&base.text),
        view,
        profile,
        actor,
    };
    page.checking = true;
    model.work.push_back(Work::Check(Box::new(job)));
}

/// When the text is to be looked at.
pub fn next_due(model: &Model) -> Option<Duration> {
    page_of(model).filter(|page| !page.checking).and_then(|page| page.due)
}

/// Takes what was found out about the text.
pub fn checked(model: &mut Model, checked: Checked) {
    let Some(page) = page_mut(model) else { return };
    page.checking = false;
    if checked.version == page.buffer.version() {
        page.modified = checked.differs;
    }
    page.checked = checked;
}

/// Starts writing.
pub fn write(model: &mut Model) {
    if let Some(page) = shown(model) {
        (page.swapped, page.find) = (false, String::new());
        model.layers.push(Layer::Edit);
    }
}

/// Ends writing; a list of completions is closed first.
pub fn end(model: &mut Model) {
    if let Some(page) = shown(model).filter(|page| !page.completion.words.is_empty()) {
        page.completion = Completion::default();
        return;
    }
    if matches!(model.layers.last(), Some(Layer::Edit)) {
        model.layers.pop();
    }
}

/// Lets a key work on the text.
pub fn key(model: &mut Model, key: Key) -> Effects {
    let Some(page) = shown(model) else { return Effects::NONE };
    let before = page.buffer.version();
    if !page.buffer.key(key) {
        return Effects::NONE;
    }
    if page.buffer.version() == before {
        page.completion = Completion::default();
    } else {
        changed(model);
        complete_anew(model);
    }
    Effects::REDRAW
}

/// Puts pasted text into the text.
pub fn paste(model: &mut Model, text: &str) -> bool {
    let room = crate::config::yaml::LARGEST;
    let Some(page) = shown(model) else { return false };
    let there: usize = page.buffer.lines().iter().map(|line| line.len() + 1).sum();
    if there + text.len() > room {
        model.say(Grade::Refusal, format!("a configuration has at most {room} bytes; nothing was pasted"));
        return true;
    }
    page.buffer.insert(text);
    page.completion = Completion::default();
    changed(model);
    true
}

/// Looks up what the word before the cursor could become.
fn complete_anew(model: &mut Model) {
    let Some(Page::Config(page)) = model.pages.last() else { return };
    let (row, _) = page.buffer.cursor();
    let before = page.buffer.before();
    let at_end = page.buffer.behind().trim_start().is_empty() || page.buffer.behind().starts_with([',', '}', ']']);
    let begun = before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-'));
    let completion = if at_end && begun {
        completions(&page.buffer.lines()[..row], before, model.cluster.part())
    } else {
        Completion::default()
    };
    if let Some(page) = shown(model) {
        (page.completion, page.chosen) = (completion, 0);
    }
}

/// Takes the completion, or goes one step to the right.
pub fn complete(model: &mut Model) {
    let Some(page) = shown(model) else { return };
    match page.completion.words.get(page.chosen).cloned() {
        Some(word) => {
            let typed = page.completion.typed;
            page.buffer.complete(typed, &word);
        }
        None => {
            let (_, column) = page.buffer.cursor();
            page.buffer.insert(if column % 2 == 0 { "  " } else { " " });
        }
    }
    page.completion = Completion::default();
    changed(model);
}

/// Chooses another completion.
pub fn choose(model: &mut Model, step: isize) {
    if let Some(page) = shown(model) {
        let len = page.completion.words.len();
        if len > 0 {
            page.chosen = (page.chosen + len).saturating_add_signed(step) % len;
        }
    }
}

/// Takes the last change back, or makes it again.
pub fn history(model: &mut Model, back: bool) {
    let Some(page) = shown(model) else { return };
    let done = if back { page.buffer.undo() } else { page.buffer.redo() };
    page.completion = Completion::default();
    if done {
        changed(model);
    } else {
        model.say(Grade::Info, if back { "nothing to undo" } else { "nothing to make again" });
    }
}

/// Moves the cursor, or scrolls what stands beside the text where that is in its place.
pub fn go(page: &mut ConfigPage, by: Move, height: usize) {
    if page.swapped {
        page.beside_top = by.from(page.beside_top, usize::MAX, height);
        return;
    }
    let last = page.buffer.lines().len().saturating_sub(1);
    match by {
        Move::Rows(rows) => page.buffer.step(rows),
        Move::Pages(pages) => {
            let rows = isize::try_from(height.saturating_sub(1).max(1)).unwrap_or(isize::MAX);
            page.buffer.step(pages.saturating_mul(rows));
        }
        Move::Top => page.buffer.go(0, 0),
        Move::Bottom => page.buffer.go(last, 0),
    }
}

/// Puts the cursor on a line of the screen.
pub fn select_at(model: &mut Model, line: usize) -> bool {
    let Some(page) = shown(model).filter(|page| !page.swapped) else { return false };
    let len = page.buffer.lines().len();
    let mut row = page.top;
    for _ in 0..line {
        match page.buffer.folds.next(row, len) {
            Some(next) => row = next,
            None => return false,
        }
    }
    page.buffer.go(row, 0);
    true
}

/// Searches from the cursor on.
pub fn find(model: &mut Model, text: &str) {
    let Some(page) = shown(model) else { return };
    text.clone_into(&mut page.find);
    if let Some((row, column)) = page.buffer.find(text, true, true) {
        page.buffer.go(row, column);
    }
}

/// Goes to the next place of what is searched for, or to the next fault; or to the one before.
pub fn next(model: &mut Model, forward: bool) {
    let Some(page) = shown(model) else { return };
    if !page.find.is_empty() {
        match page.buffer.find(&page.find, forward, false) {
            Some((row, column)) => page.buffer.go(row, column),
            None => {
                let told = format!("{} is nowhere in the text", page.find);
                model.say(Grade::Info, told);
            }
        }
        return;
    }
    match next_fault(page, forward) {
        Some((row, column)) => page.buffer.go(row, column),
        None => model.say(Grade::Info, "no faults"),
    }
}

/// Goes to the next fault, or to the one before, whatever is searched for.
pub fn to_fault(model: &mut Model, forward: bool) {
    if let Some(page) = shown(model)
        && let Some((row, column)) = next_fault(page, forward)
    {
        page.buffer.go(row, column);
        page.completion = Completion::default();
    }
}

/// Where a fault stands: line and column from 0.
pub fn place_of(fault: &Fault) -> (usize, usize) {
    let from_zero = |number: u32| usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
    (from_zero(fault.at.line), from_zero(fault.at.column))
}

fn next_fault(page: &ConfigPage, forward: bool) -> Option<(usize, usize)> {
    let places: Vec<(usize, usize)> = page.checked.faults.iter().map(place_of).collect();
    let at = page.buffer.cursor();
    if forward {
        places.iter().find(|place| **place > at).or(places.first()).copied()
    } else {
        places.iter().rev().find(|place| **place < at).or(places.last()).copied()
    }
}

/// Folds the item under the cursor, or unfolds it.
pub fn toggle_fold(model: &mut Model) {
    if let Some(page) = shown(model)
        && !page.buffer.toggle_fold()
    {
        model.say(Grade::Info, "nothing to fold here");
    }
}

/// Folds every queue that has lines of its own, or unfolds everything.
pub fn fold_all(model: &mut Model, fold: bool) {
    if let Some(page) = shown(model) {
        page.buffer.fold_all(fold);
    }
}

/// Shows what the edit means, the lines that differ, or what was changed underneath; on a narrow screen in place of the text.
pub fn beside(model: &mut Model) {
    let behind = shown(model).is_some() && page_of(model).is_some_and(|page| is_behind(model, page));
    let narrow = layout::regions(model).is_some_and(|regions| regions.pane.is_none());
    let Some(page) = shown(model) else { return };
    page.beside_top = 0;
    if narrow && !page.swapped {
        page.swapped = true;
        return;
    }
    (page.beside, page.swapped) = match page.beside {
        Beside::Meaning => (Beside::Lines, narrow),
        Beside::Lines if behind => (Beside::Underneath, narrow),
        Beside::Lines | Beside::Underneath => (Beside::Meaning, false),
    };
}

/// Goes back to the text as it runs.
pub fn revert(model: &mut Model) {
    let Some(page) = shown(model) else { return };
    if let Some(base) = &page.base {
        let text = Arc::clone(&base.text);
        page.buffer.replace(&text);
        changed(model);
        follow(model);
        model.say(Grade::Info, "the text is the one in force again; undo brings the edit back");
    }
}

/// Puts the version before into the editor.
pub fn restore(model: &mut Model) {
    let Some(page) = shown(model) else { return };
    if let Some(before) = page.before.clone() {
        page.buffer.replace(&before.text);
        changed(model);
        let told = format!("revision {} is in the editor; apply brings it into force", before.revision);
        model.say(Grade::Info, told);
    }
}

/// Has the text edited in the person's own editor.
pub fn edit_outside(model: &mut Model) {
    if let Some(page) = shown(model) {
        let text = page.buffer.text();
        model.work.push_back(Work::Edit(text));
    }
}

/// Takes the text as it came out of the person's own editor.
pub fn edited(model: &mut Model, text: Result<String, String>) {
    let text = match text {
        Ok(text) => text,
        Err(told) => return model.say(Grade::Refusal, told),
    };
    let Some(page) = shown(model) else { return };
    if page.buffer.text() != text {
        page.buffer.replace(&text);
        changed(model);
    }
}

/// Takes over what was changed underneath, where it does not touch the same lines.
pub fn merge(model: &mut Model) {
    let now = model.cluster.newest.configuration.clone();
    let Some(page) = shown(model) else { return };
    let (Some(base), Some(now)) = (page.base.clone(), now) else { return };
    let own = page.buffer.text();
    match editor::merge(&base.text, &own, &now.text) {
        Ok(text) => {
            page.buffer.replace(&text);
            page.base = Some(now);
            page.beside = Beside::Meaning;
            changed(model);
            model.say(Grade::Info, "both are in the text now; look at it before you apply it");
        }
        Err(clashes) => {
            let places: Vec<String> = clashes.iter().map(|line| (line + 1).to_string()).collect();
            page.buffer.go(clashes[0], 0);
            page.beside = Beside::Underneath;
            let told =
                format!("both change the same lines: at {}; change yours, or :rebase keeps them", places.join(", "));
            model.say(Grade::Refusal, told);
        }
    }
}

/// Keeps the text in place of what was changed underneath.
pub fn rebase(model: &mut Model) {
    let now = model.cluster.newest.configuration.clone();
    let Some(page) = shown(model) else { return };
    if let Some(now) = now {
        page.base = Some(now);
        page.beside = Beside::Meaning;
        changed(model);
        model.say(Grade::Info, "what this changes is told against the configuration in force now");
    }
}

/// Whether the configuration is on the screen.
pub fn on_page(model: &Model) -> Result<(), String> {
    if matches!(model.page(), Page::Config(_)) { Ok(()) } else { Err("only on the configuration".to_owned()) }
}

/// Whether its text can be edited.
pub fn can_edit(model: &Model) -> Result<(), String> {
    on_page(model)?;
    model.cluster.past.why_off().map_or(Ok(()), Err)?;
    match page_of(model) {
        Some(page) if page.base.is_some() => Ok(()),
        _ => Err("the text of the configuration in force is not known".to_owned()),
    }
}

/// Whether there is a fault or a place to go to.
pub fn has_faults(model: &Model) -> Result<(), String> {
    on_page(model)?;
    match page_of(model) {
        Some(page) if !page.checked.faults.is_empty() || !page.find.is_empty() => Ok(()),
        _ => Err("no faults".to_owned()),
    }
}

/// Whether there is an edit to go back from.
pub fn can_revert(model: &Model) -> Result<(), String> {
    can_edit(model)?;
    if page_of(model).is_some_and(|page| page.modified) { Ok(()) } else { Err("nothing is changed".to_owned()) }
}

/// Whether there is a version before.
pub fn can_restore(model: &Model) -> Result<(), String> {
    can_edit(model)?;
    match page_of(model).and_then(|page| page.before.as_ref()) {
        Some(_) => Ok(()),
        None => Err("no configuration was applied from here yet".to_owned()),
    }
}

/// Whether something was changed underneath.
pub fn can_merge(model: &Model) -> Result<(), String> {
    can_edit(model)?;
    match page_of(model) {
        Some(page) if is_behind(model, page) => Ok(()),
        _ => Err("nothing was changed underneath".to_owned()),
    }
}

/// Whether the text could be applied.
pub fn can_apply(model: &Model) -> Result<(), String> {
    model.cluster.past.why_off().map_or(Ok(()), Err)?;
    let page = match model.page() {
        Page::Config(page) => page,
        Page::Change(page) => return change::can_apply(model, page),
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
    if is_behind(model, page) && page.checked.errors() == 0 {
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
pub fn ask_apply(model: &mut Model) {
    let Page::Config(page) = model.page() else { return };
    let kept = model.cluster.past.kept;
    let question = question("Apply the configuration?".to_owned(), &page.checked, page.base.as_deref(), kept);
    model.layers.push(Layer::Confirm(question));
}

/// The question before a text comes into force; `kept`: all that the scheduler does is. One that lets a whole subtree drain, or many applications, asks for a name.
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
    Confirm { title, lines, accept: "Apply", accepting: false, typed, what: Question::Apply }
}

/// Has the text brought into force.
pub fn apply(model: &mut Model) {
    if let Err(told) = can_apply(model) {
        return model.say(Grade::Refusal, told);
    }
    let Some(page) = shown(model) else { return };
    let base = page.base.as_ref().map(|base| base.checksum.clone());
    let act = Act::Configure { text: page.buffer.text(), base, dry_run: false };
    let number = model.orders.give(act.into(), Purpose::Tell);
    if let Some(page) = shown(model) {
        page.applying = Some(number);
    }
}

/// Takes what came of bringing it into force, which is told already.
pub fn ordered(model: &mut Model, number: u64, applied: bool) {
    let Some(page) = page_mut(model).filter(|page| page.applying == Some(number)) else { return };
    page.applying = None;
    if applied {
        page.before = page.base.clone();
        page.modified = false;
    }
    follow(model);
}

/// Another configuration was brought into force from here by other means than its text; the one before can be put back.
pub fn replaced(model: &mut Model, before: Option<Arc<Configuration>>) {
    if page_of(model).is_none() {
        let running = model.cluster.newest.configuration.clone();
        model.parked.config = Some(Box::new(ConfigPage::new(running)));
    }
    if let Some(page) = page_mut(model) {
        page.before = before;
    }
    follow(model);
}
