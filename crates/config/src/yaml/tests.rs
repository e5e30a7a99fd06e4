use super::*;
use crate::fault::Severity;
use model::Profile;

fn show(node: Node<'_>) -> String {
    let each = |ids: &mut dyn Iterator<Item = String>| ids.collect::<Vec<_>>().join(", ");
    let at = |id: &u32| show(Node { document: node.document, id: *id });
    match &node.document.nodes[node.id as usize].content {
        Content::Scalar(_) => match node.scalar().unwrap() {
            scalar if scalar.is_null() => "null".into(),
            scalar if scalar.style == Style::Plain => scalar.text.to_owned(),
            scalar => format!("{:?}", scalar.text),
        },
        Content::List(items) => format!("[{}]", each(&mut node.document.items(*items).iter().map(at))),
        Content::Map(entries) => {
            format!(
                "{{{}}}",
                each(&mut node.document.entries(*entries).iter().map(|e| format!(
                    "{}: {}",
                    node.document.key(e).0,
                    at(&e.value)
                )))
            )
        }
        Content::Broken => "!".into(),
    }
}

fn read(text: &str) -> (Option<String>, Vec<(&'static str, Place)>) {
    let mut faults = Faults::new(Profile::default());
    let document = parse(text, &mut faults);
    let shown = document.as_ref().and_then(Document::root).map(show);
    (shown, faults.into_sorted().iter().map(|f| (f.code, f.at)).collect())
}

fn tree(text: &str) -> String {
    let (tree, faults) = read(text);
    assert_eq!(faults, [], "{text:?}");
    tree.unwrap()
}

fn fault(text: &str) -> (&'static str, u32, u32) {
    let (_, faults) = read(text);
    assert_eq!(faults.len(), 1, "{text:?}: {faults:?}");
    (faults[0].0, faults[0].1.line, faults[0].1.column)
}

#[test]
fn scalars_keep_their_source_text() {
    let text = "{a: 010, b: 1e3, c: 0x10, d: 1_000, e: 1.0, f: yes, g: '010', h: !!str 5, i: !!int '5', j: }";
    assert_eq!(tree(text), "{a: 010, b: 1e3, c: 0x10, d: 1_000, e: 1.0, f: yes, g: \"010\", h: \"5\", i: 5, j: null}");
    assert_eq!(tree("[~, null, Null, NULL, '~', nUll]"), "[null, null, null, null, \"~\", nUll]");
}

#[test]
fn cfg_001_what_is_no_yaml_has_a_place() {
    assert_eq!(fault("partitions: [{"), ("CFG-001", 1, 14));
    assert_eq!(fault("a:\n  b: *\n"), ("CFG-001", 2, 6));
    assert_eq!(fault("a: b: c\n"), ("CFG-001", 1, 5));
    assert_eq!(fault("a:\n\tb: c\n"), ("CFG-001", 2, 1));
    assert_eq!(fault("a: b\n\tc: d\n"), ("CFG-001", 2, 1));
    assert_eq!(fault("a:\n  b: 1\n \tc: 2\n"), ("CFG-001", 3, 2));
    assert_eq!(fault("a: 'x\n"), ("CFG-001", 2, 1));
    assert_eq!(fault("a: x\0y\n").0, "CFG-001");
    assert_eq!(fault("a: \"x\0y\"\n"), ("CFG-001", 1, 6));
    assert_eq!(fault("? [a]\n: b\n"), ("CFG-001", 1, 3));
}

#[test]
fn cfg_001_tabs_that_indent() {
    assert_eq!(fault("\tpartitions:\n- a\n"), ("CFG-001", 1, 1));
    assert_eq!(fault("a: 1\n\tb: 2\n").0, "CFG-001");
    assert_eq!(fault("a:\n  - x\n\t- y\n").0, "CFG-001");
    assert_eq!(fault("a:\n- \tx\n"), ("CFG-001", 2, 3));
    assert_eq!(fault("a: |\n  x\n\tb: 2\n").0, "CFG-001");
    for text in ["a:\tb\n", "a: b\t\nc: d\n", "a: [b,\n\tc]\n", "a: |\n  \tx\n  y\n", "a: b\t# \tc\nd: e\n"] {
        assert_eq!(read(text).1, [], "{text:?}");
    }
}

#[test]
fn cfg_001_bytes_that_are_no_utf_8() {
    let mut faults = Faults::default();
    assert_eq!(decode(b"a: \xc3\xa9\n\xc3\xa9b: \xff\n", &mut faults), None);
    let fault = &faults.into_sorted()[0];
    assert_eq!((fault.code, fault.at), ("CFG-001", Place { line: 2, column: 5 }));
    let mut faults = Faults::default();
    assert_eq!(decode(b"\xef\xbb\xbfa: b", &mut faults), Some("a: b"));
    assert_eq!(decode(&vec![b' '; LARGEST + 1], &mut faults), None);
    assert_eq!(faults.errors(), 1);
}

#[test]
fn cfg_004_a_duplicate_key_reports_the_second() {
    assert_eq!(fault("a: 1\nb: 2\na: 3\n"), ("CFG-004", 3, 1));
    let many: String = (0..100).map(|n| format!("k{n}: {n}\n")).collect();
    assert_eq!(fault(&format!("{many}k0: x\n")), ("CFG-004", 101, 1));
    assert_eq!(fault(&format!("{many}k99: x\n")), ("CFG-004", 101, 1));
    assert_eq!(tree("[{a: 1}, {a: 2}]"), "[{a: 1}, {a: 2}]");
}

#[test]
fn cfg_008_aliases_and_merge_keys() {
    assert_eq!(tree("a: &x {p: 1}\nb: *x\n"), "{a: {p: 1}, b: {p: 1}}");
    assert_eq!(tree("a: &x {p: 1, q: 2}\nb: {<<: *x, q: 3}\n"), "{a: {p: 1, q: 2}, b: {q: 3, p: 1}}");
    assert_eq!(
        tree("a: &x {p: 1}\nb: &y {p: 2, r: 4}\nc: {<<: [*x, *y]}\n"),
        "{a: {p: 1}, b: {p: 2, r: 4}, c: {p: 1, r: 4}}"
    );
    assert_eq!(fault("a: {b: *x}\n"), ("CFG-008", 1, 8));
    assert_eq!(fault("a: &x [*x]\n"), ("CFG-008", 1, 8));
    assert_eq!(fault("a: {<<: 5}\n"), ("CFG-008", 1, 9));
}

#[test]
fn cfg_008_a_bomb_is_stopped() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for n in 1..40 {
        let uses = vec![format!("*a{}", n - 1); 10].join(", ");
        bomb += &format!("a{n}: &a{n} [{uses}]\n");
    }
    assert_eq!(fault(&bomb).0, "CFG-008");
}

