//! The checksum of a text (`config.md` section 13).

use config::checksum;

#[test]
fn a_text_can_carry_its_own_checksum() {
    let plain = checksum(b"partitions: []\n\n");
    assert_eq!(plain.len(), 64);
    assert!(plain.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_uppercase()));
    let carrying = format!("partitions: []\nchecksum: {plain}\n");
    assert_eq!(checksum(carrying.as_bytes()), plain);
    assert_ne!(checksum(b"partitions: [ ]\n\n"), plain);
}

#[test]
fn the_checksum_is_that_of_sha_256() {
    let empty = "E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855";
    assert_eq!(checksum(b""), empty);
    assert_eq!(checksum(b"checksum: abc"), empty);
}
