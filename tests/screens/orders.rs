use std::sync::Arc;
use std::time::Duration;

use ::scenario::{self, ScenarioWorkload};
use console::{Driver, Options};
use engine::Core;
use model::{AppState, Profile};
use source::{Source, Stepped};
use view::act::Actor;

use crate::common::{about, shows, shows_not, user};

/// The console of a user on the two tenants of the scenario.
pub fn tenants(who: Actor, width: u16, height: u16) -> (Driver, Arc<Stepped>) {
    let text = std::fs::read_to_string("tests/scenarios/tenants.yaml").unwrap();
    let scenario = scenario::read(&text).scenario.unwrap();
    let config = config::read(scenario.config_text().unwrap(), Profile::Kornsole).config.unwrap();
    let workload = ScenarioWorkload::new(scenario, Profile::Kornsole);
    let core = Core::new(Profile::Kornsole, Arc::new(config), Some(Box::new(workload))).unwrap();
    let source = Arc::new(Stepped::new(core, about("tenants"), who));
    source.advance(Duration::from_secs(60));
    (Driver::new(Arc::clone(&source) as _, Options::default(), width, height), source)
}

pub fn state(source: &Stepped, app: &str) -> AppState {
    source.view().partitions[0].app_by_id(&app.into()).unwrap().state
}

pub fn queue(source: &Stepped, app: &str) -> String {
    source.view().partitions[0].app_by_id(&app.into()).unwrap().queue.to_string()
}

#[test]
fn a_kill_is_asked_about_and_done_and_reported() {
    let (mut driver, source) = tenants(user("ann"), 120, 30);
    driver.keys("2K").unwrap();
    shows(&driver, "Kill nightly?");
    shows(&driver, "root.a.etl, of sue, Running, submitted 59s ago");
    shows(&driver, "Releases 3 allocations (cpu 3, mem 6Gi), cancels 1 pending request.");
    shows(&driver, "Allowed by the adminacl of root.a (user ann).");
    shows(&driver, "[ Cancel ]");
    driver.keys("<ret>").unwrap();
    shows_not(&driver, "Kill nightly?");
    assert_eq!(state(&source, "nightly"), AppState::Running, "it opens on the answer that changes nothing");
    driver.keys("K<right><ret>").unwrap();
    assert_eq!(state(&source, "nightly"), AppState::Failed);
    shows(&driver, "killed nightly: 3 allocations released, 1 request canceled, it is Failed; event ");
    shows(&driver, ": killed by ann");
    driver.keys(":messages<ret>").unwrap();
    shows(&driver, "it is Failed; event ");
}

#[test]
fn a_kill_with_a_reason_stores_it() {
    let (mut driver, source) = tenants(user("ann"), 120, 30);
    driver.keys("2:kill it writes everywhere<ret>").unwrap();
    shows(&driver, "Reason: it writes everywhere");
    driver.keys("y").unwrap();
    let view = source.view();
    let app = view.partitions[0].app_by_id(&"nightly".into()).unwrap();
    assert_eq!(app.message.as_deref(), Some("killed by ann: it writes everywhere"));
}

#[test]
fn a_denied_command_is_unavailable_and_shows_the_missing_access() {
    let (mut driver, source) = tenants(user("ann"), 120, 30);
    shows_not(&driver, "K kill");
    driver.keys("2").unwrap();
    shows(&driver, "K kill  m move");
    driver.keys("/train<ret>").unwrap();
    shows_not(&driver, "K kill");
    for keys in ["K", "m", ":kill<ret>"] {
        driver.keys(keys).unwrap();
        shows(&driver, "train: needs admin access on root.b.ml or a parent");
        assert!(driver.state().layers.is_empty());
    }
    driver.keys("?/kill<ret>").unwrap();
    shows(&driver, "off: train: needs admin access on root.b.ml");
    assert!(!state(&source, "train").is_ended());
}

#[test]
fn there_must_be_an_application_to_kill() {
    let (mut driver, _) = tenants(user("ann"), 120, 30);
    driver.keys(":kill<ret>").unwrap();
    shows(&driver, "only an application can be killed");
}

#[test]
fn read_only_rejects_every_change_and_reports_it() {
    let who = user("ann").scheduler_admin(true).read_only("the console was started with --read-only");
    let (mut driver, source) = tenants(who, 120, 30);
    shows(&driver, "READ ONLY");
    driver.keys("2K").unwrap();
    shows(&driver, "read-only: the console was started with --read-only");
    driver.keys(":pause<ret>").unwrap();
    shows(&driver, "read-only");
    assert!(!source.view().paused);
    assert_eq!(state(&source, "nightly"), AppState::Running);
}

