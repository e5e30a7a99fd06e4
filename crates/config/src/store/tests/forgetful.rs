//! After a power failure, this file system has what was synced, and of the rest a random part: any part of a text, and
//! any of the changed names.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};

use crate::store::{FileSystem, Metadata};

/// The simulated failure; calls are counted from 0.
#[derive(Clone, Copy, Debug, Default)]
pub struct Problem {
    /// This call fails with this OS error.
    pub fail: Option<(usize, i32)>,
    /// Nothing happens from this call on.
    pub power_cut: Option<usize>,
    /// A write accepts three bytes.
    pub short: bool,
    pub no_sync: bool,
    pub no_dir_sync: bool,
}

pub struct Forgetful {
    problem: Problem,
    state: RefCell<State>,
}

#[derive(Default)]
struct State {
    calls: usize,
    files: Vec<Inode>,
    /// As a running program sees them.
    names: BTreeMap<PathBuf, Name>,
    /// Certainly on the disk.
    synced: BTreeMap<PathBuf, Name>,
    pending: Vec<(PathBuf, Option<Name>)>,
}

#[derive(Clone, PartialEq)]
enum Name {
    File(usize),
    Link(PathBuf),
}

#[derive(Clone)]
struct Inode {
    now: (Vec<u8>, Metadata),
    synced: Option<(Vec<u8>, Metadata)>,
}

const CUT: &str = "the power is gone";

impl Forgetful {
    pub fn new(problem: Problem) -> Self {
        Self { problem, state: RefCell::default() }
    }

    pub fn put(&self, path: &Path, text: &[u8], retained: Metadata) {
        let mut state = self.state.borrow_mut();
        let whole = (text.to_vec(), retained);
        state.files.push(Inode { now: whole.clone(), synced: Some(whole) });
        let name = Name::File(state.files.len() - 1);
        state.names.insert(path.to_owned(), name.clone());
        state.synced.insert(path.to_owned(), name);
    }

    pub fn link(&self, path: &Path, to: &Path) {
        let mut state = self.state.borrow_mut();
        state.names.insert(path.to_owned(), Name::Link(to.to_owned()));
        state.synced.insert(path.to_owned(), Name::Link(to.to_owned()));
    }

    pub fn read(&self, path: &Path) -> Option<(Vec<u8>, Metadata)> {
        let state = self.state.borrow();
        match state.names.get(&plain(path))? {
            Name::File(inode) => Some(state.files[*inode].now.clone()),
            Name::Link(_) => None,
        }
    }

    pub fn names(&self) -> Vec<String> {
        self.state.borrow().names.keys().map(|path| path.display().to_string()).collect()
    }

    pub fn calls(&self) -> usize {
        self.state.borrow().calls
    }

    /// `seed` decides what of the unsynced data remains.
    pub fn start_again(&self, seed: u64) {
        let state = &mut *self.state.borrow_mut();
        let mut random = seed | 1;
        let mut below = |bound: usize| {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            usize::try_from(random >> 33).unwrap() % bound
        };
        let mut names = std::mem::take(&mut state.synced);
        for (path, name) in state.pending.drain(..) {
            if below(2) == 0 {
                match name {
                    Some(name) => names.insert(path, name),
                    None => names.remove(&path),
                };
            }
        }
        for inode in &mut state.files {
            if inode.synced.as_ref() == Some(&inode.now) {
                continue;
            }
            let old = inode.synced.clone().unwrap_or((Vec::new(), inode.now.1));
            inode.now = match below(3) {
                0 => old,
                1 => (inode.now.0[..below(inode.now.0.len() + 1)].to_vec(), inode.now.1),
                _ => (vec![0; inode.now.0.len()], old.1),
            };
            inode.synced = Some(inode.now.clone());
        }
        state.names.clone_from(&names);
        state.synced = names;
    }

    fn call(&self) -> io::Result<std::cell::RefMut<'_, State>> {
        let mut state = self.state.borrow_mut();
        let call = state.calls;
        state.calls += 1;
        if self.problem.power_cut.is_some_and(|cut| call >= cut) {
            return Err(io::Error::other(CUT));
        }
        match self.problem.fail {
            Some((number, error)) if number == call => Err(io::Error::from_raw_os_error(error)),
            _ => Ok(state),
        }
    }
}

impl State {
    fn set(&mut self, path: &Path, name: Option<Name>) {
        match &name {
            Some(name) => self.names.insert(path.to_owned(), name.clone()),
            None => self.names.remove(path),
        };
        self.pending.push((path.to_owned(), name));
    }

    fn inode(&self, path: &Path) -> io::Result<usize> {
        match self.names.get(path) {
            Some(Name::File(inode)) => Ok(*inode),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }
}

impl FileSystem for Forgetful {
    type File = usize;

    fn read_link(&self, path: &Path) -> io::Result<PathBuf> {
        match self.call()?.names.get(&plain(path)) {
            Some(Name::Link(to)) => Ok(to.clone()),
            _ => Err(io::ErrorKind::InvalidInput.into()),
        }
    }

    fn metadata(&self, path: &Path) -> io::Result<Metadata> {
        let state = self.call()?;
        Ok(state.files[state.inode(&plain(path))?].now.1)
    }

    fn create(&self, path: &Path, private: bool) -> io::Result<usize> {
        let mut state = self.call()?;
        let path = plain(path);
        if state.names.contains_key(&path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let retained = Metadata { is_file: true, mode: if private { 0o600 } else { 0o644 }, user: 1, group: 1 };
        state.files.push(Inode { now: (Vec::new(), retained), synced: None });
        let inode = state.files.len() - 1;
        state.set(&path, Some(Name::File(inode)));
        Ok(inode)
    }

    fn write(&self, file: &mut usize, bytes: &[u8]) -> io::Result<usize> {
        let taken = if self.problem.short { bytes.len().min(3) } else { bytes.len() };
        self.call()?.files[*file].now.0.extend(&bytes[..taken]);
        Ok(taken)
    }

    fn set_owner(&self, file: &usize, user: u32, group: u32) -> io::Result<()> {
        let retained = &mut self.call()?.files[*file].now.1;
        *retained = Metadata { user, group, ..*retained };
        Ok(())
    }

    fn set_mode(&self, file: &usize, mode: u32) -> io::Result<()> {
        self.call()?.files[*file].now.1.mode = mode;
        Ok(())
    }

    fn sync(&self, file: &usize) -> io::Result<()> {
        let inode = &mut self.call()?.files[*file];
        if !self.problem.no_sync {
            inode.synced = Some(inode.now.clone());
        }
        Ok(())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        let mut state = self.call()?;
        let inode = state.inode(&plain(from))?;
        // A rename is atomic: the new name never exists before it.
        state.set(&plain(to), Some(Name::File(inode)));
        state.set(&plain(from), None);
        Ok(())
    }

    fn sync_dir(&self, path: &Path) -> io::Result<()> {
        let mut state = self.call()?;
        if !self.problem.no_dir_sync {
            let dir = plain(path);
            let (done, left): (Vec<_>, Vec<_>) =
                state.pending.drain(..).partition(|(path, _)| path.parent() == Some(dir.as_path()));
            state.pending = left;
            for (path, name) in done {
                match name {
                    Some(name) => state.synced.insert(path, name),
                    None => state.synced.remove(&path),
                };
            }
        }
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        let mut state = self.call()?;
        let path = plain(path);
        state.inode(&path)?;
        state.set(&path, None);
        Ok(())
    }
}

fn plain(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}
