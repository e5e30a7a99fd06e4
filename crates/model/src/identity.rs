//! An identity: a user and an ordered list of groups.

use std::fmt;

/// A user with groups, primary group first (USR-001, USR-002). Names are case-sensitive.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Identity {
    /// The user name; empty if missing.
    pub user: String,
    /// The groups, primary group first.
    pub groups: Vec<String>,
}

impl Identity {
    /// Creates an identity.
    pub fn new(user: impl Into<String>, groups: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { user: user.into(), groups: groups.into_iter().map(Into::into).collect() }
    }

    /// The format of `--as`: `user:group,group`. Without groups the list is `[user]` (USR-004).
    ///
    /// # Errors
    /// A message for a text without a user name.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (user, groups) = text.split_once(':').unwrap_or((text, ""));
        if user.is_empty() {
            return Err(format!("{text:?} does not name a user; write USER or USER:GROUP,GROUP"));
        }
        let groups: Vec<&str> = groups.split(',').filter(|g| !g.is_empty()).collect();
        if groups.is_empty() { Ok(Self::new(user, [user])) } else { Ok(Self::new(user, groups)) }
    }
}

impl fmt::Display for Identity {
    /// `sue (dev, ops)`; a group list with only the user name is omitted.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.user)?;
        if self.groups.is_empty() || self.groups == [self.user.as_str()] {
            return Ok(());
        }
        write!(f, " ({})", self.groups.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_as_option() {
        assert_eq!(Identity::parse("sue:dev,ops"), Ok(Identity::new("sue", ["dev", "ops"])));
        assert_eq!(Identity::parse("sue"), Ok(Identity::new("sue", ["sue"])));
        assert!(Identity::parse(":dev").is_err());
        assert!(Identity::parse("").is_err());
    }

    #[test]
    fn shows_groups_only_if_they_have_values() {
        assert_eq!(Identity::new("sue", ["dev"]).to_string(), "sue (dev)");
        assert_eq!(Identity::new("sue", ["sue"]).to_string(), "sue");
    }
}
