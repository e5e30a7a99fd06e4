//! Quantities: CFG-020 to CFG-024.

use super::*;

fn max(text: &str) -> String {
    A(&format!("resources: {{max: {{{text}}}}}"))
}

#[test]
fn cfg_020_malformed() {
    for bad in ["-1", "+5", "1.5", "0x10", "1_000", "ten", "''", "~", "true"] {
        check_text(&refused("CFG-020", &max(&format!("memory: {bad}"))), &["root.a", "max", "memory"]);
    }
    refused("CFG-020", &A("resources: {guaranteed: {memory: x}}"));
}

#[test]
fn cfg_021_suffixes() {
    let fault = refused("CFG-021", &max("memory: 500m"));
    check_text(&fault, &["500m", "memory"]);
    assert!(fault.hint.contains("Ki"), "{}", fault.hint);
    for bad in ["5X", "1kk", "1K", "1ki", "1Gb"] {
        refused("CFG-021", &max(&format!("memory: {bad}")));
    }
    accepted(&max("vcore: 500m"));
}

#[test]
fn cfg_022_too_large() {
    let fault = refused("CFG-022", &max("memory: 10E"));
    assert!(fault.hint.contains("9223372036854775807"));
    refused("CFG-022", &max("vcore: 9223372036854775807"));
    accepted(&max("memory: 9223372036854775807"));
}

#[test]
fn cfg_023_in_a_template() {
    let text = A("parent: true, childtemplate: {resources: {max: {memory: x}}}");
    check_text(&refused("CFG-023", &text), &["template", "memory"]);
    both_releases(&text, true);
}

#[test]
fn cfg_024_in_a_limit() {
    let fault = refused("CFG-024", &L("[{limit: big, users: [bob], maxresources: {memory: x}}]"));
    check_text(&fault, &["root", "limit 1", "big", "memory"]);
}
