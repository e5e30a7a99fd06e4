//! A file of the user that gets a job's output as well.
//!
//! It is opened by the process that has become the user already. So a path, even one that is replaced meanwhile, leads only to files that
//! he could open himself. The open file goes to the supervisor through a socket, which is the standard input of that process.
//!
//! A thread of the supervisor writes it, with the identity of the user: what a write does can depend on who writes (`/proc`, a file that
//! sets a group id). It is a thread of its own, because a write can take forever, and the clock of the job must not wait for it.

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, IoSliceMut, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

use super::task::Credentials;

/// How many bytes may wait to be written before the job has to wait.
const WAITING: usize = 1 << 20;
/// How long the end of an attempt waits for the last of them.
const LAST: Duration = Duration::from_secs(5);

/// Opens the file as who this process is, and sends it to the supervisor.
///
/// # Errors
/// It cannot be opened, or is neither a regular file nor a FIFO of this user.
pub fn open_and_send(path: &str, socket: BorrowedFd<'_>) -> io::Result<()> {
    // A pipe without a reader is no reason to wait, and a terminal is not taken over.
    let flags = (OFlags::NOCTTY | OFlags::NONBLOCK).bits();
    let mode = 0o666;
    let flags = i32::try_from(flags).map_err(io::Error::other)?;
    let file = OpenOptions::new().append(true).create(true).mode(mode).custom_flags(flags).open(path)?;
    let found = file.metadata()?;
    let own_fifo = found.file_type().is_fifo() && found.uid() == geteuid().as_raw();
    if !found.is_file() && !own_fifo {
        return Err(io::Error::other("it is not a regular file or a FIFO of yours"));
    }
    // Only opening it must not wait.
    fcntl_setfl(&file, OFlags::APPEND)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let files = [file.as_fd()];
    if !control.push(SendAncillaryMessage::ScmRights(&files)) {
        return Err(io::Error::other("it does not fit into a message"));
    }
    sendmsg(socket, &[IoSlice::new(b"f")], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// The copy of the output in a file of the user: its beginning, as far as that may be long.
pub struct UserFile {
    /// Where it comes from, until it is here.
    socket: Option<UnixStream>,
    /// Whose it is; `None` for who this process is.
    user: Option<Credentials>,
    /// To the thread that writes, once it runs.
    chunks: Option<Sender<Vec<u8>>>,
    progress: Arc<Progress>,
    left: u64,
}

/// How far the thread that writes is.
#[derive(Default)]
struct Progress {
    state: Mutex<State>,
    written: Condvar,
}

#[derive(Default)]
struct State {
    /// Bytes that wait to be written.
    waiting: usize,
    lost: u64,
    why: String,
}

impl State {
    fn lose(&mut self, bytes: usize, why: &str) {
        self.lost += bytes as u64;
        if self.why.is_empty() && bytes > 0 {
            why.clone_into(&mut self.why);
        }
    }
}

impl Progress {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl UserFile {
    /// A file of `user` (`None` for who this process is) that comes through a socket, for at most so many bytes.
    pub fn from(socket: UnixStream, user: Option<Credentials>, most: u64) -> Self {
        Self { socket: Some(socket), user, chunks: None, progress: Arc::default(), left: most }
    }

    /// Whether more can be taken in; if not, the job has to wait with its output.
    pub fn is_ready(&self) -> bool {
        self.progress.state().waiting < WAITING
    }

    /// Takes bytes in, and never waits. What the file does not take is counted.
    pub fn write(&mut self, bytes: &[u8]) {
        self.receive();
        let Some(chunks) = &self.chunks else { return };
        let some = bytes.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.left -= some as u64;
        let mut state = self.progress.state();
        state.lose(bytes.len() - some, "it is as long as it may be");
        if chunks.send(bytes[..some].to_vec()).is_ok() {
            state.waiting += some;
        } else {
            state.lose(some, "it cannot be written any more");
        }
    }

    /// Waits for a moment until all is written; what is not by then counts as lost.
    pub fn finish(&mut self) {
        self.chunks = None;
        let state = self.progress.state();
        let wait = self.progress.written.wait_timeout_while(state, LAST, |state| state.waiting > 0);
        let (mut state, _) = wait.unwrap_or_else(PoisonError::into_inner);
        let waiting = std::mem::take(&mut state.waiting);
        state.lose(waiting, "writing took too long");
    }

    /// What is to be said of it; empty when all was written.
    pub fn note(&self) -> String {
        let state = self.progress.state();
        match state.lost {
            0 => String::new(),
            lost => format!("{lost} bytes are not in the output file: {}", state.why),
        }
    }

    /// Has a thread write a file.
    fn take(&mut self, file: File) {
        let (sender, chunks) = channel();
        let (progress, user) = (Arc::clone(&self.progress), self.user.clone());
        let writer = Builder::new().name("local-output".to_owned());
        match writer.spawn(move || write_all(file, user.as_ref(), &chunks, &progress)) {
            Ok(_) => {}
            // Without its receiver each chunk counts as lost.
            Err(why) => self.progress.state().why = why.to_string(),
        }
        self.chunks = Some(sender);
    }

    /// Takes the file when it is there. It is sent before the command begins, so before anything that the command writes.
    fn receive(&mut self) {
        let Some(socket) = &self.socket else { return };
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut byte = [0];
        let flags = RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT;
        match recvmsg(socket, &mut [IoSliceMut::new(&mut byte)], &mut control, flags) {
            Ok(_) => {
                let mut files = control.drain().filter_map(|message| match message {
                    RecvAncillaryMessage::ScmRights(files) => Some(files),
                    _ => None,
                });
                let file = files.next().and_then(|mut files| files.next()).map(File::from);
                self.socket = None;
                file.into_iter().for_each(|file| self.take(file));
            }
            Err(why) if io::Error::from(why).kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => self.socket = None,
        }
    }
}

/// Writes what comes, with the identity of the user; counts what the file does not take.
fn write_all(mut file: File, user: Option<&Credentials>, chunks: &Receiver<Vec<u8>>, progress: &Progress) {
    let identity = user.map_or(Ok(()), act_as);
    for chunk in chunks {
        let written = identity.as_ref().map_err(ToString::to_string).and_then(|()| {
            // A part of it may be written: all of it counts, as it is not known how much.
            file.write_all(&chunk).map_err(|why| why.to_string())
        });
        let mut state = progress.state();
        // What took too long is counted already.
        if state.waiting >= chunk.len() {
            state.waiting -= chunk.len();
            written.err().into_iter().for_each(|why| state.lose(chunk.len(), &why));
        }
        progress.written.notify_all();
    }
}

/// Has this thread, and no other one, act as a user, without capabilities. The real and the saved user stay: by them the kernel decides who may
/// send signals to this process, and the user must not.
fn act_as(user: &Credentials) -> io::Result<()> {
    let groups: Vec<Gid> = user.groups.iter().map(|group| Gid::from_raw(*group)).collect();
    set_thread_groups(&groups)?;
    set_thread_res_gid(None, Some(Gid::from_raw(user.gid)), None)?;
    set_thread_res_uid(None, Some(Uid::from_raw(user.uid)), None)?;
    Ok(())
}
