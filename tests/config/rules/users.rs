//! Submitting users: USR-001 to USR-009, with a preview.

use std::collections::BTreeMap;
use std::sync::Arc;

use config::read;
use model::{Identity, Profile};
use scheduler::placement::{Admission, Request, Switches, identify};
use view::View;

fn cluster(profile: Profile) -> Arc<View> {
    let rules = match profile {
        Profile::Kornsole => {
            "[{name: provided}, {name: secondarygroup, create: true}, {name: primarygroup, create: true}]"
        }
        _ => "[{name: provided}, {name: user, create: true}]",
    };
    let text = format!(
        "partitions: [{{placementrules: {rules}, queues: [{{name: root, submitacl: '*', queues: [{{name: a, parent: true}}]}}]}}]"
    );
    View::of_config(Arc::new(read(&text, profile).config.expect("it is valid")), profile).expect("it is taken")
}

fn submit(view: &View, user: &str, groups: &[&str], tags: &[(&str, &str)]) -> Admission {
    let groups: Vec<String> = groups.iter().map(|group| (*group).to_owned()).collect();
    let tags: BTreeMap<String, String> =
        tags.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    view.partitions[0].preview(&Request { queue: "", user, groups: &groups, tags: &tags }, None)
}

fn queue(admission: &Admission) -> String {
    admission.placement.placed().map(|placed| placed.path.to_string()).unwrap_or_default()
}

fn code(admission: &Admission) -> &'static str {
    admission.placement.refused().map_or("", |refused| refused.refusal.code())
}

#[test]
fn usr_001_names_are_compared_with_case() {
    let text = "partitions: [{queues: [{name: root, queues: [{name: a, submitacl: 'Sue Dev'}]}]}]";
    let config = read(text, Profile::Kornsole).config.expect("it is valid");
    let acl = &config.partitions[0].root.children[0].submit_acl.value;
    for (user, group, granted) in [("Sue", "x", true), ("sue", "x", false), ("x", "Dev", true), ("x", "dev", false)] {
        assert_eq!(acl.grants(&Identity::new(user, [group])), granted, "{user} {group}");
    }
}

#[test]
fn usr_002_the_first_group_is_the_primary_one() {
    let view = cluster(Profile::Kornsole);
    assert_eq!(queue(&submit(&view, "sue", &["dev"], &[])), "root.dev");
    assert_eq!(queue(&submit(&view, "sue", &["dev", "ops", "qa"], &[])), "root.ops");
}

#[test]
fn usr_003_groups_are_taken_as_given() {
    let admission = submit(&cluster(Profile::Kornsole), "sue", &["ops", "dev", "ops"], &[]);
    assert_eq!(admission.who, Identity::new("sue", ["ops", "dev", "ops"]));
}

#[test]
fn usr_004_without_groups_there_is_one_of_the_users_name() {
    for profile in Profile::ALL {
        assert_eq!(submit(&cluster(profile), "sue", &[], &[]).who, Identity::new("sue", ["sue"]));
    }
}

#[test]
fn usr_005_no_user_is_refused_before_placement() {
    let admission = submit(&cluster(Profile::Kornsole), "", &["dev"], &[]);
    assert_eq!(code(&admission), "no-user");
    assert!(admission.placement.trace.rules.is_empty());
}

#[test]
fn usr_006_when_forced_the_user_is_nobody() {
    for profile in Profile::ALL {
        let admission = submit(&cluster(profile), "", &["dev"], &[("application.create.force", "true")]);
        assert_eq!(admission.who, Identity::new("nobody", ["nogroup"]));
        assert_ne!(code(&admission), "no-user");
    }
    let unknown = |_: &str| Err("no such user".to_owned());
    let forced = identify("sue", &[], true, Switches::of(Profile::Kornsole), unknown);
    assert_eq!(forced, Ok(Identity::new("sue", ["nogroup"])));
}

#[test]
fn usr_007_a_user_that_the_resolver_does_not_find_is_rejected() {
    let unknown = |_: &str| Err("no such user".to_owned());
    let refused = identify("sue", &[], false, Switches::of(Profile::Kornsole), unknown).expect_err("nobody is known");
    assert_eq!(refused.to_string(), "the groups of user \"sue\" are unknown: no such user");
}

#[test]
fn usr_008_each_submission_is_independent() {
    let view = cluster(Profile::Kornsole);
    assert_eq!(submit(&view, "sue", &["dev"], &[]).who, Identity::new("sue", ["dev"]));
    assert_eq!(submit(&view, "sue", &[], &[]).who, Identity::new("sue", ["sue"]));
}

#[test]
fn usr_009_user_names_are_checked_by_1_8_with_groups_only() {
    for profile in Profile::ALL {
        let view = cluster(profile);
        let refused = code(&submit(&view, "a b", &["dev"], &[])) == "no-user";
        assert_eq!(refused, profile.is_since_1_8(), "{profile}");
        assert_ne!(code(&submit(&view, "a b", &[], &[])), "no-user", "{profile}");
    }
    // The name is rejected later, as a queue name.
    assert_eq!(code(&submit(&cluster(Profile::V1_5_1), "a b", &["dev"], &[])), "illegal-name");
}
