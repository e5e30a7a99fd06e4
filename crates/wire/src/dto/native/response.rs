//! Bodies of the answers of the native API.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::dto::{EventRecord, Fault, ResourceMap};
use view::act::Code;

/// An error in place of the answer (E2).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "Error", example = Self::default())]
pub struct NativeError {
    /// As the HTTP status.
    pub status_code: u16,
    /// What cannot be done.
    pub message: String,
    /// What would be needed, or why.
    pub description: String,
    /// Which check refused.
    #[schemars(extend("enum" = Code::ALL.map(Code::name)))]
    pub code: String,
    /// The request, as the log has it.
    #[serde(rename = "requestId")]
    pub request_id: String,
    /// The same as data.
    pub details: ErrorDetails,
}

/// What a refusal is about, as far as it applies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ErrorDetails {
    /// The queue that decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// The access that is missing there: `submit` or `admin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<String>,
    /// The queues whose access lists were asked, from below.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub checked: Vec<String>,
    /// Membership in the scheduler ACL would do, or is needed.
    #[serde(rename = "schedulerACL", skip_serializing_if = "std::ops::Not::not")]
    pub scheduler_acl: bool,
    /// What is not there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Everything that stands in the way.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// What is wrong with a configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<Fault>,
    /// The checksum of the configuration in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current: Option<String>,
    /// Who brought it into force.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_by: Option<String>,
    /// When the configuration in force was changed, in nanoseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_at: Option<i64>,
    /// Where a body is wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What a configuration takes away that was not allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removal: Option<Removal>,
}

/// What a configuration takes away from the one in force.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Removal {
    /// How many queues.
    pub queues: usize,
    /// Of how many.
    pub of: usize,
    /// The partitions that lose every queue.
    pub partitions: Vec<String>,
    /// The text is empty, or has comments only.
    pub empty: bool,
    /// Whether it has to be allowed, by `Kornsole-Allow-Empty` or `Kornsole-Allow-Removal`.
    pub large: bool,
}

/// One of several things that stand in the way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Reason {
    /// Which check refuses, in one word of the list of codes.
    pub code: String,
    /// The queue, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue: Option<String>,
    /// The same as a sentence for people.
    pub text: String,
}

/// The server (E3).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ServerInfo {
    /// Always `kornsole`, which no other server says of itself.
    pub product: String,
    /// The version of the program, as `0.2.0`.
    pub version: String,
    /// The version of this part of the API.
    pub api: u32,
    /// The YuniKorn release whose API it answers like.
    pub compat: String,
    /// The core that it decides like: `kornsole`, or a release of YuniKorn.
    pub core: String,
    /// This run of the scheduler.
    #[serde(rename = "instanceUUID")]
    pub instance_uuid: String,
    /// When it began.
    pub start_time: i64,
    /// `none`, `optional` or `required`.
    pub auth: String,
    /// Whether connections are encrypted.
    pub tls: bool,
    /// Whether nothing can be changed.
    pub read_only: bool,
    /// Whether the scheduler is paused, by order or from the start.
    pub paused: bool,
    /// What it can do.
    pub features: Vec<String>,
}

/// Who is asking (E3).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Whoami {
    /// Whether by a token.
    pub authenticated: bool,
    /// The user behind the token.
    pub user: String,
    /// The groups of that user, as the server knows them.
    pub groups: Vec<String>,
    /// Whether he is in the scheduler ACL.
    pub scheduler_admin: bool,
    /// Whether nothing can be changed.
    pub read_only: bool,
    /// Until when the token holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_expires: Option<i64>,
}

/// What one may do where (E3).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct Permissions {
    /// Every queue with what may be done in it, from the root down.
    pub queues: Vec<QueuePermission>,
    /// Whether one is in the scheduler ACL.
    pub scheduler_admin: bool,
}

/// What one may do in a queue.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct QueuePermission {
    /// The full path of the queue.
    pub queue: String,
    /// Whether one may submit.
    pub submit: bool,
    /// Whether one administers.
    pub admin: bool,
    /// By which queue's access list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub submit_via: Option<String>,
    /// By which queue's access list.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub admin_via: Option<String>,
}

/// What would come of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CheckResults {
    /// In the order of the checks.
    pub results: Vec<CheckResult>,
}

