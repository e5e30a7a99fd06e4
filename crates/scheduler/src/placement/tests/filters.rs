//! Section 11, rows 51 to 62: filters.

use super::*;

#[track_caller]
fn filtered(rule: &RuleConfig, cases: &[(By, &'static str)]) {
    for (by, expected) in cases {
        on_t(std::slice::from_ref(rule), by, *expected);
    }
}

fn create() -> RuleConfig {
    user().create()
}

#[test]
fn rows_51_to_53_lists() {
    let list = ["sue", "bob"];
    filtered(&create().allow(&list, &[]), &[(by("sue"), "root.sue +1"), (by("joe"), "-"), (by("Sue"), "-")]);
    filtered(&create().deny(&list, &[]), &[(by("sue"), "-"), (by("joe"), "root.joe +1")]);
}

#[test]
fn row_54_filters_that_name_no_user() {
    filtered(&create().deny(&[], &[]), &[(by("sue"), "-")]);
    filtered(&create().allow(&[], &[]), &[(by("sue"), "root.sue +1")]);
    filtered(&create(), &[(by("sue"), "root.sue +1")]);
}

#[test]
fn rows_55_to_57_one_entry_is_a_name_or_an_expression() {
    filtered(&create().allow(&["user1"], &[]), &[(by("user1"), "root.user1 +1"), (by("user10"), "-")]);
    filtered(
        &create().allow(&["user*"], &[]),
        &[(by("useless"), "root.useless +1"), (by("myuse"), "root.myuse +1"), (by("bob"), "-")],
    );
    filtered(
        &create().allow(&["user.name"], &[]),
        &[(by("user.name"), "root.user_dot_name +1"), (by("userxname"), "-")],
    );
    filtered(&create().allow(&["svc$"], &[]), &[(by("svc"), "root.svc +1"), (by("mysvc"), "root.mysvc +1")]);
    on_t(&[fixed("last").allow(&["svc$"], &[])], &by("svc$"), "-");
    on_t(&[fixed("last").allow(&["svc$", "x"], &[])], &by("svc$"), "root.last");
}

#[test]
fn rows_58_and_59_expressions_in_lists_are_dropped() {
    filtered(&create().allow(&["sue", "b.*"], &[]), &[(by("sue"), "root.sue +1"), (by("bob"), "-")]);
    filtered(&create().deny(&["9a", "b*"], &[]), &[(by("bob"), "root.bob +1")]);
    filtered(&create().allow(&["9a", "b*"], &[]), &[(by("9a"), "-"), (by("bob"), "-")]);
}

#[test]
fn a_list_accepts_more_user_names_in_1_8() {
    on_t(&[fixed("last").allow(&["a/b", "x"], &[])], &by("a/b"), ["-", "-", "root.last"]);
}

#[test]
fn row_60_groups_by_expression() {
    let rule = create().allow(&[], &["^(group1.|other)$"]);
    let member = |group| by("u").groups(&[group]);
    filtered(&rule, &[(member("group12"), "root.u +1"), (member("group101"), "-"), (member("other"), "root.u +1")]);
    let model = create().allow(&[], &["dev*"]);
    filtered(&model, &[(member("model"), "root.u +1"), (member("ops"), "-")]);
}

#[test]
fn rows_61_and_62_users_first_then_any_group() {
    let rule = create().allow(&["sue", "bob"], &["dev", "ops"]);
    filtered(
        &rule,
        &[
            (by("sue").groups(&["x"]), "root.sue +1"),
            (by("joe").groups(&["dev"]), "root.joe +1"),
            (by("joe").groups(&["x"]), "-"),
            (by("joe").groups(&["x", "ops"]), "root.joe +1"),
        ],
    );
    filtered(&create().deny(&[], &["dev", "ops"]), &[(by("sue").groups(&["a", "dev"]), "-")]);
}

#[test]
fn the_trace_shows_what_matched() {
    let rules = Rules::build(&[create().deny(&["sue"], &["^d"])], Profile::Kornsole).unwrap();
    let verdict = |by: By| by.place(&rules, &Tree::t(), Profile::Kornsole).trace.rules[0].steps[0].filter.clone();
    let by_group = Match { by: MatchedBy::Group("dev".into()), entry: "^d".into() };
    assert_eq!(verdict(by("joe").groups(&["x", "dev"])), FilterVerdict::Stops(Some(by_group)));
    assert_eq!(verdict(by("sue").groups(&["dev"])), {
        FilterVerdict::Stops(Some(Match { by: MatchedBy::User, entry: "sue".into() }))
    });
    assert_eq!(verdict(by("joe")), FilterVerdict::Passes(None));
}
