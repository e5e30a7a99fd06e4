//! Applies the text, with its conditions.

use std::sync::Arc;

use crate::present::config::page_of;
use crate::present::format;
use crate::present::guard::bulk::PLAIN;
use crate::present::guard::config::can_apply;
use crate::state::config::{Applying, ConfigPage};
use crate::state::editor::CheckResult;
use crate::state::layer::{Confirm, Question};
use crate::state::orders::Purpose;
use crate::state::page::Page;
use crate::state::{Grade, State};
use crate::update::config::page::{follow, page_mut, shown};
use config::{AllowedRemoval, Removal};
use view::act::{Act, Configuration, LoadedBy, Order};

/// Asks whether to apply the text.
pub fn ask_apply(state: &mut State) {
    let Page::Config(page) = state.page() else { return };
    let retained = state.cluster.past.retained;
    let question = question("Apply the configuration?".to_owned(), &page.checked, page.base.as_deref(), retained);
    state.ask(question);
}

/// `retained`: persistent scheduler state. Draining a subtree or many applications requires typing a name.
pub fn question(title: String, checked: &CheckResult, base: Option<&Configuration>, retained: bool) -> Confirm {
    let summary = &checked.summary;
    let mut lines =
        vec![if summary.is_empty() { "only comments and order change".to_owned() } else { summary.clone() }];
    lines.extend(checked.preempted.iter().take(6).cloned());
    for gone in checked.removed.iter().take(6) {
        let below = if gone.subtree { " with its children" } else { "" };
        lines.push(match gone.apps {
            0 => format!("{}{below} is empty and is removed immediately", gone.queue),
            apps => format!("{}{below} drains, blocked by {}", gone.queue, format::count(apps as u64, "application")),
        });
    }
    lines.push(match base.and_then(|base| base.file.as_ref()) {
        Some(file) => format!("It is written to {} and is applied immediately.", file.display()),
        // Only in a cluster, a remote can change it without its own file.
        None if base.is_some_and(|base| base.by == LoadedBy::Seen) => {
            "It is written to the ConfigMap; kornsole waits until the scheduler applies it.".to_owned()
        }
        None if retained => "It is applied immediately, and is stored with the state.".to_owned(),
        None => "It is applied immediately; it is in memory only.".to_owned(),
    });
    if let Some(entry) = base.and_then(|base| base.config_map.as_ref()).filter(|entry| !entry.owners.is_empty()) {
        lines.extend(entry.owners.iter().take(4).map(|owner| format!("Note: {owner}.")));
        lines.push(":export FILE.patch.yaml writes a patch for its repository instead.".to_owned());
    }
    if checked.removal.is_large() {
        lines.push(format!("In all {}.", checked.removal));
    }
    let apps: usize = checked.removed.iter().map(|gone| gone.apps).sum();
    let grave = checked.removed.iter().find(|gone| gone.subtree || apps > PLAIN);
    // Type the number for a large removal, a name for another grave change.
    let number = checked.removal.is_large().then(|| checked.removal.queues.to_string());
    let want = number.or_else(|| grave.map(|gone| gone.queue.to_string()));
    Confirm::new(title, lines, "Apply", Question::Apply).typing(want)
}

/// The operation after its removals were confirmed.
pub fn order(act: Act, reason: &str, removal: &Removal) -> Order {
    let order = Order::new(act, reason);
    match removal.is_large() {
        true => order.allowing(AllowedRemoval { empty: removal.empty, queues: Some(removal.queues) }),
        false => order,
    }
}

/// Applies the text.
pub fn apply(state: &mut State, reason: &str) {
    if let Err(message) = can_apply(state) {
        return state.report(Grade::Refusal, message);
    }
    let Some(page) = shown(state) else { return };
    let base = page.base.as_ref().map(|base| base.checksum.clone());
    let text = page.buffer.text();
    let act = Act::Configure { text: text.clone(), base, dry_run: false };
    let order = order(act, reason, &page.checked.removal);
    let number = crate::update::orders::send(state, order, Purpose::Report);
    if let Some(page) = shown(state) {
        page.applying = Some(Applying { number, text });
    }
}

/// Takes the result. Text typed meanwhile becomes an edit of the new configuration.
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

/// Applied by other means than the text.
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

#[cfg(test)]
mod tests {
    use super::*;
    use model::Time;
    use view::act::ConfigMapEntry;

    #[test]
    fn the_question_names_who_else_writes_the_config_map() {
        let seen = Configuration::seen(Arc::from("partitions: []\n"), 1, Time::ZERO);
        let asked = |base: &Configuration| {
            question("Apply?".to_owned(), &CheckResult::default(), Some(base), false).lines.join("\n")
        };
        let own = seen.clone().in_config_map(ConfigMapEntry::default());
        assert!(!asked(&own).contains("Note:"), "{}", asked(&own));
        let owner =
            "the ConfigMap belongs to Helm release yk (annotation a): its next sync or upgrade reverts a change here";
        let owned = seen.in_config_map(ConfigMapEntry { owners: vec![owner.to_owned()], ..ConfigMapEntry::default() });
        let text = asked(&owned);
        assert!(text.contains(&format!("Note: {owner}.")) && text.contains(":export FILE.patch.yaml"), "{text}");
    }
}
