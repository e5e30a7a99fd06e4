//! The differences of placement between the releases (`profiles.md` section 5).

use model::Profile;
use model::name::NameChars;

/// The switches of placement, read once when the rules are built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// `placement_default`: `root.default` is tried when no rule matched (PLC-004).
    pub placement_default: bool,
    /// `illegal_name`: an illegal name is an error in the rule, create or not (PLC-023).
    pub illegal_name: bool,
    /// `queue_name_chars`: the characters of a created queue's name (CFG-030).
    pub queue_name_chars: NameChars,
    /// `user_name_chars`: in a filter's list (NAM-004).
    pub user_name_chars: NameChars,
    /// `user_name_check`: the user of a submission with groups must have a legal name (USR-009).
    pub user_name_check: bool,
    /// `qualified_case`: `ROOT.x` is a whole path like `root.x`, and `rootbeer` is not (PLC-021).
    pub any_case: bool,
    /// `recovery_queue_open`: a rule may yield the recovery queue (PLC-064).
    pub recovery_queue_open: bool,
    /// `draining_placement`: which queues count as draining (PLC-062).
    pub draining: Draining,
    /// `partial_path`: the parents of an illegal part are created and remain (PLC-072).
    pub partial_path: bool,
    /// `rules_at_start`: a partition with invalid rules has no rules (PLC-101).
    pub starts_without_rules: bool,
    /// PLC-019: the rules for groups and the application type are known.
    pub more_rules: bool,
}

/// When draining closes a queue to applications (PLC-062, switch `draining_placement`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draining {
    /// Never: a draining queue accepts applications.
    Ignored,
    /// When the leaf itself drains.
    Leaf,
    /// When the leaf or a parent drains.
    Path,
}

impl Switches {
    /// The switches of `profile`.
    pub const fn of(profile: Profile) -> Self {
        let core = Self {
            placement_default: false,
            illegal_name: false,
            queue_name_chars: NameChars::Narrow,
            user_name_chars: NameChars::Narrow,
            user_name_check: false,
            any_case: false,
            recovery_queue_open: true,
            draining: Draining::Ignored,
            partial_path: true,
            starts_without_rules: true,
            more_rules: false,
        };
        match profile {
            Profile::V1_5_1 => core,
            Profile::V1_8_0 | Profile::V1_9_0 => Self {
                placement_default: true,
                illegal_name: true,
                queue_name_chars: NameChars::Wide,
                user_name_chars: NameChars::Wide,
                user_name_check: true,
                draining: Draining::Leaf,
                ..core
            },
            Profile::Kornsole => Self {
                any_case: true,
                recovery_queue_open: false,
                draining: Draining::Path,
                partial_path: false,
                starts_without_rules: false,
                more_rules: true,
                ..core
            },
        }
    }
}
