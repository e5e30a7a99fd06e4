//! Malicious texts: each is an error immediately and uses little memory.

use std::fmt::Write as _;

use config::{Reading, fault, read_bytes, yaml};

use super::*;

fn first(bytes: &[u8]) -> (&'static str, String) {
    let Reading { config, faults } = read_bytes(bytes, Profile::Kornsole);
    assert!(config.is_none());
    let first =
        faults.into_iter().find(|fault| fault.severity == Severity::Error).expect("what is refused has a fault");
    (first.code, first.message)
}

fn laughs(levels: usize) -> String {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..levels {
        let _written = writeln!(text, "a{level}: &a{level} [{}]", vec![format!("*a{}", level - 1); 10].join(", "));
    }
    text
}

#[test]
fn aliases_that_expand_too_much() {
    for text in [laughs(40), format!("a: &a [{}]\nb: [{}]\n", "x, ".repeat(2000), "*a, ".repeat(2000))] {
        assert_eq!(first(text.as_bytes()).0, "CFG-008");
    }
}

#[test]
fn what_is_nested_too_deep() {
    for open in ["[", "{a: ", "- ", "? ", "- a: [{b: "] {
        let (code, message) = first(open.repeat(1_000_000).as_bytes());
        assert_eq!(code, "CFG-001", "{open}");
        assert!(message.contains("256") || message.contains("not YAML"), "{message}");
    }
}

#[test]
fn bytes_that_are_no_text() {
    assert!(first(b"partitions: [\0]").1.contains("U+0000"));
    assert!(first(&[b"partitions: [", [0; 1000].as_slice()].concat()).1.contains("U+0000"));
    assert!(first(b"partitions: [{name: \xe9}]").1.contains("0xe9"));
    assert!(first(&[b"# x\n".repeat(10_000).as_slice(), b"\xff"].concat()).1.contains("0xff"));
    assert_eq!(first(&[b"partitions:\n".as_slice(), &[b'\t'; 100_000]].concat()).0, "CFG-001");
}

#[test]
fn what_is_too_large() {
    let (code, message) = first(&vec![b'x'; yaml::LARGEST + 1]);
    assert_eq!(code, "CFG-001");
    assert!(message.contains("bytes"), "{message}");
}

#[test]
fn too_many_errors_to_read() {
    let queues: String = (0..30_000).map(|n| format!("  - {{nome: q{n}}}\n")).collect();
    let Reading { config, faults } =
        read_bytes(format!("partitions:\n- queues:\n{queues}").as_bytes(), Profile::Kornsole);
    assert!(config.is_none());
    assert_eq!(faults.len(), fault::MOST + 1);
    assert!(faults[0].message.contains("problems are shown"), "{}", faults[0]);
}

#[test]
fn expressions_that_are_too_large_one_by_one_or_together() {
    let rules = |pattern: &str, count: usize| {
        let rules: String = (0..count).map(|_| format!("{{name: user, filter: {{users: ['{pattern}']}}}}, ")).collect();
        P(&format!("placementrules: [{rules}]"))
    };
    let report = |text: &str| faults(text, Profile::Kornsole, Severity::Error);
    assert!(report(&rules("((a{0,100}){0,100}){0,100}", 1))[0].message.contains("too large"));
    accepted(&rules("^user-[0-9]+$", 500));
    let many = report(&rules("^user-[0-9]+$", 5_000));
    assert!(
        many.iter().all(|fault| fault.code == "CFG-083" && fault.message.contains("together")),
        "{:?}",
        many.first()
    );
    assert!((1..5_000).contains(&many.len()), "{}", many.len());
}

#[test]
fn long_lists_take_time_by_their_length_only() {
    let rules: String = (0..10_000).map(|n| format!("{{name: user, filter: {{users: [u{n}]}}}}, ")).collect();
    accepted(&P(&format!("placementrules: [{rules}]")));
    let groups: String = (0..10_000).map(|n| format!("{{groups: [g{n}], maxapplications: 5}}, ")).collect();
    let queues: String = (0..5_000)
        .map(|n| format!("{{name: q{n}, limits: [{{groups: [g{n}], maxapplications: 3}}, {{groups: ['*'], maxapplications: 2}}]}}, "))
        .collect();
    accepted(&R(&format!("limits: [{groups}], queues: [{queues}]")));
}

#[test]
#[cfg(target_os = "linux")]
fn memory_is_bounded() {
    use std::process::Command;
    // The allocator reserves more memory than it uses.
    const KILOBYTES: u32 = 1 << 20;
    let dir = crate::common::TestDir::new();
    let queues = "  - {nome: q, x: [y, z]}\n".repeat(100_000);
    for (text, code) in [
        (laughs(200), "CFG-008"),
        (format!("partitions:\n- queues:\n{queues}"), "CFG-003"),
        ("[".repeat(5 << 20), "CFG-001"),
    ] {
        let file = dir.write("queues.yaml", text);
        let limited = format!("ulimit -v {KILOBYTES}; exec \"$0\" check \"$1\"");
        let output = Command::new("sh")
            .args(["-c", &limited, env!("CARGO_BIN_EXE_kornsole")])
            .arg(&file)
            .output()
            .expect("there is sh");
        let report = String::from_utf8_lossy(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
        assert!(report.contains(code), "{code}");
    }
}
