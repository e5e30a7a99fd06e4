//! The placement rules, their names (PLC-015 to PLC-019), and whole paths (PLC-021).

use model::{Profile, allowed_values};

/// The placement rules (PLC-015 to PLC-019).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum RuleKind {
    /// The requested queue.
    #[default]
    Provided,
    /// A queue with the name of the user.
    User,
    /// The queue in `value`.
    Fixed,
    /// A queue with the value of the tag in `value`.
    Tag,
    /// A queue with the name of the user's first group.
    PrimaryGroup,
    /// A queue with the name of another group, the first one in the filter.
    SecondaryGroup,
    /// A queue with the name in the tag `application.type`.
    ApplicationType,
}

allowed_values!(RuleKind, any_case, {
    Provided: All "provided", [], "the requested queue";
    User: All "user", ["username"], "the user name";
    Fixed: All "fixed", [], "the queue in `value`";
    Tag: All "tag", [], "the tag that `value` names";
    PrimaryGroup: Kornsole "primarygroup", ["primarygroupname"], "the first group of the user";
    SecondaryGroup: Kornsole "secondarygroup", ["secondarygroupname"], "another group of the user";
    ApplicationType: Kornsole "applicationtype", ["type"], "the tag `application.type`";
});

/// The use of `value` in a placement rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleValue {
    /// By its full path or relative to the parent rule's queue; required.
    QueuePath,
    /// The name of a tag; required.
    TagName,
    /// Not used (CFG-094).
    Unused,
}

impl RuleKind {
    /// The rule with this name in any case; `None` if `profile` has no such rule.
    pub fn read(text: &str, profile: Profile) -> Option<Self> {
        let mut rows = Self::VALUES.iter().zip(Self::ALLOWED);
        let same = |name: &str| name.eq_ignore_ascii_case(text);
        rows.find(|(_, row)| row.spellings(profile).any(same)).map(|(kind, _)| *kind)
    }

    /// The names of rules: first those of the releases, then kornsole's.
    pub fn spellings(profile: Profile) -> Vec<&'static str> {
        let releases = |row: &&model::AllowedValue| row.is_read_by(Profile::V1_5_1);
        let shared: Vec<&str> = Self::ALLOWED.iter().filter(releases).map(|row| row.name).collect();
        let all = Self::ALLOWED.iter().flat_map(|row| row.spellings(profile));
        let own: Vec<&str> = all.filter(|name| !shared.contains(name)).collect();
        [shared, own].concat()
    }

    /// Whether the releases have the rule (switch `more_rules`).
    pub fn is_in_releases(self) -> bool {
        self.row().is_read_by(Profile::V1_5_1)
    }

    /// `value` is a queue.
    pub fn value_is_queue(self) -> bool {
        self.value() == RuleValue::QueuePath
    }

    /// Whether `value` is the name of a tag.
    pub fn value_is_tag(self) -> bool {
        self.value() == RuleValue::TagName
    }

    /// The use of `value` (CFG-086, CFG-094).
    pub const fn value(self) -> RuleValue {
        match self {
            Self::Fixed => RuleValue::QueuePath,
            Self::Tag => RuleValue::TagName,
            Self::Provided | Self::User | Self::PrimaryGroup | Self::SecondaryGroup | Self::ApplicationType => {
                RuleValue::Unused
            }
        }
    }
}

/// Whether a value is `root` or `root.…` in any case.
pub fn is_qualified(value: &str) -> bool {
    let first = value.split('.').next().unwrap_or_default();
    first.eq_ignore_ascii_case("root")
}
