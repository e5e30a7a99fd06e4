//! A file of the user that also gets a job's output.
//!
//! The process that has become the user opens it, so a path leads only to files that the user can open. It passes the
//! file to the supervisor through a socket, its standard input.
//!
//! A thread of the supervisor writes with the identity of the user: the effect can depend on the writer (`/proc`, a
//! file that sets a group ID). A write can block forever, and the clock of the job must not wait for it.

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, IoSliceMut, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::{FileTypeExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::os::unix::net::UnixStream;

use rustix::fs::{OFlags, fcntl_setfl};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};
use rustix::process::{Gid, Uid, geteuid};
use rustix::thread::{set_thread_groups, set_thread_res_gid, set_thread_res_uid};

use super::background::Background;
use super::task::Credentials;

/// Opens the file as the current user.
///
/// # Errors
/// It cannot be opened, or is neither a regular file nor a FIFO of this user.
pub fn open(path: &str) -> io::Result<File> {
    // Do not block on a pipe without a reader, and do not acquire a terminal.
    let flags = (OFlags::NOCTTY | OFlags::NONBLOCK).bits();
    let mode = 0o666;
    let flags = i32::try_from(flags).map_err(io::Error::other)?;
    let file = OpenOptions::new().append(true).create(true).mode(mode).custom_flags(flags).open(path)?;
    let found = file.metadata()?;
    let own_fifo = found.file_type().is_fifo() && found.uid() == geteuid().as_raw();
    if !found.is_file() && !own_fifo {
        return Err(io::Error::other("it is not a regular file or FIFO that you own"));
    }
    // Only the opening must not block.
    fcntl_setfl(&file, OFlags::APPEND)?;
    Ok(file)
}

/// Sends the file to the supervisor.
///
/// # Errors
/// Like [`open`].
pub fn open_and_send(path: &str, socket: BorrowedFd<'_>) -> io::Result<()> {
    let file = open(path)?;
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let files = [file.as_fd()];
    if !control.push(SendAncillaryMessage::ScmRights(&files)) {
        return Err(io::Error::other("it is too large for a message"));
    }
    sendmsg(socket, &[IoSlice::new(b"f")], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// The start of the output, in a file of the user.
pub struct UserFile {
    /// Where the file arrives; `None` after that.
    socket: Option<UnixStream>,
    /// The owner; `None` for the current user.
    user: Option<Credentials>,
    writing: Option<Background>,
    left: u64,
    over: u64,
}

impl UserFile {
    /// Copies at most `most` bytes to a file that arrives through a socket.
    pub fn from(socket: UnixStream, user: Option<Credentials>, most: u64) -> Self {
        Self { socket: Some(socket), user, writing: None, left: most, over: 0 }
    }

    /// Returns false if the job must wait with its output.
    pub fn is_ready(&self) -> bool {
        self.writing.as_ref().is_none_or(Background::is_ready)
    }

    /// Accepts bytes without blocking; counts rejected ones.
    pub fn write(&mut self, bytes: &[u8]) {
        self.receive();
        let Some(writing) = &self.writing else { return };
        let some = bytes.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.left -= some as u64;
        self.over += (bytes.len() - some) as u64;
        if some > 0 {
            writing.write(&bytes[..some]);
        }
    }

    /// Waits briefly; unwritten bytes are lost.
    pub fn finish(&mut self) {
        self.writing.iter_mut().for_each(Background::finish);
    }

    /// Describes lost bytes; empty for none.
    pub fn note(&self) -> String {
        let (lost, why) = self.writing.as_ref().map(Background::lost).unwrap_or_default();
        let why = if lost == 0 { "it has reached its maximum size" } else { &why };
        match lost + self.over {
            0 => String::new(),
            lost => format!("{lost} bytes are missing in the output file: {why}"),
        }
    }

    fn take(&mut self, mut file: File) {
        let user = self.user.clone();
        self.writing = Some(Background::start(move || {
            let identity = user.as_ref().map_or(Ok(()), act_as).map_err(|why| why.to_string());
            move |bytes: &[u8]| identity.clone().and_then(|()| file.write_all(bytes).map_err(|why| why.to_string()))
        }));
    }

    /// The file is sent before the command starts, so before any output.
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

/// Only this thread acts as the user, without capabilities. The real and saved user IDs stay: by them the kernel
/// decides who may signal this process, and the user must not.
fn act_as(user: &Credentials) -> io::Result<()> {
    let groups: Vec<Gid> = user.groups.iter().map(|group| Gid::from_raw(*group)).collect();
    set_thread_groups(&groups)?;
    set_thread_res_gid(None, Some(Gid::from_raw(user.gid)), None)?;
    set_thread_res_uid(None, Some(Uid::from_raw(user.uid)), None)?;
    Ok(())
}
