//! Building lists of rules (sections 1 and 10).

use super::*;
use config::Place;

#[track_caller]
fn fault(rules: &[RuleConfig], profile: Profile) -> RuleFault {
    Rules::build(rules, profile).unwrap_err()
}

#[test]
fn a_rule_that_needs_a_value_must_have_one() {
    for profile in Profile::ALL {
        for kind in [RuleKind::Fixed, RuleKind::Tag] {
            assert_eq!(fault(&[rule(kind)], profile).kind, RuleFaultKind::NoValue(kind));
        }
    }
}

#[test]
fn a_qualified_fixed_queue_has_no_parent() {
    for (value, profiles) in [("root.a", 4), ("ROOT.a", 4), ("root", 4), ("rootbeer", 3), ("a", 0)] {
        let faults = Profile::ALL
            .into_iter()
            .filter_map(|profile| Rules::build(&[fixed(value).parent(user())], profile).err())
            .collect::<Vec<_>>();
        assert_eq!(faults.len(), profiles, "{value}: {faults:?}");
    }
}

#[test]
fn only_1_8_checks_the_parts_of_a_fixed_queue_here() {
    let rules = [fixed("root.a b").create()];
    assert!(Rules::build(&rules, Profile::Kornsole).is_ok());
    assert!(Rules::build(&rules, Profile::V1_5_1).is_ok());
    assert_eq!(fault(&rules, Profile::V1_8_0).kind, RuleFaultKind::IllegalPart("a b".to_owned()));
}

#[test]
fn an_expression_must_compile() {
    let at = Place { line: 7, column: 3 };
    let broken = RuleConfig { at, ..user() }.allow(&[], &["test[test"]);
    let fault = fault(&[provided(), user().parent(broken)], Profile::Kornsole);
    assert_eq!((fault.rule, fault.depth, fault.at), (1, 1, at));
    assert_eq!(
        fault.to_string(),
        "placement rule 2, parent 1: the filter \"test[test\" does not compile: a class is not closed with ]"
    );
}

#[test]
fn rules_that_do_not_build_at_the_start() {
    let broken = [provided(), tag("")];
    assert!(Rules::build_at_start(&broken, Profile::Kornsole).is_err());
    for profile in [Profile::V1_5_1, Profile::V1_8_0] {
        let rules = Rules::build_at_start(&broken, profile).unwrap();
        assert!(rules.is_empty());
        for by in [to("root.default"), to("root.default").forced()] {
            let placement = by.place(&rules, &Tree::t(), profile);
            assert_eq!(short(&placement), "-");
            assert!(placement.trace.rules.is_empty());
        }
        assert_eq!(Rules::build_at_start(&[provided()], profile).unwrap().len(), 1);
    }
}
