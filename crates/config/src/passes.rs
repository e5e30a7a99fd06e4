//! Which users pass the filter of a placement rule, as far as its text decides (PLC-050 to PLC-058).

mod names;

use model::expression::{Compiler, is_expression};
use model::name::{NameChars, is_limit_group, is_limit_user};

/// How many names match, or how many users pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Share {
    All,
    None,
    /// Also if it is not certain.
    Some,
}

/// The entries of a filter.
pub(crate) struct FilterNames<'f> {
    pub denies: bool,
    pub users: Vec<&'f str>,
    pub groups: Vec<&'f str>,
}

impl FilterNames<'_> {
    pub fn passing(&self, chars: NameChars, compiler: &mut Compiler) -> Share {
        let matched = if self.users.is_empty() && self.groups.is_empty() {
            // Without names the type alone decides (PLC-050).
            Share::All
        } else {
            let users = matched(&self.users, |name| is_limit_user(name, chars), compiler);
            // Each user is in a group (USR-004).
            match (users, matched(&self.groups, is_limit_group, compiler)) {
                (Share::All, _) | (_, Share::All) => Share::All,
                (Share::None, Share::None) => Share::None,
                _ => Share::Some,
            }
        };
        match (matched, self.denies) {
            (Share::All, true) => Share::None,
            (Share::None, true) => Share::All,
            (matched, _) => matched,
        }
    }

    /// The message and the hint about a filter that all users pass, or none (W-004).
    pub fn message(&self, is_of_parent: bool, chars: NameChars, compiler: &mut Compiler) -> Option<(String, String)> {
        let mut hint = self.hint(chars, compiler);
        let message = match (self.passing(chars, compiler), is_of_parent) {
            (Share::Some, _) => return None,
            (Share::All, _) => {
                hint.push_str(", or remove the filter");
                "all users pass this filter, so it has no effect"
            }
            (Share::None, true) => "no user passes this filter, so the parent rule never selects a queue",
            (Share::None, false) => "no user passes this filter, so the rule never places an application",
        };
        Some((message.to_owned(), hint))
    }

    fn hint(&self, chars: NameChars, compiler: &mut Compiler) -> String {
        let users = joined(&self.users, |name| is_limit_user(name, chars), compiler);
        let groups = joined(&self.groups, is_limit_group, compiler);
        let one = |key: &str, expression: String| format!("`{key}: ['{}']`", expression.replace('\'', "''"));
        let written = users.map(|users| one("users", users)).or(groups.map(|groups| one("groups", groups)));
        match written {
            Some(written) => format!("a list has names only: write one expression, {written}"),
            None => "list the names of users or groups, or one expression that only some of them match".to_owned(),
        }
    }
}

/// By whole names or expressions (PLC-052, PLC-053).
fn matched(entries: &[&str], legal: impl Fn(&str) -> bool, compiler: &mut Compiler) -> Share {
    match entries {
        [one] if is_expression(one) => {
            compiler.compile(one).map_or(Share::Some, |expression| names::share_of(one, &expression))
        }
        [one] if !legal(one) => Share::Some,
        all if all.iter().any(|name| legal(name)) => Share::Some,
        _ => Share::None,
    }
}

/// One expression for a list whose expressions are ignored.
fn joined(entries: &[&str], legal: impl Fn(&str) -> bool, compiler: &mut Compiler) -> Option<String> {
    let is_ignored = |entry: &&&str| !legal(entry) && is_expression(entry);
    if entries.len() < 2 || !entries.iter().any(|entry| is_ignored(&entry)) {
        return None;
    }
    let kept = entries.iter().filter(|entry| legal(entry) || is_expression(entry));
    let each = kept.map(|entry| if legal(entry) { format!("^{}$", escaped(entry)) } else { (*entry).to_owned() });
    let one = each.collect::<Vec<_>>().join("|");
    compiler.compile(&one).is_ok().then_some(one)
}

fn escaped(name: &str) -> String {
    name.replace('.', "\\.").replace('$', "\\$")
}

#[cfg(test)]
mod tests;
