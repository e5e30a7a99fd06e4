//! What-if: the cluster is unchanged until the changes are applied.

use std::sync::mpsc::channel;
use std::time::Duration;

use console::state::effect::Effect;
use engine::Host;
use model::{Identity, Resource};
use source::{Source, Stepped, Trial, WhatIf};
use view::View;
use view::act::{Act, Actor, AskSpec, NodeSpec, Order, PartitionAct, Submission};

use crate::change::TEXT;
use crate::common::{kill, shows, shows_not, within};
use crate::space::{on_demo, on_text, running};

fn live(source: &dyn Source) -> usize {
    source.view().partitions[0].live_apps
}

fn copy_of(source: &Stepped) -> WhatIf {
    let fork = source.fork(None, usize::MAX).recv().unwrap().unwrap();
    WhatIf::new(fork, "demo", &Identity::new("you", ["you"]), false)
}

const OPEN: &str = "partitions:
  - name: default
    queues:
      - name: root
        submitacl: '*'
        adminacl: '*'
        queues: [{name: a}]
";

fn cores(count: i64) -> Resource {
    [("vcore", count * 1000), ("memory", count << 30)].into_iter().collect()
}

fn done(source: &Stepped, act: PartitionAct) {
    let (sender, answered) = channel();
    let order = Order::from(within(act));
    source.act(order, Box::new(move |outcome| sender.send(outcome).unwrap()));
    answered.recv().unwrap().unwrap();
    source.advance(Duration::from_secs(1));
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
    assert!(copy.take_back(2).unwrap_err().contains("change 2 not found"));
    copy.take_back(1).unwrap();
    let status = copy.status();
    assert!(status.changes.is_empty() && status.now.since(status.started_at) == Duration::from_secs(60), "{status:?}");
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
    assert!(copy.take_back(1).unwrap_err().contains("change 2 is a later configuration"));
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
    shows(&driver, "WHAT IF");
    driver.keys("}").unwrap();
    shows(&driver, "1m after");
    driver.keys("q").unwrap();
    let quits = driver.take_effects().iter().any(|effect| matches!(effect, Effect::Quit));
    assert!(!quits);
    shows_not(&driver, "WHAT IF");
    assert_eq!(driver.lines()[3], page);
    assert_eq!(driver.state().cluster.view.at, source.view().at);
}

#[test]
fn both_sides_are_compared_unchanged() {
    let (_, source) = on_text(OPEN, Actor::from(Identity::new("sue", ["dev"])).scheduler_admin(true), 120, 40);
    for act in [
        PartitionAct::AddNode(NodeSpec { id: "n1".into(), capacity: cores(8), ..NodeSpec::default() }),
        PartitionAct::Submit(Submission {
            app: "one".into(),
            queue: "root.a".to_owned(),
            who: Identity::new("sue", ["dev"]),
            ..Submission::default()
        }),
        PartitionAct::Ask {
            app: "one".into(),
            asks: vec![AskSpec { id: "t".into(), count: 12, resource: cores(1), ..AskSpec::default() }],
        },
    ] {
        done(&source, act);
    }
    let copy = copy_of(&source);
    copy.advance(Duration::from_secs(60));
    let compared = |copy: &WhatIf| {
        copy.compare();
        copy.status().comparison.unwrap()
    };
    assert!(compared(&copy).is_empty());
    copy.suppose("node add n1 1").unwrap();
    assert_eq!(copy.status().comparison, None, "it was of the sides before");
    copy.advance(Duration::from_secs(60));
    let comparison = compared(&copy);
    let [without, with] = &comparison.total;
    assert_eq!((without.waiting, with.waiting), (4, 0), "{comparison:#?}");
    let first = comparison.first.as_ref().unwrap();
    assert!(first.with.as_deref().is_some_and(|with| with.ends_with("on n1-whatif-1")), "{first:?}");
    assert!(first.why_not_without.as_deref().is_some_and(|why| why.starts_with("one/t-")), "{first:?}");
    copy.take_back(1).unwrap();
    assert!(compared(&copy).is_empty());
}

