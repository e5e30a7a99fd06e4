use std::time::Duration;

use console::input::command::{Argument, COMMANDS, CommandId, Kind, PromptCommand};
use console::state::State;
use console::state::effect::Effect;
use console::update::action::Action;
use console::update::update;
use model::AppState;
use source::{Source, Stepped};
use view::act::Act;

use crate::change::TEXT;
use crate::common::{shows, shows_not, user};
use crate::metrics::{PAGES, demo, opened_on};
use crate::orders::{state, tenants};
use crate::space::{on_demo, on_text, running};

fn live(source: &Stepped) -> usize {
    source.view().partitions[0].live_apps
}

/// Returns whether an act needs no confirmation, because it removes nothing.
fn is_harmless(act: &Act) -> bool {
    act.is_dry_run() || matches!(act, Act::Resume)
}

fn argument(kind: Kind) -> &'static str {
    match kind {
        Kind::Queue => "root.tenants",
        Kind::Leaf => "root.batch.nightly",
        Kind::App => "etl-0001",
        Kind::Node => "cpu-01",
        Kind::User => "ann",
        Kind::Group => "guests",
        Kind::Column => "cpu",
        Kind::Theme => "mono",
        Kind::Partition => "default",
        Kind::Context => "other",
        Kind::Text => "x-1",
        Kind::File => "out.txt",
        Kind::Ago => "1m",
        Kind::Number => "1",
        Kind::Columns => "cpu mem",
        Kind::View => "mine",
        Kind::Anything => "etl",
        Kind::Interval => "1s",
        Kind::Own => "none-of-mine",
    }
}

fn given(state: &State, id: CommandId, argument: Option<&str>) -> Vec<Act> {
    let mut state = state.clone();
    let effects = update(&mut state, Action::Run(id, argument.map(str::to_owned)));
    let acts = effects.into_iter().filter_map(|effect| match effect {
        Effect::SendOrder(_, order) => Some(order.act),
        _ => None,
    });
    acts.filter(|act| !is_harmless(act)).collect()
}

#[test]
fn no_command_of_the_registry_gives_an_order_without_a_question() {
    let demo = demo();
    for (page, keys) in PAGES {
        let mut driver = opened_on(&demo, 120, 40);
        driver.keys(keys).unwrap();
        for command in COMMANDS.iter().filter(|command| command.id != CommandId::Prompt(PromptCommand::Yes)) {
            let with = match command.argument {
                Argument::None => None,
                Argument::Optional(kind) | Argument::Required(kind) => Some(argument(kind)),
            };
            for argument in [None, with] {
                let acts = given(driver.state(), command.id, argument);
                assert!(acts.is_empty(), "{:?} on {page} does {acts:?} unasked", command.id);
            }
        }
    }
}

#[test]
fn a_word_that_is_typed_into_a_question_of_two_answers_does_nothing() {
    for word in ["default", "root.tenants", "all", "hello", "kill", "l", "lll"] {
        let (mut driver, source) = tenants(user("ann"), 120, 30);
        driver.keys("2K").unwrap();
        driver.keys(word).unwrap();
        driver.keys("<ret>").unwrap();
        assert_eq!(state(&source, "nightly"), AppState::Running, "{word}");
        // Any word that does not start with the reason's key blocks the answers for a moment.
        if !word.starts_with('r') {
            driver.keys("y").unwrap();
            assert_eq!(state(&source, "nightly"), AppState::Running, "{word}");
        }
    }
}

#[test]
fn a_confirmation_can_be_answered_soon_after_a_stray_letter() {
    let (mut driver, source) = tenants(user("ann"), 120, 30);
    driver.keys("2Kl").unwrap();
    shows(&driver, "press y for yes, n or esc for no, tab to choose");
    driver.keys("y").unwrap();
    assert_eq!(state(&source, "nightly"), AppState::Running);
    driver.advance(Duration::from_millis(400));
    driver.keys("<tab><ret>").unwrap();
    assert_eq!(state(&source, "nightly"), AppState::Failed);
}