#[test]
fn the_target_of_a_move_shows_the_effect_while_it_is_typed() {
    let (mut driver, source) = tenants(user("ann"), 140, 30);
    driver.keys("2m").unwrap();
    shows(&driver, ":move");
    let report = |driver: &Driver, queue: &str, text: &str| {
        let lines = driver.lines();
        let row = lines.iter().find(|line| line.trim_start().starts_with(queue));
        assert!(row.is_some_and(|row| row.contains(text)), "no {text:?} in\n{}", lines.join("\n"));
    };
    report(&driver, "root.a.etl", "would be rejected: it is already in root.a.etl");
    driver.keys("root.b.ml").unwrap();
    report(&driver, "root.b.ml", "would be rejected: needs submit access on root.b.ml or a parent");
    driver.keys("<C-u>move root.a.small").unwrap();
    report(&driver, "root.a.small", "would be rejected: quota of root.a.small exceeded");
    driver.keys("<C-u>move root.a.web").unwrap();
    report(&driver, "root.a.web", "would fit: 3 allocations keep running");
    driver.keys("<ret>").unwrap();
    shows(&driver, "Move nightly?");
    shows(&driver, "root.a.etl → root.a.web");
    shows(&driver, "1 pending request moves to root.a.web.");
    driver.keys("<ret>").unwrap();
    assert_eq!(queue(&source, "nightly"), "root.a.etl");
    driver.keys("m<C-u>move root.a.web<ret>y").unwrap();
    assert_eq!(queue(&source, "nightly"), "root.a.web");
    shows(&driver, "moved nightly from root.a.etl to root.a.web; :move-back undoes it; event ");
    shows(&driver, ": moved from root.a.etl to root.a.web by ann");
    driver.keys(":move-back<ret>").unwrap();
    shows(&driver, "Move back 1 application?");
    driver.keys("y").unwrap();
    assert_eq!(queue(&source, "nightly"), "root.a.etl");
}

#[test]
fn there_must_have_been_a_move_to_undo_it() {
    let (mut driver, _) = tenants(user("ann"), 120, 30);
    driver.keys(":move-back<ret>").unwrap();
    shows(&driver, "no moves from this console");
    driver.keys("2:move root.a.web<ret>yKy:move-back<ret>").unwrap();
    shows(&driver, "the last moved application ended, or is in another queue");
}

#[test]
fn a_rejected_move_shows_the_reason() {
    let (mut driver, source) = tenants(user("ann"), 120, 30);
    for (to, why) in [
        ("root.a.small", "quota of root.a.small exceeded"),
        ("root.a", "root.a is not a leaf"),
        ("root.nowhere", "queue root.nowhere not found"),
    ] {
        driver.keys(&format!("2:move {to}<ret>")).unwrap();
        shows(&driver, why);
        assert!(driver.state().layers.is_empty(), "nothing is asked");
    }
    assert_eq!(queue(&source, "nightly"), "root.a.etl");
}

#[test]
fn a_command_line_applies_to_the_row_that_was_selected_when_it_was_opened() {
    let (mut driver, source) = tenants(user("ann").scheduler_admin(true), 120, 30);
    driver.keys("2:move root.a.web").unwrap();
    source.act(
        view::act::Act::within(
            &"default".into(),
            view::act::PartitionAct::Kill { app: "nightly".into(), expect_queue: None },
        )
        .into(),
        Box::new(|outcome| drop(outcome.unwrap())),
    );
    driver.refresh();
    driver.keys("<ret>").unwrap();
    shows_not(&driver, "Move train?");
    shows(&driver, "cannot kill nightly: it is already Failed");
}

#[test]
fn an_application_that_was_moved_before_the_answer_is_not_killed() {
    let (mut driver, source) = tenants(user("ann"), 120, 30);
    driver.keys("2K").unwrap();
    let mut other = Driver::new(Arc::clone(&source) as _, Options::default(), 120, 30);
    other.keys("2m<C-u>move root.a.web<ret>y").unwrap();
    driver.keys("y").unwrap();
    shows(&driver, "it is now in root.a.web, not in root.a.etl");
    assert_eq!(state(&source, "nightly"), AppState::Running);
}

