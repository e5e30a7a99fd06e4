//! The differences between the profiles (`profiles.md`), read once when a scheduler is created.

use crate::interface::tuning::Tuning;
use crate::placement;
use model::Profile;

/// The switches, named as in `profiles.md`, each with the ID of its deviation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// The profile of the switches.
    pub profile: Profile,
    /// D-07: an application passes through Starting before Running.
    pub starting_state: bool,
    /// D-07: `stateaware` is a separate policy and not an alias of `fifo`.
    pub stateaware: bool,
    /// D-08: a queue's share is one number relative to guaranteed, maximum, or cluster.
    pub fair_share_of_cluster: bool,
    /// D-24: capped at `maxapplications`.
    pub running_count_cut: bool,
    /// D-11: a removed application stays in `allocatingAccepted` of the parents of its leaf.
    pub accepted_leak: bool,
    /// P-16: an application still counts as running for its user and group if its last request is canceled after its
    /// last allocation ended.
    pub running_leak: bool,
    /// P-02: a reload reports no new priority to the parent.
    pub priority_cache: bool,
    /// P-03: a submission reports the leaf's priority upwards.
    pub priority_on_submit: bool,
    /// D-23: sending a pending request again.
    pub ask_again_pending: AskAgainPending,
    /// D-23: sending an allocated request again.
    pub ask_again_allocated: AskAgainAllocated,
    /// D-09: the effect of a required node that is unknown or reserved for another request.
    pub required_node: RequiredNode,
    /// D-06: in maxima along a path, a name that is missing on one level counts as 0.
    pub path_minimum: bool,
    /// P-07: a placeholder that was stopped because of time or size counts as timed out when its end is confirmed
    /// (`placeholder_timedout`).
    pub timed_out_when_gone: bool,
    /// P-21: the real allocations of an incomplete gang are stopped too, and its real requests count as timed out
    /// (`gang_timeout_real`).
    pub gang_timeout_real: bool,
    /// P-22: a failed gang's real allocations stay on their nodes and with user and group (`gang_failed_leak`).
    pub gang_failed_leak: bool,
    /// D-19: an application with too many requests without a node waits (`unschedulable_backoff`).
    pub unschedulable_backoff: bool,
    /// P-06: the end of an allocation, except by time, removes its request (`release_ends_ask`).
    pub release_ends_ask: bool,
    /// D-21: the reasons why an application cannot start are also reported for running ones.
    pub events_runnable: bool,
    /// SCH-223: the event of the root's new maximum contains the old one.
    pub root_max_reported_late: bool,
    /// SCH-223: every unchanged limit is reported again at each load.
    pub limits_reported_again: bool,
    /// D-22: a queue that exceeds its maximum in any resource gets no allocation (`commit_check`).
    pub commit_check: bool,
    /// SCH-157: victims are also sought on nodes without a resource of the request, which does not count there
    /// (`node_total`).
    pub victims_on_any_node: bool,
    /// P-04: a resource name without nodes stays in the root's maximum with 0.
    pub root_max_keeps_zero: bool,
    /// D-03: a draining queue that is configured again becomes active.
    pub reload_revives: bool,
    /// D-01: a reload applies `maxapplications` to existing queues, including the root.
    pub reload_max_apps: ReloadMaxApps,
    /// D-02, N-05: the properties of an existing queue after a reload (`reload_properties`).
    pub reload_properties: ReloadProperties,
    /// `config.md` section 10: a reload passes templates down again, as at creation.
    pub reload_template: bool,
    /// D-25: a maximum of only zeros limits nothing.
    pub zero_max_unset: bool,
    /// D-26: forgotten where its limit is removed (`group_limit_gone`).
    pub group_usage_lost: bool,
    /// `acl-and-users.md` section 10: below a queue with capitals, limits never apply.
    pub limit_path_case: bool,
    /// LIM-017: the limits of the partition loaded last apply to all partitions (`limits_per_process`).
    pub limits_of_last_partition: bool,
    /// P-15: a rejected reload still applies its limits (`reload_trial_limits`).
    pub trial_limits: bool,
    /// PLC-076: tags set quota and guaranteed resources together, and a maximum of applications.
    pub namespace_tags_together: bool,
    /// PLC-093: the settings of the recovery queue.
    pub recovery_queue: RecoveryQueue,
    /// SCH-150: a failed precondition also counts as an attempt at preemption.
    pub attempt_count: bool,
    /// P-10, N-03: which queues are preemption fences because of their maximum.
    pub max_is_fence: MaxIsFence,
    /// D-05: usage without guaranteed resources is not protected, not even within the maximum.
    pub victim_without_guarantee: bool,
    /// D-14: may be selected again.
    pub victim_again: bool,
    /// P-11: in common with the request.
    pub victim_shares_name: bool,
    /// D-18: what prevents a queue from falling below its guaranteed resources.
    pub victim_floor: VictimFloor,
    /// P-12: the capacity that the request's queue needs.
    pub ask_queue_space: AskQueueSpace,
    /// P-13: only the victims that the request needs are preempted.
    pub final_cut: bool,
    /// P-14: of further victims the newest is the one that was requested last.
    pub victim_age: bool,
    /// P-05: a preemptor keeps its reservation on another node, and the new node is not reserved.
    pub reservation_identity: bool,
    /// SCH-136: a preemptor cancels old reservations of less important requests.
    pub reservation_cancel: bool,
    /// N-01: a queue above its maximum is brought down to it after a delay.
    pub quota_preemption: bool,
    /// N-01: the delay is also read by its old name if the new one is absent.
    pub quota_old_key: bool,
    /// N-01a: allocations that opted in come last, and those that started their application first.
    pub quota_opted_in_last: bool,
    /// N-01b: of the guaranteed resources on a path only those that are exceeded most protect.
    pub quota_largest_guard: bool,
    /// N-01c: usage below a child's guaranteed resources counts as if it were above.
    pub quota_counts_below: bool,
    /// N-01d: a delay of 0, or a removed one, clears no time.
    pub quota_keeps_time: bool,
    /// N-02: the growth of an allocation also starts the delay.
    pub quota_arm: bool,
    /// N-04: a reservation whose request has had no headroom is canceled after 120 minutes.
    pub reservation_timeout: bool,
    /// N-06: a node keeps names of capacity 0.
    pub zero_capacity: bool,
    /// N-07 (USR-008): how long the groups of an earlier submission are used.
    pub group_cache: GroupCache,
    /// The switches of placement.
    pub place: placement::Switches,
}

