//! Detection of the release from the form of its answers (`rest.md` section 8).

use std::fmt;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::Fault;
use model::Profile;
use wire::dto;

/// A release of Apache YuniKorn with distinguishable answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Release {
    /// 1.4: no lists of a partition, no stream.
    V1_4,
    /// 1.5: inverted `subtree`, a stream without its first line.
    V1_5,
    /// 1.6, which decides almost like 1.8.0.
    V1_6,
    /// 1.7, which decides almost like 1.8.0.
    V1_7,
    /// 1.8: the reference of the wire types.
    V1_8,
    /// 1.9: without `node-utilization`.
    V1_9,
    /// Newer than 1.9.
    Newer,
}

impl Release {
    /// The profile that decides most like this release.
    pub const fn profile(self) -> Profile {
        match self {
            Self::V1_4 | Self::V1_5 => Profile::V1_5_1,
            Self::V1_6 | Self::V1_7 | Self::V1_8 => Profile::V1_8_0,
            Self::V1_9 | Self::Newer => Profile::V1_9_0,
        }
    }
}

impl fmt::Display for Release {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::V1_4 => "1.4",
            Self::V1_5 => "1.5",
            Self::V1_6 => "1.6",
            Self::V1_7 => "1.7",
            Self::V1_8 => "1.8",
            Self::V1_9 => "1.9",
            Self::Newer => "newer than 1.9, treated as 1.9",
        })
    }
}

/// The kind of server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remote {
    /// A server of Apache YuniKorn.
    YuniKorn(Release),
    /// A kornsole server with its features.
    Kornsole(Server),
}

/// The description of a kornsole server (E3).
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Server {
    /// Always `kornsole`, which identifies a kornsole server.
    pub product: String,
    /// The version of the server, for example `0.2.0`.
    pub version: String,
    /// The release of its YuniKorn API.
    pub compat: String,
    /// The profile of its decisions; empty in earlier versions.
    pub core: String,
    /// The ID of this run.
    #[serde(rename = "instanceUUID")]
    pub instance_uuid: String,
    /// `none`, `optional`, or `required`.
    pub auth: String,
    /// Whether it rejects all changes.
    pub read_only: bool,
    /// Its features besides reading.
    pub features: Vec<String>,
}

impl Server {
    /// Whether it has a feature.
    pub fn can(&self, feature: &str) -> bool {
        self.features.iter().any(|known| known == feature)
    }
}

impl Remote {
    /// The release whose forms are expected.
    pub fn release(&self) -> Release {
        match self {
            Self::YuniKorn(release) => *release,
            Self::Kornsole(_) => Release::V1_8,
        }
    }

    /// The profile for previews and simulation copies.
    pub fn profile(&self) -> Profile {
        match self {
            Self::YuniKorn(release) => release.profile(),
            Self::Kornsole(server) => server.core.parse().or_else(|_| server.compat.parse()).unwrap_or_default(),
        }
    }

    /// The description of a kornsole server, if it is one.
    pub fn kornsole(&self) -> Option<&Server> {
        match self {
            Self::Kornsole(server) => Some(server),
            Self::YuniKorn(_) => None,
        }
    }
}

impl fmt::Display for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::YuniKorn(release) => write!(f, "YuniKorn {release}"),
            Self::Kornsole(server) => write!(f, "kornsole {}", server.version),
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Queue {
    queuename: Option<IgnoredAny>,
    child_names: Option<IgnoredAny>,
    children_names: Option<IgnoredAny>,
    children: Option<IgnoredAny>,
    headroom: Option<IgnoredAny>,
    unsched_ask_backoff: Option<IgnoredAny>,
    priority_sorting: Option<IgnoredAny>,
    quota_preemption_delay: Option<IgnoredAny>,
}

/// `None` without a partition. 1.9 is reported as 1.8. Fails before 1.4 or for other answers.
pub fn detect(partitions: &[u8], queues: Option<&[u8]>) -> Result<Option<Release>, Fault> {
    let list: Vec<serde_json::Map<String, Value>> = dto::salvage(partitions, &mut Vec::new())
        .map_err(|error| Fault::Unreadable("/ws/v1/partitions".to_owned(), error.to_string()))?;
    if list.iter().any(|partition| partition.values().any(has_null)) {
        let why = "this release is older than 1.4, which kornsole does not support".to_owned();
        return Err(Fault::TooOld(why));
    }
    let Some(shape) = list.first() else { return Ok(None) };
    // An unreadable tree is unknown.
    let queue = queues.and_then(|bytes| serde_json::from_slice(bytes).ok()).unwrap_or_default();
    Ok(Some(by_shape(shape.contains_key("quotaPreemptionEnabled"), shape.contains_key("preemptionEnabled"), &queue)))
}

