//! The rules of the design seed that the releases do not have (PLC-019, PLC-044 to PLC-047).

use super::*;

const KORNSOLE: Profile = Profile::Kornsole;

fn primary() -> RuleConfig {
    rule(RuleKind::PrimaryGroup)
}

fn secondary() -> RuleConfig {
    rule(RuleKind::SecondaryGroup)
}

#[track_caller]
fn check_kornsole(rule: RuleConfig, tree: &Tree, by: &By, expected: &str) {
    check_under(KORNSOLE, &[rule], tree, by, expected);
}

#[test]
fn groups_name_queues() {
    let tree = Tree::t();
    let sue = by("sue").groups(&["dev.a", "ops", "qa"]);
    check_kornsole(primary().create(), &tree, &sue, "root.dev_dot_a +1");
    check_kornsole(primary().create(), &tree, &by("sue"), "root.sue +1");
    check_kornsole(secondary().create(), &tree, &sue, "root.ops +1");
    check_kornsole(secondary().create(), &tree, &by("sue"), "-");
    // A group is never a path.
    check_kornsole(primary(), &tree, &by("u").groups(&["root.default"]), "-");
}

#[test]
fn an_allow_filter_chooses_the_secondary_group() {
    let tree = Tree::t();
    let sue = by("sue").groups(&["qa", "ops", "qa1", "qa2"]);
    check_kornsole(secondary().create().allow(&[], &["^qa"]), &tree, &sue, "root.qa1 +1");
    check_kornsole(secondary().create().allow(&["sue"], &[]), &tree, &sue, "root.ops +1");
    check_kornsole(secondary().create().deny(&[], &["^x"]), &tree, &sue, "root.ops +1");
    check_kornsole(secondary().create().allow(&[], &["^x"]), &tree, &sue, "-");
}

#[test]
fn the_application_type_is_a_tag() {
    let tree = Tree::t();
    let spark = by("u").tag("Application.Type", "spark.sql");
    check_kornsole(rule(RuleKind::ApplicationType).create(), &tree, &spark, "root.spark_dot_sql +1");
    check_kornsole(rule(RuleKind::ApplicationType).create(), &tree, &by("u"), "-");
    check_kornsole(rule(RuleKind::ApplicationType), &tree, &by("u").tag("application.type", "root.default"), "-");
}

#[test]
fn rows_96_and_97_a_secondary_group_as_parent() {
    let tree = Tree::new("root; submit *\nroot.companya");
    let both = by("user1").groups(&["user1", "audit", "companyA"]);
    let child = |parent| user().create().parent(parent).allow(&[], &["company.*"]);
    check_kornsole(
        child(secondary().text()),
        &tree,
        &by("user1").groups(&["user1", "companyA"]),
        "root.companya.user1 +1",
    );
    check_kornsole(child(secondary().text()), &tree, &both, "root.companya.user1 +1");
    check_kornsole(child(secondary()), &tree, &both, "-");
}

#[test]
fn other_releases_do_not_have_these_rules() {
    for kind in [RuleKind::PrimaryGroup, RuleKind::SecondaryGroup, RuleKind::ApplicationType] {
        for profile in [Profile::V1_5_1, Profile::V1_8_0] {
            let fault = Rules::build(&[provided(), user().parent(rule(kind))], profile).unwrap_err();
            assert_eq!((fault.rule, fault.depth, fault.kind), (1, 1, RuleFaultKind::UnknownRule(kind)));
        }
        assert!(Rules::build(&[rule(kind)], KORNSOLE).is_ok());
    }
}
