//! Packed bytes that are unpacked while they are read.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::unpack::Packed;

impl Packed {
    pub(super) fn reader<'r>(self, source: impl BufRead + 'r) -> Box<dyn Read + 'r> {
        match self {
            Self::Gzip => Box::new(MultiGzDecoder::new(source)),
            Self::Zstd => Box::new(Frames { source, decoder: FrameDecoder::new(), within: false }),
        }
    }
}

/// The bytes of gzip, zstd, or neither, unpacked while they are read: at most `largest` of them.
///
/// # Errors
/// The first bytes cannot be read.
pub fn unpacking<'r>(source: impl Read + 'r, largest: u64) -> io::Result<Box<dyn Read + 'r>> {
    let mut source = BufReader::new(source);
    let Some(packed) = Packed::of(source.fill_buf()?) else { return Ok(Box::new(source)) };
    Ok(Box::new(Limited { packed, inner: packed.reader(source), left: largest, largest }))
}

/// Why a text of JSON is refused, with the limit of its depth by number.
pub fn json_error(error: &serde_json::Error) -> String {
    let reported = error.to_string();
    match reported.strip_prefix("recursion limit exceeded") {
        Some(place) => format!("maps and lists are nested deeper than {JSON_LEVELS} levels{place}"),
        None => reported,
    }
}

/// How deep the reader of JSON goes.
const JSON_LEVELS: usize = 127;

struct Limited<'r> {
    packed: Packed,
    inner: Box<dyn Read + 'r>,
    left: u64,
    largest: u64,
}

impl Read for Limited<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let (packed, largest) = (self.packed, self.largest);
        let count = self.inner.read(buffer).map_err(|error| io::Error::other(packed.invalid(&error).join("; ")))?;
        let left = self.left.checked_sub(count as u64);
        self.left = left.ok_or_else(|| io::Error::other(packed.too_large(largest).join("; ")))?;
        Ok(count)
    }
}

/// The frames of zstd, one after the other. The decoder limits the memory of a frame's window to 128 MiB.
struct Frames<R> {
    source: R,
    decoder: FrameDecoder,
    within: bool,
}

impl<R: BufRead> Frames<R> {
    /// Begins the next frame with data. Returns whether there is one.
    fn start(&mut self) -> io::Result<bool> {
        while !self.source.fill_buf()?.is_empty() {
            match self.decoder.init(&mut self.source) {
                Ok(()) => return Ok(true),
                Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame { length, .. })) => {
                    let length = u64::from(length);
                    let skipped = io::copy(&mut self.source.by_ref().take(length), &mut io::sink())?;
                    if skipped < length {
                        return Err(io::Error::other("a frame is incomplete"));
                    }
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
        Ok(false)
    }
}

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while !buffer.is_empty() {
            if !self.within && !self.start()? {
                break;
            }
            self.within = true;
            while self.decoder.can_collect() == 0 && !self.decoder.is_finished() {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut self.source, one).map_err(io::Error::other)?;
            }
            let count = self.decoder.read(buffer)?;
            if count > 0 {
                return Ok(count);
            }
            let written = self.decoder.get_checksum_from_data();
            if written.is_some() && written != self.decoder.get_calculated_checksum() {
                return Err(io::Error::other("the checksum does not match"));
            }
            self.within = false;
        }
        Ok(0)
    }
}
