//! Where the behavior profiles part (`profiles.md`): one named condition each, read once when a scheduler is made.

use crate::interface::tuning::Tuning;
use crate::placement;
use model::Profile;

/// The switches of a scheduler. Each is named as in `profiles.md` and carries the id of its deviation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// The profile that they come from.
    pub profile: Profile,
    /// D-07: an application goes through Starting on its way to Running.
    pub starting_state: bool,
    /// D-07: `stateaware` is a policy of its own and not an alias of `fifo`.
    pub stateaware: bool,
    /// D-08: a queue's share is one number over guarantee, maximum or cluster, not a list over its own guarantee.
    pub fair_share_of_cluster: bool,
    /// D-24: the running count is cut at `maxapplications`.
    pub running_count_cut: bool,
    /// D-11: a removed application stays in `allocatingAccepted` of the queues above its leaf.
    pub accepted_leak: bool,
    /// P-16: an application whose last ask is withdrawn after its last allocation ended runs on for its user and its group, also when
    /// it has completed.
    pub running_leak: bool,
    /// P-02: a reload reports no new priority to the parent.
    pub priority_cache: bool,
    /// P-03: a submission reports the leaf's priority upwards, which refreshes what P-02 left stale.
    pub priority_on_submit: bool,
    /// D-23: what happens to an ask that is made again while it is pending.
    pub ask_again_pending: AskAgainPending,
    /// D-23: what happens to an ask that is made again while it is allocated.
    pub ask_again_allocated: AskAgainAllocated,
    /// D-09: what happens to an ask whose required node is unknown or reserved for another.
    pub required_node: RequiredNode,
    /// D-06: in maxima along a path, a name that is missing on one level counts 0.
    pub path_minimum: bool,
    /// P-07: a placeholder whose stop was requested because of time or size counts as timed out when its end is confirmed, not
    /// only when the placeholder timer asked (`placeholder_timedout`).
    pub timed_out_when_gone: bool,
    /// P-21: a gang that did not come together is asked to stop its real allocations as well, and its pending real asks count as timed
    /// out in their groups (`gang_timeout_real`).
    pub gang_timeout_real: bool,
    /// P-22: a failed gang's real allocations stay on their nodes and with user and group, though its application no longer exists
    /// (`gang_failed_leak`).
    pub gang_failed_leak: bool,
    /// D-19: an application with too many asks that find no node is not tried for a while (`unschedulable_backoff`).
    pub unschedulable_backoff: bool,
    /// P-06: an allocation that ends otherwise than by time takes its ask with it, which is reported (`release_ends_ask`).
    pub release_ends_ask: bool,
    /// D-21: the reasons why an application cannot start to run are also reported for running ones, where they mean nothing.
    pub events_runnable: bool,
    /// SCH-223: the event of the root's new maximum carries the old one.
    pub root_max_reported_late: bool,
    /// SCH-223: every limit that stays is reported again at each load.
    pub limits_reported_again: bool,
    /// D-22: a queue that uses more of anything than its maximum gets nothing more, whatever the ask needs (`commit_check`).
    pub commit_check: bool,
    /// SCH-157: victims are sought on nodes that lack a resource of the ask, too, and what a node lacks does not count there
    /// (`node_total`).
    pub victims_on_any_node: bool,
    /// P-04: a resource name whose last node went stays in the root's maximum with 0.
    pub root_max_keeps_zero: bool,
    /// D-03: a draining queue that is in the file again becomes active.
    pub reload_revives: bool,
    /// D-01: a reload applies `maxapplications` to existing queues, the root included.
    pub reload_max_apps: ReloadMaxApps,
    /// D-02, N-05: what a reload makes of the properties of an existing queue (`reload_properties`).
    pub reload_properties: ReloadProperties,
    /// `config.md` section 10: a reload passes templates down again, as at creation.
    pub reload_template: bool,
    /// D-25: a maximum of only zeros limits nothing.
    pub zero_max_unset: bool,
    /// D-26: the usage of a group is forgotten along the path of a queue that limits it no more (`group_limit_gone`).
    pub group_usage_lost: bool,
    /// `acl-and-users.md` section 10: limits at and below a queue written with capitals never hold (`limit_path_case`).
    pub limit_path_case: bool,
    /// LIM-017: the limits of the partition loaded last hold in all partitions (`limits_per_process`).
    pub limits_of_last_partition: bool,
    /// P-15: a reload that is refused has brought its limits into force (`reload_trial_limits`).
    pub trial_limits: bool,
    /// PLC-076: quota and guarantee in tags are set together, and a maximum of applications is taken too.
    pub namespace_tags_together: bool,
    /// PLC-093: what the recovery queue gets.
    pub recovery_queue: RecoveryQueue,
    /// SCH-150: a try that ends at the preconditions counts as an attempt at preemption, too.
    pub attempt_count: bool,
    /// P-10, N-03: which queues are preemption fences because of their maximum.
    pub max_is_fence: MaxIsFence,
    /// D-05: what a queue without a guarantee uses is protected by nothing, not even while it fits its maximum.
    pub victim_without_guarantee: bool,
    /// D-14: what is being preempted already may be chosen again.
    pub victim_again: bool,
    /// P-11: a victim has a resource name in common with the ask.
    pub victim_shares_name: bool,
    /// D-18: what keeps a queue from falling below its guarantee.
    pub victim_floor: VictimFloor,
    /// P-12: what the ask's queue must be able to take.
    pub ask_queue_room: AskQueueRoom,
    /// P-13: of the victims found only as many go as the ask needs.
    pub final_cut: bool,
    /// P-14: the newest of further victims is the one that asked last, not the one allocated last.
    pub victim_age: bool,
    /// P-05: an ask that holds a reservation when it preempts elsewhere keeps that one, and the new node is not reserved for it.
    pub reservation_identity: bool,
    /// SCH-136: a preemptor does away with old reservations of less important asks.
    pub reservation_cancel: bool,
    /// N-01: a queue above its maximum is brought down to it after a delay.
    pub quota_preemption: bool,
    /// N-01: the delay is read by its old name, too, where the new one is absent.
    pub quota_old_key: bool,
    /// N-01a: allocations that offer themselves as victims go last, and those that started their application first.
    pub quota_opted_in_last: bool,
    /// N-01b: of the guarantees on a path only the one that is exceeded most protects.
    pub quota_largest_guard: bool,
    /// N-01c: what a child lacks of its guarantee counts as if it were above it.
    pub quota_counts_below: bool,
    /// N-01d: a delay of 0, or one that is taken out, leaves the time that is set.
    pub quota_keeps_time: bool,
    /// N-02: an allocation that grows by itself starts the delay as well.
    pub quota_arm: bool,
    /// N-04: a reservation whose ask has had no headroom is given up after 120 minutes.
    pub reservation_timeout: bool,
    /// N-06: a node keeps names of capacity 0.
    pub zero_capacity: bool,
    /// N-07 (USR-008): how long the groups of an earlier submission represent those that a later one does not name.
    pub group_cache: GroupCache,
    /// How applications are placed.
    pub place: placement::Switches,
}

