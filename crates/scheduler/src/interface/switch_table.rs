//! The table of switches, from which `docs/profiles.md` and `kornsole profiles` are generated; `kornsole upgrade-check`
//! finds reasons in it. `docs/profiles.md` describes how to add a profile.

use super::switches::{
    AskAgainAllocated, AskAgainPending, AskQueueSpace, GroupCache, MaxIsFence, RecoveryQueue, ReloadMaxApps,
    ReloadProperties, RequiredNode, Switches, VictimFloor,
};
use crate::placement::Draining;
use model::Profile;
use model::name::NameChars;

/// A switch in documents: its name, its rule, its value in each profile.
pub struct SwitchRow {
    /// As in [`Switches`], or `profiles.md`.
    pub name: &'static str,
    /// The deviation or rule.
    pub rule: &'static str,
    /// The behavior with these switches, as text for administrators.
    pub describe: fn(&Switches) -> &'static str,
    /// Copies the switch; `None` for behavior by profile: parsing, and REST.
    pub take: Option<fn(&mut Switches, &Switches)>,
    /// The test that verifies it: file and function.
    pub test: &'static str,
}

impl SwitchRow {
    /// The behavior of a profile, as text.
    pub fn of(&self, profile: Profile) -> &'static str {
        (self.describe)(&Switches::of(profile))
    }

    /// Whether two profiles differ here.
    pub fn parts(&self, one: Profile, other: Profile) -> bool {
        self.of(one) != self.of(other)
    }
}

/// The recordings of real cores verify it.
const RECORDED: &str = "tests/scheduler/conformance/mod.rs::recordings_agree_but_for_those_listed";

macro_rules! rows {
    (@take profile) => { None };
    (@take $($field:ident).+) => {
        Some(|to: &mut Switches, from: &Switches| to.$($field).+ = from.$($field).+)
    };
    ($($name:literal $rule:literal [$($field:ident).+] $test:expr; $($value:pat => $words:literal),+;)+) => {
        &[$(SwitchRow {
            name: $name,
            rule: $rule,
            describe: |switches| match switches.$($field).+ { $($value => $words),+ },
            take: rows!(@take $($field).+),
            test: $test,
        }),+]
    };
}

