//! The user at the other end of a socket.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::net::UnixStream;

use nix::unistd::{Gid, Uid};
use rustix::net::sockopt::socket_peercred;

use super::accounts;
use super::job::Owner;
use super::{limits, process};
use model::Identity;

/// Identifies the user by SO_PEERCRED, with all groups from the system.
///
/// # Errors
/// The kernel does not report the user.
pub fn of(stream: &UnixStream) -> io::Result<Owner> {
    let peer = socket_peercred(stream)?;
    Ok(owner(peer.uid.as_raw(), peer.gid.as_raw()))
}

/// Returns the limits of the process at the other end ([`limits`]) and its niceness; empty if it has ended.
pub(super) fn surroundings(stream: &UnixStream, who: &Owner) -> (String, i32) {
    let found = || {
        let pid = socket_peercred(stream).ok()?.pid.as_raw_nonzero().get();
        let (limits, nice) = (limits::of(pid)?, process::niceness(pid)?);
        // The PID may already belong to another user's process.
        let still = fs::metadata(format!("/proc/{pid}")).is_ok_and(|found| found.uid() == who.uid);
        still.then_some((limits, nice))
    };
    found().unwrap_or_default()
}

/// Names a user, primary group first (USR-004); IDs without a name stay numbers.
pub fn owner(uid: u32, gid: u32) -> Owner {
    let name = accounts::user_name(uid).unwrap_or_else(|| uid.to_string());
    let mut groups = vec![gid];
    for group in accounts::groups_of(&name, gid) {
        if !groups.contains(&group) {
            groups.push(group);
        }
    }
    let names = groups.iter().map(|gid| group_name(*gid)).collect::<Vec<_>>();
    Owner { uid, gid, groups, identity: Identity::new(name, names) }
}

/// Names the effective user.
pub fn of_process() -> Owner {
    owner(Uid::effective().as_raw(), Gid::effective().as_raw())
}

fn group_name(gid: u32) -> String {
    accounts::group_name(gid).unwrap_or_else(|| gid.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_reports_the_peer() {
        let (one, _other) = UnixStream::pair().unwrap();
        let owner = of(&one).unwrap();
        assert_eq!(owner.uid, rustix::process::geteuid().as_raw());
        assert_eq!(owner.groups.first(), Some(&owner.gid));
        assert_eq!(owner.groups.len(), owner.identity.groups.len());
    }
}
