use serde_json::Value;

use super::*;
use crate::{Severity, read, schema};
use model::PriorityPolicy;

fn candidates() -> Vec<&'static str> {
    let mut words = vec!["", "x", "fairs", "fif", "first", "none", "on", "yes"];
    words.extend(boolean::names());
    words.extend(boolean::yaml_1_1_words());
    let policies =
        [AppSortPolicy::ALLOWED, PrioritySorting::ALLOWED, PriorityPolicy::ALLOWED, PreemptionPolicy::ALLOWED];
    let others = [NodeSortPolicy::ALLOWED, FilterType::ALLOWED, RuleKind::ALLOWED, PropertyKey::ALLOWED];
    let rows = policies.into_iter().chain(others).flatten();
    words.extend(rows.flat_map(|row| row.spellings(Profile::Kornsole)));
    words
}

fn codes(part: &str, profile: Profile) -> Vec<&'static str> {
    let reading = read(&format!("partitions: [{{queues: [{{name: root}}], {part}}}]"), profile);
    reading.faults.iter().map(|fault| fault.code).collect()
}

#[test]
fn the_validator_accepts_exactly_the_placement_rules_of_the_table() {
    for profile in Profile::ALL {
        let known = RuleKind::spellings(profile);
        for word in candidates() {
            for word in [word.to_owned(), word.to_uppercase()] {
                let codes = codes(&format!("placementrules: [{{name: '{word}', value: a}}]"), profile);
                let accepted = !codes.contains(&"CFG-080") && !codes.contains(&"CFG-081");
                assert_eq!(accepted, known.contains(&word.to_lowercase().as_str()), "{word:?} by {profile}");
            }
        }
    }
}

#[test]
fn the_validator_accepts_exactly_the_node_orders_and_filter_types_of_their_tables() {
    for profile in Profile::ALL {
        for word in candidates() {
            let accepted = !codes(&format!("nodesortpolicy: {{type: '{word}'}}"), profile).contains(&"CFG-100");
            let known = values_at("nodesortpolicy", "type", profile);
            assert_eq!(accepted, word.is_empty() || known.contains(&word), "{word:?} by {profile}");
            for word in [word.to_owned(), word.to_uppercase()] {
                let rule = format!("placementrules: [{{name: user, filter: {{type: '{word}', users: [sue]}}}}]");
                let known = values_at("filter", "type", profile);
                let expected = word.is_empty() || known.contains(&word.to_lowercase().as_str());
                assert_eq!(!codes(&rule, profile).contains(&"CFG-082"), expected, "{word:?} by {profile}");
            }
        }
    }
}

#[test]
fn the_validator_understands_exactly_the_property_values_of_the_tables() {
    for key in PropertyKey::VALUES.iter().filter(|key| !key.allowed().is_empty()) {
        let known = values_at("properties", key.name(), Profile::Kornsole);
        for word in candidates() {
            let text = format!("queues: [{{name: a, properties: {{{}: '{word}'}}}}]", key.name());
            let reading = read(&format!("partitions: [{{{text}}}]"), Profile::Kornsole);
            let warned = reading.faults.iter().any(|fault| fault.message.contains("the default is used"));
            assert_eq!(!warned, known.contains(&word), "{} is {word:?}", key.name());
        }
    }
}

#[test]
fn the_validator_accepts_exactly_the_booleans_of_the_table() {
    for profile in Profile::ALL {
        for word in candidates().into_iter().filter(|word| !word.is_empty()) {
            let text = format!("partitions: [{{queues: [{{name: a, parent: {word}}}]}}]");
            let refused =
                read(&text, profile).faults.iter().any(|f| f.code == "CFG-006" && f.severity == Severity::Error);
            let own = boolean::of_yaml_1_2(word).is_some();
            let expected = own || (profile != Profile::Kornsole && boolean::of_yaml_1_1(word).is_some());
            assert_eq!(!refused, expected, "{word:?} by {profile}");
        }
    }
}

fn listed(shape: &Value) -> Vec<&str> {
    let list = shape.get("enum").or_else(|| shape["anyOf"].as_array()?.iter().find_map(|shape| shape.get("enum")));
    list.and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .filter(|text| !text.is_empty())
        .collect()
}

#[test]
fn the_schema_lists_the_values_of_the_tables() {
    for profile in Profile::ALL {
        let schema = schema(profile);
        let properties = &schema["$defs"]["properties"]["properties"];
        for key in PropertyKey::names() {
            assert_eq!(listed(&properties[key]), values_at("properties", key, profile), "{key} by {profile}");
        }
        let filter = &schema["$defs"]["filter"]["properties"]["type"];
        assert_eq!(listed(filter), values_at("filter", "type", profile), "{profile}");
        let sort = &schema["$defs"]["partition"]["properties"]["nodesortpolicy"];
        let map = sort.get("properties").unwrap_or(&sort["anyOf"][0]["properties"]);
        assert_eq!(listed(&map["type"]), values_at("nodesortpolicy", "type", profile), "{profile}");
    }
    let schema = schema(Profile::Kornsole);
    let rules = listed(&schema["$defs"]["rule"]["properties"]["name"]);
    assert_eq!(rules, RuleKind::spellings(Profile::Kornsole));
    assert!(values_at("placementrules", "name", Profile::Kornsole).iter().all(|name| rules.contains(name)));
}

#[test]
fn a_profile_offers_the_rules_that_it_reads() {
    let offered = |profile| values_at("placementrules", "name", profile);
    assert_eq!(offered(Profile::V1_5_1), ["provided", "user", "fixed", "tag"]);
    assert_eq!(offered(Profile::Kornsole).len(), RuleKind::VALUES.len());
    assert_eq!(values_at("properties", "application.sort.policy", Profile::Kornsole), ["fifo", "fair", "stateaware"]);
    assert_eq!(values_at("queues", "parent", Profile::Kornsole), ["true", "false"]);
    assert!(values_at("queues", "name", Profile::Kornsole).is_empty());
}

#[test]
fn names_and_aliases_are_read_back() {
    for (kind, row) in RuleKind::VALUES.iter().zip(RuleKind::ALLOWED) {
        for name in row.spellings(Profile::Kornsole) {
            assert_eq!(RuleKind::read(name, Profile::Kornsole), Some(*kind), "{name}");
            let by_release = RuleKind::read(name, Profile::V1_8_0);
            assert_eq!(by_release, kind.is_in_releases().then_some(*kind).filter(|kind| kind.name() == name), "{name}");
        }
    }
    assert_eq!(AppSortPolicy::parse("Fair"), None);
    assert_eq!(PreemptionPolicy::parse("FENCE"), Some(PreemptionPolicy::Fence));
}
