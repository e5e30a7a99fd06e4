//! Arbitrary and damaged texts: the reader neither panics nor hangs, and the scheduler accepts what it accepts.
//!
//! A longer run: `PROPTEST_CASES=200000 cargo test --release --test config fuzz`.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use config::{Config, DEFAULT_CONFIG, Place, Severity, Source, read_bytes, read_file};
use model::{Profile, Time};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use scheduler::inspect::invariants;
use scheduler::{Command, EventKind, Scheduler};

fn promises(bytes: &[u8]) {
    for profile in Profile::ALL {
        let reading = read_bytes(bytes, profile);
        let refused = reading.faults.iter().any(|fault| fault.severity == Severity::Error);
        assert_eq!(reading.is_valid(), !refused);
        assert!(reading.faults.is_sorted_by_key(|fault| fault.at));
        let text = String::from_utf8_lossy(bytes);
        let source = Source::new("f", &text);
        for fault in &reading.faults {
            assert!(fault.at == Place::default() || (fault.at.line > 0 && fault.at.column > 0), "{fault}");
            let rendered = source.render(fault);
            assert!(rendered.chars().all(|c| c == '\n' || !c.is_control()), "{rendered:?}");
        }
        read_file(bytes, "queues", profile);
        if let Some(config) = reading.config {
            is_taken(config, profile);
        }
    }
}

/// Only the releases may reject it: their validators accept texts that their loading rejects (CFG-037, CFG-081,
/// CFG-086).
fn is_taken(config: Config, profile: Profile) {
    let config = Arc::new(config);
    let other = Arc::new(read_bytes(DEFAULT_CONFIG.as_bytes(), profile).config.expect("it is valid"));
    let mut scheduler = Scheduler::new(profile);
    for config in [&config, &config, &other, &config] {
        let events = scheduler.apply(Time::ZERO, &Command::Configure(Arc::clone(config)));
        let refused = events.iter().find(|event| matches!(event.kind, EventKind::ConfigRejected { .. }));
        assert!(refused.is_none() || profile != Profile::Kornsole, "{refused:?}");
        assert_eq!(invariants::violations(&scheduler), Vec::<String>::new());
    }
}

fn recorded() -> Vec<Vec<u8>> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/configs");
    let mut paths: Vec<_> = fs::read_dir(dir)
        .expect("the folder is there")
        .map(|entry| entry.expect("it can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    paths.sort();
    paths.iter().step_by(23).map(|path| fs::read(path).expect("it can be read")).collect()
}

const PIECES: [&str; 44] = [
    "partitions:",
    "queues:",
    "- ",
    "name: ",
    "root",
    "limits:",
    "users:",
    "groups:",
    "'*'",
    "*a",
    "&a ",
    "<<: ",
    "{",
    "}",
    "[",
    "]",
    ", ",
    "\n",
    "\n  ",
    "\n    ",
    "\t",
    ": ",
    "|\n",
    ">-\n",
    "'",
    "\"",
    "#",
    "---\n",
    "...\n",
    "!!str ",
    "!!int ",
    "? ",
    "maxapplications: ",
    "0",
    "-1",
    "1.5",
    "placementrules:",
    "filter: ",
    "parent: ",
    "fixed",
    "value: ",
    "resources: {max: {memory: 5}}",
    "\u{0}",
    "é\u{feff}",
];

proptest! {
    #[test]
    fn arbitrary_bytes(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        promises(&bytes);
    }

    #[test]
    fn arbitrary_pieces(pieces in prop::collection::vec(select(&PIECES[..]), 0..60)) {
        promises(pieces.concat().as_bytes());
    }

    #[test]
    fn damaged_files(
        file in select(recorded()),
        damage in prop::collection::vec((any::<Index>(), select(&PIECES[..]), 0..40_usize), 0..5),
    ) {
        let mut bytes = file;
        for (at, piece, taken) in damage {
            let at = at.index(bytes.len() + 1);
            let end = (at + taken).min(bytes.len());
            bytes.splice(at..end, piece.bytes());
        }
        promises(&bytes);
    }
}
