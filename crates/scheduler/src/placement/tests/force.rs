//! Section 11, rows 73 to 78, and the submitter (`acl-and-users.md` section 1).

use super::*;

const RECOVERED: &str = "root.@recovery@ recovery +1";

#[test]
fn rows_73_and_74_forced_is_a_true_value() {
    on_t(&[provided()], &to("root.none").forced(), RECOVERED);
    on_t(&[provided()], &to("root.none"), "-");
    on_t(&[provided()], &to("root.default").forced(), "root.default");
    let forced_with = |value| to("root.none").tag("Application.Create.Force", value);
    for yes in ["1", "t", "T", "true", "TRUE", "True"] {
        on_t(&[provided()], &forced_with(yes), RECOVERED);
    }
    for no in ["yes", "0", "tRUE", "", " true", "false"] {
        on_t(&[provided()], &forced_with(no), "-");
    }
}

#[test]
fn row_75_nobody_is_a_user_when_forced() {
    for profile in Profile::ALL {
        assert_eq!(by("").forced().identity(profile), Ok(Identity::new("nobody", ["nogroup"])));
        assert_eq!(by("").groups(&["dev"]).forced().identity(profile), Ok(Identity::new("nobody", ["nogroup"])));
        assert_eq!(by("").identity(profile), Err(Refusal::NoUser));
    }
    on_t(&[provided()], &by("").forced().queue("root.default"), "root.default");
    on_t(&[provided()], &by("").forced().queue("root.none"), RECOVERED);
}

#[test]
fn row_76_recovery_asks_for_no_access() {
    let tree = Tree::new("root\nroot.default; leaf");
    check(&[provided()], &tree, &to("root.default").forced(), RECOVERED);
    check(&[provided()], &tree, &to("root.default"), "-");
}

#[test]
fn rows_77_and_78_errors_reject_forced_applications_too() {
    on_t(&[user().create().parent(tag("ns"))], &by("u").tag("ns", "default").forced(), "parent-is-leaf");
    on_t(&[provided().create()], &to("root.default.x").forced(), "create-below-leaf");
}

#[test]
fn the_recovery_queue_is_made_once() {
    for profile in Profile::ALL {
        let rules = Rules::build(&[provided()], profile).unwrap();
        let mut tree = Tree::t();
        let first = to("root.none").forced().place(&rules, &tree, profile);
        let placed = first.placed().unwrap();
        assert!(placed.recovery);
        assert_eq!(placed.create, [QueuePath::new(RECOVERY_QUEUE)]);
        tree.create(placed);
        check_under(profile, &[provided()], &tree, &to("root.none").forced(), "root.@recovery@ recovery");
    }
}

#[test]
fn groups_are_taken_as_given_or_resolved() {
    let own = ["dev".to_owned()];
    let unknown = |_: &str| Err("no such user".to_owned());
    let switches = Switches::of(Profile::Kornsole);
    let never = |_: &str| -> Result<Vec<String>, String> { panic!("groups were given") };
    assert_eq!(identify("sue", &own, false, switches, never), Ok(Identity::new("sue", ["dev"])));
    assert_eq!(identify("sue", &[], false, switches, no_resolver), Ok(Identity::new("sue", ["sue"])));
    assert_eq!(identify("sue", &[], true, switches, unknown), Ok(Identity::new("sue", ["nogroup"])));
    let refused = identify("sue", &[], false, switches, unknown).unwrap_err();
    assert_eq!(refused.code(), "no-user");
    assert_eq!(refused.to_string(), "the groups of user \"sue\" are unknown: no such user");
}

#[test]
fn user_names_are_checked_by_1_8_and_only_with_groups() {
    for profile in Profile::ALL {
        let checked = profile.is_since_1_8();
        for name in ["9user", "a b", "x*"] {
            assert_eq!(by(name).groups(&["g"]).identity(profile).is_err(), checked, "{name} {profile}");
            assert!(by(name).identity(profile).is_ok());
        }
        assert!(by("a/b#c:d$").groups(&["g"]).identity(profile).is_ok());
    }
}
