//! The user of the process, from the operating system.

use local::peer;
use model::Identity;

/// The current user with groups, primary group first (USR-004). An ID without a name is a number.
pub fn of_process() -> Identity {
    peer::of_process().identity
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::process::Command;

    use super::*;

    fn id(option: &str) -> Vec<String> {
        let message = Command::new("id").arg(option).output().expect("there is id");
        String::from_utf8_lossy(&message.stdout).split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn usr_004_the_system_reports_the_user_the_primary_group_and_all_others() {
        let who = of_process();
        assert_eq!([who.user.as_str()], id("-un").as_slice());
        assert_eq!(who.groups.first(), id("-gn").first());
        let once: BTreeSet<&String> = who.groups.iter().collect();
        assert_eq!(once.len(), who.groups.len(), "no group twice");
        let others = id("-Gn");
        assert!(others.iter().all(|group| once.contains(group)), "{others:?} are not all of {:?}", who.groups);
    }
}