/// Detects the release from the queues of a server whose partitions are unknown. 1.9 is reported as 1.8.
///
/// # Errors
/// Not a queue.
pub fn detect_by_queues(queues: &[u8]) -> Result<Release, Fault> {
    let fault = |why| Fault::Unreadable("the queues".to_owned(), why);
    let queue: Queue = serde_json::from_slice(queues).map_err(|error| fault(dto::plain(&error)))?;
    if queue.queuename.is_none() {
        return Err(fault("a queue without a name".to_owned()));
    }
    Ok(by_shape(queue.quota_preemption_delay.is_some(), queue.priority_sorting.is_some(), &queue))
}

fn by_shape(has_quota_preemption: bool, has_preemption: bool, queue: &Queue) -> Release {
    if queue.unsched_ask_backoff.is_some() {
        Release::Newer
    } else if has_quota_preemption {
        Release::V1_8
    } else if has_preemption {
        Release::V1_7
    } else if queue.child_names.is_some() {
        Release::V1_6
    } else if queue.children_names.is_some() {
        Release::V1_5
    } else if queue.children.is_none() && queue.headroom.is_some() {
        // Without children, nothing relevant distinguishes 1.5 from 1.6.
        Release::V1_5
    } else {
        Release::V1_4
    }
}

fn has_null(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(list) => list.iter().any(has_null),
        Value::Object(map) => map.values().any(has_null),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_are_recognized_by_shape() {
        let children = r#""children":[{"queuename":"root.a"}]"#;
        for (partition, queue, release) in [
            (r#""preemptionEnabled":true,"quotaPreemptionEnabled":false"#, r#""childNames":["root.a"]"#, Release::V1_8),
            (r#""preemptionEnabled":false"#, r#""childNames":["root.a"]"#, Release::V1_7),
            (r#""state":"Active""#, r#""childNames":["root.a"]"#, Release::V1_6),
            (r#""state":"Active""#, r#""childrenNames":["root.a"],"headroom":{}"#, Release::V1_5),
            (r#""state":"Active""#, children, Release::V1_4),
            (r#""quotaPreemptionEnabled":true"#, r#""unschedAskBackoff":3"#, Release::Newer),
        ] {
            let (partition, queue) = (format!(r#"[{{"name":"default",{partition}}}]"#), format!("{{{queue}}}"));
            let found = detect(partition.as_bytes(), Some(queue.as_bytes())).unwrap();
            assert_eq!(found, Some(release), "{partition} {queue}");
        }
        for (queue, release) in [
            (r#""childNames":["root.a"],"prioritySorting":true,"quotaPreemptionDelay":"0s""#, Release::V1_8),
            (r#""childNames":["root.a"],"prioritySorting":true"#, Release::V1_7),
            (r#""childNames":["root.a"]"#, Release::V1_6),
        ] {
            let named = format!(r#"{{"queuename":"root",{queue}}}"#);
            assert_eq!(detect_by_queues(named.as_bytes()).unwrap(), release, "{queue}");
        }
        assert!(matches!(detect_by_queues(br#"{"name": "default", "capacity": 7}"#), Err(Fault::Unreadable(..))));
        assert_eq!(Remote::YuniKorn(Release::Newer).to_string(), "YuniKorn newer than 1.9, treated as 1.9");
        assert_eq!(Remote::YuniKorn(Release::Newer).profile(), Profile::V1_9_0);
        assert_eq!(detect(b"[]", None).unwrap(), None);
        assert!(matches!(detect(br#"[{"name":"default","applications":null}]"#, None), Err(Fault::TooOld(_))));
        assert!(matches!(detect(b"{}", None), Err(Fault::Unreadable(..))));
        let large = format!(r#"[{{"name":"default","preemptionEnabled":true,"totalNodes":{}}}]"#, "9".repeat(400));
        assert_eq!(detect(large.as_bytes(), Some(b"{ half")).unwrap(), Some(Release::V1_7), "what can be read");
    }
}
