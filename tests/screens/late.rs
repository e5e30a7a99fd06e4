//! Late answers do not intercept keys for another page.

use std::sync::Arc;
use std::time::Duration;

use console::input::terminal_events::Mouse;
use console::shell::session::Incoming;
use console::shell::session::Session;
use console::shell::settings;
use console::state::effect::Effect;
use console::state::key::Key;
use console::state::layer::Layer;
use console::state::page::Page;
use console::state::reply::Reply;
use console::state::work::SourceHandle;
use console::theme::Themes;
use console::{Driver, Opener, Options, Personal};
use ratatui::layout::{Position, Size};
use source::{Source, Stepped};
use view::act::{Act, Actor};

use crate::change::TEXT;
use crate::common::user;
use crate::common::{shows, shows_not};
use crate::fixture::slow::Slow;
use crate::orders::{queue, state, tenants};
use crate::space::{on_demo, on_text, running};

/// The console of a user on a remote scheduler with the two tenants.
pub fn far(who: Actor, width: u16, height: u16) -> (Driver, Arc<Slow>, Arc<Stepped>) {
    let (_, near) = tenants(who, width, height);
    let far = Slow::new(Arc::clone(&near));
    (Driver::new(Arc::clone(&far) as _, Options::default(), width, height), far, near)
}

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn a_late_confirmation_ignores_keys_that_were_typed_before() {
    for elsewhere in ["6e", ":queues", "/nig", "?", "K", "y", "jk"] {
        let (mut driver, source, near) = far(user("ann").scheduler_admin(true), 120, 30);
        driver.keys("2:move root.a.web").unwrap();
        source.let_all_through();
        driver.refresh().keys("<ret>").unwrap().advance(SECOND);
        assert_eq!(source.delayed(), 1, "it is asked what would come of it");
        driver.keys(elsewhere).unwrap();
        let layers = driver.state().layers.len();
        source.let_all_through();
        driver.advance(5 * SECOND);
        shows_not(&driver, "Move nightly?");
        assert_eq!(driver.state().layers.len(), layers, "{elsewhere}: nothing opens over it");
        let report = "move nightly was not confirmed because you left the page";
        assert!(driver.state().messages.iter().any(|message| message.text.starts_with(report)), "{elsewhere}");
        driver.keys("y").unwrap();
        source.let_all_through();
        driver.refresh();
        assert_eq!(queue(&near, "nightly"), "root.a.etl", "{elsewhere}");
    }
}

#[test]
fn an_expected_confirmation_accepts_an_answer_after_it_could_be_read() {
    let (mut driver, source, near) = far(user("ann"), 120, 30);
    driver.keys("2:move root.a.web<ret>").unwrap().advance(5 * SECOND);
    source.let_all_through();
    driver.refresh();
    shows(&driver, "Move nightly?");
    for key in ["y", "<right>", "<ret>", "<esc>"] {
        driver.advance(Duration::from_millis(70)).keys(key).unwrap();
        shows(&driver, "Move nightly?");
        shows(&driver, "the question just appeared");
    }
    assert_eq!(source.delayed(), 0);
    driver.advance(Duration::from_millis(50)).keys("y").unwrap();
    source.let_all_through();
    driver.refresh();
    assert_eq!(queue(&near, "nightly"), "root.a.web");
}

#[test]
fn a_rollback_also_waits_its_turn() {
    let (mut driver, source, near) = written();
    changed(&near, "vcore: 20", "vcore: 30");
    driver.refresh().keys(":rollback 1<ret>:messages<ret>").unwrap().advance(SECOND);
    source.let_all_through();
    driver.refresh();
    assert!(matches!(driver.state().layers.as_slice(), [Layer::Messages { .. }]));
    driver.keys("<esc>:rollback 1<ret>").unwrap().advance(SECOND);
    source.let_all_through();
    driver.refresh();
    shows(&driver, "Roll back to revision 1?");
}

fn written() -> (Driver, Arc<Slow>, Arc<Stepped>) {
    let (_, near) = on_text(TEXT, user("root").scheduler_admin(true), 120, 30);
    let far = Slow::new(Arc::clone(&near));
    (Driver::new(Arc::clone(&far) as _, Options::default(), 120, 30), far, near)
}

fn changed(near: &Stepped, from: &str, to: &str) {
    let now = near.configuration().unwrap();
    let (text, base) = (now.text.replace(from, to), Some(now.checksum.clone()));
    let act = Act::Configure { text, base, dry_run: false };
    near.act(act.into(), Box::new(|outcome| drop(outcome.unwrap())));
}

fn personal(opener: Opener) -> Personal {
    let text = "[contexts.one]\nurl = 'http://one.example:9080'\n[contexts.two]\nurl = 'http://two.example:9080'\n";
    let contexts = settings::read(text, &Themes::shipped()).settings.contexts;
    Personal { opener: Some(opener), contexts, ..Personal::default() }
}

fn press(session: &mut Session, keys: &str) -> Vec<Effect> {
    Key::parse_all(keys).unwrap().into_iter().flat_map(|key| session.key(key, SECOND)).collect()
}

