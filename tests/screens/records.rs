use std::sync::Arc;
use std::time::Duration;

use ::scenario::{self, ScenarioWorkload};
use console::{Driver, Options};
use engine::Core;
use model::{Identity, Profile, Time};
use source::{About, Link, Source, Stepped, ViewAnswer};
use view::act::{Act, Actor, Order, PartitionAct};
use view::{EventPage, View};

use crate::common::user;
use crate::common::{about, shows, shows_not};

fn tenants(who: Actor, width: u16, height: u16) -> (Driver, Arc<Stepped>) {
    let text = std::fs::read_to_string("tests/scenarios/tenants.yaml").unwrap();
    let scenario = scenario::read(&text).scenario.unwrap();
    let written = scenario.config_text().unwrap().to_owned();
    let config = config::read(&written, Profile::Kornsole).config.unwrap();
    let workload = ScenarioWorkload::new(scenario, Profile::Kornsole);
    let core = Core::new(Profile::Kornsole, Arc::new(config), Some(Box::new(workload))).unwrap();
    let core = core.with_config_text(written.as_bytes(), None);
    let source = Arc::new(Stepped::new(core, about("tenants"), who));
    source.advance(Duration::from_secs(60));
    (Driver::new(Arc::clone(&source) as _, Options::default(), width, height), source)
}

/// Works even if the act is disabled in the console.
fn order(source: &Stepped, act: Act, reason: &str) {
    source.act(Order::new(act, reason), Box::new(|_| {}));
}

fn kill(app: &str) -> Act {
    Act::within(&Arc::from("default"), PartitionAct::Kill { app: app.into(), expect_queue: None })
}

fn change(source: &Stepped, from: &str, to: &str, reason: &str) {
    let running = source.view().configuration.clone().unwrap();
    assert!(running.text.contains(from), "{}", running.text);
    let (text, base) = (running.text.replace(from, to), Some(running.checksum.clone()));
    order(source, Act::Configure { text, base, dry_run: false }, reason);
}

fn pass(driver: &mut Driver, source: &Stepped, seconds: u64) {
    source.advance(Duration::from_secs(seconds));
    driver.advance(Duration::from_secs(seconds));
}

#[test]
fn the_audit_shows_who_did_what_and_opens_it() {
    let (mut driver, source) = tenants(user("ann").scheduler_admin(true), 140, 40);
    driver.keys("L").unwrap();
    shows(&driver, "no entries yet");
    order(&source, kill("train"), "in the way");
    order(&source, kill("nightly"), "it writes everywhere");
    driver.refresh();
    shows(&driver, "2 entries");
    shows(&driver, "ACL_DENIED");
    shows(&driver, "in the way / needs admin access on root.b.ml or a parent");
    shows(&driver, "Running → Failed");
    driver.keys("<ret>").unwrap();
    shows(&driver, "nightly");
    assert_eq!(driver.state().pages.len(), 3, "the application is on top");
    driver.keys("<esc>j").unwrap();
    driver.keys("o").unwrap();
    shows(&driver, "object train");
    shows(&driver, "1 entry");
    driver.keys("o:audit action=move<ret>").unwrap();
    shows(&driver, "no matching entries");
    driver.keys(":audit action=jump<ret>").unwrap();
    shows(&driver, "jump is not an action; valid: add-node");
    driver.keys(":audit /<ret>/nightly<ret>").unwrap();
}

#[test]
fn a_user_without_access_to_the_whole_audit_sees_its_own_and_is_informed() {
    let (mut driver, source) = tenants(user("ann"), 140, 40);
    order(&source, kill("train"), "");
    driver.keys("L").unwrap();
    shows(&driver, "only ann's entries; the scheduler ACL shows all");
    shows(&driver, "1 entry");
}

#[test]
fn the_history_is_compared_and_restored() {
    let (mut driver, source) = tenants(user("ann").scheduler_admin(true), 140, 40);
    let first = source.view().configuration.clone().unwrap().text.to_string();
    change(&source, "max: {vcore: 2}", "max: {vcore: 3}", "more for small");
    pass(&mut driver, &source, 5);
    change(&source, "{name: etl}", "{name: etl, maxapplications: 3}", "");
    driver.refresh().keys("H").unwrap();
    shows(&driver, "3 revisions");
    shows(&driver, "~ root.a.etl");
    driver.keys("G<space>gjk").unwrap();
    shows(&driver, "against revision 1");
    shows(&driver, "revision 1 → 3");
    driver.keys("b").unwrap();
    shows(&driver, "revision 3 is already active");
    driver.keys("j<ret>").unwrap();
    shows(&driver, "max: {vcore: 3}");
    driver.keys("qGb").unwrap();
    shows(&driver, "Roll back to revision 1?");
    shows(&driver, "2 changes compared with the active one:");
    driver.keys("<ret>b<right><ret>").unwrap();
    shows(&driver, "revision 4 is active");
    shows(&driver, "rollback to 1");
    assert_eq!(*source.view().configuration.clone().unwrap().text, *first);
    driver.keys(":rollback 9<ret>").unwrap();
    shows(&driver, "revision 9 not found");
    driver.keys("1:rollback<ret>").unwrap();
    shows(&driver, "missing revision: use :rollback NUMBER");
}