/// Whether one thing may be done.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct CheckResult {
    /// Whether it may.
    pub allowed: bool,
    /// Why not; empty when it may.
    pub why: String,
}

/// The configuration in force (E5).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ConfigState {
    /// The checksum of its text; `If-Match` is compared with it.
    pub checksum: String,
    /// The text as it was written.
    pub text: String,
    /// How it came: `start`, `file`, `workload` or `api`.
    pub source: String,
    /// Counts up with each configuration that comes into force.
    pub revision: u64,
    /// When it came into force.
    pub loaded_at: i64,
    /// Whose doing that was.
    pub loaded_by: String,
    /// The file that it stands in; not there when it is in memory only, and for one that was in force before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Which entry of a manifest holds the queue configuration.
    pub policy_group: String,
}

/// What a change of the configuration would be (E5).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct ConfigDiff {
    /// What is different.
    pub changes: Vec<ConfigChange>,
    /// The queues on which admin access is needed.
    pub touches: Vec<String>,
    /// Whether one may.
    pub permission: ConfigPermission,
    /// What it means for what runs.
    pub what_happens: Vec<String>,
    /// What it takes away.
    pub removal: Removal,
    /// The queues of which allocations would be preempted that are not preempted without it, and which these are.
    pub preempted: Vec<PreviewedQuota>,
}

/// A queue that a configuration would have brought down to its maximum.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PreviewedQuota {
    /// The partition that the queue is in.
    pub partition: String,
    /// When, how much, and what goes for it.
    #[serde(flatten)]
    pub quota: ExceededQuota,
}

/// Whether one may bring a configuration into force.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConfigPermission {
    /// Whether one may.
    pub allowed: bool,
    /// What is missing.
    pub missing: Vec<String>,
}

/// One setting that is different.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct ConfigChange {
    /// The partition that the setting belongs to.
    pub partition: String,
    /// The queue, or `partitions[NAME]`.
    pub path: String,
    /// `added`, `removed` or `changed`.
    pub what: String,
    /// The key as the file writes it, as `resources.max.vcore`.
    pub key: String,
    /// The old value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// The new value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// What it does.
    pub effect: String,
}

/// What drains (E9).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DrainingQueues {
    /// The queues that drain, sorted by path.
    pub queues: Vec<DrainingQueue>,
}

/// A draining queue, with what it still holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct DrainingQueue {
    /// The full path of the queue.
    pub queue: String,
    /// Since when it drains, in nanoseconds since 1970.
    pub since: i64,
    /// For how long, in whole seconds of the scheduler's time.
    pub seconds: u64,
    /// Whether that is long.
    pub long: bool,
    /// Its live applications, here and below.
    pub applications: Vec<String>,
    /// What they hold.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub allocated: ResourceMap,
    /// Who administers it.
    pub admins: Admins,
}

/// What is above its maximum (N-01).
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
    /// By how much.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub above: ResourceMap,
    /// Since when its delay counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<i64>,
    /// When it is brought down to its maximum, unless something changes before; missing where it runs on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preempts_at: Option<i64>,
    /// How much is to go then.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub excess: ResourceMap,
    /// What goes then, in the order in which it is chosen.
    pub victims: Vec<QuotaVictim>,
}

/// An allocation that is preempted so that a maximum holds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct QuotaVictim {
    /// The application that the allocation belongs to.
    #[serde(rename = "applicationID")]
    pub application_id: String,
    /// Whose that is.
    pub user: String,
    /// The id of the allocation's ask.
    pub allocation_key: String,
    /// What it has.
    #[schemars(with = "BTreeMap<String, i64>")]
    pub resource: ResourceMap,
}

/// Who administers a queue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Admins {
    /// Users; `*` is everybody.
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
    /// The lowest id that is kept.
    pub lowest: u64,
    /// The highest one; less than the lowest when there is none.
    pub highest: u64,
    /// The events by their ids, those after the one that was named.
    pub events: Vec<NumberedEvent>,
}

/// An event with its id.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct NumberedEvent {
    /// Counts up by one, from the start of the scheduler.
    pub id: u64,
    /// The event as the yunikorn API has it.
    #[serde(flatten)]
    pub event: EventRecord,
}
