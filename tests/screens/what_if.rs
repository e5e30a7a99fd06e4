//! What if: the copy is a world of its own, and the cluster is left alone until the changes are made real.

use std::sync::mpsc::channel;
use std::time::Duration;

use kornsole::console::state::effect::Effect;
use kornsole::engine::Host;
use kornsole::model::Identity;
use kornsole::source::{Source, Stepped, Trial, WhatIf};
use kornsole::view::View;
use kornsole::view::act::{Act, Actor, Order};

use crate::change::TEXT;
use crate::common::{kill, says, says_not};
use crate::room::{on_demo, on_text, running};

fn live(source: &dyn Source) -> usize {
    source.view().partitions[0].live_apps
}

fn copy_of(source: &Stepped) -> WhatIf {
    let fork = source.fork(None, usize::MAX).recv().unwrap().unwrap();
    WhatIf::new(fork, "demo", &Identity::new("you", ["you"]), false)
}

fn act(source: &WhatIf, act: Act) {
    let (sender, answered) = channel();
    source.act(Order::from(act), Box::new(move |outcome| sender.send(outcome).unwrap()));
    answered.recv().unwrap().unwrap();
}

#[test]
fn a_change_is_in_the_copy_only_and_is_taken_back_by_doing_everything_again() {
    let (_, source) = on_demo(120, 40, 60);
    let (before, config) = (source.view(), running(&source));
    let copy = copy_of(&source);
    copy.advance(Duration::from_secs(30));
    let without = live(&copy);
    let view = copy.view();
    let app = view.partitions[0].apps.iter().flatten().find(|app| !app.state.is_ended()).unwrap().id.to_string();
    act(&copy, kill(&app));
    assert_eq!(copy.status().changes, [format!("kill {app}")]);
    assert_eq!(live(&copy), without - 1);
    copy.turn_over();
    assert!(!copy.status().changed_side && live(&copy) == without);
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
    assert_eq!(live(&copy), changed.partitions[0].live_apps);
    let used = |view: &View| view.partitions[0].queues[0].as_ref().unwrap().allocated.clone();
    assert_eq!(used(&changed), used(&unchanged));
    assert!(std::sync::Arc::ptr_eq(&source.view(), &before), "the cluster is as it was");
    assert_eq!(running(&source), config);
}

#[test]
fn a_configuration_on_which_another_rests_is_not_taken_back_first() {
    let (_, source) = on_text(TEXT, Actor::from(Identity::new("sue", ["dev"])), 120, 40);
    let copy = copy_of(&source);
    for comment in ["# one", "# two"] {
        let base = copy.configuration().map(|running| running.checksum.clone());
        act(&copy, Act::Configure { text: format!("{TEXT}\n{comment}\n"), base, dry_run: false });
    }
    assert_eq!(copy.status().changes, ["another configuration"; 2]);
    assert!(copy.take_back(1).unwrap_err().contains("change 2 is a configuration that was written after it"));
    copy.take_back(2).unwrap();
    assert!(copy.configuration().unwrap().text.ends_with("# one\n"));
    copy.take_back(1).unwrap();
    assert_eq!(&*copy.configuration().unwrap().text, TEXT);
    assert_eq!(running(&source), TEXT);
}

#[test]
fn one_returns_to_where_one_was_and_quitting_in_a_copy_does_not_end_the_console() {
    let (mut driver, source) = on_demo(120, 40, 60);
    driver.keys("2").unwrap();
    let page = driver.lines()[3].clone();
    driver.keys(":whatif<ret>").unwrap().settle();
    says(&driver, "WHAT IF");
    driver.keys("}").unwrap();
    says(&driver, "1m00s after");
    driver.keys("q").unwrap();
    let quits = driver.take_effects().iter().any(|effect| matches!(effect, Effect::Quit));
    assert!(!quits);
    says_not(&driver, "WHAT IF");
    assert_eq!(driver.lines()[3], page);
    assert_eq!(driver.state().cluster.view.at, source.view().at);
}
