//! Filters of rules (`placement.md` section 5).

use std::sync::Arc;

use regex::Regex;

use config::FilterConfig;
use model::Identity;
use model::expression::{ExpressionFault, compile, is_expression};
use model::name::{NameChars, is_limit_group, is_limit_user};

/// A compiled filter.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub(super) deny: bool,
    pub(super) users: Names,
    pub(super) groups: Names,
}

/// The users or the groups of a filter (PLC-052, PLC-053).
#[derive(Clone, Debug, Default)]
pub(super) enum Names {
    #[default]
    Absent,
    List(Box<[Arc<str>]>),
    Expression(Regex, Arc<str>),
}

/// The result of a filter for an identity.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum FilterVerdict {
    /// Not evaluated: the rule has no input (PLC-030).
    #[default]
    NotAsked,
    /// The filter is empty: all users pass (PLC-050).
    Open,
    /// A deny filter without names: no user passes (PLC-050).
    Closed,
    /// Matches an allow filter (the match), or does not match a deny filter.
    Passes(Option<Match>),
    /// Matches a deny filter (the match), or does not match an allow filter.
    Stops(Option<Match>),
}

/// The matching entry of a filter.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Match {
    /// The matched user or group.
    pub by: MatchedBy,
    /// The filter's entry: a name or an expression.
    #[serde(with = "model::saved::text")]
    pub entry: Arc<str>,
}

/// The part of an identity that matched (PLC-057).
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum MatchedBy {
    /// The user name.
    User,
    /// A group of the user.
    Group(Box<str>),
}

impl FilterVerdict {
    /// Whether the rule continues.
    pub fn passes(&self) -> bool {
        matches!(self, Self::Open | Self::Passes(_))
    }
}

impl Filter {
    /// # Errors
    /// The expression that does not compile, and why (CFG-083, CFG-084).
    pub(super) fn build(config: &FilterConfig, chars: NameChars) -> Result<Self, (String, ExpressionFault)> {
        Ok(Self {
            deny: config.deny,
            users: Names::build(&config.users, |name| is_limit_user(name, chars))?,
            groups: Names::build(&config.groups, is_limit_group)?,
        })
    }

    /// Evaluates the filter (PLC-050, PLC-057, PLC-058).
    pub fn judge(&self, who: &Identity) -> FilterVerdict {
        if self.is_empty() {
            return if self.deny { FilterVerdict::Closed } else { FilterVerdict::Open };
        }
        let by_user = || self.users.find(&who.user).map(|entry| Match { by: MatchedBy::User, entry });
        let by_group = || {
            who.groups.iter().find_map(|group| {
                self.groups.find(group).map(|entry| Match { by: MatchedBy::Group(group.as_str().into()), entry })
            })
        };
        let found = by_user().or_else(by_group);
        if found.is_some() == self.deny { FilterVerdict::Stops(found) } else { FilterVerdict::Passes(found) }
    }

    /// Empty for a deny filter (PLC-045).
    pub(super) fn wanted_groups(&self) -> Names {
        if self.deny { Names::Absent } else { self.groups.clone() }
    }

    pub(super) fn is_empty(&self) -> bool {
        matches!((&self.users, &self.groups), (Names::Absent, Names::Absent))
    }
}

impl Names {
    fn build(entries: &[String], legal: impl Fn(&str) -> bool) -> Result<Self, (String, ExpressionFault)> {
        match entries {
            [] => Ok(Self::Absent),
            [only] if is_expression(only) => {
                let regex = compile(only).map_err(|fault| (only.clone(), fault))?;
                Ok(Self::Expression(regex, only.as_str().into()))
            }
            _ => {
                let mut names: Vec<Arc<str>> =
                    entries.iter().filter(|name| legal(name)).map(|name| name.as_str().into()).collect();
                names.sort_unstable();
                names.dedup();
                Ok(Self::List(names.into()))
            }
        }
    }

    pub(super) fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    pub(super) fn find(&self, name: &str) -> Option<Arc<str>> {
        match self {
            Self::Absent => None,
            Self::List(names) => names.binary_search_by(|entry| (**entry).cmp(name)).ok().map(|at| names[at].clone()),
            Self::Expression(regex, text) => regex.is_match(name).then(|| text.clone()),
        }
    }
}
