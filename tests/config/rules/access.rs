//! Access lists: ACL-001 to ACL-029.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::acl::{Acl, AclNames};
use model::{Identity, Time};
use scheduler::placement::access::{AclKind, Grant, GrantedBy, admin, submit};
use scheduler::placement::{RECOVERY_QUEUE, Request};
use scheduler::{Command, EventKind, PartitionCommand, Scheduler, Submission};
use view::{PartitionView, View};

use super::*;

fn acl(text: &str) -> Acl {
    Acl::parse(text, AclNames::Portable).expect("at most one space").acl
}

fn report(text: &str) -> String {
    let acl = acl(text);
    match () {
        () if acl.all_users => "*".to_owned(),
        () if acl.is_empty_list() => String::new(),
        () => format!("{} | {}", acl.users.join(" "), acl.groups.join(" ")),
    }
}

fn part(text: &str) -> PartitionView {
    let view = View::of_config(Arc::new(accepted(text)), Profile::Kornsole).expect("the scheduler takes it");
    view.partitions[0].clone()
}

fn worked() -> PartitionView {
    part(
        "partitions: [{placementrules: [{name: provided, create: true}], queues: [{name: root, queues: [{name: a, parent: true, \
         submitacl: 'sue dev', queues: [{name: sub, adminacl: adm}, {name: deny, submitacl: ' '}, {name: grp, submitacl: ' ops'}]}]}]}]",
    )
}

fn who(user: &str, groups: &[&str]) -> Identity {
    Identity::new(user, groups.iter().copied())
}

fn from(queue: &str, list: AclKind, by: GrantedBy) -> Option<Grant> {
    Some(Grant { queue: QueuePath::new(queue), list, by })
}

#[test]
fn acl_001_an_empty_list_matches_no_user() {
    assert!(acl("").is_empty_list() && acl(" ").is_empty_list());
    assert!(accepted(&A("parent: true")).partitions[0].root.submit_acl.value.is_empty_list());
    assert!(!acl("").grants(&Identity::default()));
}

#[test]
fn acl_002_a_star_matches_all_users() {
    for text in ["*", " *", "* "] {
        assert!(acl(text).grants(&Identity::default()), "{text:?}");
    }
}

#[test]
fn acl_003_users_then_groups() {
    for (text, expected) in [
        ("sue", "sue | "),
        ("sue,bob dev,test", "sue bob | dev test"),
        (" dev,test", " | dev test"),
        ("sue,bob ", "sue bob | "),
    ] {
        assert_eq!(report(text), expected, "{text:?}");
    }
}

#[test]
fn acl_004_a_star_as_one_of_the_lists_matches_all_users() {
    for text in ["* dev", "sue *", "* *"] {
        assert_eq!(report(text), "*", "{text:?}");
    }
}

#[test]
fn acl_005_a_star_among_names_is_no_name() {
    assert_eq!((report("a,*"), report("*,a")), ("a | ".to_owned(), "a | ".to_owned()));
    check_text(&warned("CFG-038", &A("submitacl: 'a,*'")), &["`*`"]);
}

#[test]
fn acl_006_empty_entries_are_skipped_and_names_count_once() {
    assert_eq!((report("a,,b,a"), report("a,")), ("a b | ".to_owned(), "a | ".to_owned()));
}

#[test]
fn acl_007_a_comma_before_the_groups() {
    assert_eq!(report("a, b"), "a | b");
    warned("ACL-007", &A("submitacl: 'a, b'"));
}

#[test]
fn acl_008_a_tab_is_no_separator() {
    assert_eq!(report("a\tb"), "");
    warned("CFG-038", &A("submitacl: \"a\\tb\""));
}

#[test]
fn acl_009_quoting_is_that_of_yaml() {
    let users = |text: &str| accepted(&A(text)).partitions[0].root.children[0].submit_acl.value.users.clone();
    assert_eq!(users("submitacl:  dev"), ["dev"]);
    assert_eq!(users("submitacl: ' dev'"), [""; 0]);
    refused("CFG-001", "partitions:\n- queues:\n  - name: root\n    submitacl: *\n");
}

#[test]
fn acl_010_one_space_at_most() {
    for text in ["a b c", "a  b", " a b", "  ", " a "] {
        assert!(Acl::parse(text, AclNames::Portable).is_err(), "{text:?}");
        refused("CFG-037", &A(&format!("submitacl: '{text}'")));
    }
}

#[test]
fn acl_020_a_list_grants_by_user_or_by_any_group() {
    let list = acl("sue dev,ops");
    assert!(list.grants(&who("sue", &["x"])) && list.grants(&who("x", &["y", "ops"])));
    assert!(!list.grants(&who("x", &["y"])) && !list.grants(&who("dev", &["sue"])));
}

#[test]
fn acl_021_submit_access_is_by_either_list_up_to_the_root() {
    let part = worked();
    let by_a = from("root.a", AclKind::Submit, GrantedBy::User);
    assert_eq!(submit(&part, "root.a.sub", &who("sue", &["sue"])), by_a);
    assert_eq!(
        submit(&part, "root.a.sub", &who("joe", &["dev"])),
        from("root.a", AclKind::Submit, GrantedBy::Group("dev".into()))
    );
    assert_eq!(submit(&part, "root.a.sub", &who("adm", &["adm"])), from("root.a.sub", AclKind::Admin, GrantedBy::User));
    assert_eq!(submit(&part, "root.a.sub", &who("joe", &["x"])), None);
    assert_eq!(
        submit(&part, "root.a.grp", &who("x", &["y", "ops"])),
        from("root.a.grp", AclKind::Submit, GrantedBy::Group("ops".into()))
    );
}