#[test]
fn marks_that_required_a_typed_name_require_it_until_removed() {
    let (mut driver, source) = on_demo(120, 40, 40);
    driver.keys("2A").unwrap();
    let marked = live(&source);
    assert!(marked > 10);
    driver.keys("K<esc>").unwrap();
    driver.keys(&"<space>".repeat(marked - 4)).unwrap();
    driver.advance(Duration::from_secs(1));
    driver.keys("K").unwrap();
    shows(&driver, "Kill 4 applications?");
    shows(&driver, "type default to confirm");
    driver.keys("defaul<ret>").unwrap();
    shows(&driver, "type default to confirm, or press esc to cancel");
    assert_eq!(live(&source), marked);
}

#[test]
fn what_is_typed_for_one_question_does_not_answer_the_next() {
    let (mut driver, source) = on_demo(120, 40, 40);
    let before = live(&source);
    driver.keys("2AK<esc>AK<tab><ret>y").unwrap();
    assert_eq!(live(&source), before, "the keys came within a moment of the question before");
    driver.advance(Duration::from_secs(1));
    driver.keys("<tab><ret>").unwrap();
    driver.refresh();
    assert_eq!(live(&source), before - 1);
}

#[test]
fn a_reason_is_entered_in_the_dialog_and_stored_with_the_operation() {
    let (mut driver, source) = tenants(user("ann"), 120, 30);
    driver.keys("2K").unwrap();
    shows(&driver, "Reason: none given");
    driver.keys("rit writes everywhere<ret>").unwrap();
    shows(&driver, "Reason: it writes everywhere");
    driver.keys("r nothing<esc>").unwrap();
    shows(&driver, "Reason: it writes everywhere");
    driver.keys("y").unwrap();
    let view = source.view();
    let app = view.partitions[0].app_by_id(&"nightly".into()).unwrap();
    assert_eq!(app.message.as_deref(), Some("killed by ann: it writes everywhere"));
}

#[test]
fn a_form_is_applied_with_a_reason() {
    let (mut driver, source) = on_text(TEXT, user("root").scheduler_admin(true), 120, 40);
    driver.keys(":queues root.eng<ret>cm6<ret>").unwrap();
    driver.advance(Duration::from_millis(200));
    driver.keys("arsmaller cluster<ret>y").unwrap();
    assert!(running(&source).contains("vcore: 6"), "{}", driver.screen_text());
    driver.refresh().keys("H").unwrap();
    shows(&driver, "smaller cluster");
}

#[test]
fn input_in_a_prefilled_field_replaces_its_text() {
    let (mut driver, _) = on_text(TEXT, user("root").scheduler_admin(true), 120, 40);
    driver.keys(":queues root.eng<ret>cm9").unwrap();
    shows(&driver, "cpu      9  was 20");
    driver.keys("<C-u><esc>").unwrap();
    let (mut driver, _) = on_text(TEXT, user("root").scheduler_admin(true), 120, 40);
    driver.keys(":queues root.eng<ret>cm<end>9").unwrap();
    shows(&driver, "cpu      209  was 20");
    driver.keys("<tab><bs>8Gi").unwrap();
    shows(&driver, "mem      8Gi  was 40Gi");
    // Like Tab in a browser: the selected text is replaced.
    driver.keys("<tab><tab><tab>7").unwrap();
    shows(&driver, "cpu      7  was 20");
    let (mut driver, _) = tenants(user("root"), 120, 30);
    driver.keys("5<ret>yvonne").unwrap();
    shows(&driver, "yvonne");
    shows_not(&driver, "rootyvonne");
}

#[test]
fn a_maximum_above_all_nodes_is_reported_and_the_headroom_includes_the_parents() {
    let (mut driver, _) = on_demo(120, 40, 60);
    driver.keys(":queues root.tenants.tenant-a<ret>cm2412<ret>").unwrap();
    driver.advance(Duration::from_millis(200));
    let text = driver.screen_text();
    assert!(text.contains("of all nodes: this"), "{text}");
    let view = driver.state().cluster.view.clone();
    let part = &view.partitions[0];
    let above = part.queue_at(&"root.tenants".into()).and_then(|row| part.headroom(row)).unwrap();
    let then = model::quantity::show_amount("vcore", above.amount("vcore"));
    assert!(text.contains(&format!("now, {then} then")), "{then} is left above: {text}");
}

