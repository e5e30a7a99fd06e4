//! Valid names (`acl-and-users.md` section 2, CFG-030). For access lists see [`super::acl`].

/// The characters in addition to those of every release (switches `queue_name_chars`, `user_name_chars`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NameChars {
    /// As in 1.5.1.
    #[default]
    Narrow,
    /// As in 1.8: in queue names also `:` `#` `/` `@`, in user names also `#` `/`.
    Wide,
}

/// The longest name of a queue, in characters (CFG-030).
pub const QUEUE_NAME_MAX: usize = 64;

/// Whether `name` may be one part of a queue path (CFG-030, PLC-023).
pub fn is_queue_name(name: &str, chars: NameChars) -> bool {
    let more = match chars {
        NameChars::Narrow => "_-",
        NameChars::Wide => "_-:#/@",
    };
    (1..=QUEUE_NAME_MAX).contains(&name.len()) && name.chars().all(|c| c.is_ascii_alphanumeric() || more.contains(c))
}

/// NAM-003, NAM-004, CFG-061; one `$` may end the name.
pub fn is_limit_user(name: &str, chars: NameChars) -> bool {
    let more = match chars {
        NameChars::Narrow => ":_.@-",
        NameChars::Wide => ":_.@-#/",
    };
    is_limit_name(name.strip_suffix('$').unwrap_or(name), more)
}

/// Whether a limit or a filter may name this group (NAM-003, CFG-062).
pub fn is_limit_group(name: &str) -> bool {
    is_limit_name(name, ":_.-")
}

fn is_limit_name(name: &str, more: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || more.contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queue_names_are_short_and_plain() {
        for good in ["a", "A-b_9", &"x".repeat(64)] {
            assert!(is_queue_name(good, NameChars::Narrow), "{good:?}");
        }
        for bad in ["", "a b", "a.b", "é", "a\n", &"x".repeat(65)] {
            assert!(!is_queue_name(bad, NameChars::Wide), "{bad:?}");
        }
        for wide in ["a@b", "a:b", "a#b", "a/b"] {
            assert!(!is_queue_name(wide, NameChars::Narrow), "{wide:?}");
            assert!(is_queue_name(wide, NameChars::Wide), "{wide:?}");
        }
    }

    #[test]
    fn users_may_end_in_a_dollar_and_groups_have_no_domain() {
        for good in ["sue", "_x", "svc$", "system:serviceaccount:x", "a@b.c"] {
            assert!(is_limit_user(good, NameChars::Narrow), "{good:?}");
        }
        for bad in ["", "$", "9a", "a b", "a*", "a$b", "a/b"] {
            assert!(!is_limit_user(bad, NameChars::Narrow), "{bad:?}");
        }
        assert!(is_limit_user("a/b#c", NameChars::Wide));
        assert!(is_limit_group("dev.ops:x"));
        assert!(!is_limit_group("dev@x"));
        assert!(!is_limit_group("dev$"));
    }
}
