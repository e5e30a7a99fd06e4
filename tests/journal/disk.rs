//! A disk that fails on command, and loses unsynced data.

use std::io;
use std::sync::{Mutex, MutexGuard};

use engine::journal::Disk;

use super::stage::Chance;

/// Writes are retained or lost in units of this size.
const SECTOR: usize = 512;

/// The error of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Write and grow: full.
    Full,
    /// Write, grow, and sync: I/O error.
    Io,
    /// Write: the disk is full after a part.
    Short,
    /// Sync fails; the data may or may not be written.
    Sync,
    /// Write and grow: read-only.
    ReadOnly,
}

#[derive(Debug)]
enum Change {
    Write(u64, Vec<u8>),
    Len(u64),
}

#[derive(Debug, Default)]
struct State {
    synced: Vec<u8>,
    seen: Vec<u8>,
    pending: Vec<Change>,
    calls: u64,
    fault: Option<(std::ops::Range<u64>, Fault)>,
    cut: Option<u64>,
}

/// A disk with injected errors.
#[derive(Debug, Default)]
pub struct BadDisk(Mutex<State>);

impl BadDisk {
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(Mutex::new(State { synced: bytes.clone(), seen: bytes, ..State::default() }))
    }

    /// Makes these of the next calls fail, counted from 0.
    pub fn fail(&self, calls: std::ops::Range<u64>, fault: Fault) {
        let mut state = self.state();
        let now = state.calls;
        state.fault = Some((calls.start + now..calls.end.saturating_add(now), fault));
    }

    /// Stops the failures.
    pub fn repair(&self) {
        self.state().fault = None;
    }

    /// Cuts the power before this call, counted from now.
    pub fn cut(&self, call: u64) {
        let mut state = self.state();
        state.cut = Some(state.calls + call);
    }

    pub fn is_cut(&self) -> bool {
        let state = self.state();
        state.cut.is_some_and(|cut| state.calls >= cut)
    }

    /// The data that a restarted program finds while the machine keeps running.
    pub fn seen(&self) -> Vec<u8> {
        self.state().seen.clone()
    }

    /// The data after a power failure: synced data, and a random part of the rest.
    pub fn after_cut(&self, chance: &mut Chance) -> Vec<u8> {
        let state = self.state();
        let mut bytes = state.synced.clone();
        let state_of_day = chance.below(4);
        for change in &state.pending {
            match change {
                Change::Len(len) if state_of_day == 0 || chance.below(2) == 0 => {
                    bytes.resize(usize::try_from(*len).unwrap(), 0)
                }
                Change::Write(offset, data) => {
                    let mut at = usize::try_from(*offset).unwrap();
                    let mut rest = data.as_slice();
                    while !rest.is_empty() {
                        let (piece, behind) = rest.split_at(rest.len().min(SECTOR - at % SECTOR));
                        if state_of_day == 0 || (state_of_day != 1 && chance.below(2) == 0) {
                            put(&mut bytes, at, piece);
                        }
                        at += piece.len();
                        rest = behind;
                    }
                }
                Change::Len(_) => {}
            }
        }
        bytes
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    fn call(&self) -> io::Result<(MutexGuard<'_, State>, Option<Fault>)> {
        let mut state = self.state();
        let call = state.calls;
        state.calls += 1;
        if state.cut.is_some_and(|cut| call >= cut) {
            return Err(io::Error::other("the power is gone"));
        }
        let fault = state.fault.as_ref().filter(|(calls, _)| calls.contains(&call)).map(|(_, fault)| *fault);
        Ok((state, fault))
    }
}

fn put(bytes: &mut Vec<u8>, at: usize, data: &[u8]) {
    if bytes.len() < at + data.len() {
        bytes.resize(at + data.len(), 0);
    }
    bytes[at..at + data.len()].copy_from_slice(data);
}

fn full() -> io::Error {
    io::ErrorKind::StorageFull.into()
}

fn broken() -> io::Error {
    io::Error::other("input/output error")
}

impl Disk for BadDisk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.state().seen.len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let state = self.state();
        if state.cut.is_some_and(|cut| state.calls >= cut) {
            return Err(io::Error::other("the power is gone"));
        }
        let from = usize::try_from(offset).unwrap();
        let found = state.seen.get(from..from + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(found);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        let (mut state, fault) = self.call()?;
        match fault {
            Some(Fault::Full | Fault::Short) => return Err(full()),
            Some(Fault::ReadOnly) => return Err(io::ErrorKind::ReadOnlyFilesystem.into()),
            Some(Fault::Io) => return Err(broken()),
            _ => {}
        }
        state.seen.resize(usize::try_from(len).unwrap(), 0);
        state.pending.push(Change::Len(len));
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        let (mut state, fault) = self.call()?;
        let (written, outcome) = match fault {
            Some(Fault::Full) => (&data[..0], Err(full())),
            Some(Fault::Io) => (&data[..0], Err(broken())),
            Some(Fault::ReadOnly) => (&data[..0], Err(io::ErrorKind::ReadOnlyFilesystem.into())),
            Some(Fault::Short) => (&data[..data.len() / 2], Err(full())),
            Some(Fault::Sync) | None => (data, Ok(())),
        };
        put(&mut state.seen, usize::try_from(offset).unwrap(), written);
        state.pending.push(Change::Write(offset, written.to_vec()));
        outcome
    }

    fn sync(&self) -> io::Result<()> {
        let (mut state, fault) = self.call()?;
        if matches!(fault, Some(Fault::Io | Fault::Sync)) {
            return Err(broken());
        }
        state.synced = state.seen.clone();
        state.pending.clear();
        Ok(())
    }
}