#[test]
fn the_scheduler_is_paused_and_resumed() {
    let (mut driver, source) = tenants(user("you").scheduler_admin(true), 120, 30);
    driver.keys(":pause<ret>").unwrap();
    shows(&driver, "Pause tenants?");
    shows(&driver, "of 2 applications are pending; running");
    driver.keys("<ret>").unwrap();
    shows_not(&driver, "PAUSED");
    driver.keys(":pause<ret>y").unwrap();
    shows(&driver, "PAUSED");
    shows(&driver, "the scheduler is paused and its clock stopped; :resume resumes it");
    let now = source.now();
    source.advance(Duration::from_secs(60));
    assert_eq!(source.now(), now);
    driver.keys(":pause<ret>").unwrap();
    shows(&driver, "the scheduler is already paused");
    driver.keys(":resume<ret>").unwrap();
    shows_not(&driver, "PAUSED");
    source.advance(Duration::from_secs(60));
    assert_eq!(source.now(), now + Duration::from_secs(60));
    let (mut stranger, _) = tenants(user("ann"), 120, 30);
    stranger.keys(":pause<ret>").unwrap();
    shows(&stranger, "ann may not pause the scheduler: needs membership in the scheduler ACL");
}

#[test]
fn the_questions_at_every_size() {
    for (width, height) in super::screens::SIZES {
        let (mut driver, _) = tenants(user("ann"), width, height);
        driver.keys("2K").unwrap();
        insta::assert_snapshot!(format!("kill-{width}x{height}"), driver.screen_text());
        driver.keys("<esc>m<C-u>move root.a.").unwrap();
        insta::assert_snapshot!(format!("move-target-{width}x{height}"), driver.screen_text());
        driver.keys("web<ret>").unwrap();
        insta::assert_snapshot!(format!("move-{width}x{height}"), driver.screen_text());
    }
}

#[test]
fn the_event_that_is_reported_is_the_one_among_the_events() {
    let (mut driver, _) = tenants(user("ann"), 140, 30);
    driver.keys("2Ky").unwrap();
    let line = driver.find_row("; event ").unwrap().1;
    let number: u64 = line.split("; event ").nth(1).unwrap().split(':').next().unwrap().parse().unwrap();
    driver.keys("7").unwrap();
    let record = driver.state().cluster.events.get(number).unwrap();
    assert_eq!((&*record.object, &*record.message), ("nightly", "by ann"));
}

#[test]
fn a_bulk_operation_reports_denied_items_in_advance_with_the_missing_access() {
    let (mut driver, _) = tenants(user("root").scheduler_admin(true), 120, 30);
    driver.keys("2AK").unwrap();
    shows(&driver, "2 are rejected and are not moved, nightly because: needs admin");
    assert!(driver.state().layers.is_empty(), "nothing is left to be asked about");
    // The dialog counts only the operations that will be performed.
    let (mut driver, source) = tenants(user("ann"), 120, 30);
    driver.keys("2AK").unwrap();
    shows(&driver, "Kill 1 of 2 applications?");
    shows(&driver, "Releases 3 allocations (cpu 3, mem 6Gi), cancels 1 pending request.");
    shows(&driver, "train is rejected and is not moved: needs admin access on root.b.ml");
    driver.keys("y").unwrap();
    assert_eq!(state(&source, "nightly"), AppState::Failed);
    assert!(!state(&source, "train").is_ended());
}

#[test]
fn the_target_of_a_move_of_many_shows_the_effect() {
    let (mut driver, _) = tenants(user("ann"), 140, 30);
    driver.keys("2<space><space>m").unwrap();
    let row = |driver: &Driver, queue: &str| {
        let lines = driver.lines();
        lines.iter().find(|line| line.trim_start().starts_with(queue)).cloned().unwrap_or_default()
    };
    driver.keys("root.a.web").unwrap();
    let web = row(&driver, "root.a.web");
    assert!(web.contains("1 of 2 would be rejected, train: needs admin access on root.b.ml"), "{web}");
    driver.keys("<C-u>move root.b.ml").unwrap();
    let ml = row(&driver, "root.b.ml");
    assert!(ml.contains("would be rejected: nightly: needs submit access on root.b.ml"), "{ml}");
    let (mut driver, _) = tenants(user("ann"), 140, 30);
    driver.keys("2/nightly<ret><space>mroot.a.web").unwrap();
    let web = row(&driver, "root.a.web");
    assert!(web.contains("would fit, each by itself: all 1"), "{web}");
    driver.keys("<C-u>move root.a.small").unwrap();
    let small = row(&driver, "root.a.small");
    assert!(small.contains("would be rejected: nightly: quota of root.a.small exceeded"), "{small}");
}