/// What a reload makes of the properties of an existing queue (switch `reload_properties`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReloadProperties {
    /// What the file says for the queue itself; a key that no longer exists keeps its effect.
    Own,
    /// What its parent has now, and its own on top; a key that neither has keeps its effect.
    Inherited,
    /// The same as at creation.
    Recomputed,
}

/// Which queues are preemption fences because of their maximum (switch `max_is_fence`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxIsFence {
    /// No queue is one because of its maximum.
    Never,
    /// The first that has all of its own maximum in use.
    Full,
    /// The first in which the ask would exceed a maximum of the path.
    Exceeded,
}

/// How long the groups of an earlier submission represent those that a later one does not name (switch `group_cache`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupCache {
    /// Not at all.
    Never,
    /// As long as the scheduler runs.
    Forever,
    /// For less than 300 s.
    FiveMinutes,
}

/// What keeps a queue from falling below its guarantee when it gives victims (switch `victim_floor`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VictimFloor {
    /// After the victim went the queue has its guarantee in every name that the victim carried.
    EveryName,
    /// After the victim went the queue is over in one name, or has its guarantee in all.
    AnyName,
    /// Before the victim went the queue was over in a name of the ask.
    BeforeRemoval,
}

/// What the ask's queue must be able to take (switch `ask_queue_room`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskQueueRoom {
    /// The ask, within the queue's guarantee.
    Within,
    /// Each victim, within the rest of the queue's guarantee.
    Pays,
}

