//! Names of users and groups. A static program reads `/etc/passwd` itself: the C library would load system modules and
//! crash. Others call it: it also knows LDAP users.

pub(super) use system::{group_name, groups_of, user_name};

#[cfg(not(target_feature = "crt-static"))]
mod system {
    use std::ffi::CString;

    use nix::unistd::{Gid, Group, Uid, User, getgrouplist};

    pub(crate) fn user_name(uid: u32) -> Option<String> {
        User::from_uid(Uid::from_raw(uid)).ok().flatten().map(|user| user.name)
    }

    pub(crate) fn groups_of(user: &str, primary: u32) -> Vec<u32> {
        let listed = CString::new(user).ok().and_then(|name| getgrouplist(&name, Gid::from_raw(primary)).ok());
        listed.unwrap_or_default().into_iter().map(Gid::as_raw).collect()
    }

    pub(crate) fn group_name(gid: u32) -> Option<String> {
        Group::from_gid(Gid::from_raw(gid)).ok().flatten().map(|group| group.name)
    }
}

#[cfg(target_feature = "crt-static")]
mod system {
    use super::files;

    fn read(file: &str) -> String {
        std::fs::read(file).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    }

    pub(crate) fn user_name(uid: u32) -> Option<String> {
        files::name_of(&read("/etc/passwd"), uid)
    }

    pub(crate) fn groups_of(user: &str, primary: u32) -> Vec<u32> {
        files::groups_of(&read("/etc/group"), user, primary)
    }

    pub(crate) fn group_name(gid: u32) -> Option<String> {
        files::name_of(&read("/etc/group"), gid)
    }
}

/// Parses `/etc/passwd` (`name:x:uid:…`) and `/etc/group` (`name:x:gid:user,user`); skips malformed lines.
#[cfg(any(test, target_feature = "crt-static"))]
mod files {
    fn fields(text: &str) -> impl Iterator<Item = (&str, u32, Option<&str>)> {
        text.lines().filter_map(|line| {
            let mut fields = line.split(':');
            let name = fields.next().filter(|name| !name.is_empty() && !name.starts_with(['#', '+', '-']))?;
            let number = fields.nth(1)?.parse().ok()?;
            Some((name, number, fields.next()))
        })
    }

    pub(super) fn name_of(text: &str, number: u32) -> Option<String> {
        fields(text).find(|(_, own, _)| *own == number).map(|(name, ..)| name.to_owned())
    }

    pub(super) fn groups_of(text: &str, user: &str, primary: u32) -> Vec<u32> {
        let lists = |members: Option<&str>| members.is_some_and(|members| members.split(',').any(|one| one == user));
        let others = fields(text).filter(|(_, gid, members)| *gid != primary && lists(*members));
        std::iter::once(primary).chain(others.map(|(_, gid, _)| gid)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_match_the_system() {
        let passwd = "root:x:0:0:root:/root:/bin/bash\n# none:x:7:7\n+::::::\nbroken:x\nann:x:1000:1000:Ann,,,:/home/ann:/bin/sh\n";
        assert_eq!(files::name_of(passwd, 1000).as_deref(), Some("ann"));
        assert_eq!((files::name_of(passwd, 7), files::name_of(passwd, 5)), (None, None));
        let group = "root:x:0:\ndev:x:20:bob,ann\nann:x:1000:\nannex:x:21:annex\nops:*:22:ann\n";
        assert_eq!(files::groups_of(group, "ann", 1000), [1000, 20, 22]);
        assert_eq!(files::groups_of(group, "nobody", 5), [5]);
        assert_eq!(files::name_of(group, 22).as_deref(), Some("ops"));
    }

    #[test]
    fn the_user_of_this_process_has_the_same_name_in_both() {
        let uid = nix::unistd::Uid::effective().as_raw();
        let passwd = std::fs::read_to_string("/etc/passwd").unwrap();
        if let Some(name) = files::name_of(&passwd, uid) {
            assert_eq!(user_name(uid), Some(name));
        }
    }
}
