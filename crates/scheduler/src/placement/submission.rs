//! The submission to place, and its submitter (`acl-and-users.md` section 1, PLC-090).

use std::collections::BTreeMap;

use model::Identity;
use model::name::is_limit_user;

use super::refusal::Refusal;
use super::switches::Switches;

/// The tag that forces an application in (PLC-090).
const FORCE_TAG: &str = "application.create.force";

/// An application to place.
#[derive(Clone, Copy, Debug)]
pub struct Submission<'a> {
    /// The requested queue; may be empty.
    pub queue: &'a str,
    /// The submitter with resolved groups ([`identify`]).
    pub identity: &'a Identity,
    /// The application tags, including the application type and the forced flag.
    pub tags: &'a BTreeMap<String, String>,
}

impl<'a> Submission<'a> {
    /// The value of a tag by case-insensitive name (PLC-043); of several the first in byte order.
    pub fn tag(&self, name: &str) -> Option<&'a str> {
        tag(self.tags, name)
    }

    /// Whether the recovery queue accepts it when no rule matches (PLC-090).
    pub fn is_forced(&self) -> bool {
        is_forced(self.tags)
    }
}

/// Whether the tags force the placement (PLC-090).
pub fn is_forced(tags: &BTreeMap<String, String>) -> bool {
    matches!(tag(tags, FORCE_TAG), Some("1" | "t" | "T" | "true" | "TRUE" | "True"))
}

/// The value of a tag by case-insensitive name (PLC-043); of several the first in byte order.
pub fn tag<'a>(tags: &'a BTreeMap<String, String>, name: &str) -> Option<&'a str> {
    tags.iter().find(|(key, _)| same_ignoring_case(key, name)).map(|(_, value)| value.as_str())
}

fn same_ignoring_case(a: &str, b: &str) -> bool {
    if a.is_ascii() && b.is_ascii() {
        return a.eq_ignore_ascii_case(b);
    }
    a.chars().flat_map(char::to_lowercase).eq(b.chars().flat_map(char::to_lowercase))
}

/// A resolver that gives every user one group of the same name (USR-004).
///
/// # Errors
/// Never.
pub fn no_resolver(user: &str) -> Result<Vec<String>, String> {
    Ok(vec![user.to_owned()])
}

/// The submitter with the submitted groups, otherwise with those from `resolve` (USR-003 to USR-009).
///
/// # Errors
/// [`Refusal::NoUser`] and [`Refusal::UnknownUser`] unless the application is forced; [`Refusal::IllegalUser`] by the
/// switch `user_name_check`.
pub fn identify(
    user: &str,
    groups: &[String],
    forced: bool,
    switches: Switches,
    resolve: impl FnOnce(&str) -> Result<Vec<String>, String>,
) -> Result<Identity, Refusal> {
    if user.is_empty() {
        return if forced { Ok(Identity::new("nobody", ["nogroup"])) } else { Err(Refusal::NoUser) };
    }
    if !groups.is_empty() {
        if switches.user_name_check && !is_limit_user(user, switches.user_name_chars) {
            return Err(Refusal::IllegalUser { user: user.to_owned() });
        }
        return Ok(Identity::new(user, groups));
    }
    match resolve(user) {
        Ok(groups) => Ok(Identity::new(user, groups)),
        Err(_) if forced => Ok(Identity::new(user, ["nogroup"])),
        Err(reason) => Err(Refusal::UnknownUser { user: user.to_owned(), reason }),
    }
}