/// The properties of an existing queue after a reload (switch `reload_properties`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReloadProperties {
    /// Its own in the file; a removed key keeps its effect.
    Own,
    /// The parent's, overridden by its own; a key in neither keeps its effect.
    Inherited,
    /// The same as at creation.
    Recomputed,
}

/// Which queues are preemption fences because of their maximum (switch `max_is_fence`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxIsFence {
    /// No queue is one because of its maximum.
    Never,
    /// The first with a fully used maximum of its own.
    Full,
    /// The first in which the request would exceed a maximum of the path.
    Exceeded,
}

/// How long the groups of an earlier submission are used (switch `group_cache`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupCache {
    /// Not at all.
    Never,
    /// As long as the scheduler runs.
    Forever,
    /// Less than 300 s.
    FiveMinutes,
}

/// What keeps a queue at its guaranteed resources (switch `victim_floor`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VictimFloor {
    /// Without the victim, they remain in every name of the victim.
    EveryName,
    /// Without the victim, the queue exceeds them in one name, or has them in all.
    AnyName,
    /// Like `AnyName`, or the queue exceeds them in one name with the victim, and stays at them in each name in which it
    /// was at or above them.
    WhereAbove,
    /// With the victim, the queue exceeds them in a name of the request.
    BeforeRemoval,
}

/// The capacity that the request's queue needs (switch `ask_queue_room`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskQueueSpace {
    /// For the request, within the queue's guaranteed resources.
    Within,
    /// For each victim, within the remainder of the queue's guaranteed resources.
    Pays,
}

/// The settings of the recovery queue (switch `recovery_queue_limits`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoveryQueue {
    /// No template, no quotas.
    Bare,
    /// The root's template.
    Template,
    /// The root's template and the quotas of applications' tags.
    TemplateAndTags,
}

/// The effect of sending a pending request again (switch `ask_again_pending`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskAgainPending {
    /// The new one replaces it completely.
    Replaces,
    /// The new one counts; the old one is still tried.
    LeavesOld,
    /// The old one gets the new size and nothing else.
    Resizes,
}

/// The effect of sending an allocated request again (switch `ask_again_allocated`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AskAgainAllocated {
    /// The new one is rejected: IDs are unique (SCH-013).
    Refused,
    /// The new one is allocated in addition.
    Second,
    /// The allocation gets the new size, even if it does not fit.
    Resizes,
}

/// The effect of a required node that is unknown or reserved for another such request (switch `required_node`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequiredNode {
    /// The next request is tried.
    NextAsk,
    /// The application is skipped in this cycle.
    GivesUpApp,
    /// As `NextAsk` if unknown; otherwise any number may reserve it.
    Shared,
}

/// The queues whose `maxapplications` a reload changes (switch `reload_maxapps`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReloadMaxApps {
    /// Every queue, including the root.
    All,
    /// Every queue not named root.
    NotRoot,
    /// No existing queue.
    None,
}

impl Switches {
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
        ask_queue_space: AskQueueSpace::Within,
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
        // Has no effect without quota preemption.
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
        ask_queue_space: AskQueueSpace::Pays,
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

    /// Applies the operator's settings.
    #[must_use]
    pub const fn tuned(self, tuning: &Tuning) -> Self {
        let victim_floor = if tuning.above_in_one_gives { VictimFloor::WhereAbove } else { self.victim_floor };
        Self { victim_floor, ..self }
    }
}
