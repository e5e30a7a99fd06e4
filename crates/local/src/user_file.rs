//! A file of the user that gets a job's output as well.
//!
//! It is opened by the process that has become the user already. So a path, even one that is replaced meanwhile, leads only to files that
//! he could open himself. The open file goes to the supervisor through a socket, which is the standard input of that process.

use std::fs::{File, OpenOptions};
use std::io::{self, IoSlice, IoSliceMut, Write as _};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::net::UnixStream;

use rustix::fs::OFlags;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
    recvmsg, sendmsg,
};

/// Opens the file as who this process is, and sends it to the supervisor.
///
/// # Errors
/// It cannot be opened, or is no regular file.
pub fn open_and_send(path: &str, socket: BorrowedFd<'_>) -> io::Result<()> {
    // A pipe without a reader is no reason to wait, and a terminal is not taken over.
    let flags = (OFlags::NOCTTY | OFlags::NONBLOCK).bits();
    let mode = 0o666;
    let flags = i32::try_from(flags).map_err(io::Error::other)?;
    let file = OpenOptions::new().append(true).create(true).mode(mode).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no regular file"));
    }
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
    file: Option<File>,
    left: u64,
    lost: u64,
    why: String,
}

impl UserFile {
    /// A file that comes through a socket, for at most so many bytes.
    pub fn from(socket: UnixStream, most: u64) -> Self {
        Self { socket: Some(socket), file: None, left: most, lost: 0, why: String::new() }
    }

    /// Takes bytes in. What the file does not take is counted.
    pub fn write(&mut self, bytes: &[u8]) {
        self.receive();
        let Some(file) = &mut self.file else { return };
        let some = bytes.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        match file.write_all(&bytes[..some]) {
            Ok(()) => {
                self.left -= some as u64;
                self.lost += (bytes.len() - some) as u64;
                if some < bytes.len() && self.why.is_empty() {
                    "it is as long as it may be".clone_into(&mut self.why);
                }
            }
            Err(why) => {
                self.lost += bytes.len() as u64;
                if self.why.is_empty() {
                    self.why = why.to_string();
                }
            }
        }
    }

    /// What is to be said of it; empty when all was written.
    pub fn note(&self) -> String {
        match self.lost {
            0 => String::new(),
            lost => format!("{lost} bytes are not in the output file: {}", self.why),
        }
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
                self.file = files.next().and_then(|mut files| files.next()).map(File::from);
                self.socket = None;
            }
            Err(why) if io::Error::from(why).kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => self.socket = None,
        }
    }
}
