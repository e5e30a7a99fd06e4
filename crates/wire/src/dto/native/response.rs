//! Bodies of the answers of the native API.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dto::{EventRecord, Fault, ResourceMap};
use view::act::Code;

/// An error (E2).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "Error", example = Self::default())]
pub struct NativeError {
    /// The HTTP status.
    pub status_code: u16,
    /// The operation that failed.
    pub message: String,
    /// The requirement, or the reason.
    pub description: String,
    /// The check that failed.
    #[schemars(extend("enum" = Code::ALL.map(Code::name)))]
    pub code: String,
    /// The id of the request in the log.
    #[serde(rename = "requestId")]
    pub request_id: String,
    /// The details as data.
    pub details: ErrorDetails,
}

/// The details of an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ErrorDetails {
    /// The queue that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// The missing access: `submit` or `admin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<String>,
    /// The queues with the checked access lists, from leaf to root.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checked: Vec<String>,
    /// Whether membership in the scheduler ACL is sufficient or required.
    #[serde(rename = "schedulerACL", skip_serializing_if = "std::ops::Not::not")]
    pub scheduler_acl: bool,
    /// The object that was not found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// All failed checks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// The errors of a configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// The checksum of the active configuration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// The user who applied it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_by: Option<String>,
    /// The time when the active configuration was changed, in nanoseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_at: Option<i64>,
    /// The location of an error in the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The removals of a configuration that were not allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removal: Option<Removal>,
}

/// The queues of the active configuration that a configuration removes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Removal {
    /// The number of removed queues.
    pub queues: usize,
    /// The number of queues.
    pub of: usize,
    /// The partitions that lose all queues.
    pub partitions: Vec<String>,
    /// The text is empty, or has comments only.
    pub empty: bool,
    /// Whether `Kornsole-Allow-Empty` or `Kornsole-Allow-Removal` must allow it.
    pub large: bool,
}

/// One of several failed checks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Reason {
    /// The code of the check.
    pub code: String,
    /// The queue of the check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// The reason as a sentence.
    pub text: String,
}

/// The server (E3).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ServerInfo {
    /// Always `kornsole`; identifies the server.
    pub product: String,
    /// The version of the program, for example `0.2.0`.
    pub version: String,
    /// The version of this part of the API.
    pub api: u32,
    /// The YuniKorn release of its `/ws/v1` API.
    pub compat: String,
    /// The profile: `kornsole`, or a release of YuniKorn.
    pub core: String,
    /// This run of the scheduler.
    #[serde(rename = "instanceUUID")]
    pub instance_uuid: String,
    /// The start time.
    pub start_time: i64,
    /// `none`, `optional` or `required`.
    pub auth: String,
    /// Whether connections are encrypted.
    pub tls: bool,
    /// Whether the server is read-only.
    pub read_only: bool,
    /// Whether the scheduler is paused.
    pub paused: bool,
    /// The supported features.
    pub features: Vec<String>,
}

/// The authenticated user (E3).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Whoami {
    /// Whether a token was sent.
    pub authenticated: bool,
    /// The user of the token.
    pub user: String,
    /// The groups of that user, as the server knows them.
    pub groups: Vec<String>,
    /// Whether the user is in the scheduler ACL.
    pub scheduler_admin: bool,
    /// Whether the user is read-only.
    pub read_only: bool,
    /// The expiry of the token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_expires: Option<i64>,
}

/// The access of the user to queues (E3).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Permissions {
    /// All queues with the access of the user, from the root.
    pub queues: Vec<QueuePermission>,
    /// Whether the user is in the scheduler ACL.
    pub scheduler_admin: bool,
}

/// The access of the user to a queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct QueuePermission {
    /// The full path of the queue.
    pub queue: String,
    /// Whether the user can submit.
    pub submit: bool,
    /// Whether the user can administer.
    pub admin: bool,
    /// The queue with the access list that grants it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submit_via: Option<String>,
    /// The queue with the access list that grants it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_via: Option<String>,
}

/// The results of checks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CheckResults {
    /// The results, in the order of the checks.
    pub results: Vec<CheckResult>,
}

/// The result of one check.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CheckResult {
    /// Whether the action is allowed.
    pub allowed: bool,
    /// The reason if it is not allowed; otherwise empty.
    pub why: String,
}

