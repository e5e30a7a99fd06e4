//! Packed bytes: gzip and zstd are unpacked up to a limit, other formats are rejected by name.

use std::borrow::Cow;
use std::io::Read as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::fault::{Fault, Severity};
use crate::types::Place;
use crate::yaml::LARGEST;

const OTHERS: [(&[u8], &str); 4] = [
    (&[0xfd, b'7', b'z', b'X', b'Z'], "xz"),
    (b"BZh", "bzip2"),
    (b"PK\x03\x04", "zip"),
    (&[0x04, 0x22, 0x4d, 0x18], "lz4"),
];

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Packed {
    Gzip,
    Zstd,
}

impl Packed {
    /// The form of these bytes; `None` if they are not packed in one that is read.
    pub(super) fn of(bytes: &[u8]) -> Option<Self> {
        // A file of zstd may start with a frame of other data (RFC 8878, 3.1.2).
        let skippable = || matches!(bytes, [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..]);
        match bytes {
            [0x1f, 0x8b, ..] => Some(Self::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Self::Zstd),
            _ if skippable() => Some(Self::Zstd),
            _ => None,
        }
    }

    const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    /// # Errors
    /// Message and hint: corrupt, or too large.
    fn unpack(self, bytes: &[u8], largest: usize) -> Result<Vec<u8>, [String; 2]> {
        let mut out = Vec::new();
        let read = self.reader(bytes).take(largest as u64 + 1).read_to_end(&mut out);
        if out.len() > largest {
            return Err(self.too_large(largest as u64));
        }
        read.map(|_| out).map_err(|error| self.invalid(&error))
    }

    /// Message and hint.
    pub(super) fn too_large(self, largest: u64) -> [String; 2] {
        let message = format!("the {} data has more than {} MiB when unpacked", self.name(), largest >> 20);
        [message, "kornsole reads at most this size; split the file".to_owned()]
    }

    pub(super) fn invalid(self, error: &std::io::Error) -> [String; 2] {
        let name = self.name();
        [format!("invalid {name} data: {error}"), format!("pack the text again with {name}")]
    }
}

/// Whether bytes are packed in a form that [`unpack`] reads.
pub fn is_packed(bytes: &[u8]) -> bool {
    Packed::of(bytes).is_some()
}

/// The name of a packing that is not read: xz, bzip2, zip, or lz4.
pub fn unread_packing(bytes: &[u8]) -> Option<&'static str> {
    OTHERS.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, name)| *name)
}

/// Unpacks the bytes of a file, up to [`LARGEST`].
///
/// # Errors
/// INP-002: an unsupported format, corrupt data, or too large.
pub fn unpack(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Fault> {
    if let Some(packed) = Packed::of(bytes) {
        let unpacked = packed.unpack(bytes, LARGEST);
        return unpacked.map(Cow::Owned).map_err(|[message, hint]| fault(Place::default(), message, hint));
    }
    match unread_packing(bytes) {
        Some(name) => {
            let hint = format!("unpack the {name} file first; kornsole unpacks gzip and zstd");
            Err(fault(Place::default(), format!("cannot read {name} data"), hint))
        }
        None => Ok(Cow::Borrowed(bytes)),
    }
}

/// The text of a value of `binaryData`: Base64 of gzip.
///
/// # Errors
/// Message and hint: invalid Base64 or gzip, too large, or not UTF-8.
pub fn packed_text(base64: &str) -> Result<String, (String, String)> {
    let plain: String = base64.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    let bytes = STANDARD.decode(plain);
    let bytes = bytes.map_err(|error| (format!("invalid Base64: {error}"), "encode the entry again".to_owned()))?;
    let text = Packed::Gzip.unpack(&bytes, LARGEST).map_err(<(String, String)>::from)?;
    String::from_utf8(text).map_err(|_| ("the unpacked text is not UTF-8".to_owned(), String::new()))
}

/// The text of an entry of a Secret; `None` if it is not Base64 of a text.
pub(super) fn base64_text(base64: &str) -> Option<String> {
    let plain: String = base64.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    String::from_utf8(STANDARD.decode(plain).ok()?).ok()
}

pub(super) fn fault(at: Place, message: String, hint: String) -> Fault {
    Fault { code: "INP-002", severity: Severity::Error, at, path: String::new(), message, hint }
}

#[cfg(test)]
mod tests {
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::super::unpacking;
    use super::*;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    #[test]
    fn zstd_of_several_frames_is_unpacked() {
        let skipped = [&[0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0][..], b"abc"].concat();
        let bytes = [&skipped[..], &packed(b"partitions: "), &skipped, &packed(b"[]"), &packed(b"")].concat();
        assert_eq!(unpack(&bytes).unwrap(), &b"partitions: []"[..]);
        let streamed = std::io::read_to_string(unpacking(&bytes[..], 14).unwrap()).unwrap();
        assert_eq!(streamed, "partitions: []");
        assert_eq!(unpack(&skipped[..9]).unwrap_err().message, "invalid zstd data: a frame is incomplete");
    }

    #[test]
    fn zstd_that_is_cut_or_too_large_is_refused() {
        let text = b"partitions: [] # a text".repeat(9);
        let whole = packed(&text);
        for length in 1..whole.len() {
            let read = unpack(&whole[..length]);
            let is_zstd = length >= 4;
            assert_eq!(is_zstd, read.is_err(), "{length} of {} bytes", whole.len());
        }
        let limit = text.len();
        let within =
            |limit: usize| std::io::copy(&mut unpacking(&whole[..], limit as u64).unwrap(), &mut std::io::sink());
        assert!(within(limit).is_ok());
        let large = within(limit - 1).unwrap_err().to_string();
        assert!(large.contains("the zstd data has more than 0 MiB when unpacked"), "{large}");
        let bomb = packed(&vec![b' '; LARGEST + 1]);
        assert!(bomb.len() < LARGEST / 100);
        assert!(unpack(&bomb).unwrap_err().message.contains("more than 16 MiB"));
        let streamed = std::io::copy(&mut unpacking(&bomb[..], 1 << 20).unwrap(), &mut std::io::sink()).unwrap_err();
        assert!(streamed.to_string().contains("the zstd data has more than 1 MiB when unpacked"), "{streamed}");
    }

    #[test]
    fn a_checksum_of_zstd_counts() {
        let hex = "28b52ffd0458710000706172746974696f6e733a205b5d46710301";
        let bytes: Vec<u8> = hex
            .as_bytes()
            .chunks(2)
            .map(|pair| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect();
        assert_eq!(unpack(&bytes).unwrap(), &b"partitions: []"[..]);
        let mut changed = bytes;
        *changed.last_mut().unwrap() ^= 1;
        assert_eq!(unpack(&changed).unwrap_err().message, "invalid zstd data: the checksum does not match");
    }
}
