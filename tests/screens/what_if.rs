//! What if: the copy is a world of its own, and the cluster is left alone until the changes are made real.

use std::sync::Arc;
use std::time::Duration;

use kornsole::console::state::effect::Effect;
use kornsole::model::Identity;
use kornsole::source::{Source, Stepped, Trial, WhatIf};
use kornsole::view::act::{Actor, Order};

use crate::change::TEXT;
use crate::common::{kill, says, says_not};
use crate::room::{on_demo, on_text, running};

fn live(source: &dyn Source) -> usize {
    source.view().partitions[0].live_apps
}

/// A what-if on the demo, and a live application in it.
fn on_copy(source: &Stepped) -> (Arc<WhatIf>, String) {
    let core = kornsole::engine::Host::fork(source, None, usize::MAX).recv().unwrap().unwrap();
    let what_if = WhatIf::new(core, "demo", &Identity::new("you", ["you"]), false);
    let part = &what_if.view().partitions[0];
    let app = part.apps.iter().flatten().find(|app| !app.state.is_ended()).unwrap().id.to_string();
    (Arc::new(what_if), app)
}

fn act(source: &WhatIf, order: Order) -> bool {
    let (tell, told) = std::sync::mpsc::channel();
    source.act(order, Box::new(move |outcome| tell.send(outcome.is_ok()).unwrap()));
    told.recv().unwrap()
}

#[test]
fn a_change_is_in_the_copy_only_and_is_taken_back_by_doing_everything_again() {
    let (_, source) = on_demo(120, 40, 60);
    let (before, config) = (source.view(), running(&source));
    let (copy, app) = on_copy(&source);
    copy.advance(Duration::from_secs(30));
    let without = copy.view();
    assert!(act(&copy, Order::from(kill(&app))));
    assert_eq!(copy.status().changes, [format!("kill {app}")]);
    copy.turn_over();
    assert!(!copy.status().changed_side && live(&*copy) == without.partitions[0].live_apps);
    copy.turn_over();
    copy.advance(Duration::from_secs(30));
    assert!(copy.take_back(2).unwrap_err().contains("there is no change 2"));
    copy.take_back(1).unwrap();
    let status = copy.status();
    assert!(status.changes.is_empty() && status.now.since(status.began) == Duration::from_secs(60), "{status:?}");
    // Without changes both sides are the same.
    let changed = copy.view();
    copy.turn_over();
    let unchanged = copy.view();
    assert_eq!(changed.partitions[0].live_apps, unchanged.partitions[0].live_apps);
    assert_eq!(changed.partitions[0].queues[0].allocated, unchanged.partitions[0].queues[0].allocated);
    assert!(Arc::ptr_eq(&source.view(), &before), "the cluster is as it was");
    assert_eq!(running(&source), config);
}

#[test]
fn a_configuration_on_which_another_rests_is_not_taken_back_first() {
    let (mut driver, source) = on_text(TEXT, Actor::from(Identity::new("sue", ["dev"])).scheduler_admin(true), 120, 40);
    driver.type_text(":whatif\n").settle();
    says(&driver, "WHAT IF");
    assert_eq!(driver.state().cluster.trial.as_ref().unwrap().changes.len(), 0);
    driver.keys("<esc>").unwrap();
    says_not(&driver, "WHAT IF");
    assert_eq!(running(&source), TEXT);
}

#[test]
fn one_returns_to_where_one_was_and_quitting_never_ends_the_console_from_a_copy() {
    let (mut driver, source) = on_demo(120, 40, 60);
    driver.keys("2").unwrap();
    let page = driver.lines()[3].clone();
    driver.keys(":whatif<ret>").unwrap().settle();
    says(&driver, "WHAT IF");
    driver.keys("}").unwrap();
    says(&driver, "1m00s after");
    driver.keys("[").unwrap().keys("q").unwrap();
    let quits = driver.take_effects().iter().any(|effect| matches!(effect, Effect::Quit));
    assert!(!quits);
    says_not(&driver, "WHAT IF");
    assert_eq!(driver.lines()[3], page);
    assert_eq!(driver.state().cluster.view.at, source.view().at);
}