#[test]
fn cfg_001_deep_nesting_is_stopped_with_and_without_aliases() {
    assert_eq!(fault(&"[".repeat(1_000_000)).0, "CFG-001");
    assert_eq!(fault(&"- ".repeat(100_000)).0, "CFG-001");
    let block: String = (0..2000).map(|n| format!("{}a:\n", " ".repeat(n))).collect();
    assert_eq!(fault(&block).0, "CFG-001");
    let half = format!("{}x{}", "[".repeat(150), "]".repeat(150));
    let text = format!("a: &a {half}\nb: {}*a{}\n", "[".repeat(150), "]".repeat(150));
    assert_eq!(fault(&text).0, "CFG-001");
}

#[test]
fn cfg_009_only_the_first_document_is_read() {
    let (tree, faults) = read("a: 1\n---\nb: 2\n---\nc: 3\n");
    assert_eq!(tree.as_deref(), Some("{a: 1}"));
    assert_eq!(faults, [("CFG-009", Place { line: 2, column: 1 })]);
    let mut faults = Faults::default();
    assert!(parse("a: 1\n---\n[", &mut faults).is_some());
    assert_eq!(faults.into_sorted()[0].severity, Severity::Warning);
}

#[test]
fn all_documents_of_several() {
    let mut faults = Faults::default();
    let documents = parse_all("a: &x 1\n---\n# nothing\n---\nb: 2\n", &mut faults);
    let shown: Vec<_> = documents.iter().map(|d| show(d.root().unwrap())).collect();
    assert_eq!(shown, ["{a: 1}", "null", "{b: 2}"]);
    assert!(!faults.has_errors());
}

#[test]
fn nothing_but_comments_is_an_empty_document() {
    for text in ["", "  \n\n", "# a\n  # b\n", "\u{feff}"] {
        assert_eq!(read(text), (None, vec![]), "{text:?}");
    }
}

#[test]
fn places_inside_an_embedded_text() {
    let find = |text: &str| {
        let document = parse(text, &mut Faults::default()).unwrap();
        let fields = document.root().unwrap().any_map("", "", &mut Faults::default()).unwrap();
        let scalar = fields.get("config").unwrap().scalar().unwrap();
        let inner = scalar.text.find('X').unwrap();
        let before = &scalar.text[..inner];
        let line = count(before.matches('\n').count() + 1);
        let column = count(before.rsplit('\n').next().unwrap().chars().count() + 1);
        scalar.origin().outer(Place { line, column })
    };
    assert_eq!(find("config: |\n  a:\n    éX\n"), Place { line: 3, column: 6 });
    assert_eq!(find("config: |\n\n\n  a:\n    X\n"), Place { line: 5, column: 5 });
    assert_eq!(find("config: |2-\n    X\n"), Place { line: 2, column: 5 });
    assert_eq!(find("config: 'a X'\n"), Place { line: 1, column: 12 });
    assert_eq!(find("config: a X\n"), Place { line: 1, column: 11 });
}