#[test]
fn hidden_parts_accept_no_keys() {
    let (mut driver, source) = tenants(user("ann"), 100, 30);
    driver.keys("2K").unwrap().resize(38, 10);
    shows(&driver, "too small");
    driver.keys("y<right><ret>2jKy:kill<ret>yq").unwrap().paste("y");
    driver.mouse(console::input::terminal_events::Mouse::Wheel(1));
    assert!(!driver.quits());
    driver.resize(100, 30);
    shows(&driver, "Kill nightly?");
    shows(&driver, "[ Cancel ]");
    assert_eq!(state(&source, "nightly"), AppState::Running);
    driver.resize(38, 10).keys("<C-z>").unwrap();
    assert!(driver.take_effects().iter().any(|effect| matches!(effect, console::state::effect::Effect::Suspend)));
    driver.keys("<C-c>").unwrap();
    shows(&driver, "press again to");
    driver.keys("<C-c>").unwrap();
    assert!(driver.quits());
}

#[test]
fn a_reason_that_names_another_application_is_no_reason() {
    let (mut driver, source) = tenants(user("ann"), 120, 30);
    for line in [":kill train<ret>", ":kill train hangs<ret>"] {
        driver.keys("2").unwrap().keys(line).unwrap();
        shows(&driver, "train is another application: the text after kill is the reason");
        assert!(driver.state().layers.is_empty());
    }
    driver.keys(":kill nightly it hangs like train<ret>").unwrap();
    shows(&driver, "Kill nightly?");
    shows(&driver, "Reason: it hangs like train");
    driver.keys("<esc><space>:kill train<ret>").unwrap();
    shows(&driver, "the text after kill is the reason");
    assert_eq!(state(&source, "nightly"), AppState::Running);
}

#[test]
fn enter_accepts_the_completion_that_is_shown() {
    let (mut driver, _) = tenants(user("ann"), 120, 30);
    driver.keys("2:move root.a.we").unwrap();
    shows(&driver, ":move root.a.web");
    driver.keys("<ret>").unwrap();
    shows(&driver, "Move nightly?");
    shows(&driver, "root.a.etl → root.a.web");
    driver.keys("<esc>:move web<ret>").unwrap();
    shows(&driver, "root.a.etl → root.a.web");
    // The next Enter accepts the best match.
    driver.keys("<esc><space>:move a.<ret>").unwrap();
    shows(&driver, ":move a.");
    assert!(!driver.state().layers.is_empty(), "what was written stays");
    driver.keys("<ret>").unwrap();
    shows(&driver, "nightly is rejected and is not moved: it is already in root.a.etl.");
    // An exact name is taken literally.
    driver.keys(":move root.a<ret>").unwrap();
    shows(&driver, "root.a is not a leaf queue");
}

#[test]
fn what_is_tried_again_and_again_is_in_the_audit_once_with_how_often() {
    let (mut driver, source) = tenants(user("ann"), 120, 30);
    driver.keys("2/train<ret>").unwrap();
    let entries = |source: &Stepped| -> Vec<(String, String, String)> {
        let audit = source.records(0).unwrap().audit.unwrap();
        let report = |entry: &std::sync::Arc<view::audit::AuditEntry>| {
            (entry.action.clone(), entry.object.clone(), entry.reason.clone())
        };
        audit.entries.iter().filter(|entry| entry.code == "ACL_DENIED").map(report).collect()
    };
    for _ in 0..30 {
        driver.keys("K").unwrap().advance(Duration::from_millis(30));
    }
    driver.keys("m").unwrap();
    let of = |verb: &str, reason: &str| (verb.to_owned(), "train".to_owned(), reason.to_owned());
    assert_eq!(entries(&source), [of("move", ""), of("kill", "")]);
    assert!(driver.next_wake().is_some_and(|due| due <= Duration::from_secs(61)));
    driver.advance(Duration::from_secs(60));
    assert_eq!(entries(&source)[0], of("kill", "tried 29 times more within a minute"));
    assert_eq!(entries(&source).len(), 3, "what was tried once is in it once");
    driver.keys("K").unwrap();
    assert_eq!(entries(&source).len(), 4, "a minute later it is another attempt");
}

#[test]
fn the_wheel_moves_nothing_below_a_question() {
    let (mut driver, _) = tenants(user("ann"), 120, 30);
    driver.keys("2K").unwrap();
    driver.mouse(console::input::terminal_events::Mouse::Wheel(1));
    driver.keys("<esc>").unwrap();
    assert_eq!(crate::keys::selected(&driver), "nightly");
}

#[test]
fn an_empty_list_of_applications_has_none_to_kill() {
    let (mut driver, _) = tenants(user("ann"), 120, 30);
    driver.keys(":apps root.a.web<ret>K").unwrap();
    shows(&driver, "no application selected");
}