#[test]
fn the_past_is_shown_as_it_was() {
    let (mut driver, source) = tenants(user("ann").scheduler_admin(true), 140, 40);
    driver.refresh();
    pass(&mut driver, &source, 10);
    order(&source, kill("nightly"), "");
    driver.refresh();
    pass(&mut driver, &source, 5);
    driver.keys("2").unwrap();
    shows_not(&driver, "nightly");
    driver.keys("[").unwrap();
    shows(&driver, "THE PAST, at 1:10, 5s ago, just before: nightly was killed ");
    shows(&driver, "nightly");
    driver.keys("K").unwrap();
    shows(&driver, "this is the past, 5s ago, and cannot change; :live returns");
    driver.keys("]").unwrap();
    shows_not(&driver, "THE PAST");
    shows_not(&driver, "nightly");
    driver.keys(":back 1h<ret>").unwrap();
    shows(&driver, "the past goes back to 1:00, 15s ago");
    driver.keys(":back 12s<ret>").unwrap();
    shows(&driver, "THE PAST, at 1:00, 15s ago");
    driver.keys(":live<ret>").unwrap();
    shows_not(&driver, "THE PAST");
}

struct Retained {
    stepped: Arc<Stepped>,
    views: std::sync::Mutex<Vec<Arc<View>>>,
}

impl Retained {
    fn pass(&self, seconds: u64) {
        for _ in 0..seconds {
            self.stepped.advance(Duration::from_secs(1));
            self.views.lock().unwrap().push(self.stepped.view());
        }
    }
}

impl Source for Retained {
    fn view(&self) -> Arc<View> {
        self.stepped.view()
    }

    fn now(&self) -> Time {
        self.stepped.now()
    }

    fn events(&self, since: u64, limit: usize) -> EventPage {
        self.stepped.events(since, limit)
    }

    fn about(&self) -> &About {
        self.stepped.about()
    }

    fn link(&self) -> Link {
        self.stepped.link()
    }

    fn identity(&self) -> &Identity {
        self.stepped.identity()
    }

    fn has_past(&self) -> bool {
        true
    }

    fn view_at(&self, at: Time, answer: ViewAnswer) {
        let views = self.views.lock().unwrap();
        let found = views.iter().rev().find(|view| view.at <= at).cloned();
        answer(found.ok_or_else(|| "the journal goes back only to 1:01 only".to_owned()));
    }

    fn on_change(&self, _wake: Box<dyn Fn() + Send + Sync>) {}
}

#[test]
fn with_complete_storage_the_past_is_exact_and_older_than_the_console() {
    let (_, stepped) = tenants(user("ann").scheduler_admin(true), 140, 40);
    let source = Arc::new(Retained { stepped, views: std::sync::Mutex::default() });
    source.pass(10);
    order(&source.stepped, kill("nightly"), "");
    source.pass(10);
    let mut driver = Driver::new(Arc::clone(&source) as _, Options::default(), 140, 40);
    driver.keys("2").unwrap();
    shows_not(&driver, "nightly");
    driver.keys("[").unwrap();
    shows(&driver, "just before: nightly was killed ");
    shows(&driver, "nightly");
    driver.keys("]").unwrap();
    shows_not(&driver, "THE PAST");
    driver.keys(":back 15s<ret>").unwrap();
    shows(&driver, "THE PAST, at 1:05, 15s ago");
    shows(&driver, "nightly");
    driver.keys(":back 1m<ret>").unwrap();
    shows(&driver, "the journal goes back only to 1:01 only");
    shows(&driver, "THE PAST, at 1:05");
}

#[test]
fn a_denied_attempt_is_in_the_audit() {
    let (mut driver, source) = tenants(user("eve"), 140, 40);
    change(&source, "max: {vcore: 2}", "max: {vcore: 3}", "she may not");
    driver.keys("2gK").unwrap();
    shows(&driver, "needs admin access on");
    driver.keys(":pause<ret>").unwrap();
    shows(&driver, "scheduler ACL");
    driver.keys(":drain-node<ret>").unwrap();
    shows(&driver, "only a node can be drained");
    driver.keys("3D").unwrap();
    shows(&driver, "scheduler ACL");
    driver.keys("L").unwrap();
    shows(&driver, "4 entries");
    for action in ["config", "kill", "pause", "drain-node"] {
        shows(&driver, action);
    }
    let entries = source.records(0).unwrap().audit.unwrap().entries;
    assert!(entries.iter().all(|entry| !entry.allowed && entry.code == "ACL_DENIED" && !entry.why.is_empty()));
    assert!(entries.iter().all(|entry| entry.user == "eve" && entry.address == "console" && entry.after.is_empty()));
    let before: Vec<_> = entries.iter().map(|entry| entry.before.first().map(|(name, _)| name.as_str())).collect();
    assert_eq!(before, [Some("state"), Some("state"), Some("queue"), Some("revision")], "what it was about");

    let (mut driver, source) = tenants(user("ann").scheduler_admin(true).read_only("for reading only"), 140, 40);
    driver.keys("2gK:live<ret>:submit x root.b.ml<ret>").unwrap();
    let entries = source.records(0).unwrap().audit.unwrap().entries;
    assert_eq!(entries.iter().map(|entry| entry.code.as_str()).collect::<Vec<_>>(), ["READ_ONLY", "READ_ONLY"]);
}

#[test]
fn the_audit_is_filtered_by_all_its_fields() {
    let mut driver = crate::space::on_demo(120, 30, 1).0;
    driver.keys(":audit foo bar<ret>").unwrap();
    shows(&driver, "filter foo bar");
    driver.keys(":audit usr=sue<ret>").unwrap();
    shows(&driver, "usr=; valid: user=, action=, object=");
}

#[test]
fn a_long_label_does_not_run_into_its_value() {
    let (mut driver, source) = crate::space::on_demo(120, 40, 5);
    driver.keys("3D").unwrap();
    source.advance(Duration::from_secs(1));
    driver.refresh().keys("L").unwrap().refresh().keys("i").unwrap();
    shows(&driver, "used by others  nothing");
}
