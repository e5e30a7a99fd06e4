//! Frames: the format of all data in the store, each with a kind and a checksum.
//!
//! A frame is a magic word, kind, key (a number and a part), length, checksum, and content. So damage of a single byte
//! is detected, and intact frames are found even in a file that the store cannot open.

use sha2::{Digest as _, Sha256};

const MAGIC: [u8; 4] = *b"kjf1";
const HEAD: usize = 4 + 1 + 8 + 4 + 4 + SUM;
/// Stored bytes of the checksum.
const SUM: usize = 8;

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The head of the journal.
    Head,
    /// A record; its key is its number.
    Record,
    /// A part of a snapshot; its key is the number of its last record.
    Snapshot,
    /// The index of a snapshot.
    Index,
    /// An entry of the audit.
    Audit,
    /// A revision of the configuration.
    Revision,
    /// The digest of the last record, in a separate file.
    Last,
}

impl Kind {
    const ALL: [Self; 7] =
        [Self::Head, Self::Record, Self::Snapshot, Self::Index, Self::Audit, Self::Revision, Self::Last];

    const fn byte(self) -> u8 {
        match self {
            Self::Head => b'H',
            Self::Record => b'R',
            Self::Snapshot => b'S',
            Self::Index => b'I',
            Self::Audit => b'A',
            Self::Revision => b'V',
            Self::Last => b'L',
        }
    }
}

/// An intact frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame<'a> {
    /// What it holds.
    pub kind: Kind,
    /// The number of its content, for example of a record.
    pub key: u64,
    /// Which part of it.
    pub part: u32,
    /// The content, not decoded.
    pub content: &'a [u8],
}

fn sum(kind: u8, key: u64, part: u32, content: &[u8]) -> [u8; SUM] {
    let mut hasher = Sha256::new();
    hasher.update([kind]);
    hasher.update(key.to_le_bytes());
    hasher.update(part.to_le_bytes());
    hasher.update(content);
    let all = hasher.finalize();
    std::array::from_fn(|at| all[at])
}

/// Appends a frame.
pub fn write(to: &mut Vec<u8>, kind: Kind, key: u64, part: u32, content: &[u8]) {
    #[expect(clippy::expect_used, reason = "the callers cut what they write into parts")]
    let length = u32::try_from(content.len()).expect("what is written is cut into parts of some megabytes");
    to.reserve(HEAD + content.len());
    to.extend(MAGIC);
    to.push(kind.byte());
    to.extend(key.to_le_bytes());
    to.extend(part.to_le_bytes());
    to.extend(length.to_le_bytes());
    to.extend(sum(kind.byte(), key, part, content));
    to.extend(content);
}

/// Returns a single frame.
pub fn alone(kind: Kind, key: u64, part: u32, content: &[u8]) -> Vec<u8> {
    let mut frame = Vec::new();
    write(&mut frame, kind, key, part, content);
    frame
}

/// Reads the first frame, and returns the remaining bytes. `None` if there is no intact frame.
pub fn read(text: &[u8]) -> Option<(Frame<'_>, &[u8])> {
    let (head, rest) = text.split_at_checked(HEAD)?;
    let (magic, head) = head.split_first_chunk::<4>()?;
    let (kind, head) = head.split_first_chunk::<1>()?;
    let (key, head) = head.split_first_chunk::<8>()?;
    let (part, head) = head.split_first_chunk::<4>()?;
    let (length, checksum) = head.split_first_chunk::<4>()?;
    let known = Kind::ALL.into_iter().find(|known| known.byte() == kind[0])?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (content, rest) = rest.split_at_checked(length)?;
    let (key, part) = (u64::from_le_bytes(*key), u32::from_le_bytes(*part));
    let intact = *magic == MAGIC && sum(kind[0], key, part, content) == checksum;
    intact.then_some((Frame { kind: known, key, part, content }, rest))
}

/// Reads consecutive frames. Returns an error with the key of the last intact one, if any, when other bytes follow.
pub fn read_all(mut text: &[u8], mut each: impl FnMut(Frame<'_>)) -> Result<(), Option<u64>> {
    let mut last = None;
    while !text.is_empty() {
        let (frame, rest) = read(text).ok_or(last)?;
        last = Some(frame.key);
        each(frame);
        text = rest;
    }
    Ok(())
}

/// The key and content of the last frame of newly written bytes.
pub fn last(mut text: &[u8]) -> Option<(u64, &[u8])> {
    loop {
        let head = text.get(..HEAD)?;
        let number = |from: usize, len: usize| -> Option<u64> {
            let bytes = head.get(from..from + len)?;
            Some(bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
        };
        let (key, length) = (number(5, 8)?, usize::try_from(number(17, 4)?).ok()?);
        let (content, rest) = text.get(HEAD..)?.split_at_checked(length)?;
        if rest.is_empty() {
            return Some((key, content));
        }
        text = rest;
    }
}

/// Finds all intact frames in a file.
pub fn scan<'a>(file: &'a [u8], mut each: impl FnMut(Frame<'a>)) {
    let mut at = 0;
    while let Some(text) = file.get(at..)
        && let Some(found) = text.windows(MAGIC.len()).position(|window| window == MAGIC)
    {
        match read(&text[found..]) {
            Some((frame, rest)) => {
                each(frame);
                at = file.len() - rest.len();
            }
            None => at += found + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_read_as_it_was_written_and_damage_is_seen_anywhere() {
        let mut text = alone(Kind::Record, 7, 0, b"seven");
        write(&mut text, Kind::Audit, 8, 2, b"");
        let mut read = Vec::new();
        assert_eq!(
            read_all(&text, |frame| read.push((frame.kind, frame.key, frame.part, frame.content.to_vec()))),
            Ok(())
        );
        assert_eq!(read, [(Kind::Record, 7, 0, b"seven".to_vec()), (Kind::Audit, 8, 2, Vec::new())]);
        assert_eq!(last(&text), Some((8, b"".as_slice())));
        assert_eq!(last(&text[..HEAD + 5]), Some((7, b"seven".as_slice())));
        assert_eq!(last(&text[..HEAD + 4]), None);
        for at in 0..text.len() {
            let mut damaged = text.clone();
            damaged[at] ^= 0x10;
            let last = if at < HEAD + 5 { None } else { Some(7) };
            assert_eq!(read_all(&damaged, |_| {}), Err(last), "byte {at}");
        }
    }

    #[test]
    fn intact_frames_are_found_anywhere() {
        let mut file = b"kjf1 is not a frame".to_vec();
        write(&mut file, Kind::Record, 1, 0, b"one");
        let damaged = file.len() + HEAD;
        write(&mut file, Kind::Record, 2, 0, b"two");
        file.extend(b"between kjf");
        write(&mut file, Kind::Record, 3, 0, b"three");
        file[damaged] ^= 1;
        let mut found = Vec::new();
        scan(&file, |frame| found.push((frame.key, frame.content.to_vec())));
        assert_eq!(found, [(1, b"one".to_vec()), (3, b"three".to_vec())]);
    }
}