fn open(session: &mut Session, name: &str, source: Arc<dyn Source>) {
    session.replies().send(Reply::ContextOpened(name.to_owned(), Ok(SourceHandle(source))));
    session.step(Incoming::Replies, SECOND);
}

type Far = (Arc<Slow>, Arc<Stepped>);

fn two() -> (Driver, [Far; 2]) {
    let (mut driver, one, near_one) = far(user("ann").scheduler_admin(true), 120, 30);
    let (_, two, near_two) = far(user("ann").scheduler_admin(true), 120, 30);
    let schedulers = [Arc::clone(&one), Arc::clone(&two)];
    let opener = Opener::new(move |name| Ok(Arc::clone(&schedulers[usize::from(name == "two")]) as Arc<dyn Source>));
    driver.personalize(personal(opener));
    (driver, [(one, near_one), (two, near_two)])
}

#[test]
fn an_answer_of_the_scheduler_before_is_none_of_the_present_one() {
    let (mut driver, [(one, near_one), (two, near_two)]) = two();
    driver.keys("2:move root.a.web").unwrap();
    one.let_all_through();
    driver.keys("<ret>:context two<ret>2:move root.a.small").unwrap();
    two.let_all_through();
    driver.keys("<ret>").unwrap();
    assert_eq!((one.delayed(), two.delayed()), (1, 1));
    one.let_all_through();
    driver.refresh();
    shows_not(&driver, "Move nightly?");
    assert_eq!(driver.state().orders.open.len(), 1, "the present one has not answered");
    two.let_all_through();
    driver.refresh();
    shows(&driver, "quota of root.a.small exceeded");
    for near in [near_one, near_two] {
        assert_eq!(queue(&near, "nightly"), "root.a.etl");
    }
}

#[test]
fn the_text_of_a_revision_that_is_clicked_is_asked_for_at_once() {
    let (mut driver, source, near) = written();
    changed(&near, "vcore: 20", "vcore: 21");
    changed(&near, "vcore: 21", "vcore: 22");
    driver.refresh().keys("H").unwrap();
    source.let_all_through();
    driver.refresh();
    shows(&driver, "revision 2 → 3");
    assert_eq!(source.delayed(), 0);
    let (newest, _) = driver.lines().into_iter().enumerate().find(|(_, line)| line.starts_with('▌')).unwrap();
    let y = u16::try_from(newest + 2).unwrap();
    driver.mouse(Mouse::Click(Position { x: 4, y }));
    assert_eq!(source.delayed(), 1, "the text of revision 1 is asked for");
}

#[test]
fn a_text_of_the_scheduler_before_is_not_taken_for_one_of_the_present() {
    let (_, one, near_one) = written();
    let (_, two, near_two) = written();
    changed(&near_one, "vcore: 20", "vcore: 21");
    changed(&near_two, "vcore: 20", "vcore: 22");
    let mut session = Session::new(Arc::clone(&one) as _, Options::default(), Size { width: 120, height: 30 });
    session.personalize(personal(Opener::new(|_| Err(String::new()))));
    press(&mut session, "H:context two<ret>");
    let asked = one.delayed();
    assert!(asked > 0, "texts are asked for");
    open(&mut session, "two", Arc::clone(&two) as _);
    press(&mut session, "H");
    one.let_through(asked);
    session.step(Incoming::Refresh, 2 * SECOND);
    assert_eq!(session.state().cluster.ledger.text(2), None);
    two.let_all_through();
    session.step(Incoming::Refresh, 2 * SECOND);
    let text = session.state().cluster.ledger.text(2).unwrap().unwrap();
    assert!(text.contains("vcore: 22"), "{text}");
}

#[test]
fn what_was_ordered_and_not_answered_is_reported_when_the_scheduler_is_left() {
    let (mut driver, [(one, near_one), _]) = two();
    driver.keys("2Ky:context two<ret>").unwrap();
    one.let_all_through();
    driver.refresh().keys(":messages<ret>").unwrap();
    shows(&driver, "kill nightly: tenants had not answered when you left it");
    assert!(state(&near_one, "nightly").is_ended(), "it was carried out");
}

#[test]
fn another_scheduler_waits_while_something_is_written() {
    let (_, one, _) = written();
    let (_, two, _) = written();
    let mut session = Session::new(one, Options::default(), Size { width: 120, height: 30 });
    session.personalize(personal(Opener::new(|_| Err(String::new()))));
    let effects = press(&mut session, ":context two<ret>");
    assert!(effects.iter().any(|effect| matches!(effect, Effect::OpenContext(name) if name == "two")));
    press(&mut session, "6e# mine");
    open(&mut session, "two", Arc::clone(&two) as _);
    let reported = |session: &Session| session.state().toast.as_ref().map(|toast| toast.text.clone());
    let report = "two is open, but you have unsaved input here; :context two goes there";
    assert_eq!(reported(&session).as_deref(), Some(report));
    assert_eq!((session.era(), session.state().layers.len()), (0, 1));
}