#[test]
fn acl_022_a_submit_list_gives_no_admin_rights() {
    let part = worked();
    assert_eq!(admin(&part, "root.a.sub", &who("sue", &["sue"])), None);
    assert_eq!(admin(&part, "root.a.sub", &who("adm", &["adm"])), from("root.a.sub", AclKind::Admin, GrantedBy::User));
}

#[test]
fn acl_023_what_is_opened_above_cannot_be_closed_below() {
    assert_eq!(
        submit(&worked(), "root.a.deny", &who("sue", &["sue"])),
        from("root.a", AclKind::Submit, GrantedBy::User)
    );
}

#[test]
fn acl_024_no_configured_list_denies_all_users() {
    assert_eq!(submit(&part(&Q("[{name: a}, {name: b}]")), "root.a", &who("root", &["root"])), None);
    let fault = warned("ACL-024", &R("queues: [{name: a, submitacl: sue}, {name: b, queues: [{name: c}]}]"));
    check_text(&fault, &["root.b"]);
    no_warning("ACL-024", &R("submitacl: '*', queues: [{name: a}]"));
}

#[test]
fn acl_025_for_what_is_not_there_the_nearest_ancestor_is_asked() {
    let part = worked();
    assert!(submit(&part, "root.a.new.deep", &who("sue", &["sue"])).is_some());
    assert_eq!(submit(&part, "root.a.new", &who("adm", &["adm"])), None);
    assert_eq!(submit(&part, "root.other", &who("sue", &["sue"])), None);
}

#[test]
fn acl_026_no_user_submits_to_the_recovery_queue_and_root_administers_it() {
    let part = part(&R("submitacl: '*', adminacl: boss"));
    let boss = who("boss", &["boss"]);
    assert_eq!(submit(&part, RECOVERY_QUEUE, &boss), None);
    assert_eq!(admin(&part, RECOVERY_QUEUE, &boss), from("root", AclKind::Admin, GrantedBy::User));
}

fn running(text: &str) -> Scheduler {
    let mut scheduler = Scheduler::new(Profile::Kornsole);
    scheduler.apply(Time::ZERO, &Command::Configure(Arc::new(accepted(text))));
    let submission =
        Submission { app: "app".into(), queue: "root.a".into(), who: who("sue", &["sue"]), ..Submission::default() };
    scheduler.apply(Time::ZERO, &PartitionCommand::Submit(submission).into());
    assert_eq!(scheduler.partitions()[0].apps.iter().count(), 1);
    scheduler
}

#[test]
fn acl_027_rights_that_are_taken_away_leave_what_runs_alone() {
    let mut scheduler = running(&R("queues: [{name: a, submitacl: sue}]"));
    scheduler.apply(Time::ZERO, &Command::Configure(Arc::new(accepted(&R("queues: [{name: a, submitacl: bob}]")))));
    assert_eq!(scheduler.partitions()[0].apps.iter().count(), 1);
}

#[test]
fn acl_028_moving_needs_admin_here_and_submit_there() {
    let text = R(
        "queues: [{name: a, submitacl: sue, adminacl: 'adm ops'}, {name: b, submitacl: adm}, {name: c, adminacl: op}]",
    );
    let denied = |to: &str, by: Identity| {
        let moving = PartitionCommand::Move { app: "app".into(), to: QueuePath::new(to), by };
        let events = running(&text).apply(Time::ZERO, &moving.into());
        events.into_iter().find_map(|event| match event.kind {
            EventKind::Denied { message, .. } => Some(message),
            _ => None,
        })
    };
    assert_eq!(denied("root.b", who("adm", &["adm"])), None);
    assert_eq!(denied("root.c", who("op", &["ops"])), None);
    assert!(denied("root.b", who("sue", &["sue"])).is_some_and(|why| why.contains("admin") && why.contains("root.a")));
    assert!(denied("root.c", who("adm", &["adm"])).is_some_and(|why| why.contains("root.c")));
    let killed = |by: Identity| {
        let kill = PartitionCommand::Kill { app: "app".into(), by, reason: String::new() };
        let events = running(&text).apply(Time::ZERO, &kill.into());
        events.iter().any(|event| matches!(event.kind, EventKind::Killed { .. }))
    };
    assert!(killed(who("adm", &["adm"])) && !killed(who("sue", &["sue"])));
}

#[test]
fn acl_029_a_denial_names_only_the_user_and_the_queue() {
    let part = part(&R("queues: [{name: a, submitacl: 'hidden secret', adminacl: boss}]"));
    let (groups, tags) = (["dev".to_owned()], BTreeMap::new());
    let request = Request { queue: "root.a", user: "joe", groups: &groups, tags: &tags };
    let admission = part.preview(&request, None);
    let reason = admission.placement.reason().expect("joe may not").to_string();
    assert!(reason.contains("root.a") && reason.contains("access"), "{reason}");
    let lines = admission.placement.lines(&part.rules);
    let walk = format!("{reason} {lines:?}");
    for name in ["hidden", "secret", "boss"] {
        assert!(!walk.contains(name), "{walk}");
    }
}