/// The active configuration (E5).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ConfigState {
    /// The checksum of its text, for `If-Match`.
    pub checksum: String,
    /// The unchanged text.
    pub text: String,
    /// Its origin: `start`, `file`, `workload` or `api`.
    pub source: String,
    /// Increases by one with each active configuration.
    pub revision: u64,
    /// The time when it became active.
    pub loaded_at: i64,
    /// The user who applied it.
    pub loaded_by: String,
    /// Its file; missing if it is only in memory, and for earlier configurations.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The entry of a manifest with the queue configuration.
    pub policy_group: String,
}

/// The preview of a configuration change (E5).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ConfigDiff {
    /// The list of changes.
    pub changes: Vec<ConfigChange>,
    /// The queues that require admin access.
    pub touches: Vec<String>,
    /// Whether the user can apply it.
    pub permission: ConfigPermission,
    /// The effects on running applications.
    pub what_happens: Vec<String>,
    /// The removed queues.
    pub removal: Removal,
    /// The queues with allocations that would be preempted because of the change, with these allocations.
    pub preempted: Vec<PreviewedQuota>,
}

/// A queue that a configuration would enforce to its maximum.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PreviewedQuota {
    /// The partition that the queue is in.
    pub partition: String,
    /// The time, the amount, and the victims.
    #[serde(flatten)]
    pub quota: ExceededQuota,
}

/// Whether the user can apply a configuration.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConfigPermission {
    /// Whether it is allowed.
    pub allowed: bool,
    /// The missing access.
    pub missing: Vec<String>,
}

/// One changed setting.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConfigChange {
    /// The partition that the setting belongs to.
    pub partition: String,
    /// The queue, or `partitions[NAME]`.
    pub path: String,
    /// `added`, `removed` or `changed`.
    pub what: String,
    /// The key as in the file, for example `resources.max.vcore`.
    pub key: String,
    /// The old value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The new value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The effect on the scheduler.
    pub effect: String,
}

/// The draining queues (E9).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DrainingQueues {
    /// The queues that drain, sorted by path.
    pub queues: Vec<DrainingQueue>,
}

/// A draining queue, with its remaining applications.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DrainingQueue {
    /// The full path of the queue.
    pub queue: String,
    /// The start of draining, in nanoseconds since 1970.
    pub since: i64,
    /// The duration of draining, in whole seconds of the scheduler's time.
    pub seconds: u64,
    /// Whether it drains for too long.
    pub long: bool,
    /// The active applications in its subtree.
    pub applications: Vec<String>,
    /// The usage of these applications.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub allocated: ResourceMap,
    /// The administrators of the queue.
    pub admins: Admins,
}

/// The queues above their maximum (N-01).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ExceededQuotas {
    /// The queues above their maximum, sorted by path.
    pub queues: Vec<ExceededQuota>,
}

/// A queue above its own maximum.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ExceededQuota {
    /// The full path of the queue.
    pub queue: String,
    /// The excess over the maximum.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub above: ResourceMap,
    /// The start of its delay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<i64>,
    /// The time when the maximum is enforced, if nothing changes; missing if it is not enforced.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preempts_at: Option<i64>,
    /// The amount that is preempted then.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub excess: ResourceMap,
    /// The victims, in the order of selection.
    pub victims: Vec<QuotaVictim>,
}

/// An allocation that is preempted to enforce a maximum.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct QuotaVictim {
    /// The application that the allocation belongs to.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// The user of the application.
    pub user: String,
    /// The id of the request.
    pub allocation_key: String,
    /// The resources of the allocation.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub resource: ResourceMap,
}

/// The administrators of a queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Admins {
    /// Users; `*` for all users.
    pub users: Vec<String>,
    /// The groups that administer it.
    pub groups: Vec<String>,
}

/// Events with their ids (E10).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Events {
    /// This run of the scheduler.
    #[serde(rename = "instanceUUID")]
    pub instance_uuid: String,
    /// The lowest stored id.
    pub lowest: u64,
    /// The highest id; lower than the lowest one if no event is stored.
    pub highest: u64,
    /// The events by id, after the given one.
    pub events: Vec<NumberedEvent>,
}

/// An event with its id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NumberedEvent {
    /// Increases by one, from the start of the scheduler.
    pub id: u64,
    /// The event in the format of the yunikorn API.
    #[serde(flatten)]
    pub event: EventRecord,
}
