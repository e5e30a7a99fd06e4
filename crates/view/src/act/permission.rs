//! The rights that a change of the configuration needs (REST E1).

use config::Diff;
use model::QueuePath;

/// The rights that an actor needs in addition to apply a configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConfigRights {
    /// Membership in the scheduler ACL: the change is outside the queues (a partition, its placement rules, node
    /// sorting, preemption, settings of a root).
    pub scheduler_acl: bool,
    /// The queues, each with its partition, that need admin access: the parents of added, removed, and changed queues.
    pub admin: Vec<(String, QueuePath)>,
}

/// Checks whether an actor may apply a change (ACL-040). Allowed are members of the scheduler ACL, and administrators
/// of the parent of each changed queue if nothing else changes: the administrator of a queue decides its children, not
/// its own maximum, limits, or access lists. `admin` reports admin access to a queue of a partition.
///
/// A change without a changed queue (only comments) needs admin access to every root in `partitions`. The identical
/// text is not a change.
///
/// # Errors
/// Returns everything that is missing.
pub fn may_configure<'p>(
    diff: &Diff,
    scheduler_admin: bool,
    admin: impl Fn(&str, &QueuePath) -> bool,
    partitions: impl IntoIterator<Item = &'p str>,
) -> Result<(), ConfigRights> {
    if scheduler_admin {
        return Ok(());
    }
    let shortfall = |(partition, queue): (&str, QueuePath)| {
        let shortfall = !admin(partition, &queue);
        shortfall.then(|| (partition.to_owned(), queue))
    };
    let missing: Vec<_> = if diff.is_empty() {
        partitions.into_iter().map(|name| (name, QueuePath::root())).filter_map(shortfall).collect()
    } else {
        diff.touches().into_iter().filter_map(shortfall).collect()
    };
    let rights = ConfigRights { scheduler_acl: diff.touches_partitions(), admin: missing };
    if rights == ConfigRights::default() { Ok(()) } else { Err(rights) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::{diff, read};
    use model::Profile;

    const OLD: &str = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a, queues: [{name: x}]}, \
                       {name: b}]}]}]";

    /// The missing rights of a user who administers `mine` and its subtree, for the change to `new`.
    fn shortfall(mine: &str, new: &str) -> Result<(), (bool, Vec<String>)> {
        let read = |text| read(text, Profile::Kornsole).config.unwrap();
        let mine = QueuePath::new(mine);
        let admin = |_: &str, queue: &QueuePath| queue.is_within(&mine);
        let rights = may_configure(&diff(&read(OLD), &read(new)), false, admin, ["default"]);
        rights.map_err(|rights| (rights.scheduler_acl, rights.admin.into_iter().map(|(_, q)| q.to_string()).collect()))
    }

    fn missing(queues: &[&str]) -> Result<(), (bool, Vec<String>)> {
        Err((false, queues.iter().map(|queue| (*queue).to_owned()).collect()))
    }

    #[test]
    fn every_queue_that_is_touched_must_be_administered() {
        let x = OLD.replace("{name: x}", "{name: x, maxapplications: 3}");
        assert_eq!(shortfall("root.a", &x), Ok(()));
        assert_eq!(shortfall("root.b", &x), missing(&["root.a"]));
        let both = x.replace("{name: b}", "{name: b, maxapplications: 3}");
        assert_eq!(shortfall("root.a", &both), missing(&["root"]));
        assert_eq!(shortfall("root", &both), Ok(()));
    }

    #[test]
    fn properties_of_a_queue_need_access_to_its_parent() {
        let own = [
            "resources: {max: {vcore: 8}}",
            "resources: {guaranteed: {vcore: 8}}",
            "adminacl: eve",
            "submitacl: eve",
            "properties: {priority.offset: '5'}",
            "limits: [{limit: l, users: [eve], maxapplications: 1}]",
            "childtemplate: {maxapplications: 3}",
        ];
        for own in own {
            let of_a = OLD.replace("{name: a, ", &format!("{{name: a, {own}, "));
            assert_eq!(shortfall("root.a", &of_a), missing(&["root"]), "{own}");
            assert_eq!(shortfall("root", &of_a), Ok(()), "{own}");
            let of_x = OLD.replace("{name: x}", &format!("{{name: x, parent: true, {own}}}"));
            assert_eq!(shortfall("root.a.x", &of_x), missing(&["root.a"]), "{own}");
            assert_eq!(shortfall("root.a", &of_x), Ok(()), "{own}");
            let mut of_root = OLD.replace("name: root, submitacl: '*', ", &format!("name: root, {own}, "));
            if own.starts_with("resources") {
                continue;
            }
            if !own.starts_with("submitacl") {
                of_root = of_root.replace("name: root, ", "name: root, submitacl: '*', ");
            }
            assert_eq!(shortfall("root", &of_root), Err((true, Vec::new())), "{own}");
        }
    }

    #[test]
    fn adding_or_removing_a_queue_needs_access_to_its_parent() {
        let added = OLD.replace("{name: x}", "{name: x}, {name: y, maxapplications: 1}");
        assert_eq!(shortfall("root.a", &added), Ok(()));
        assert_eq!(shortfall("root.a.x", &added), missing(&["root.a"]));
        let gone = OLD.replace("{name: x}", "");
        assert_eq!(shortfall("root.a", &gone), Ok(()));
        let own = OLD.replace("{name: a, queues: [{name: x}]},", "");
        assert_eq!(shortfall("root.a", &own), missing(&["root"]));
    }

    #[test]
    fn what_is_outside_the_queues_needs_the_scheduler_acl() {
        let rules = OLD.replace("name: default,", "name: default, placementrules: [{name: user}],");
        assert_eq!(shortfall("root", &rules), Err((true, Vec::new())));
        let read = |text| read(text, Profile::Kornsole).config.unwrap();
        assert_eq!(may_configure(&diff(&read(OLD), &read(&rules)), true, |_, _| false, []), Ok(()));
    }

    #[test]
    fn comments_alone_need_permission() {
        let comment = format!("# hello\n{OLD}");
        assert_eq!(shortfall("root.a", &comment), missing(&["root"]));
        assert_eq!(shortfall("root", &comment), Ok(()));
    }
}