#[test]
fn undo_in_the_editor_does_not_revert_what_others_applied() {
    let (mut driver, source) = on_text(TEXT, user("root").scheduler_admin(true), 120, 40);
    driver.keys("6").unwrap();
    let other = TEXT.replace("name: ops", "name: operations");
    let base = source.configuration().unwrap().checksum.clone();
    let act = Act::Configure { text: other.clone(), base: Some(base), dry_run: false };
    source.act(act.into(), Box::new(|_| {}));
    driver.refresh();
    shows(&driver, "operations");
    driver.keys("u").unwrap();
    driver.advance(Duration::from_millis(500));
    shows(&driver, "operations");
    assert_eq!(running(&source), other);
}

#[test]
fn another_run_of_the_scheduler_is_reported() {
    let (mut driver, source) = tenants(user("ann"), 140, 30);
    driver.keys("7").unwrap();
    let mut state = driver.state().clone();
    assert!(!state.cluster.events.records.is_empty());
    let mut page = source.events(0, 10);
    update(&mut state, Action::Events(page.clone()));
    assert!(state.toast.is_none(), "the same run");
    page.instance = "another".into();
    update(&mut state, Action::Events(page));
    assert!(state.toast.is_some_and(|toast| toast.text.contains("the scheduler restarted")));
}

#[test]
fn a_configuration_that_removes_much_needs_the_number_of_queues() {
    let (mut driver, source) = on_text(TEXT, user("root").scheduler_admin(true), 120, 40);
    driver.keys("6e").unwrap();
    driver.keys(&"<C-k><del>".repeat(TEXT.lines().count())).unwrap();
    driver.keys("<esc>").unwrap();
    driver.advance(Duration::from_millis(500));
    driver.keys("a").unwrap();
    shows(&driver, "In all it is empty and removes 4 of 4 queues");
    driver.keys("root.eng<ret>").unwrap();
    shows(&driver, "type 4 to confirm");
    assert_eq!(running(&source), TEXT);
    driver.keys("<C-u>4<ret>").unwrap();
    assert_ne!(running(&source), TEXT, "{}", driver.screen_text());
}

#[test]
fn the_form_that_removes_most_queues_asks_for_their_number() {
    let (mut driver, source) = on_text(TEXT, user("root").scheduler_admin(true), 120, 40);
    driver.keys(":queues root.eng<ret>cr").unwrap();
    driver.advance(Duration::from_millis(200));
    driver.keys("a").unwrap();
    shows(&driver, "In all it removes 3 of 4 queues");
    driver.keys("3<ret>").unwrap();
    assert!(!running(&source).contains("eng"), "{}", driver.screen_text());
    // The rollback removes little; rolling back to the small configuration removes much.
    driver.advance(Duration::from_secs(1));
    driver.refresh().keys(":rollback 1<ret>y").unwrap();
    driver.refresh().keys(":rollback 2<ret>").unwrap();
    shows(&driver, "type 3 to confirm");
    driver.keys("3<ret>").unwrap();
    assert!(!running(&source).contains("eng"), "{}", driver.screen_text());
}

#[test]
fn a_form_on_a_queue_itself_is_off_for_its_own_administrator() {
    let (mut driver, _) = on_text(TEXT, user("ann"), 120, 40);
    driver.keys(":queues root.eng<ret>cm").unwrap();
    shows(&driver, "needs");
    shows_not(&driver, "root.eng › set maximum");
    let (mut driver, _) = on_text(TEXT, user("ann"), 120, 40);
    driver.keys(":queues root.eng.etl<ret>cm").unwrap();
    shows(&driver, "root.eng.etl › set maximum");
}
