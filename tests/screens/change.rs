use std::sync::Arc;
use std::time::Duration;

use console::Driver;
use source::{Source, Stepped};
use view::act::{Act, Actor};

use crate::common::{shows, shows_not, user};
use crate::space::{on_text, running};

pub const TEXT: &str = "\
# two tenants
partitions:
  - name: default
    queues:
      - name: root
        submitacl: '*'
        queues:
          - name: eng   # the builders
            adminacl: ann
            resources:
              max: {memory: 40Gi, vcore: 20}
            limits:
              - limit: sue
                users: [sue]
                maxapplications: 3
                maxresources: {memory: 12288M, vcore: 6}
              - limit: the others
                users: ['*']
                maxapplications: 1
            queues:
              - name: etl
              - name: adhoc
          - name: ops
";

fn console(who: Actor, width: u16, height: u16) -> (Driver, Arc<Stepped>) {
    on_text(TEXT, who, width, height)
}

fn admin() -> Actor {
    user("root").scheduler_admin(true)
}

fn press(driver: &mut Driver, keys: &str) {
    driver.keys(keys).unwrap();
    driver.advance(Duration::from_millis(200));
}

#[test]
fn on_a_wide_screen_the_effects_of_a_form_are_next_to_its_fields() {
    let (mut driver, _) = console(admin(), 200, 60);
    press(&mut driver, ":queues root.eng<ret>cm<C-u>10");
    let lines = driver.lines();
    let cpu = lines.iter().position(|line| line.trim_start_matches(['▌', ' ']).starts_with("cpu ")).unwrap();
    let differs = lines.iter().position(|line| line.contains("the lines that differ")).unwrap();
    assert!(differs <= cpu + 3, "{}", driver.screen_text());
    let column = lines[differs].chars().take_while(|c| *c != 't').count();
    assert!(column > 60, "{}", driver.screen_text());
    let memory = lines.iter().position(|line| line.trim_start_matches(['▌', ' ']).starts_with("mem ")).unwrap();
    assert_ne!(cpu, memory, "one field in a line");
}

#[test]
fn a_maximum_is_set_after_both_differences_were_shown() {
    let (mut driver, source) = console(admin(), 120, 40);
    press(&mut driver, ":queues root.eng<ret>c");
    shows(&driver, "Set the maximum of the queue");
    press(&mut driver, "m");
    shows(&driver, "root.eng › set maximum");
    shows(&driver, "write the new values");
    press(&mut driver, "<C-u>6");
    shows(&driver, "max vcore 20 → 6");
    shows(&driver, "11 -               max: {memory: 40Gi, vcore: 20}");
    shows(&driver, "11 +               max: {memory: 40Gi, vcore: 6}");
    assert_eq!(running(&source), TEXT, "nothing is done while one writes");
    press(&mut driver, "<F5>");
    shows(&driver, "root.eng: set maximum?");
    press(&mut driver, "<ret>");
    assert_eq!(running(&source), TEXT, "the question opens on doing nothing");
    press(&mut driver, "<F5>y");
    assert_eq!(running(&source), TEXT.replace("vcore: 20", "vcore: 6"));
    shows(&driver, "revision 2 is active");
    shows_not(&driver, "set maximum");
    press(&mut driver, "6b");
    shows(&driver, "vcore: 20");
}

#[test]
fn what_is_written_is_reported_as_no_quantity_and_not_applied() {
    let (mut driver, source) = console(admin(), 80, 24);
    press(&mut driver, ":queues root.eng<ret>cm<C-u>6x");
    shows(&driver, "EDT-005");
    shows(&driver, "unknown suffix");
    press(&mut driver, "<F5>");
    shows(&driver, "it cannot be applied");
    press(&mut driver, "<C-u>999<tab><C-u>");
    shows(&driver, "max memory 40Gi → none");
    press(&mut driver, "<esc>x");
    shows(&driver, "write the new values");
    press(&mut driver, "a");
    shows(&driver, "no changes");
    assert_eq!(running(&source), TEXT);
}

#[test]
fn a_fault_of_the_new_text_is_reported_in_the_form() {
    let (mut driver, source) = console(admin(), 120, 40);
    press(&mut driver, ":queues root.eng.etl<ret>cm<C-u>30");
    shows(&driver, "1 fault: cannot be applied");
    shows(&driver, "cannot be applied");
    press(&mut driver, "<F5>");
    shows(&driver, "an error prevents it");
    assert_eq!(running(&source), TEXT);
}

#[test]
fn a_limit_that_is_there_is_changed_in_its_lines_alone() {
    let (mut driver, source) = console(admin(), 120, 40);
    press(&mut driver, ":queues root.eng<ret>cl");
    shows(&driver, "write users or groups");
    driver.type_text("sue");
    press(&mut driver, "<tab><tab><tab>");
    driver.type_text("cpu=8");
    press(&mut driver, "");
    shows(&driver, "the existing limit 1; empty fields keep their values");
    press(&mut driver, "<F5>y");
    assert_eq!(running(&source), TEXT.replace("vcore: 6}", "vcore: 8}"));
}

