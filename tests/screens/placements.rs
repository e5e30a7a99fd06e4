//! Placement: the form, the rules, and reasons.

use std::sync::Arc;
use std::time::Duration;

use crate::common::{says, says_not};
use crate::keys::changed;
use crate::{after, console};

#[test]
fn a_placement_is_shown_while_the_form_is_written() {
    let mut driver = after("5", 120, 40);
    says(&driver, "→ root.users.sue   by rule 3, new dynamic leaf, max mem 10Gi; at most 2 applications");
    driver.keys("<right><right>eroot.tenants.legacy").unwrap();
    says(&driver, "exists, leaf, draining");
    says(&driver, "→ root.users.sue");
    driver.keys("<C-u>root.tenants.tenant-b.web").unwrap();
    says(&driver, "→ root.tenants.tenant-b.web   by rule 1");
    assert!(driver.cursor().is_some());
    driver.keys("<C-u><up><up><C-u>mal").unwrap();
    says(&driver, "! rejected, no-rule-matched");
    says(&driver, "filter denies the user, entry mal");
    driver.keys("<tab><C-u>x, ops-eu<tab><tab><tab>namespace=red").unwrap();
    says(&driver, "→ root.system.red   by rule 2, new dynamic leaf, no template");
    says(&driver, "submit: allowed by root (*)");
    driver.keys(" stage").unwrap();
    says(&driver, "stage is not a tag; write NAME=VALUE");
    driver.keys("<esc>").unwrap();
    assert!(driver.cursor().is_none());
    driver.keys("15").unwrap();
    says(&driver, "namespace=red stage");
    driver.keys("x").unwrap();
    says(&driver, "! rejected, no-user");
    driver.keys("x").unwrap();
    says(&driver, "→ root.users.sue");
}

#[test]
fn a_placement_in_a_yunikorn_is_said_to_be_an_estimate() {
    let (mut driver, scene) = console(120, 40);
    driver.keys("5").unwrap();
    says(&driver, "→ root.users.sue");
    says_not(&driver, "estimate");
    scene.only_estimates();
    driver.advance(Duration::from_secs(1));
    let (verdict, _) = driver.find_row("→ root.users.sue").unwrap();
    let (message, line) = driver.find_row("an estimate from the loaded").unwrap();
    assert!(message == verdict + 1 && line.contains("YuniKorn has no preview"), "{}", driver.screen_text());
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/placement/queues.yaml");
    driver.keys(&format!(":placement {file}<ret>")).unwrap();
    says_not(&driver, "an estimate");
}

#[test]
fn rules_are_shown_with_how_often_they_decided() {
    let driver = after("5", 120, 40);
    let (_, line) = driver.find_row("3 user, create                            ").unwrap();
    assert!(line.contains("1 of 2") && line.contains("deny users mal, mallory") && line.contains("line 9"), "{line}");
    says(&driver, "parent: fixed root.users");
    says(&driver, "rejected 1");
}

#[test]
fn the_form_can_be_held_against_a_file() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/placement/queues.yaml");
    let mut driver = after(&format!(":placement {file}<ret>"), 200, 60);
    says(&driver, "6 rules of this file");
    says(&driver, "rules of the file");
    says(&driver, "not allowed by root.closed or above");
    driver.keys("5").unwrap();
    says(&driver, "3 rules active");
    driver.keys(":placement no/such/file.yaml<ret>").unwrap();
    says(&driver, "no/such/file.yaml is not a valid configuration:");
    says(&driver, "cannot read");
    let faulty = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/placement/batch.yaml");
    driver.keys(&format!(":placement {faulty}<ret>")).unwrap();
    says(&driver, "error[INP-001]");
    driver.keys("1<tab><tab><tab><tab>").unwrap();
    says(&driver, "error[INP-001]");
}

#[test]
fn says_why_an_application_is_where_it_is() {
    let mut driver = after(":queues root.users.kim<ret><ret>w", 120, 40);
    says(&driver, "root.users.kim › note-1 › why here");
    says(&driver, "→ root.users.kim   by rule 1");
    driver.keys("<esc>2e/lost<ret>w").unwrap();
    says(&driver, "! rejected, no-rule-matched");
    says(&driver, "requested    root.nowhere");
    driver.keys("t").unwrap();
    says(&driver, "user    mal");
    says(&driver, "root.nowhere");
    driver.keys(":app old-1<ret>w").unwrap();
    says(&driver, "it was moved later, and is in root.tenants.legacy");
    driver.keys("3<ret>w").unwrap();
    says_not(&driver, "why here");
}

#[test]
fn says_who_may_do_what_in_a_queue() {
    let mut driver = after(":queues root.tenants.tenant-a.adhoc<ret>w", 120, 40);
    says(&driver, "sue, by adminacl of root.tenants.tenant-a (line ");
    says(&driver, "all users, by submitacl of root");
    says(&driver, "admin      yes, by root.tenants.tenant-a (user, admin)");
    driver.keys("<esc>:queues root.tenants.legacy<ret>w").unwrap();
    says(&driver, "rejects applications: root.tenants.legacy is draining");
    says(&driver, "admin      ! no, no access list on the path names you");
    driver.keys("<esc>gw").unwrap();
    says(&driver, "a parent: accepts no applications");
}

#[test]
fn rules_that_went_out_of_force_are_reported() {
    let (mut driver, scene) = console(120, 40);
    driver.keys(":app note-1<ret>w").unwrap();
    says_not(&driver, "were replaced");
    let mut view = changed(|_| {});
    view.partitions[0].rules = Arc::default();
    scene.show(view);
    driver.refresh();
    says(&driver, "these rules were replaced");
}

#[test]
fn the_rule_that_decides_has_a_sign_and_its_line() {
    let (mut driver, _) = super::room::on_demo(120, 40, 60);
    driver.keys("5").unwrap();
    says(&driver, "✔ placed");
    let (row, _) = driver.find_row("→ root.users").unwrap();
    assert!(driver.lines()[row + 1].contains("2 user, create: line 10 of revision"), "{}", driver.screen_text());
}
