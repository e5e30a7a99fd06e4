use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(pattern: &str, matching: &[&str], others: &[&str]) {
    let regex = compile(pattern).unwrap_or_else(|fault| panic!("{pattern}: {fault}"));
    for text in matching {
        assert!(regex.is_match(text), "{pattern} does not match {text:?}, written as {}", regex.as_str());
    }
    for text in others {
        assert!(!regex.is_match(text), "{pattern} matches {text:?}, written as {}", regex.as_str());
    }
}

#[test]
fn searches_anywhere_with_case() {
    check("user*", &["useless", "myuse"], &["USER", "bob"]);
    check("dev*", &["model"], &["d-v"]);
    check("svc$", &["svc", "mysvc"], &["svc$"]);
    check("(?i)^sue$", &["Sue", "SUE"], &["sues"]);
    check("^(group1.|other)$", &["group12", "other"], &["group101"]);
}

#[test]
fn expressions_of_one_file_share_a_limit() {
    let mut compiler = Compiler::default();
    let fill = |compiler: &mut Compiler, pattern: &str, most: usize| {
        (0..=most).find(|_| compiler.compile(pattern).is_err()).expect("there is an end")
    };
    assert_eq!(fill(&mut compiler, "^user-[0-9]+$", 10_000), SPACE / SIZES[0]);
    assert_eq!(compiler.compile("a*").unwrap_err().to_string(), "all expressions of the file together are too large");
    assert!(fill(&mut Compiler::default(), "\\pL{40}", 1000) < SPACE / SIZES[1] + 1);
}

#[test]
fn perl_classes_are_ascii_and_case_folding_is_not() {
    check("^\\d$", &["7"], &["\u{0667}"]);
    check("^\\w+$", &["a_9"], &["é"]);
    check("^[^\\d]$", &["\u{0667}", "a"], &["7"]);
    check("^[\\D]$", &["a"], &["7"]);
    check("\\bx\\b", &["éxé", "a x b"], &["axb"]);
    check("a\\Bb", &["ab"], &["a b"]);
    check("^\\s$", &[" ", "\t"], &["\u{b}", "\u{a0}"]);
    check("(?i)^k$", &["K", "\u{212a}"], &["x"]);
    check("(?i)é", &["É"], &["e"]);
}

#[test]
fn reads_what_only_re2_reads() {
    check("a{,5}", &["a{,5}"], &["aaa"]);
    check("^a{2,3}$", &["aa", "aaa"], &["a", "a{2,3}"]);
    check("x{", &["x{"], &["x"]);
    check("[[]", &["["], &["]"]);
    check("^[]a&&b~-]+$", &["]a&b~-"], &["c"]);
    check("[[:^alpha:]]", &["1"], &["a"]);
    check("\\Qa.b\\E+$", &["a.bb"], &["axb"]);
    check("\\<a\\>", &["<a>"], &["a"]);
    check("\\101\\x42\\x{43}", &["ABC"], &["abc"]);
    check("\\p{^Greek}", &["a"], &["α"]);
    check("\\pL\\PL", &["a1"], &["aa"]);
    check("(?P<x>a)(?<y>b)", &["ab"], &["ba"]);
    check("a}]", &["a}]"], &["a"]);
}

#[test]
fn refuses_what_re2_refuses() {
    for pattern in [
        "test[test",
        "*",
        "a**",
        "a{2}{3}",
        "a+*",
        "a{1001}",
        "a{3,2}",
        "a{1,0}",
        "(",
        ")",
        "(?x)a",
        "(?P<a",
        "\\8",
        "\\y",
        "\\C",
        "\\",
        "[z-a]",
        "[[:foo:]]",
        "\\xg0",
        "\\p{",
        "\\pX",
        "(?=a)",
        "\\u0041",
        "[\\b]",
    ] {
        assert!(compile(pattern).is_err(), "{pattern}");
    }
}

#[test]
fn shows_an_error_in_one_line() {
    assert_eq!(compile("a**").unwrap_err().to_string(), "a repetition cannot be repeated again");
    assert_eq!(compile("(a").unwrap_err().to_string(), "unclosed group");
    assert_eq!(compile("test[test").unwrap_err().to_string(), "a class is not closed with ]");
    assert!(compile("\\pL{1000}{2}").is_err());
    assert_eq!(compile("(\\pL{1000}\\pL{1000}){900}").unwrap_err().to_string(), "the expression is too large");
}

#[test]
fn an_expression_is_recognized_by_its_operators() {
    assert!(is_expression(".*") && is_expression("svc$") && is_expression("(a)"));
    assert!(!is_expression("user.name") && !is_expression("a\\d"));
}

proptest! {
    #[test]
    fn no_pattern_makes_it_panic(pattern in "[\\PC\\\\\\[\\](){}*+?^$|.:<>=!,0-9a-zQEPpxdDwWsSbB-]{0,24}", text in "\\PC{0,8}") {
        if let Ok(regex) = compile(&pattern) {
            regex.is_match(&text);
        }
    }

    #[test]
    fn plain_text_finds_itself(text in "[a-zA-Z0-9 é_-]{1,12}") {
        prop_assert!(compile(&text).is_ok_and(|regex| regex.is_match(&text)));
    }
}
