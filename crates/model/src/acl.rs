//! Access lists of queues (`acl-and-users.md` sections 2 to 4).

use super::identity::Identity;

/// ACL-001 to ACL-010. A list cannot deny access.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Acl {
    /// Including identities without name and groups (ACL-002, ACL-004).
    #[serde(rename = "everybody")]
    pub all_users: bool,
    /// The named users in order, without duplicates.
    pub users: Vec<String>,
    /// The named groups in order, without duplicates.
    pub groups: Vec<String>,
}

/// The valid names of an access list (NAM-001, NAM-002; switch `acl_names`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AclNames {
    /// Letters, digits, `.` `_` `-` and `@`, for users and groups.
    #[default]
    Portable,
    /// As in the releases: no group with a dot, no name that starts with a digit or a dot.
    Core,
}

/// A parsed access list with its oddities.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParsedAcl {
    /// The access list without ignored entries.
    pub acl: Acl,
    /// Entries with invalid names, which are ignored (CFG-038, ACL-005, ACL-008).
    pub ignored: Vec<String>,
    /// Groups follow a comma before the space, perhaps by mistake (ACL-007).
    pub comma_before_groups: bool,
}

impl Acl {
    /// Fails with the number of parts, if it has more than one space (ACL-010, CFG-037).
    pub fn parse(text: &str, names: AclNames) -> Result<ParsedAcl, usize> {
        let spaces = text.matches(' ').count();
        if spaces > 1 {
            return Err(spaces + 1);
        }
        let (users, groups) = text.split_once(' ').unwrap_or((text, ""));
        if users == "*" || groups == "*" {
            return Ok(ParsedAcl { acl: Self { all_users: true, ..Self::default() }, ..ParsedAcl::default() });
        }
        let mut reading =
            ParsedAcl { comma_before_groups: users.ends_with(',') && !groups.is_empty(), ..ParsedAcl::default() };
        let mut take = |list: &str, legal: fn(&str, AclNames) -> bool| {
            let mut retained: Vec<String> = Vec::new();
            for name in list.split(',').filter(|name| !name.is_empty()) {
                if !legal(name, names) {
                    reading.ignored.push(name.to_owned());
                } else if !retained.iter().any(|k| k == name) {
                    retained.push(name.to_owned());
                }
            }
            retained
        };
        let (users, groups) = (take(users, legal_user), take(groups, legal_group));
        reading.acl = Self { all_users: false, users, groups };
        Ok(reading)
    }

    /// Whether the list names the identity (ACL-020).
    pub fn grants(&self, who: &Identity) -> bool {
        self.all_users || self.users.contains(&who.user) || self.groups.iter().any(|group| who.groups.contains(group))
    }

    /// The union of the lists in order, without duplicates.
    pub fn joined<'a>(lists: impl IntoIterator<Item = &'a Self>) -> Self {
        let mut joined = Self::default();
        for list in lists {
            joined.all_users |= list.all_users;
            for (all, more) in [(&mut joined.users, &list.users), (&mut joined.groups, &list.groups)] {
                for name in more {
                    if !all.contains(name) {
                        all.push(name.clone());
                    }
                }
            }
        }
        joined
    }

    /// Whether the list is empty (ACL-001).
    pub fn is_empty_list(&self) -> bool {
        !self.all_users && self.users.is_empty() && self.groups.is_empty()
    }
}

impl std::fmt::Display for Acl {
    /// `*`, `sue,bob dev`; empty for an empty list.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.all_users {
            return f.write_str("*");
        }
        f.write_str(&self.users.join(","))?;
        if self.groups.is_empty() { Ok(()) } else { write!(f, " {}", self.groups.join(",")) }
    }
}

fn legal_user(name: &str, names: AclNames) -> bool {
    let name = name.strip_suffix('$').unwrap_or(name);
    match names {
        AclNames::Portable => legal(name, |c| c.is_ascii_alphanumeric() || "_.".contains(c), "_.@-"),
        AclNames::Core => legal(name, |c| c.is_ascii_alphabetic() || c == '_', "_.@-"),
    }
}

fn legal_group(name: &str, names: AclNames) -> bool {
    match names {
        AclNames::Portable => legal(name, |c| c.is_ascii_alphanumeric() || "_.".contains(c), "_.@-"),
        AclNames::Core => legal(name, |c| c.is_ascii_alphabetic() || c == '_', "_-"),
    }
}

fn legal(name: &str, first: impl Fn(char) -> bool, symbols: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(first) && chars.all(|c| c.is_ascii_alphanumeric() || symbols.contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<String>, Vec<String>, bool) {
        let acl = Acl::parse(text, AclNames::Portable).unwrap().acl;
        (acl.users, acl.groups, acl.all_users)
    }

    fn names(list: &str) -> Vec<String> {
        list.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn reads_the_table_of_section_3() {
        for (text, users, groups) in [
            ("", "", ""),
            (" ", "", ""),
            ("sue", "sue", ""),
            ("sue,bob", "sue bob", ""),
            ("sue,bob ", "sue bob", ""),
            ("sue dev", "sue", "dev"),
            ("sue,bob dev,test", "sue bob", "dev test"),
            (" dev,test", "", "dev test"),
            ("*,sue", "sue", ""),
            ("sue,*", "sue", ""),
            ("user@example.com", "user@example.com", ""),
            ("svc$", "svc$", ""),
            ("user,user", "user", ""),
            (" dotted.group", "", "dotted.group"),
            ("9user", "9user", ""),
            ("a:b", "", ""),
            ("a,,b", "a b", ""),
        ] {
            assert_eq!(read(text), (names(users), names(groups), false), "{text:?}");
        }
        for text in ["*", " *", "* ", "* dev", "sue *", "* *"] {
            assert!(read(text).2, "{text:?}");
        }
        for text in ["a b c", "a  b", " a b", "  ", " a "] {
            assert!(Acl::parse(text, AclNames::Portable).is_err(), "{text:?}");
        }
    }

    #[test]
    fn the_releases_drop_more_names() {
        let reading = Acl::parse("9user,sue dotted.group,dev", AclNames::Core).unwrap();
        assert_eq!(reading.acl.users, ["sue"]);
        assert_eq!(reading.acl.groups, ["dev"]);
        assert_eq!(reading.ignored, ["9user", "dotted.group"]);
    }

    #[test]
    fn shows_what_is_unusual() {
        assert!(Acl::parse("a, b", AclNames::Portable).unwrap().comma_before_groups);
        assert_eq!(Acl::parse("a\tb", AclNames::Portable).unwrap().ignored, ["a\tb"]);
    }

    #[test]
    fn grants_by_user_and_by_any_group() {
        let acl = Acl::parse("sue ops", AclNames::Portable).unwrap().acl;
        assert!(acl.grants(&Identity::new("sue", ["x"])));
        assert!(acl.grants(&Identity::new("x", ["y", "ops"])));
        assert!(!acl.grants(&Identity::new("Sue", ["Ops"])));
        assert!(Acl { all_users: true, ..Acl::default() }.grants(&Identity::default()));
        assert!(!Acl::default().grants(&Identity::default()));
    }
}
