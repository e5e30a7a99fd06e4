//! Who runs the process, by the operating system.

use crate::model::Identity;

/// The user who runs the process, with his groups, primary group first (USR-004). A number without a name stays the
/// number as text.
pub fn of_process() -> Identity {
    let uid = uzers::get_effective_uid();
    let gid = uzers::get_effective_gid();
    let group_name = |gid| match uzers::get_group_by_gid(gid) {
        Some(group) => group.name().to_string_lossy().into_owned(),
        None => gid.to_string(),
    };
    let Some(user) = uzers::get_user_by_uid(uid) else {
        return Identity::new(uid.to_string(), [group_name(gid)]);
    };
    let mut groups = vec![group_name(gid)];
    for group in uzers::get_user_groups(user.name(), gid).unwrap_or_default() {
        let name = group.name().to_string_lossy().into_owned();
        if !groups.contains(&name) {
            groups.push(name);
        }
    }
    Identity::new(user.name().to_string_lossy().into_owned(), groups)
}
