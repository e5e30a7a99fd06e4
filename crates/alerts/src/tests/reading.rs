//! Tests of rule texts.

use crate::read;
use crate::read::{DEFAULTS, defaults};
use config::Source;

fn report(text: &str) -> String {
    Source::new("alerts.toml", text).render_all(&read(text).faults)
}

#[test]
fn the_defaults_read_and_have_a_rule_of_each_kind() {
    let rules = defaults();
    assert_eq!(report(DEFAULTS), "", "they are their own file");
    let missing = crate::Kind::ALL.iter().filter(|kind| !rules.rules.iter().any(|rule| rule.kind == **kind));
    let missing: Vec<&str> = missing.map(|kind| kind.word()).collect();
    assert_eq!(missing, [""; 0], "kinds without a rule");
}

#[test]
fn a_rule_of_the_defaults_is_changed_or_taken_away_by_its_name() {
    let text = "[[rule]]\nname = 'limit-near'\nenabled = false\n[[rule]]\nname = 'queue-waits'\nat = '1h'\nqueues = ['root.a']\n";
    let rules = read(text).rules.unwrap();
    assert!(rules.get("limit-near").is_none());
    let waits = rules.get("queue-waits").unwrap();
    assert_eq!((waits.at, waits.resolve_at, waits.severity.word()), (3600.0, 3600.0, "info"));
    assert_eq!(waits.inhibited_by.len(), 3, "what is not named stays");
    assert!(waits.covers(&model::QueuePath::new("root.a.b")));
    assert!(!waits.covers(&model::QueuePath::new("root.ab")));
    assert_eq!(read("").rules.unwrap(), defaults());
    assert!(read("defaults = false").rules.unwrap().rules.is_empty());
}

const FAULTS: &str = "\
colour = 1
[[rule]]
name = 'a'
kind = 'limit'
at = 120
resolve = 3
[[rule]]
name = 'b'
kind = 'limit'
at = 80
resolve-at = 90
queues = ['root.a']
[[rule]]
name = 'c'
kind = 'waits'
at = 'tomorrow'
[[rule]]
name = 'd'
kind = 'drain'
[[rule]]
name = 'e'
kind = 'expression'
when = 'queue.waiting.p95 > 5 parsecs'
[[rule]]
name = 'f'
kind = 'sadness'
[[rule]]
kind = 'node-lost'
[[rule]]
name = 'g'
kind = 'connection-lost'
at = 3
text = '{who} is gone'
[[rule]]
name = 'h'
kind = 'preemptions'
at = 0.5
within = '0'
[[rule]]
name = 'i'
kind = 'waits'
at = '1h'
queues = ['etl']
inhibited-by = ['nobody']
[[rule]]
name = 'i'
kind = 'unhealthy'
enabled = 'yes'
[[send]]
name = 'x y'
webhook = 'localhost'
[[send]]
name = 'z'
[terminal]
notify = 'loudly'
";

#[test]
fn every_error_has_its_location_and_a_remedy() {
    insta::assert_snapshot!(report(FAULTS));
    assert_eq!(read(FAULTS).rules, None, "nothing is half applied");
}

#[test]
fn a_circle_of_inhibitions_is_named() {
    let rule =
        |name: &str, by: &str| format!("[[rule]]\nname = '{name}'\nkind = 'unhealthy'\ninhibited-by = ['{by}']\n");
    let text = rule("a", "b") + &rule("b", "c") + &rule("c", "a");
    let expected = "\
alerts.toml:4:16: error[ALR-021]: the rules inhibit each other: a by b by c by a
  4 | inhibited-by = ['b']
    |                ^
    = remove one of them
";
    assert_eq!(report(&text).trim_end(), expected.trim_end());
    let own = rule("a", "a");
    assert!(report(&own).contains("a by a"), "{}", report(&own));
    let with_default = rule("node-lost", "queue-starves").replace("unhealthy", "node-lost");
    assert!(report(&with_default).contains("alerts.toml:4:16: error[ALR-021]"), "{}", report(&with_default));
}

#[test]
fn a_text_that_is_no_toml_gives_no_rules_and_no_panic() {
    for text in [
        "[[rule]",
        "rule = 3",
        "[rule]\nname='a'",
        "\u{0}",
        "[[rule]]\nname = 'a'\nname = 'b'",
        "[[send]]\n[[send]]",
        "[terminal",
    ] {
        let read = read(text);
        assert_eq!(read.rules, None, "{text:?}");
        assert!(read.faults[0].at.line > 0, "{text:?}");
    }
}