#[test]
fn a_new_limit_is_added_before_the_one_for_all_users_and_an_empty_one_is_removed() {
    let (mut driver, source) = console(admin(), 120, 40);
    press(&mut driver, ":queues root.eng<ret>cl");
    driver.type_text("bob");
    press(&mut driver, "<tab><tab>");
    driver.type_text("2");
    press(&mut driver, "");
    shows(&driver, "a new limit");
    press(&mut driver, "<F5>y");
    let text = running(&source);
    assert!(text.find("bob").unwrap() < text.find("limit: the others").unwrap(), "{text}");
    press(&mut driver, "cl");
    driver.type_text("bob");
    press(&mut driver, "<tab><tab>");
    driver.type_text("none");
    press(&mut driver, "");
    shows(&driver, "the limit is empty and is removed");
    press(&mut driver, "<F5>y");
    assert_eq!(running(&source), TEXT);
}

#[test]
fn a_property_and_a_queue_are_added_with_names_completed() {
    let (mut driver, source) = console(admin(), 120, 40);
    press(&mut driver, ":queues root.ops<ret>cp");
    driver.type_text("priority.o");
    press(&mut driver, "<right><tab>5");
    shows(&driver, "priority.offset");
    press(&mut driver, "<F5>y");
    assert_eq!(running(&source), format!("{TEXT}            properties: {{priority.offset: 5}}\n"));
    press(&mut driver, "ca");
    driver.type_text("night");
    press(&mut driver, "<tab><tab><tab>");
    driver.type_text("mem=10Gi vc");
    press(&mut driver, "<right>4");
    shows(&driver, "+ root.ops.night");
    press(&mut driver, "<F5>y");
    let text = running(&source);
    assert!(text.contains("- name: night"), "{text}");
    assert!(text.contains("memory: 10Gi") && text.contains("vcore: 4"), "{text}");
    shows(&driver, "night");
}

#[test]
fn a_whole_subtree_is_removed_only_after_its_name_is_typed() {
    // With these queues, the removal is less than half of all (CFG-120).
    let text = &format!("{TEXT}          - name: web\n          - name: lab\n          - name: tools\n");
    let (mut driver, source) = on_text(text, admin(), 120, 40);
    press(&mut driver, ":queues root.eng<ret>cr");
    shows(&driver, "- root.eng");
    press(&mut driver, "a");
    shows(&driver, "Remove root.eng?");
    shows(&driver, "type root.eng to confirm");
    press(&mut driver, "y<ret>");
    shows(&driver, "type root.eng to confirm");
    assert_eq!(running(&source), *text);
    press(&mut driver, "<C-u>");
    driver.type_text("root.eng");
    press(&mut driver, "<ret>");
    assert!(!running(&source).contains("eng"), "{}", running(&source));
}

#[test]
fn a_denied_change_is_unavailable_and_shows_the_missing_access() {
    let (mut driver, source) = console(user("ann"), 120, 40);
    press(&mut driver, ":queues root.ops<ret>c");
    shows(&driver, "a off: needs admin access on root.ops or a parent");
    press(&mut driver, "m");
    shows(&driver, "needs admin access on root or a parent");
    shows_not(&driver, "set maximum");
    press(&mut driver, ":queues root.eng<ret>cr");
    shows(&driver, "needs admin access on root or a parent");
    press(&mut driver, ":queues root.eng.etl<ret>cr");
    shows(&driver, "- root.eng.etl");
    let (mut driver, _) = console(admin().read_only("started with --read-only"), 120, 40);
    press(&mut driver, ":queues root.ops<ret>cm");
    shows(&driver, "read-only: started with --read-only");
    assert_eq!(running(&source), TEXT);
}

#[test]
fn input_is_preserved_and_confirmed() {
    let (mut driver, _) = console(admin(), 120, 40);
    press(&mut driver, ":queues root.eng<ret>cm<C-u>6<esc><esc>");
    shows(&driver, "your input is saved");
    press(&mut driver, ":quit<ret>");
    shows(&driver, "the form \"set maximum\" on root.eng");
    press(&mut driver, "<esc>cm");
    shows(&driver, "max vcore 20 → 6");
    press(&mut driver, "<esc>3:q<ret>");
    shows(&driver, "the form \"set maximum\" on root.eng");
}

#[test]
fn a_form_is_rebased_on_a_configuration_that_was_applied_meanwhile() {
    let (mut driver, source) = console(admin(), 120, 40);
    press(&mut driver, ":queues root.eng<ret>cm<C-u>6");
    let base = source.configuration().unwrap().checksum.clone();
    let other = TEXT.replace("- name: ops", "- name: ops2");
    let act = Act::Configure { text: other.clone(), base: Some(base), dry_run: false };
    source.act(act.into(), Box::new(|outcome| assert!(outcome.is_ok())));
    press(&mut driver, "");
    shows(&driver, "on revision 2");
    press(&mut driver, "<F5>y");
    assert_eq!(running(&source), other.replace("vcore: 20", "vcore: 6"));
}

#[test]
fn forms_on_every_size() {
    for (width, height) in [(40, 12), (80, 24), (120, 40), (200, 60)] {
        let (mut driver, _) = console(admin(), width, height);
        press(&mut driver, ":queues root.eng<ret>cm<C-u>6");
        insta::assert_snapshot!(format!("form_{width}x{height}"), driver.screen_text());
    }
}

#[test]
fn root_accepts_a_number_of_applications_and_no_size() {
    let (mut driver, source) = console(admin(), 120, 40);
    press(&mut driver, ":queues root<ret>cg");
    shows(&driver, "the root of a partition has the capacity of its nodes");
    press(&mut driver, "cm");
    shows_not(&driver, "vcore");
    press(&mut driver, "7");
    shows(&driver, "7 +         maxapplications: 7");
    shows(&driver, "root.eng has no `maxapplications`, its parent root has 7");
    assert_eq!(running(&source), TEXT);
}