/// Which settings of other dynamic leaves the recovery queue gets, too (switch `recovery_queue_limits`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryQueue {
    /// No template, no quotas.
    Bare,
    /// The root's template.
    Template,
    /// The root's template, and the quotas of applications' tags.
    TemplateAndTags,
}

/// What happens to an ask that is made again while it is pending (switch `ask_again_pending`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskAgainPending {
    /// The new one takes its place altogether.
    Replaces,
    /// The new one counts, and the old one is tried at its place as well.
    LeavesOld,
    /// It takes over the new size and nothing else.
    Resizes,
}

/// What happens to an ask that is made again while it is allocated (switch `ask_again_allocated`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskAgainAllocated {
    /// The new one is refused: ids are unique (SCH-013).
    Refused,
    /// The new one is allocated next to it.
    Second,
    /// The allocation takes over the new size, whether there is room or not.
    Resizes,
}

/// What a cycle does when the node that an ask requires is unknown, or is reserved for another such ask (switch `required_node`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredNode {
    /// The next ask is tried.
    NextAsk,
    /// The application is given up for this cycle.
    GivesUpApp,
    /// The next ask is tried if the node is unknown; a node is reserved for any number of asks that require it.
    Shared,
}

/// Which queues a reload gives a new `maxapplications` (switch `reload_maxapps`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReloadMaxApps {
    /// Every queue, the root too.
    All,
    /// Every queue not named root.
    NotRoot,
    /// None that exists already.
    None,
}

impl Switches {
    /// The default profile.
    const KORNSOLE: Self = Self {
        profile: Profile::Kornsole,
        starting_state: true,
        stateaware: true,
        fair_share_of_cluster: false,
        running_count_cut: false,
        accepted_leak: false,
        running_leak: false,
        priority_cache: false,
        priority_on_submit: false,
        ask_again_pending: AskAgainPending::Replaces,
        ask_again_allocated: AskAgainAllocated::Refused,
        required_node: RequiredNode::NextAsk,
        path_minimum: false,
        timed_out_when_gone: true,
        gang_timeout_real: false,
        gang_failed_leak: false,
        unschedulable_backoff: false,
        release_ends_ask: true,
        events_runnable: false,
        root_max_reported_late: false,
        limits_reported_again: false,
        commit_check: false,
        victims_on_any_node: false,
        root_max_keeps_zero: false,
        reload_revives: true,
        reload_max_apps: ReloadMaxApps::All,
        reload_properties: ReloadProperties::Recomputed,
        reload_template: true,
        zero_max_unset: false,
        group_usage_lost: false,
        limit_path_case: false,
        limits_of_last_partition: false,
        trial_limits: false,
        namespace_tags_together: false,
        recovery_queue: RecoveryQueue::Bare,
        attempt_count: false,
        max_is_fence: MaxIsFence::Exceeded,
        victim_without_guarantee: true,
        victim_again: false,
        victim_shares_name: false,
        victim_floor: VictimFloor::EveryName,
        ask_queue_room: AskQueueRoom::Within,
        final_cut: false,
        victim_age: false,
        reservation_identity: false,
        reservation_cancel: false,
        quota_preemption: true,
        quota_old_key: true,
        quota_opted_in_last: false,
        quota_largest_guard: false,
        quota_counts_below: false,
        quota_keeps_time: false,
        quota_arm: true,
        reservation_timeout: true,
        zero_capacity: false,
        group_cache: GroupCache::Never,
        place: placement::Switches::of(Profile::Kornsole),
    };

