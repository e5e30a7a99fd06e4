//! The names of placement rules (PLC-015 to PLC-019) and what makes a path qualified (PLC-021).

use super::types::RuleKind;
use crate::model::Profile;

/// All names with their kinds; those that the releases know come first.
const NAMES: [(&str, RuleKind); 11] = [
    ("provided", RuleKind::Provided),
    ("user", RuleKind::User),
    ("fixed", RuleKind::Fixed),
    ("tag", RuleKind::Tag),
    ("username", RuleKind::User),
    ("primarygroup", RuleKind::PrimaryGroup),
    ("primarygroupname", RuleKind::PrimaryGroup),
    ("secondarygroup", RuleKind::SecondaryGroup),
    ("secondarygroupname", RuleKind::SecondaryGroup),
    ("applicationtype", RuleKind::ApplicationType),
    ("type", RuleKind::ApplicationType),
];

/// How many of [`NAMES`] the releases know.
const OF_RELEASES: usize = 4;

/// The names that the profile knows, with their kinds.
pub(super) fn names(profile: Profile) -> &'static [(&'static str, RuleKind)] {
    if profile == Profile::Kornsole { &NAMES } else { &NAMES[..OF_RELEASES] }
}

/// The rule of this name, whatever its case; `None` when the profile knows none.
pub fn rule_kind(name: &str, profile: Profile) -> Option<RuleKind> {
    names(profile).iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, kind)| *kind)
}

/// The names that the profile knows, for a message.
pub fn known_names(profile: Profile) -> String {
    names(profile).iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

/// Whether the value of a `fixed` rule is a full path: `root`, or `root.` in front, whatever the case.
pub fn is_qualified(value: &str) -> bool {
    let first = value.split('.').next().unwrap_or_default();
    first.eq_ignore_ascii_case("root")
}
