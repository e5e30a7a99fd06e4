use std::sync::Arc;
use std::time::Duration;

use ::config::{self, DEFAULT_POLICY_GROUP};
use console::state::key::Key;
use console::tape::{self, Rig};
use console::{Driver, Options};
use engine::{Core, Host};
use kornsole::cli::served::Served;
use model::{Identity, Profile};
use source::Source;
use view::act::{Act, Actor};

use crate::change::TEXT;
use crate::common::{about, shows, shows_not};
use crate::space::running;

struct Attached {
    served: Served,
    driver: Driver,
}

impl Attached {
    /// ann is the only user in the scheduler ACL.
    fn new(who: &str, width: u16, height: u16) -> Self {
        let head = format!("Source default\nSet As {who}\nSet Served true\n");
        let mut head = tape::read(head.as_bytes()).tape.unwrap().head;
        head.scheduler_admin = who.starts_with("ann");
        let read = config::read_file(TEXT.as_bytes(), DEFAULT_POLICY_GROUP, Profile::default());
        let core = Core::new(Profile::default(), Arc::new(read.config.unwrap()), None).unwrap();
        let core = core.with_config_text(TEXT.as_bytes(), None);
        let served = Served::start(core, about("queues.yaml"), &head).unwrap();
        let open = |served: &Served| Driver::new(served.source(), Options::default(), width, height);
        let mut attached = Self { driver: open(&served), served };
        attached.pass(0);
        attached.driver = open(&attached.served);
        attached.keep_up();
        attached.pass(1_000);
        shows(&attached.driver, " REMOTE ");
        attached
    }

    fn pass(&mut self, milliseconds: u64) {
        let by = Duration::from_millis(milliseconds);
        self.served.advance_until(self.served.now() + by, 1_000);
        self.served.pass(by);
        self.driver.advance(by);
        self.keep_up();
    }

    fn keep_up(&mut self) {
        while self.served.settle() {
            self.driver.refresh();
        }
    }

    fn press(&mut self, keys: &str) -> &mut Self {
        for key in Key::parse_all(keys).unwrap() {
            self.driver.key(key).refresh();
            self.keep_up();
        }
        self.pass(1_200);
        self
    }

    fn running(&self) -> String {
        running(self.served.scheduler())
    }

    fn underneath(&mut self, from: &str, to: &str) {
        let now = self.served.scheduler().configuration().unwrap();
        assert!(now.text.contains(from), "{}", now.text);
        let (text, base) = (now.text.replace(from, to), Some(now.checksum.clone()));
        let owner = Actor::from(Identity::new("root", ["root"])).scheduler_admin(true);
        let act = Act::Configure { text, base, dry_run: false };
        let done = Box::new(|done: Result<_, _>| assert!(done.is_ok(), "{done:?}"));
        self.served.scheduler().perform(owner, act.into(), done);
    }

    fn receive(&mut self) {
        (0..12).for_each(|_| self.pass(1_000));
    }
}

#[test]
fn every_form_on_a_queue_works_over_rest() {
    let mut at = Attached::new("ann:eng", 120, 40);
    at.press(":queues root.eng<ret>cm<C-u>6");
    shows(&at.driver, "max vcore 20 → 6");
    shows(&at.driver, "11 +               max: {memory: 40Gi, vcore: 6}");
    at.press("<F5>");
    shows(&at.driver, "root.eng: set maximum?");
    at.press("y");
    assert_eq!(at.running(), TEXT.replace("vcore: 20", "vcore: 6"));

    at.press(":queues root.eng.etl<ret>cg3").press("<F5>y");
    assert!(at.running().contains("guaranteed: {vcore: 3}") || at.running().contains("vcore: 3\n"), "{}", at.running());

    at.press(":queues root.eng.adhoc<ret>cpapplication.sort.policy<tab>fair").press("<F5>y");
    assert!(at.running().contains("application.sort.policy: fair"), "{}", at.running());

    at.press(":queues root.eng<ret>clbob<tab><tab>2");
    shows(&at.driver, "a new limit");
    at.press("<F5>y");
    assert!(at.running().contains("users: [bob]"), "{}", at.running());

    at.press(":queues root.eng<ret>canight").press("<F5>y");
    assert!(at.running().contains("- name: night"), "{}", at.running());

    at.press(":queues root.eng.night<ret>cr").press("ay");
    assert!(!at.running().contains("night"), "{}", at.running());
    assert!(at.running().contains("# the builders"), "comments stay");
}

#[test]
fn a_form_over_rest_shows_who_may_submit_before_any_write() {
    let mut at = Attached::new("bob:other", 120, 40);
    at.press(":queues root.eng<ret>cm");
    shows(&at.driver, "needs admin access on root or a parent, or membership in the scheduler ACL");
    shows_not(&at.driver, "set maximum");
    assert_eq!(at.running(), TEXT);
}

#[test]
fn a_form_over_rest_does_not_overwrite_what_was_changed_underneath() {
    let mut at = Attached::new("ann:eng", 120, 40);
    at.press(":queues root.eng<ret>cm<C-u>6");
    at.underneath("vcore: 20", "vcore: 30");
    at.receive();
    shows(&at.driver, "max vcore 30 → 6");
    at.press("<F5>y");
    assert_eq!(at.running(), TEXT.replace("vcore: 20", "vcore: 6"));
}

#[test]
fn the_editor_over_rest_applies_and_is_refused_when_the_remote_changed_underneath() {
    let mut at = Attached::new("ann:eng", 120, 40);
    at.press("6");
    shows(&at.driver, "revision 1");
    at.press("/vcore: 20<ret>e<end><left><bs>5<esc>");
    shows(&at.driver, "max vcore 20 → 25");
    at.press("ay");
    assert_eq!(at.running(), TEXT.replace("vcore: 20", "vcore: 25"));

    at.press("/vcore: 25<ret>e<end><left><bs>7<esc>");
    at.underneath("- name: ops", "- name: operations");
    at.receive();
    shows(&at.driver, "changed underneath");
    at.press("a");
    shows(&at.driver, "another configuration is active");
    assert!(!at.running().contains("vcore: 27"), "nothing is overwritten");
    at.press("dd");
    shows(&at.driver, "+           - name: operations");
    at.press(":merge<ret>");
    shows_not(&at.driver, "changed underneath:");
    at.press("ay");
    let both = TEXT.replace("vcore: 20", "vcore: 27").replace("- name: ops", "- name: operations");
    assert_eq!(at.running(), both);
}

#[test]
fn an_operation_over_rest_on_a_just_changed_configuration_is_rejected() {
    let mut at = Attached::new("ann:eng", 120, 40);
    at.press("6").press("/vcore: 20<ret>e<end><left><bs>5<esc>").press("a");
    shows(&at.driver, "Cancel");
    at.underneath("- name: ops", "- name: operations");
    at.press("y");
    assert!(!at.running().contains("vcore: 25"), "{}", at.running());
    assert!(at.running().contains("operations"));
    at.receive();
    shows(&at.driver, "changed underneath");
    shows(&at.driver, "vcore: 25");
}