#[test]
fn a_scheduler_that_was_replaced_does_not_interfere() {
    let (_, one, _) = written();
    let (_, two, _) = written();
    let mut session = Session::new(one, Options::default(), Size { width: 120, height: 30 });
    session.personalize(personal(Opener::new(|_| Err(String::new()))));
    press(&mut session, ":context one<ret>");
    press(&mut session, ":context two<ret>");
    open(&mut session, "one", Arc::clone(&two) as _);
    assert_eq!(session.era(), 0);
    open(&mut session, "two", two as _);
    assert_eq!(session.era(), 1);
}

#[test]
fn the_past_does_not_replace_a_dialog_about_the_present() {
    let (mut driver, source, near) = far(user("ann"), 120, 30);
    driver.keys(":back 20s<ret>2K").unwrap();
    source.let_all_through();
    driver.refresh();
    shows(&driver, "Kill nightly?");
    assert!(driver.state().cluster.past.shown.is_none());
    driver.keys("y").unwrap();
    source.let_all_through();
    driver.refresh();
    assert!(state(&near, "nightly").is_ended());
    driver.keys(":back 20s<ret>").unwrap();
    source.let_all_through();
    driver.refresh();
    assert!(driver.state().cluster.past.shown.is_some());
}

#[test]
fn two_questions_about_many_under_way_at_once_lose_no_outcome() {
    let (mut driver, source, _) = on_demo_far();
    driver.keys("2<space><space><space>Ky").unwrap().keys("<down><down><space><space>Ky").unwrap();
    assert_eq!(source.delayed(), 5);
    let apps: Vec<String> = driver.state().orders.open.iter().map(|ticket| ticket.act.object().to_owned()).collect();
    source.let_through(2);
    driver.refresh();
    shows_not(&driver, "done; :messages");
    source.let_through(1);
    driver.refresh();
    shows(&driver, "all 3 done; see :messages");
    source.let_all_through();
    driver.refresh();
    shows(&driver, "all 2 done; see :messages");
    for app in apps {
        let report = format!("killed {app}: ");
        assert!(driver.state().messages.iter().any(|message| message.text.starts_with(&report)), "{app}");
    }
}

fn on_demo_far() -> (Driver, Arc<Slow>, Arc<Stepped>) {
    let (_, near) = on_demo(120, 40, 20);
    let far = Slow::new(Arc::clone(&near));
    (Driver::new(Arc::clone(&far) as _, Options::default(), 120, 40), far, near)
}

#[test]
fn input_while_a_text_is_applied_becomes_an_edit_of_it() {
    let (mut driver, source, near) = written();
    let moment = Duration::from_millis(300);
    driver.keys("6/vcore: 20<ret>e<end><left><bs>5<esc>").unwrap().advance(moment).keys("ay").unwrap();
    assert_eq!(source.delayed(), 1);
    driver.keys("e<end> # and more").unwrap();
    source.let_all_through();
    driver.refresh();
    assert_eq!(running(&near), TEXT.replace("vcore: 20", "vcore: 25"));
    let both = TEXT.replace("vcore: 20}", "vcore: 25} # and more");
    let Page::Config(page) = driver.state().page() else { panic!("another page") };
    assert_eq!(page.buffer.text(), both);
    assert!(page.modified);
    driver.keys("<esc>").unwrap().advance(moment);
    shows_not(&driver, "changed underneath");
    driver.keys("ay").unwrap();
    source.let_all_through();
    driver.refresh();
    assert_eq!(running(&near), both);
}

#[test]
fn a_form_that_is_written_on_while_it_is_applied_stays_with_what_is_written() {
    let (mut driver, source, near) = written();
    let moment = Duration::from_millis(300);
    driver.keys(":queues root.eng<ret>cm<C-u>6").unwrap().advance(moment).keys("<F5>y").unwrap();
    assert_eq!(source.delayed(), 1);
    driver.keys("7").unwrap();
    source.let_all_through();
    driver.refresh();
    assert_eq!(running(&near), TEXT.replace("vcore: 20", "vcore: 6"));
    assert!(matches!(driver.state().page(), Page::Change(_)));
    driver.keys("K").unwrap();
    assert!(matches!(driver.state().layers.as_slice(), [Layer::Form]));
    driver.keys("<bs>").unwrap().advance(moment).keys("<F5>y").unwrap();
    source.let_all_through();
    driver.refresh();
    assert_eq!(running(&near), TEXT.replace("vcore: 20", "vcore: 67"));
    assert!(!matches!(driver.state().page(), Page::Change(_)), "a form that is active is done with");
}

#[test]
fn before_the_first_configuration_its_page_has_no_text() {
    let (mut driver, source, near) = written();
    near.advance(30 * SECOND);
    driver.refresh().keys("6").unwrap();
    shows(&driver, "two tenants");
    driver.keys(":back 0:00<ret>").unwrap();
    source.let_all_through();
    driver.refresh();
    shows(&driver, "no configuration yet");
    shows_not(&driver, "two tenants");
    shows_not(&driver, "valid   active");
    driver.keys(":live<ret>").unwrap();
    shows(&driver, "two tenants");
}
