//! Valid names: NAM-001 to NAM-005.

use super::*;

const PLAIN: [&str; 4] = ["sue", "_x", "a-b_9", "Sue"];

fn retained(name: &str, groups: bool, profile: Profile) -> bool {
    let acl = if groups { format!(" {name}") } else { name.to_owned() };
    let text = R(&format!("submitacl: '{acl}'"));
    let acl =
        read(&text, profile).config.expect("lists with odd names are taken").partitions[0].root.submit_acl.clone();
    let message = faults(&text, profile, Severity::Warning).iter().any(|fault| fault.code == "CFG-038");
    let retained =
        if groups { acl.value.groups.contains(&name.to_owned()) } else { acl.value.users.contains(&name.to_owned()) };
    assert_ne!(retained, message, "{name}: what is not kept is reported");
    retained
}

fn limited(name: &str, key: &str, profile: Profile) -> bool {
    read(&L(&format!("[{{{key}: ['{name}'], maxapplications: 1}}]")), profile).is_valid()
}

#[test]
fn nam_001_access_lists_of_the_releases() {
    for profile in Profile::RELEASES {
        for name in PLAIN {
            assert!(retained(name, false, profile) && retained(name, true, profile), "{name}");
        }
        for (name, user, group) in [
            ("user@example.com", true, false),
            ("dotted.name", true, false),
            ("svc$", true, false),
            ("9user", false, false),
            (".x", false, false),
            ("a:b", false, false),
        ] {
            assert_eq!((retained(name, false, profile), retained(name, true, profile)), (user, group), "{name}");
        }
    }
}

#[test]
fn nam_002_access_lists_take_portable_names_and_domains() {
    for name in PLAIN.into_iter().chain(["9user", ".x", "user@example.com", "dotted.name"]) {
        assert!(retained(name, false, Profile::Kornsole) && retained(name, true, Profile::Kornsole), "{name}");
    }
    assert!(retained("svc$", false, Profile::Kornsole) && !retained("svc$", true, Profile::Kornsole));
    for name in ["a:b", "-x", "@x", "a$b", "é"] {
        assert!(!retained(name, false, Profile::Kornsole) && !retained(name, true, Profile::Kornsole), "{name}");
    }
}

#[test]
fn nam_003_limits_and_filters() {
    for profile in [Profile::Kornsole, Profile::V1_5_1] {
        for name in PLAIN.into_iter().chain(["system:serviceaccount:x", "a.b"]) {
            assert!(limited(name, "users", profile) && limited(name, "groups", profile), "{name}");
        }
        for (name, user) in
            [("a@b", true), ("svc$", true), ("9a", false), ("a b", false), ("a/b", false), ("a#b", false)]
        {
            assert_eq!(limited(name, "users", profile), user, "{name}");
            assert!(!limited(name, "groups", profile), "{name}");
        }
        let filter =
            |name: &str| read(&P(&format!("placementrules: [{{name: user, filter: {{users: ['{name}']}}}}]")), profile);
        assert!(filter("system:x").is_valid() && !filter("9a").is_valid() && !filter("a/b").is_valid());
    }
}

#[test]
fn nam_004_limits_and_filters_of_1_8() {
    for name in ["a/b", "a#b"] {
        assert!(limited(name, "users", Profile::V1_8_0) && !limited(name, "groups", Profile::V1_8_0), "{name}");
        let filter = P(&format!("placementrules: [{{name: user, filter: {{users: ['{name}']}}}}]"));
        release(Profile::V1_8_0, &filter, true);
        release(Profile::V1_5_1, &filter, false);
    }
}

/// The grammar of the oldest seed is narrower than that of limits and filters.
#[test]
fn nam_005_names_of_the_placement_seed_are_taken() {
    for name in ["a", "sue.b-c_9@example", "svc$"] {
        assert!(limited(name, "users", Profile::Kornsole), "{name}");
    }
    for name in ["a", "dev_ops-9"] {
        assert!(limited(name, "groups", Profile::Kornsole), "{name}");
    }
}
