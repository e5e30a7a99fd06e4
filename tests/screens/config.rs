use std::sync::Arc;
use std::time::Duration;

use console::{Driver, Opener, Options, Personal};
use model::Identity;
use source::{Source, Stepped};
use view::act::{Act, Actor};

use super::fixture;
use crate::common::{shows, shows_not};
use crate::space::{on_text, running};

const TEXT: &str = "\
# two tenants
partitions:
  - name: default
    queues:
      - name: root
        submitacl: '*'
        queues:
          - name: eng
            resources:
              max: {memory: 40Gi, vcore: 20}
            queues:
              - name: etl
              - name: adhoc
          - name: ops
";

fn console(text: &str, width: u16, height: u16) -> (Driver, Arc<Stepped>) {
    let actor = Actor::from(Identity::parse("sue:admins").unwrap()).scheduler_admin(true);
    let (mut driver, source) = on_text(text, actor, width, height);
    driver.keys("6").unwrap();
    settle(&mut driver);
    (driver, source)
}

fn settle(driver: &mut Driver) {
    driver.advance(Duration::from_millis(200));
}

#[test]
fn the_text_is_shown_with_where_it_is_from() {
    let (driver, _) = console(TEXT, 120, 40);
    shows(&driver, "revision 1 at the start");
    shows(&driver, "max: {memory: 40Gi, vcore: 20}");
    shows(&driver, "valid   active");
    assert!(driver.cursor().is_none());
}

#[test]
fn an_error_is_reported_with_its_location_and_the_file_is_not_applied() {
    let (mut driver, source) = console(TEXT, 120, 40);
    driver.keys("/vcore<ret>e<end><left>x").unwrap();
    shows_not(&driver, "1 fault");
    settle(&mut driver);
    shows(&driver, "1 fault: cannot be applied");
    shows(&driver, "10:42 CFG-021");
    driver.keys("<esc>gn").unwrap();
    assert!(driver.find_row("max: {memory").unwrap().1.starts_with('▌'), "{}", driver.screen_text());
    driver.keys("a").unwrap();
    shows(&driver, "an error prevents it");
    assert_eq!(running(&source), TEXT);
    driver.keys("u").unwrap();
    settle(&mut driver);
    shows(&driver, "valid   active");
}

#[test]
fn an_edit_shows_its_effects_and_is_applied_after_a_confirmation() {
    let (mut driver, source) = console(TEXT, 120, 40);
    driver.keys("/vcore: 20<ret>e<end><left><bs><bs>6<esc>").unwrap();
    settle(&mut driver);
    shows(&driver, "edited, not applied");
    shows(&driver, "~ root.eng");
    shows(&driver, "max vcore 20 → 6");
    driver.keys("d").unwrap();
    shows(&driver, "- ");
    shows(&driver, "max: {memory: 40Gi, vcore: 6}");
    driver.keys("a").unwrap();
    shows(&driver, "Apply the configuration?");
    driver.keys("<ret>").unwrap();
    assert_eq!(running(&source), TEXT, "the question opens on doing nothing");
    driver.keys("a<right><ret>").unwrap();
    settle(&mut driver);
    assert_eq!(running(&source), TEXT.replace("vcore: 20", "vcore: 6"));
    shows(&driver, "revision 2 is active");
    shows(&driver, "valid   active");
    driver.keys("b").unwrap();
    settle(&mut driver);
    driver.keys("ay").unwrap();
    settle(&mut driver);
    assert_eq!(running(&source), TEXT);
    shows(&driver, "revision 3");
}

#[test]
fn a_removed_queue_is_reported_as_draining() {
    let (mut driver, source) = console(TEXT, 120, 40);
    driver.keys("/name: ops<ret>e<home><C-k><bs><esc>").unwrap();
    settle(&mut driver);
    shows(&driver, "- root.ops");
    shows(&driver, "it is empty and is removed");
    driver.keys("a").unwrap();
    shows(&driver, "1 queue");
    driver.keys("y").unwrap();
    settle(&mut driver);
    assert!(!running(&source).contains("ops"));
}

#[test]
fn what_was_changed_underneath_is_merged_or_replaced_knowingly() {
    let (mut driver, source) = console(TEXT, 120, 40);
    let change = |from: &str, to: &str| {
        let now = source.configuration().unwrap();
        let act = Act::Configure { text: now.text.replace(from, to), base: Some(now.checksum.clone()), dry_run: false };
        source.act(act.into(), Box::new(|done| assert!(done.is_ok(), "{done:?}")));
    };
    change("- name: ops", "- name: operations");
    driver.refresh();
    settle(&mut driver);
    shows(&driver, "- name: operations");
    driver.keys("/vcore: 20<ret>e<end><left><bs>5<esc>").unwrap();
    change("- name: operations", "- name: ops");
    driver.refresh();
    settle(&mut driver);
    shows(&driver, "changed underneath");
    driver.keys("a").unwrap();
    shows(&driver, "another configuration is active");
    driver.keys("dd").unwrap();
    shows(&driver, "+           - name: ops");
    driver.keys(":merge<ret>").unwrap();
    settle(&mut driver);
    shows_not(&driver, "changed underneath:");
    driver.keys("ay").unwrap();
    settle(&mut driver);
    assert_eq!(running(&source), TEXT.replace("vcore: 20", "vcore: 25"));

    driver.keys("/vcore: 25<ret>e<end><left><bs>7<esc>").unwrap();
    change("vcore: 25", "vcore: 21");
    driver.refresh();
    settle(&mut driver);
    driver.keys(":merge<ret>").unwrap();
    shows(&driver, "both change the same lines: at 10");
    driver.keys(":rebase<ret>").unwrap();
    settle(&mut driver);
    driver.keys("ay").unwrap();
    settle(&mut driver);
    assert_eq!(running(&source), TEXT.replace("vcore: 20", "vcore: 27"));
}

