use std::fs;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::{Index, select};

use super::read;
use crate::Faults;
use crate::yaml::{Document, parse_whole};

/// With the full parser. Returns whether the quick reader read the text.
fn agrees(text: &str) -> bool {
    let Some(quick) = read(text, 1, &mut |_| {}) else { return false };
    let mut faults = Faults::default();
    let whole = parse_whole(text, &mut faults, &mut |_| {});
    let faults = faults.into_sorted();
    assert!(faults.is_empty(), "{text:?}: {faults:?}");
    let Some(whole) = whole else { panic!("{text:?} is no YAML") };
    let Document { nodes, texts, items, entries, root } = &whole;
    assert_eq!((&quick.nodes, &quick.root), (nodes, root), "{text}");
    assert_eq!((&quick.texts, &quick.items, &quick.entries), (texts, items, entries), "{text}");
    true
}

fn recorded(dir: &str) -> Vec<String> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests").join(dir);
    let mut paths: Vec<PathBuf> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    paths.sort();
    paths.iter().filter_map(|path| fs::read_to_string(path).ok()).collect()
}

#[test]
fn what_is_plain_is_read() {
    for text in [
        "a: b\n",
        "a:\n  b: c d  # why\n  - x\n".split_once("  -").unwrap().0,
        "# before\n\nsteps:\n- a: {b: c, d: [1, two, 'three', \"4\"], e: {}, f: []}   # behind\n- b: [{c: d}, [e]]\n",
        "- a\n- 'b: c'\n- c: d\n  e: -5\n",
        "a: |\n  b: c\n\n    d\n   \n\ne: |-\n  f\n\n\n",
        "a : b:c:d\n'e f': http://x/y?z=1,2\n\"g\": a  b\n",
        "a:\n  b:\n    c:\n    - d\n    -   e: f\n        g: h\n  i: ~\nj: null\n",
        "config: | # the text\n    partitions:\n      - name: default\nk: v\n",
    ] {
        assert!(agrees(text), "{text:?}");
    }
}

#[test]
fn what_is_not_plain_is_left_to_the_whole_parser() {
    for text in [
        "",
        "# nothing\n",
        "a: b",
        "a:\n",
        "a: b\n---\nc: d\n",
        "a: &x b\nc: *x\n",
        "a: !!str 5\n",
        "a: {b: c}}\n",
        "a: {b: c, }\n",
        "a: {b}\n",
        "a: {b: c,\n  d: e}\n",
        "a: b\n  c\n",
        "a: 'it''s'\n",
        "a: \"\\n\"\n",
        "a: b\na: c\n",
        "a: b: c\n",
        "a:\tb\n",
        "a: \u{e9}\n",
        "a: >\n  b\n",
        "a: |2\n   b\n",
        "a: |\n\n  b\n",
        "{a: b}\n",
        "...\n",
        "  a: b\n c: d\n",
        "<<: {a: b}\n",
    ] {
        assert!(read(text, 1, &mut |_| {}).is_none(), "{text:?}");
    }
}

#[test]
fn large_objects_are_read_or_skipped() {
    assert!(agrees(&format!("steps:\n  - a: {{b: [{}]}}\n", "word, ".repeat(1000) + "word")));
    assert!(agrees(&format!("- {{b: [{}]}}\n", "word, ".repeat(1000) + "word")));
    assert!(agrees(&format!("a: {}\n", "word ".repeat(1000))));
    assert!(!agrees(&format!("{}: a\n", "k".repeat(1000))));
    assert!(agrees(&format!("a: {}b{}\n", "[".repeat(60), "]".repeat(60))));
    assert!(!agrees(&format!("a: {}b{}\n", "[".repeat(100), "]".repeat(100))));
    let keys = |count: usize| (0..count).map(|number| format!("k{number}: v\n")).collect::<String>();
    assert!(agrees(&keys(60)));
    assert!(!agrees(&keys(100)));
}

/// Others have unusual characters, null values, or errors.
#[test]
fn recorded_texts_are_read_the_same() {
    let (scenarios, configs) = (recorded("conformance/scenarios"), recorded("conformance/configs"));
    for (texts, least) in [(&scenarios, 90), (&configs, 50)] {
        let quick = texts.iter().filter(|text| agrees(text)).count();
        assert!(quick * 100 >= texts.len() * least, "{quick} of {}", texts.len());
    }
}

const PIECES: [&str; 56] = [
    "a", "b", "name", "x y", "-5", "1.5", "~", "null", "'q'", "\"q\"", "''", "\"\"", "a: b", "key: ", "key:", "k : ",
    ":", ": ", "::", "a:b", "- ", "-", "- - ", "\n", "\n\n", "\n  ", "\n    ", "\n- ", "\n  - ", "\n    - ", " ", "  ",
    "{", "}", "[", "]", "{}", "[]", ", ", ",", "|\n", "|-\n", "|\n  ", ">\n", "# c", " # c", "#", "---\n", "...\n",
    "*a", "&a ", "!!str ", "? ", "<<: ", "\\", "%",
];

fn piece() -> impl Strategy<Value = String> {
    let own = (select(&["steps:", "config: |", "a:"][..]), 0..4_usize, select(&["- ", ""][..]), select(&PIECES[..]));
    let own = own.prop_map(|(key, deep, dash, piece)| format!("{key}\n{}{dash}k: {piece}\n", "  ".repeat(deep)));
    prop_oneof![8 => select(&PIECES[..]).prop_map(str::to_owned), 1 => own]
}

proptest! {
    #[test]
    fn pieces_are_read_the_same(pieces in prop::collection::vec(piece(), 0..30)) {
        agrees(&(pieces.concat() + "\n"));
    }

    #[test]
    fn values_are_read_the_same(
        value in prop::collection::vec(select(&PIECES[..]), 1..6),
        before in select(&["", "k: ", "- ", "- k: ", "k:\n  - ", "k: {a: ", "k: [", "- {a: {b: ", "k: |\n  "][..]),
        behind in select(&["\n", "}\n", "]\n", ", c: d}\n", "}}\n", "\nk2: v\n", "\n  k2: v\n", " # c\n- x\n"][..]),
    ) {
        agrees(&format!("{before}{}{behind}", value.concat()));
    }

    #[test]
    fn changed_texts_are_read_the_same(
        of in any::<Index>(),
        changes in prop::collection::vec((any::<Index>(), 0..4_usize, select(&PIECES[..])), 1..4),
    ) {
        let texts = TEXTS.with(std::rc::Rc::clone);
        let mut text = texts[of.index(texts.len())].clone();
        for (at, cut, piece) in changes {
            let at = at.index(text.len() + 1);
            let end = (at + cut).min(text.len());
            if text.is_char_boundary(at) && text.is_char_boundary(end) {
                text.replace_range(at..end, piece);
            }
        }
        agrees(&text);
    }
}

thread_local! {
    static TEXTS: std::rc::Rc<Vec<String>> = std::rc::Rc::new({
        let all = recorded("conformance/scenarios").into_iter().chain(recorded("conformance/configs"));
        all.filter(|text| text.len() < 4000 && text.is_ascii() && !text.is_empty()).step_by(7).collect()
    });
}
