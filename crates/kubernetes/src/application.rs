//! Maps a pod to its application: ID, queue, user, tags (K8S-111 to K8S-117).

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::gang::{self, Parameters, TaskGroup};
use super::moment::moment;
use super::names::{PARAMETERS, TASK_GROUPS, own};
use super::namespace;
use super::objects::{Meta, Plain, Pod};
use model::{AppId, Identity};
use scheduler::Submission;

/// Maximum length of a generated application ID, and of the namespace in the ID of a single pod (K8S-112).
const GENERATED: usize = 63;
const UNIQUE: usize = 26;
const ANONYMOUS: &str = "nobody";

/// Whether the annotation `user.info` is trusted (K8S-117, K8S-123).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Users {
    /// Without an admission controller, pod creators can act as any user.
    #[default]
    Trusted,
    /// Every pod belongs to the user `nobody`.
    Ignored,
}

/// In order of precedence.
fn ids(meta: &Meta) -> [&str; 4] {
    let own = own("app-id");
    [meta.label(&own), meta.annotation(&own), meta.label("applicationId"), meta.label("spark-app-selector")]
}

fn queues(meta: &Meta) -> [&str; 3] {
    let own = own("queue");
    [meta.label(&own), meta.annotation(&own), meta.label("queue")]
}

fn first<'t>(texts: &[&'t str]) -> Option<&'t str> {
    texts.iter().copied().find(|text| !text.is_empty())
}

/// K8S-111, K8S-112. If `unique`, a pod without an ID is its own application.
pub(crate) fn id(meta: &Meta, unique: bool) -> String {
    let cut = |text: &str, most: usize| text.chars().take(most).collect::<String>();
    match named(meta) {
        Some(id) => id,
        None if unique => format!("{}-{}", cut(&meta.namespace, UNIQUE), meta.uid),
        None => cut(&format!("yunikorn-{}-autogen", meta.namespace), GENERATED),
    }
}

pub(crate) fn named(meta: &Meta) -> Option<String> {
    first(&ids(meta)).map(|id| match id.strip_suffix("-uniqueautogen") {
        Some(start) => format!("{start}-{}", meta.uid),
        None => id.to_owned(),
    })
}

/// Empty: placement decides (K8S-113).
pub(crate) fn queue(meta: &Meta) -> &str {
    first(&queues(meta)).unwrap_or_default()
}

/// A notice about several IDs or queues; the first one applies (K8S-113).
pub(crate) fn several(meta: &Meta) -> Option<String> {
    let distinct = |texts: &[&str]| {
        let all: BTreeSet<&str> = texts.iter().copied().filter(|text| !text.is_empty()).collect();
        (all.len() > 1).then(|| first(texts).unwrap_or_default().to_owned())
    };
    let reported = |what: &str, first: String| format!("it names several {what}; the first, {first:?}, is used");
    let of_id = distinct(&ids(meta)).map(|first| reported("application ids", first));
    of_id.or_else(|| distinct(&queues(meta)).map(|first| reported("queues", first)))
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct UserInfo {
    user: String,
    groups: Vec<String>,
}

/// The user, and an error in the annotation (K8S-117).
pub(crate) fn user(meta: &Meta, users: Users) -> (Identity, Option<String>) {
    let anonymous = || Identity::new(ANONYMOUS, Vec::<String>::new());
    let (info, name) = (meta.annotations.get(&own("user.info")), meta.label(&own("username")));
    match (users, info) {
        (Users::Ignored, _) => (anonymous(), None),
        (_, Some(text)) => match serde_json::from_str::<UserInfo>(text) {
            Ok(UserInfo { user, groups }) if user.is_empty() => (Identity::new(ANONYMOUS, groups), None),
            Ok(UserInfo { user, groups }) => (Identity::new(user, groups), None),
            Err(error) => {
                let why = format!("its annotation user.info is invalid, so its user is {ANONYMOUS}: {error}");
                (anonymous(), Some(why))
            }
        },
        (_, None) if name.is_empty() => (anonymous(), None),
        (_, None) => (Identity::new(name, Vec::<String>::new()), None),
    }
}

pub(crate) fn submission(
    app: &AppId,
    first: &Pod,
    namespace: Option<&Plain>,
    groups: &[TaskGroup],
    users: Users,
) -> (Submission, Option<String>) {
    let meta = &first.metadata;
    let (who, bad) = user(meta, users);
    let Parameters { timeout, style } = gang::parameters(meta);
    let submission = Submission {
        app: app.clone(),
        queue: queue(meta).to_owned(),
        who,
        tags: tags(first, namespace),
        gang_style: style,
        placeholder_timeout: timeout,
        placeholder_ask: gang::placeholder_ask(groups),
        created: None,
    };
    (submission, bad)
}

/// From the first pod (K8S-115).
pub(crate) fn tags(pod: &Pod, namespace: Option<&Plain>) -> BTreeMap<String, String> {
    let Pod { metadata: meta, spec, .. } = pod;
    let mut tags = BTreeMap::from([
        ("namespace".to_owned(), meta.namespace.clone()),
        ("application.create.force".to_owned(), pod.node().is_some().to_string()),
        (own(TASK_GROUPS), meta.annotation(&own(TASK_GROUPS)).to_owned()),
        (own(PARAMETERS), meta.annotation(&own(PARAMETERS)).to_owned()),
    ]);
    let secrets: Vec<&str> = spec.image_pull_secrets.iter().map(|secret| secret.name.as_str()).collect();
    if !secrets.is_empty() {
        tags.insert("imagePullSecrets".to_owned(), secrets.join(","));
    }
    if let Some(created) = meta.creation_timestamp.as_deref().and_then(moment) {
        tags.insert(own("creationTime"), (created.0 / 1_000_000).to_string());
    }
    tags.extend(namespace.into_iter().flat_map(|namespace| namespace::tags(&namespace.metadata)));
    tags
}
