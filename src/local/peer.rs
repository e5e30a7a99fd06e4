//! Who is at the other end of a socket: what the kernel says, and the names of the system for it.

use std::io;
use std::os::unix::net::UnixStream;

use rustix::net::sockopt::socket_peercred;

use super::job::Owner;
use crate::model::Identity;

/// The user at the other end, by SO_PEERCRED, with all groups that the system has for him.
///
/// # Errors
/// The kernel does not say.
pub fn of(stream: &UnixStream) -> io::Result<Owner> {
    let peer = socket_peercred(stream)?;
    Ok(owner(peer.uid.as_raw(), peer.gid.as_raw()))
}

/// A user by his number, primary group first; numbers without a name stay numbers.
pub fn owner(uid: u32, gid: u32) -> Owner {
    let group_name = |gid| {
        uzers::get_group_by_gid(gid)
            .map_or_else(|| gid.to_string(), |group| group.name().to_string_lossy().into_owned())
    };
    let (mut groups, mut names) = (vec![gid], vec![group_name(gid)]);
    let user = uzers::get_user_by_uid(uid);
    if let Some(user) = &user {
        for group in uzers::get_user_groups(user.name(), gid).unwrap_or_default() {
            if !groups.contains(&group.gid()) {
                groups.push(group.gid());
                names.push(group.name().to_string_lossy().into_owned());
            }
        }
    }
    let name = user.map_or_else(|| uid.to_string(), |user| user.name().to_string_lossy().into_owned());
    Owner { uid, gid, groups, identity: Identity::new(name, names) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_says_who_is_there() {
        let (one, _other) = UnixStream::pair().unwrap();
        let owner = of(&one).unwrap();
        assert_eq!(owner.uid, rustix::process::geteuid().as_raw());
        assert_eq!(owner.groups.first(), Some(&owner.gid));
        assert_eq!(owner.groups.len(), owner.identity.groups.len());
    }
}
