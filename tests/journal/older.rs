use std::fs;
use std::path::Path;

use ::engine::Core;
use ::engine::journal::Dir;
use view::audit::AuditQuery;

use super::stage::{engine, fresh, perform, setup, submit};
use crate::common::TestDir;

/// The format: total length, then position, length, and bytes of each nonempty sector.
fn unpacked(file: &Path) -> Vec<u8> {
    let packed = fs::read(file).unwrap();
    let (length, mut rest) = packed.split_first_chunk::<8>().unwrap();
    let mut whole = vec![0; u64::from_le_bytes(*length) as usize];
    while let Some((place, more)) = rest.split_first_chunk::<4>() {
        let (length, more) = more.split_first_chunk::<2>().unwrap();
        let (sector, more) = more.split_at(usize::from(u16::from_le_bytes(*length)));
        let at = u32::from_le_bytes(*place) as usize * 512;
        whole[at..at + sector.len()].copy_from_slice(sector);
        rest = more;
    }
    whole
}

#[test]
fn a_journal_of_version_0_2_continues() {
    // Two submissions, one of them rejected with 5 KB of tags, a node, and a request.
    let old = unpacked(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/journal/format-1-of-0.2.0.sectors"));
    let setup = setup();
    let scratch = TestDir::new();
    scratch.write("journal.redb", &old);
    let start = || Dir::open(&scratch, false).unwrap().start(&setup, 1.0, None, fresh(&setup)).unwrap();
    let check = |core: &Core, rejected: &[&str]| {
        let part = &core.scheduler().partitions()[0];
        assert_eq!(part.app(&"one".into()).unwrap().asks.len(), 1);
        assert!(part.nodes.find(&"n1".into()).is_some());
        assert_eq!(part.ended.iter().map(|app| app.id.to_string()).collect::<Vec<_>>(), rejected);
        assert!(part.ended[0].tags.is_empty(), "its tags are large");
        let entries = core.audit_log().entries(&AuditQuery { limit: 99, ..AuditQuery::default() });
        assert_eq!(entries.len(), 3 + rejected.len());
        assert!(entries.iter().any(|entry| entry.user == "eve" && entry.code == "NOT_PLACED"));
    };
    let (core, retained) = start();
    check(&core, &["evil"]);
    let running = engine((core, retained));
    assert!(perform(&running, submit("two", "root.nowhere")).is_err());
    drop(running);
    let (core, _retained) = start();
    check(&core, &["evil", "two"]);
}
