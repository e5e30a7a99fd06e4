//! Tags that a resource manager attaches to its requests.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Sorted by name, without duplicates. Copies share them.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Tags(Option<Arc<[Tag]>>);

type Tag = (Box<str>, Box<str>);

impl Tags {
    /// Tags of an ask that has none.
    pub const fn none() -> Self {
        Self(None)
    }

    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The names and values by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().flat_map(|tags| tags.iter()).map(|(name, value)| (&**name, &**value))
    }

    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// `namespace/pod` in Kubernetes.
    pub fn pod(&self) -> Option<String> {
        let pod = self.get("kubernetes.io/meta/podName").filter(|name| !name.is_empty())?;
        let namespace = self.get("kubernetes.io/meta/namespace").unwrap_or_default();
        Some(if namespace.is_empty() { pod.to_owned() } else { format!("{namespace}/{pod}") })
    }
}

impl From<BTreeMap<String, String>> for Tags {
    fn from(tags: BTreeMap<String, String>) -> Self {
        let boxed = |(name, value): (String, String)| (name.into_boxed_str(), value.into_boxed_str());
        Self((!tags.is_empty()).then(|| tags.into_iter().map(boxed).collect()))
    }
}

impl From<&Tags> for BTreeMap<String, String> {
    fn from(tags: &Tags) -> Self {
        tags.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }
}

impl fmt::Debug for Tags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl Serialize for Tags {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().flat_map(|tags| tags.iter()).map(|(name, value)| (name, value)))
    }
}

impl<'de> Deserialize<'de> for Tags {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(TagsVisitor)
    }
}

struct TagsVisitor;

impl<'de> Visitor<'de> for TagsVisitor {
    type Value = Tags;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a map of names and values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tags, A::Error> {
        let mut tags = BTreeMap::new();
        while let Some((name, value)) = map.next_entry::<String, String>()? {
            tags.insert(name, value);
        }
        Ok(tags.into())
    }
}
