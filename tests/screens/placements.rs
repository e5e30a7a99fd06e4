use std::sync::Arc;
use std::time::Duration;

use crate::common::{shows, shows_not};
use crate::keys::changed;
use crate::{after, console};

#[test]
fn a_placement_is_shown_while_the_form_is_written() {
    let mut driver = after("5", 120, 40);
    shows(&driver, "→ root.users.sue   by rule 3, new dynamic leaf, max mem 10Gi; at most 2 applications");
    driver.keys("<right><right>eroot.tenants.legacy").unwrap();
    shows(&driver, "exists, leaf, draining");
    shows(&driver, "→ root.users.sue");
    driver.keys("<C-u>root.tenants.tenant-b.web").unwrap();
    shows(&driver, "→ root.tenants.tenant-b.web   by rule 1");
    assert!(driver.cursor().is_some());
    driver.keys("<C-u><up><up><C-u>mal").unwrap();
    shows(&driver, "! rejected, no-rule-matched");
    shows(&driver, "filter denies the user, entry mal");
    driver.keys("<tab><C-u>x, ops-eu<tab><tab><tab>namespace=red").unwrap();
    shows(&driver, "→ root.system.red   by rule 2, new dynamic leaf, no template");
    shows(&driver, "submit: allowed by root (*)");
    driver.keys(" stage").unwrap();
    shows(&driver, "stage is not a tag; write NAME=VALUE");
    driver.keys("<esc>").unwrap();
    assert!(driver.cursor().is_none());
    driver.keys("15").unwrap();
    shows(&driver, "namespace=red stage");
    driver.keys("x").unwrap();
    shows(&driver, "! rejected, no-user");
    driver.keys("x").unwrap();
    shows(&driver, "→ root.users.sue");
}

#[test]
fn a_placement_for_yunikorn_is_labeled_as_an_estimate() {
    let (mut driver, scene) = console(120, 40);
    driver.keys("5").unwrap();
    shows(&driver, "→ root.users.sue");
    shows_not(&driver, "estimate");
    scene.only_estimates();
    driver.advance(Duration::from_secs(1));
    let (verdict, _) = driver.find_row("→ root.users.sue").unwrap();
    let (message, line) = driver.find_row("an estimate from the loaded").unwrap();
    assert!(message == verdict + 1 && line.contains("YuniKorn has no preview"), "{}", driver.screen_text());
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/placement/queues.yaml");
    driver.keys(&format!(":placement {file}<ret>")).unwrap();
    shows_not(&driver, "an estimate");
}

#[test]
fn rules_are_shown_with_how_often_they_decided() {
    let driver = after("5", 120, 40);
    let (_, line) = driver.find_row("3 user, create                            ").unwrap();
    assert!(line.contains("1 of 2") && line.contains("deny users mal, mallory") && line.contains("line 9"), "{line}");
    shows(&driver, "parent: fixed root.users");
    shows(&driver, "rejected 1");
}

#[test]
fn the_form_can_be_compared_with_a_file() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/placement/queues.yaml");
    let mut driver = after(&format!(":placement {file}<ret>"), 200, 60);
    shows(&driver, "6 rules of this file");
    shows(&driver, "rules of the file");
    shows(&driver, "not allowed by root.closed or its parents");
    driver.keys("5").unwrap();
    shows(&driver, "3 rules active");
    driver.keys(":placement no/such/file.yaml<ret>").unwrap();
    shows(&driver, "no/such/file.yaml is not a valid configuration:");
    shows(&driver, "cannot read");
    let faulty = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/placement/batch.yaml");
    driver.keys(&format!(":placement {faulty}<ret>")).unwrap();
    shows(&driver, "error[INP-001]");
    driver.keys("1<tab><tab><tab><tab>").unwrap();
    shows(&driver, "error[INP-001]");
}

#[test]
fn shows_why_an_application_is_in_its_queue() {
    let mut driver = after(":queues root.users.kim<ret><ret>w", 120, 40);
    shows(&driver, "root.users.kim › note-1 › why here");
    shows(&driver, "→ root.users.kim   by rule 1");
    driver.keys("<esc>2e/lost<ret>w").unwrap();
    shows(&driver, "! rejected, no-rule-matched");
    shows(&driver, "requested    root.nowhere");
    driver.keys("t").unwrap();
    shows(&driver, "user    mal");
    shows(&driver, "root.nowhere");
    driver.keys(":app old-1<ret>w").unwrap();
    shows(&driver, "it was moved later, and is in root.tenants.legacy");
    driver.keys("3<ret>w").unwrap();
    shows_not(&driver, "why here");
}

#[test]
fn shows_the_permissions_in_a_queue() {
    let mut driver = after(":queues root.tenants.tenant-a.adhoc<ret>w", 120, 40);
    shows(&driver, "sue, by adminacl of root.tenants.tenant-a (line ");
    shows(&driver, "all users, by submitacl of root");
    shows(&driver, "admin      yes, by root.tenants.tenant-a (user, admin)");
    driver.keys("<esc>:queues root.tenants.legacy<ret>w").unwrap();
    shows(&driver, "rejects applications: root.tenants.legacy is draining");
    shows(&driver, "admin      ! no, no access list on the path names you");
    driver.keys("<esc>gw").unwrap();
    shows(&driver, "a parent: accepts no applications");
}

#[test]
fn removed_rules_are_reported() {
    let (mut driver, scene) = console(120, 40);
    driver.keys(":app note-1<ret>w").unwrap();
    shows_not(&driver, "were replaced");
    let mut view = changed(|_| {});
    view.partitions[0].rules = Arc::default();
    scene.show(view);
    driver.refresh();
    shows(&driver, "these rules were replaced");
}

#[test]
fn the_deciding_rule_has_a_symbol_and_its_line() {
    let (mut driver, _) = super::space::on_demo(120, 40, 60);
    driver.keys("5").unwrap();
    shows(&driver, "✔ placed");
    let (row, _) = driver.find_row("→ root.users").unwrap();
    assert!(driver.lines()[row + 1].contains("2 user, create: line 10 of revision"), "{}", driver.screen_text());
}
