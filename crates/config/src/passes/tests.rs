use super::*;

fn passing(denies: bool, users: &[&str], groups: &[&str]) -> Share {
    FilterNames { denies, users: users.to_vec(), groups: groups.to_vec() }
        .passing(NameChars::Wide, &mut Compiler::default())
}

#[test]
fn an_expression_is_decided_by_what_it_matches() {
    for all in [".*", "^.*$", ".+", "^", "$", "[a-z0-9]*", "(bob|.*)", "(bob|)", "x?", "(?i)[^x]*", "^(.|..+)$", "a{0}"]
    {
        assert_eq!(passing(false, &[all], &[]), Share::All, "{all}");
        assert_eq!(passing(true, &[], &[all]), Share::None, "{all}");
    }
    for none in ["^$", "$^", "a^", "$b", "(^$|x^y)", "[^\\x00-\\x{10FFFF}]"] {
        assert_eq!(passing(false, &[none], &[]), Share::None, "{none}");
        assert_eq!(passing(true, &[none], &[]), Share::All, "{none}");
    }
    for some in
        ["^dev-.*", "[a-z]+", "^[a-z]*$", "^[ -~]+$", "^é$", "..", "^.?$", "bob|sue", "\\bx", "^.{600}$", "test["]
    {
        assert_eq!(passing(false, &[some], &[]), Share::Some, "{some}");
        assert_eq!(passing(true, &[some], &[]), Share::Some, "{some}");
    }
}

#[test]
fn a_list_has_names_only() {
    assert_eq!(passing(false, &["dev-.*", "ops-.*"], &[]), Share::None);
    assert_eq!(passing(true, &["dev-.*", "ops-.*"], &[]), Share::All);
    assert_eq!(passing(false, &["dev-.*", "sue"], &[]), Share::Some);
    assert_eq!(passing(false, &["dev-.*", "ops-.*"], &["dev"]), Share::Some);
    assert_eq!(passing(false, &["^$"], &["9a", "9b"]), Share::None);
    let hint = |users: &[&str]| {
        let names = FilterNames { denies: false, users: users.to_vec(), groups: Vec::new() };
        names.hint(NameChars::Wide, &mut Compiler::default())
    };
    assert!(hint(&["dev-.*", "a.b", "9 9"]).ends_with("`users: ['dev-.*|^a\\.b$']`"), "{}", hint(&["dev-.*", "a.b"]));
    assert!(!hint(&["9a", "9b"]).contains('['));
}