#[test]
fn a_change_in_words_is_one_change_with_the_orders_for_it() {
    let (_, source) = on_demo(120, 40, 60);
    let copy = copy_of(&source);
    let node = source.view().partitions[0].nodes.values().next().unwrap().id.to_string();
    assert!(copy.suppose("burn it").unwrap_err().contains("write one of"));
    assert!(copy.suppose("node resize nowhere vcore=1").unwrap_err().contains("node nowhere not found"));
    assert!(copy.suppose("kill nobody").unwrap_err().contains("nobody"));
    assert!(copy.changes().is_empty(), "{:?}", copy.changes());
    copy.suppose(&format!("node add {node} 2")).unwrap();
    copy.suppose(&format!("node resize {node} vcore=x2")).unwrap();
    copy.suppose("demand root x2").unwrap();
    let changes = copy.changes();
    let words: Vec<&str> = changes.iter().map(|change| change.words.as_str()).collect();
    assert_eq!(words, [&format!("node add {node} 2"), &format!("node resize {node} vcore=x2"), "demand root x2"]);
    assert_eq!((changes[0].orders.len(), changes[1].orders.len()), (2, 1));
    assert_eq!(copy.view().partitions[0].nodes.len(), source.view().partitions[0].nodes.len() + 2);
    copy.take_back(1).unwrap();
    let left = copy.changes();
    assert_eq!((left.len(), copy.view().partitions[0].nodes.len()), (2, source.view().partitions[0].nodes.len()));
    assert_eq!(left[0].words, words[1]);
}

fn apps(source: &Stepped, most: usize) -> Vec<String> {
    let view = source.view();
    let live = view.partitions[0].apps.iter().flatten().filter(|app| !app.state.is_ended());
    let mut names: Vec<String> = live.map(|app| app.id.to_string()).collect();
    names.sort();
    names.truncate(most);
    names
}

#[test]
fn changes_are_made_real_one_after_the_other_each_by_its_question() {
    let (mut driver, source) = on_demo(120, 40, 60);
    let names = apps(&source, 3);
    driver.keys(":whatif<ret>").unwrap().settle();
    for name in &names {
        driver.keys(&format!(":app {name}<ret>K")).unwrap().settle();
        shows(&driver, &format!("Kill {name}?"));
        driver.keys("y").unwrap().settle();
    }
    driver.keys(":apply<ret>").unwrap().settle();
    shows(&driver, "Apply 3 changes in demo, seed 42?");
    driver.keys("y").unwrap().settle();
    shows_not(&driver, "WHAT IF");
    shows(&driver, &format!("1 of 3: Kill {}?", names[0]));
    driver.keys("y").unwrap().settle();
    shows(&driver, &format!("2 of 3: Kill {}?", names[1]));
    // The page opened by itself, so it ignores keys at first.
    driver.advance(Duration::from_secs(1));
    driver.keys("n").unwrap().settle();
    shows(&driver, &format!("3 of 3: Kill {}?", names[2]));
    driver.advance(Duration::from_secs(1));
    driver.keys("y").unwrap().settle();
    shows_not(&driver, "Kill");
    source.advance(Duration::from_secs(5));
    let left = apps(&source, usize::MAX);
    let there = |name: &String| left.contains(name);
    assert_eq!(names.iter().map(there).collect::<Vec<_>>(), [false, true, false], "{left:?}");
}

#[test]
fn both_sides_are_next_to_each_other() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let (mut driver, source) = on_demo(width, height, 60);
        let name = &apps(&source, 1)[0];
        driver.keys(":whatif<ret>").unwrap().settle();
        driver.keys(":suppose demand root x2<ret>").unwrap().settle();
        driver.keys(&format!(":suppose kill {name}<ret>")).unwrap().settle();
        driver.keys("}}<tab>").unwrap().settle();
        shows(&driver, "WITHOUT");
        insta::assert_snapshot!(format!("sides-{width}x{height}"), driver.screen_text());
        driver.keys("}").unwrap().settle();
        shows(&driver, "after 3m");
        driver.keys("<tab>").unwrap().settle();
        shows_not(&driver, "WITHOUT and");
    }
}
