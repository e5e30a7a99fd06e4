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

/// The user by SO_PEERCRED, with all groups of the system.
pub fn of(stream: &UnixStream) -> io::Result<Owner> {
    let peer = socket_peercred(stream)?;
    Ok(owner(peer.uid.as_raw(), peer.gid.as_raw()))
}

/// Limits ([`limits`]) and niceness; empty after the end.
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

/// Primary group first (USR-004); unnamed IDs stay numbers.
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
