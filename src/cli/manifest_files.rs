//! Reads many small manifests on several threads, in the order of their names.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, Scope};

use super::load;
use kubernetes::{Manifests, ParsedManifest};

/// More threads wait for the one that takes the objects.
const MOST_THREADS: usize = 4;
/// How many parsed files a thread is ahead.
const AHEAD: usize = 8;
/// Larger files are read in turn: only one is in memory.
const SMALL: u64 = 1 << 20;

/// Fails if a file cannot be read.
pub(super) fn read(manifests: &mut Manifests, files: &[PathBuf]) -> Result<(), String> {
    let cores = thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let threads = cores.min(MOST_THREADS).min(files.len());
    if threads < 2 || !files.iter().all(|file| is_small(file)) {
        for file in files {
            manifests.read(&file.to_string_lossy(), &load::unpacked(file, load::LARGE)?);
        }
        return Ok(());
    }
    thread::scope(|scope| {
        let lanes: Vec<_> = (0..threads).map(|lane| parsing(scope, files, lane, threads)).collect();
        for number in 0..files.len() {
            let parsed = lanes[number % threads].recv().map_err(|_| "cannot read manifests: a thread ended early")?;
            manifests.take(parsed?);
        }
        Ok(())
    })
}

fn parsing<'s, 'e>(
    scope: &'s Scope<'s, 'e>,
    files: &'e [PathBuf],
    first: usize,
    step: usize,
) -> Receiver<Result<ParsedManifest, String>> {
    let (sender, receiver) = sync_channel(AHEAD);
    scope.spawn(move || {
        for file in files.iter().skip(first).step_by(step) {
            let bytes = load::unpacked(file, load::LARGE);
            let parsed = bytes.map(|bytes| ParsedManifest::of(&file.to_string_lossy(), bytes));
            if sender.send(parsed).is_err() {
                break;
            }
        }
    });
    receiver
}

/// A packed file may be large.
fn is_small(file: &Path) -> bool {
    let is_packed = file.extension().is_some_and(|ending| ending == "gz" || ending == "zst");
    !is_packed && std::fs::metadata(file).is_ok_and(|of| of.is_file() && of.len() <= SMALL)
}