/// Every switch, by topic.
pub const SWITCHES: &[SwitchRow] = rows! {
    // States and order
    "starting_state" "D-07" [starting_state] "tests/scheduler/worked/gangs.rs::ex_22_a_gang_is_allocated_and_replaced";
        true => "an application is Starting from its first allocation until the second, or for 5 minutes",
        false => "an application is Running from its first allocation, without the state Starting";
    "stateaware" "D-07" [stateaware] "tests/scheduler/worked/order.rs::ex_10_stateaware";
        true => "with `application.sort.policy: stateaware` one application starts at a time",
        false => "`application.sort.policy: stateaware` is read as `fifo`";
    "fair_share" "D-08" [fair_share_of_cluster] "tests/scheduler/worked/order.rs::ex_08_with_and_without_a_guarantee";
        true => "queues are compared by one number: the largest share of the guarantee, otherwise of the maximum, otherwise of the cluster",
        false => "queues are compared by the list of their shares of their guarantee, otherwise by their usage";
    "running_count_cut" "D-24" [running_count_cut] RECORDED;
        true => "the count of running applications of a queue is capped at its `maxapplications`",
        false => "the count of running applications is exact";
    "accepted_leak" "D-11" [accepted_leak] RECORDED;
        true => "an application that is removed before it runs still counts for `maxapplications` of its parent queues",
        false => "an application that is removed no longer counts for `maxapplications` on any level";
    "running_leak" "P-16" [running_leak] RECORDED;
        true => "an application still counts for its user and group after its last allocation and request have ended",
        false => "an application without allocations and requests no longer counts for its user and group";
    "priority_cache" "P-02" [priority_cache] RECORDED;
        true => "after a reload that changes the priority offset or policy of a queue, its parents use the old priority until a request that decides a priority is added or removed in the subtree",
        false => "a reload that changes the priority offset or policy updates the priorities of parents immediately";
    "priority_on_submit" "P-03" [priority_on_submit] RECORDED;
        true => "a submission refreshes priorities that are stale after a reload",
        false => "a submission refreshes no priorities";
    "events_runnable" "D-21" [events_runnable] "tests/scheduler/conformance/events.rs::the_releases_events_are_those_of_the_recordings";
        true => "events report also for running applications that an application limit blocks them",
        false => "events report only for waiting applications that an application limit blocks them";
    // Nodes, reservations, required nodes
    "root_max_zero" "P-04" [root_max_keeps_zero] RECORDED;
        true => "a resource stays in the cluster's size with 0 after its last node is removed, and requests for it are skipped",
        false => "a resource is removed from the cluster's size with its last node";
    "commit_check" "D-22" [commit_check] "tests/scheduler/worked/release_1_5.rs::d_22_a_queue_above_its_maximum_gets_nothing_more";
        true => "a queue above its maximum in any resource gets no allocations, not even for requests without that resource",
        false => "a queue above its maximum in a resource still gets allocations for requests without that resource";
    "zero_capacity" "N-06" [zero_capacity] "tests/scheduler/worked/release_1_9.rs::n_06_a_capacity_of_0_is_no_capacity";
        true => "a node keeps a capacity of 0, and counts as full in that resource when any of it is in use",
        false => "a capacity of 0 is removed from a node, and is ignored when nodes are sorted";
    "required_node" "D-09" [required_node] RECORDED;
        RequiredNode::NextAsk => "a request with a required node that is unknown or reserved for another is skipped",
        RequiredNode::GivesUpApp => "a request with a required node that is unknown or reserved for another ends the turn of its application",
        RequiredNode::Shared => "a node is reserved for any number of requests that require it; an unknown node is skipped";
    "reservation_identity" "P-05" [reservation_identity] "tests/scheduler/worked/preempt_rules.rs::p_05_the_reservation_of_an_ask_that_preempts_on_another_node";
        true => "a request that preempts on another node keeps its reservation",
        false => "the reservation moves to the node on which its request preempts";
    "reservation_cancel" "SCH-136" [reservation_cancel] "tests/scheduler/worked/preempt_rules.rs::sch_136_a_preemptor_does_away_with_old_reservations_in_1_8_0";
        true => "a preempting request takes reservations of requests with lower priority that are older than 120 minutes",
        false => "a preempting request does not take reservations of other requests";
    "reservation_timeout" "N-04" [reservation_timeout] "tests/scheduler/worked/release_1_9.rs::n_04_a_reservation_without_headroom_is_given_up_after_120_minutes";
        true => "a reservation older than 120 minutes is released when its queue or user has no headroom for it",
        false => "a reservation without headroom stays";
    // Requests, placeholders, gangs
    "ask_again_pending" "D-23" [ask_again_pending] "tests/scheduler/worked/asks.rs::sch_013_a_pending_ask_is_replaced";
        AskAgainPending::Replaces => "a request with the id of a pending request replaces it",
        AskAgainPending::LeavesOld => "a request with the id of a pending request is tried at both positions; the higher priority applies until it is allocated",
        AskAgainPending::Resizes => "a request with the id of a pending request changes only its size";
    "ask_again_allocated" "D-23" [ask_again_allocated] "tests/scheduler/worked/asks.rs::sch_013_the_new_release_resizes_in_place";
        AskAgainAllocated::Refused => "a request with the id of an allocation is rejected",
        AskAgainAllocated::Second => "a request with the id of an allocation is allocated a second time; a release ends the last allocation, the others stay on their nodes",
        AskAgainAllocated::Resizes => "a request with the id of an allocation changes its size without a check; its node keeps its position in the order. If an allocation timed out or was removed with its node, its id still counts as allocated";
    "release_ends_ask" "P-06" [release_ends_ask] "tests/scheduler/conformance/events.rs::the_releases_events_are_those_of_the_recordings";
        true => "an allocation that ends for a reason other than a timeout removes its request, with an event",
        false => "an allocation that ends does not remove its request";
    "placeholder_timedout" "P-07" [timed_out_when_gone] "tests/scheduler/worked/gang_rules.rs::sch_143_a_placeholder_that_is_too_small_is_removed";
        true => "a placeholder that is released because of its size or a timeout counts as timed out, and the real request is scheduled",
        false => "only the placeholder timer counts placeholders as timed out; otherwise real requests wait forever";
    "gang_timeout_real" "P-21" [gang_timeout_real] "tests/scheduler/worked/gang_timeouts.rs::p_21_what_a_late_gang_must_release";
        true => "a gang that timed out also releases its real allocations, and its pending real requests count as timed out",
        false => "a gang that timed out releases its placeholders";
    "gang_failed_leak" "P-22" [gang_failed_leak] "tests/scheduler/worked/gang_timeouts.rs::p_22_what_a_failed_gang_retains";
        true => "real allocations of a failed gang stay on their nodes, and count for their user, after the application is removed",
        false => "real allocations of a failed gang end with the application";
    "unschedulable_backoff" "D-19" [unschedulable_backoff] "tests/scheduler/worked/ask_backoff.rs::d_19_the_later_asks_wait_for_the_delay";
        true => "with `application.unschedasks.backoff` an application with this number of unschedulable requests waits before it is tried again",
        false => "`application.unschedasks.backoff` has no effect";
    // Preemption between queues
    "attempt_count" "SCH-150" [attempt_count] "tests/scheduler/worked/preempt_rules.rs::sch_150_ten_attempts_and_what_counts_as_one";
        true => "requests that cannot preempt yet use up the ten attempts of a leaf in a cycle",
        false => "only requests that can preempt use up the ten attempts of a leaf in a cycle";
    "max_is_fence" "P-10, N-03" [max_is_fence] "tests/scheduler/worked/preempt_rules.rs::p_10_a_queue_with_all_of_its_maximum_is_a_fence";
        MaxIsFence::Never => "a maximum is not a fence for preemption",
        MaxIsFence::Full => "a queue that uses exactly its own maximum is a fence for preemption",
        MaxIsFence::Exceeded => "a queue in which the request would exceed a maximum of its path is a fence for preemption";
    "node_total" "SCH-157" [victims_on_any_node] "tests/scheduler/worked/release_1_5.rs::sch_157_victims_on_a_node_without_a_resource";
        true => "preemption can select a node without a resource of the request, and stops its victims without effect",
        false => "preemption selects only nodes that fit the request when they are empty";
    "victim_without_guarantee" "D-05" [victim_without_guarantee] "tests/scheduler/worked/preempt.rs::ex_18_who_has_no_guarantee_gives_but_in_1_5_1";
        true => "a queue without a guarantee can lose all allocations to preemption",
        false => "a queue without a guarantee is protected while it fits its maximum";
    "victim_again" "D-14" [victim_again] RECORDED;
        true => "an allocation that is being preempted can be selected again",
        false => "an allocation that is being preempted is not selected again";
    "victim_shares_name" "P-11" [victim_shares_name] RECORDED;
        true => "a victim shares a resource with the request",
        false => "a victim can share no resource with the request";
    "victim_floor" "D-18" [victim_floor] "tests/scheduler/worked/preempt_rules.rs::d_18_how_far_a_queue_gives";
        VictimFloor::EveryName => "preemption leaves a queue its guarantee in each resource of the victim",
        VictimFloor::AnyName => "preemption leaves a queue above its guarantee in one resource, or at its guarantee in all",
        VictimFloor::WhereAbove => "preemption leaves a queue above its guarantee in one resource, or at its guarantee where it was above",
        VictimFloor::BeforeRemoval => "the last victim may take its queue below its guarantee";
    "path_minimum" "D-06" [path_minimum] "crates/scheduler/src/preemption/snapshot/tests.rs::the_path_minimum_of_1_5_1";
        true => "a resource that is missing in one maximum of a path counts 0 for gangs and victims",
        false => "a resource that is missing in a maximum is not limited by it";
    "ask_queue_room" "P-12" [ask_queue_space] "tests/scheduler/worked/preempt_rules.rs::p_12_and_p_13_in_1_8_0_victims_must_make_up_for_the_ask_alone";
        AskQueueSpace::Within => "the request must fit the unused guarantee of its queue",
        AskQueueSpace::Pays => "each victim must fit, in its resources, the unused guarantee of the queue of the request";
    "final_cut" "P-13" [final_cut] "tests/scheduler/worked/preempt_rules.rs::p_12_and_p_13_in_1_8_0_victims_must_make_up_for_the_ask_alone";
        true => "only as many of the victims are preempted as the request needs",
        false => "all victims are preempted";
    "victim_age" "P-14" [victim_age] "tests/scheduler/worked/preempt_rules.rs::sch_160_victims_for_the_quota_are_the_newest_wherever_they_run";
        true => "the newest request is the first additional victim",
        false => "the newest allocation is the first additional victim";
    // Quota preemption
    "quota_preemption" "N-01" [quota_preemption] "tests/scheduler/worked/quota.rs::n_01_a_queue_is_reduced_to_its_lowered_maximum";
        true => "with `preemption.quotapreemptionenabled` allocations above a lowered maximum are preempted after `quota.preemption.delay`",
        false => "allocations above a lowered maximum continue to run";
    "quota_old_key" "N-01" [quota_old_key] "tests/scheduler/worked/quota.rs::n_01_the_delay_is_read_by_its_old_name";
        true => "`preemption.quota.delay` is read where `quota.preemption.delay` is absent",
        false => "`preemption.quota.delay` has no effect";
    "quota_opted_in_last" "N-01a" [quota_opted_in_last] "tests/scheduler/worked/quota.rs::n_01a_opted_in_pods_are_preempted_first";
        true => "quota enforcement preempts allocations that allow preemption last, and originator allocations first",
        false => "quota enforcement preempts allocations that allow preemption first, and originator allocations last";
    "quota_largest_guard" "N-01b" [quota_largest_guard] "tests/scheduler/worked/quota.rs::n_01b_every_guarantee_of_the_path_protects";
        true => "for quota enforcement only the most exceeded guarantee on a path protects allocations",
        false => "for quota enforcement each guarantee on a path protects allocations";
    "quota_counts_below" "N-01c" [quota_counts_below] "tests/scheduler/worked/quota.rs::n_01c_a_queue_below_its_guarantee_loses_nothing_of_it";
        true => "the deficit of a child to its guarantee counts as an excess when children share the quantity to preempt",
        false => "a child below its guarantee in a resource loses none of it";
    "quota_keeps_time" "N-01d" [quota_keeps_time] "tests/scheduler/worked/quota.rs::n_01d_a_delay_that_is_taken_out_calls_it_off";
        true => "removing `quota.preemption.delay` does not cancel a started delay",
        false => "removing `quota.preemption.delay` cancels a started delay";
    "quota_arm" "N-02" [quota_arm] RECORDED;
        true => "growth of an allocation also starts the delay",
        false => "growth of an allocation does not start the delay";
    // Reloads
    "reload_revive" "D-03" [reload_revives] "tests/scheduler/worked/queues.rs::ex_16_a_queue_that_is_configured_again_is_active_again";
        true => "a draining queue that is added to the file again becomes active",
        false => "a draining queue that is added to the file again stays draining";
    "reload_maxapps" "D-01" [reload_max_apps] RECORDED;
        ReloadMaxApps::All => "a reload applies `maxapplications` to every queue",
        ReloadMaxApps::NotRoot => "a reload applies `maxapplications` to every queue not named root",
        ReloadMaxApps::None => "a reload applies `maxapplications` to new queues only";
    "reload_properties" "D-02, N-05" [reload_properties] "tests/scheduler/worked/release_1_9.rs::n_05_what_a_reload_makes_of_properties";
        ReloadProperties::Own => "a reload gives an existing queue only the properties in its own section; removed properties stay in effect",
        ReloadProperties::Inherited => "a reload inherits properties again; properties removed everywhere stay in effect",
        ReloadProperties::Recomputed => "a reload computes properties as at the start";
    "reload_template" "D-02" [reload_template] RECORDED;
        true => "a reload inherits templates again",
        false => "a parent without a template of its own has none after a reload";
    "zero_max" "D-25" [zero_max_unset] RECORDED;
        true => "a maximum of only zeros has no effect",
        false => "a maximum of 0 applies";
    "group_limit_gone" "D-26" [group_usage_lost] "tests/scheduler/worked/limits_reload.rs::section_9_the_releases_lose_the_usage_of_a_group";
        true => "removing a limit also removes the usage of its group, including parent queues",
        false => "the usage of a group moves with its applications when its limit is removed";
    "limit_path_case" "LIM-017" [limit_path_case] "tests/scheduler/worked/limits_reload.rs::section_10_limits_of_a_queue_in_capitals";
        true => "limits of a queue with capital letters in its name never apply",
        false => "limits of a queue with capital letters in its name apply";
    "limits_per_process" "LIM-017" [limits_of_last_partition] "tests/scheduler/worked/limits_reload.rs::lim_017_limits_of_several_partitions";
        true => "the limits of the last partition apply in all partitions",
        false => "each partition has its own limits";
    "limits_reported_again" "SCH-223" [limits_reported_again] "tests/scheduler/conformance/events.rs::the_releases_events_are_those_of_the_recordings";
        true => "events report every limit again at each load",
        false => "events report limits that change";
    "root_max_reported_late" "SCH-223" [root_max_reported_late] "tests/scheduler/conformance/events.rs::the_releases_events_are_those_of_the_recordings";
        true => "the event of a new cluster size has the old size",
        false => "the event of a new cluster size has the new size";
    "reload_trial_limits" "P-15" [trial_limits] "tests/scheduler/worked/limits_reload.rs::a_rejected_reload_leaves_its_limits_in_1_5_1";
        true => "a reload that is rejected late leaves its limits active",
        false => "a rejected reload does not change limits";
    // Placement and users
    "group_cache" "N-07" [group_cache] "tests/scheduler/worked/release_1_9.rs::n_07_groups_of_an_earlier_submission";
        GroupCache::Never => "a submission without groups has the group named as its user",
        GroupCache::Forever => "a submission without groups has the last groups of its user",
        GroupCache::FiveMinutes => "a submission without groups has the groups of its user in the last 300 seconds";
    "namespace_tags" "PLC-076" [namespace_tags_together] RECORDED;
        true => "namespace tags set maximum and guarantee together, and clear a missing value; `namespace.resourcemaxapps` is read",
        false => "namespace tags set maximum and guarantee independently";
    "recovery_queue_limits" "PLC-093" [recovery_queue] RECORDED;
        RecoveryQueue::Bare => "the recovery queue has no limits",
        RecoveryQueue::Template => "the recovery queue has the root's template",
        RecoveryQueue::TemplateAndTags => "the recovery queue has the root's template and the quotas of tags";
    "draining_placement" "D-04" [place.draining] "crates/scheduler/src/placement/tests/draining.rs::row_79_a_draining_leaf";
        Draining::Ignored => "a draining leaf accepts applications",
        Draining::Leaf => "a draining leaf rejects applications: the next rule is tried",
        Draining::Path => "a draining leaf, or a leaf in a draining queue, rejects applications";
    "placement_default" "PLC-004" [place.placement_default] "crates/scheduler/src/placement/tests/draining.rs::the_fallback_of_1_8_is_checked_like_a_result";
        true => "an application that no rule places goes to `root.default`, if that exists",
        false => "an application that no rule places is rejected";
    "illegal_name" "PLC-023" [place.illegal_name] "crates/scheduler/src/placement/tests/rules.rs::only_1_8_checks_the_parts_of_a_fixed_queue_here";
        true => "an invalid name in a rule's result always rejects the application",
        false => "an invalid name rejects the application only when the queue would be created";
    "user_name_check" "USR-009" [place.user_name_check] "tests/config/rules/users.rs::usr_009_user_names_are_checked_by_1_8_with_groups_only";
        true => "a submission with groups by a user with an invalid name is rejected",
        false => "names of users are not checked";
    "queue_name_chars" "CFG-030" [place.queue_name_chars] "tests/config/rules/queues.rs::cfg_030_names";
        NameChars::Narrow => "names of queues have letters, digits, `_`, and `-`",
        NameChars::Wide => "names of queues can also have `:`, `#`, `/`, and `@`";
    "user_name_chars" "NAM-004" [place.user_name_chars] "tests/config/rules/names.rs::nam_004_limits_and_filters_of_1_8";
        NameChars::Narrow => "names of users in limits and filters have no `#` and `/`",
        NameChars::Wide => "names of users in limits and filters may have `#` and `/`";
    "qualified_case, filter_type_case" "PLC-021, PLC-051" [place.any_case] RECORDED;
        true => "`ROOT.x` is a full path, and filter types are read in any case",
        false => "`ROOT.x` is one name, and a filter type `DENY` allows";
    "recovery_queue_open" "PLC-064" [place.recovery_queue_open] "crates/scheduler/src/placement/tests/force.rs::the_recovery_queue_is_made_once";
        true => "a rule may place into the recovery queue",
        false => "only forced applications go to the recovery queue";
    "partial_path" "PLC-072" [place.partial_path] RECORDED;
        true => "parent queues that were created before an invalid part stay",
        false => "no queue is created for a path with an invalid part";
    "rules_at_start" "PLC-101" [place.starts_without_rules] "crates/scheduler/src/placement/tests/rules.rs::rules_that_do_not_build_at_the_start";
        true => "with invalid rules the scheduler starts without rules: all submissions are rejected",
        false => "invalid rules are an error in the file";
    // Configurations, by the profile
    "config_keys" "N-01" [profile] "tests/config/rules/reading.rs::cfg_003_unknown_keys";
        Profile::V1_5_1 => "the keys `preemption.quotapreemptionenabled` and `usergroupresolver` are errors",
        Profile::V1_8_0 | Profile::V1_9_0 => "the keys `preemption.quotapreemptionenabled` and `usergroupresolver` are known",
        Profile::Kornsole => "the keys `preemption.quotapreemptionenabled` and `statedumpfilepath` are known";
    "limit_root_name" "N-08" [profile] "tests/config/rules/limits.rs::n_08_limits_below_a_queue_named_root";
        Profile::V1_5_1 | Profile::V1_8_0 => "when limits are compared, a queue named `root` below the root counts as the root",
        Profile::V1_9_0 | Profile::Kornsole => "limits are compared from parent to child, for all names";
    "own_rules" "CFG" [profile] "tests/config/verdicts.rs::rules_of_kornsole_differ_where_documented";
        Profile::V1_5_1 | Profile::V1_8_0 | Profile::V1_9_0 => "an error of kornsole's additional rules is a warning",
        Profile::Kornsole => "kornsole's additional rules also reject";
    // Kubernetes as the resource manager, by the profile
    "sidecar_sum" "K8S-135" [profile] "crates/kubernetes/src/tests/resources.rs::kt_13_before_1_9_a_sidecar_counts_twice_while_it_starts";
        Profile::V1_5_1 | Profile::V1_8_0 => "a sidecar of a pod counts twice while it starts",
        Profile::V1_9_0 | Profile::Kornsole => "a sidecar of a pod counts once";
    "cordon_drains" "K8S-152" [profile] "crates/kubernetes/src/tests/nodes.rs::kt_32_a_cordoned_node";
        Profile::V1_5_1 | Profile::V1_8_0 => "a cordoned node is schedulable, and only the filter excludes pods",
        Profile::V1_9_0 | Profile::Kornsole => "a cordoned node is drained";
    // REST and events, by the profile
    "quota_event" "N-09" [profile] "tests/scheduler/worked/quota.rs::n_09_an_event_shows_what_was_enforced";
        Profile::V1_5_1 | Profile::V1_8_0 => "no event reports quota enforcement",
        Profile::V1_9_0 | Profile::Kornsole => "event 407 of a queue reports quota enforcement";
    "rest_release" "N-10" [profile] "tests/rest/served.rs::answers_are_those_of_1_9_0_but_for_what_is_listed";
        Profile::V1_5_1 | Profile::V1_8_0 | Profile::Kornsole => "`/ws/v1` answers as 1.8.0 does",
        Profile::V1_9_0 => "`/ws/v1` answers as 1.9.0 does: `node-utilization` is removed, metrics name their escaping";
};