#[test]
fn words_are_completed_while_they_are_written() {
    let (mut driver, _) = console(TEXT, 120, 40);
    driver.keys("Gk").unwrap();
    driver.keys("e<end><ret>submi").unwrap();
    shows(&driver, "submitacl:");
    driver.keys("<tab> x").unwrap();
    shows(&driver, "            submitacl: x");
    driver.keys("<esc><esc>").unwrap();
    assert!(driver.cursor().is_none());
}

#[test]
fn an_edit_is_preserved_on_other_pages_and_confirmed_at_the_end() {
    let (mut driver, _) = console(TEXT, 120, 40);
    driver.keys("eX<esc>1").unwrap();
    shows(&driver, "the edit is saved");
    driver.keys("6").unwrap();
    shows(&driver, "X# two tenants");
    driver.keys("1q").unwrap();
    shows(&driver, "The edited configuration is not applied");
    driver.keys("<esc>6R").unwrap();
    settle(&mut driver);
    driver.keys("1q").unwrap();
    assert!(driver.quits());
}

#[test]
fn queues_fold_and_unfold() {
    let (mut driver, _) = console(TEXT, 120, 40);
    driver.keys("/eng<ret><space>").unwrap();
    shows(&driver, "… 5 lines");
    shows_not(&driver, "name: adhoc");
    driver.keys("j").unwrap();
    assert!(driver.find_row("name: ops").unwrap().1.starts_with('▌'));
    driver.keys("/adhoc<ret>").unwrap();
    shows(&driver, "name: adhoc");
    driver.keys("<esc>-").unwrap();
    shows_not(&driver, "name: adhoc");
    driver.keys("+").unwrap();
    shows(&driver, "name: adhoc");
}

#[test]
fn pasted_megabytes_and_bytes_do_no_harm() {
    let (mut driver, source) = console(TEXT, 80, 24);
    driver.keys("e").unwrap();
    driver.paste("\u{0}\u{1b}]52;c;AAAA\u{7}\r\n\u{202e}");
    driver.paste(&"x".repeat(3 << 20));
    driver.buffer();
    driver.paste(&"- y: [\n".repeat(1 << 20));
    settle(&mut driver);
    driver.buffer();
    assert!(!driver.screen_text().contains('\u{1b}'));
    assert_eq!(running(&source), TEXT);
}

#[test]
fn without_the_text_the_page_reports_it() {
    let mut driver = Driver::new(fixture::Scene::new(fixture::tenants().build()), Options::default(), 80, 24);
    driver.keys("6").unwrap();
    shows(&driver, "The active configuration is not available");
    driver.keys("e").unwrap();
    shows(&driver, "the active configuration is not available");
}

#[test]
fn images_of_the_page() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let (mut driver, _) = console(TEXT, width, height);
        driver.keys("/vcore: 20<ret>e<end><left><bs><bs>6q<esc>/ops<ret>e<home><C-k><bs><esc>").unwrap();
        settle(&mut driver);
        insta::assert_snapshot!(format!("config-faults-{width}x{height}"), driver.screen_text());
        driver.keys("/6q<ret>e<right><right><bs><esc>").unwrap();
        settle(&mut driver);
        insta::assert_snapshot!(format!("config-meaning-{width}x{height}"), driver.screen_text());
    }
}

#[test]
fn a_placement_is_tried_under_the_text_as_it_is_edited() {
    let (mut driver, source) = console(TEXT, 120, 40);
    driver.keys("5x").unwrap();
    driver.keys("e").unwrap();
    driver.type_text("sue");
    driver.keys("<tab><tab>").unwrap();
    driver.type_text("root.ops.night");
    driver.keys("<esc>").unwrap();
    shows_not(&driver, "→ root.ops.night");
    driver.keys("6/ops<ret>e<end><ret>").unwrap();
    driver.type_text("queues: [{name: night}]");
    driver.keys("<F3>").unwrap();
    shows(&driver, "the text is still being checked");
    settle(&mut driver);
    driver.keys("<F3>").unwrap();
    shows(&driver, "Placement › the edited text");
    shows(&driver, "→ root.ops.night");
    shows(&driver, "of the edited text");
    driver.keys("<esc>").unwrap();
    shows(&driver, "edited, not applied");
    driver.keys("5").unwrap();
    shows_not(&driver, "→ root.ops.night");
    assert_eq!(running(&source), TEXT);
}

#[test]
fn an_edit_is_confirmed_before_another_scheduler_is_opened() {
    let (mut driver, source) = console(TEXT, 120, 40);
    let contexts = std::collections::BTreeMap::from([("other".to_owned(), Default::default())]);
    let again = Arc::clone(&source);
    let opener = Opener::new(move |_| Ok(Arc::clone(&again) as Arc<dyn Source>));
    driver.personalize(Personal { contexts, opener: Some(opener), ..Personal::default() });
    driver.keys("/ops<ret>e<end>x<esc>").unwrap();
    settle(&mut driver);
    driver.keys(":context other<ret>").unwrap();
    shows(&driver, "Leave this scheduler for other?");
    shows(&driver, "The edited configuration is not applied");
    driver.keys("<ret>").unwrap();
    shows(&driver, "opsx");
    driver.keys(":context other<ret>y").unwrap();
    driver.keys("6").unwrap();
    settle(&mut driver);
    shows_not(&driver, "opsx");
}