    /// What 1.5.1 has in common with the later releases.
    const RELEASES: Self = Self {
        running_count_cut: true,
        events_runnable: true,
        root_max_reported_late: true,
        limits_reported_again: true,
        accepted_leak: true,
        running_leak: true,
        gang_failed_leak: true,
        priority_cache: true,
        reload_properties: ReloadProperties::Own,
        reload_template: false,
        zero_max_unset: true,
        group_usage_lost: true,
        limit_path_case: true,
        limits_of_last_partition: true,
        max_is_fence: MaxIsFence::Never,
        quota_preemption: false,
        quota_old_key: false,
        // Of no consequence without it, and no difference to 1.9.0.
        quota_opted_in_last: true,
        quota_largest_guard: true,
        quota_counts_below: true,
        quota_keeps_time: true,
        quota_arm: false,
        reservation_timeout: false,
        zero_capacity: true,
        group_cache: GroupCache::Forever,
        ..Self::KORNSOLE
    };

    const V1_5_1: Self = Self {
        priority_on_submit: true,
        ask_again_pending: AskAgainPending::LeavesOld,
        ask_again_allocated: AskAgainAllocated::Second,
        required_node: RequiredNode::GivesUpApp,
        path_minimum: true,
        timed_out_when_gone: false,
        release_ends_ask: false,
        commit_check: true,
        victims_on_any_node: true,
        root_max_keeps_zero: true,
        reload_revives: false,
        reload_max_apps: ReloadMaxApps::None,
        trial_limits: true,
        recovery_queue: RecoveryQueue::TemplateAndTags,
        attempt_count: true,
        victim_without_guarantee: false,
        victim_again: true,
        victim_floor: VictimFloor::AnyName,
        reservation_identity: true,
        ..Self::RELEASES
    };

    const V1_8_0: Self = Self {
        starting_state: false,
        ask_again_pending: AskAgainPending::Resizes,
        ask_again_allocated: AskAgainAllocated::Resizes,
        required_node: RequiredNode::Shared,
        gang_timeout_real: true,
        unschedulable_backoff: true,
        stateaware: false,
        fair_share_of_cluster: true,
        reload_max_apps: ReloadMaxApps::NotRoot,
        namespace_tags_together: true,
        recovery_queue: RecoveryQueue::Template,
        max_is_fence: MaxIsFence::Full,
        victim_shares_name: true,
        victim_floor: VictimFloor::BeforeRemoval,
        ask_queue_room: AskQueueRoom::Pays,
        final_cut: true,
        victim_age: true,
        reservation_cancel: true,
        ..Self::RELEASES
    };

    const V1_9_0: Self = Self {
        reload_properties: ReloadProperties::Inherited,
        max_is_fence: MaxIsFence::Exceeded,
        quota_preemption: true,
        quota_arm: true,
        reservation_timeout: true,
        zero_capacity: false,
        group_cache: GroupCache::FiveMinutes,
        ..Self::V1_8_0
    };

    /// The switches of a profile.
    pub const fn of(profile: Profile) -> Self {
        let table = match profile {
            Profile::Kornsole => Self::KORNSOLE,
            Profile::V1_5_1 => Self::V1_5_1,
            Profile::V1_8_0 => Self::V1_8_0,
            Profile::V1_9_0 => Self::V1_9_0,
        };
        Self { profile, place: placement::Switches::of(profile), ..table }
    }

    /// With what the operator has set.
    #[must_use]
    pub const fn tuned(self, tuning: &Tuning) -> Self {
        let victim_floor = if tuning.above_in_one_gives { VictimFloor::AnyName } else { self.victim_floor };
        Self { victim_floor, ..self }
    }
}
