//! Full names of queues.

use std::borrow::Borrow;
use std::fmt;
use std::sync::Arc;

/// The full path of a queue in lower case with dots, from `root` (SCH-011, PLC-020).
///
/// Ordered by parts, so that a queue is directly before its subtree.
#[derive(Clone, Default, PartialEq, Eq, Hash)]
pub struct QueuePath(Arc<str>);

impl QueuePath {
    /// The path `root`.
    pub fn root() -> Self {
        Self(Arc::from("root"))
    }

    /// Creates a path in lower case. Parts are not checked.
    pub fn new(text: &str) -> Self {
        Self(Arc::from(text.to_lowercase()))
    }

    /// The path of the child `name` of this queue.
    pub fn child(&self, name: &str) -> Self {
        Self(Arc::from(format!("{}.{}", self.0, name.to_lowercase())))
    }

    /// `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        self.0.rsplit_once('.').map(|(parent, _)| Self(Arc::from(parent)))
    }

    /// The name of the queue: the last part of the path.
    pub fn name(&self) -> &str {
        // Names are short: a loop over bytes is faster.
        self.0.bytes().rposition(|byte| byte == b'.').map_or(&*self.0, |dot| &self.0[dot + 1..])
    }

    /// The parts from the root down.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('.')
    }

    /// 0 for the root.
    pub fn depth(&self) -> usize {
        self.0.bytes().filter(|b| *b == b'.').count()
    }

    /// Whether `self` is `other` or in its subtree.
    pub fn is_within(&self, other: &Self) -> bool {
        self.0.strip_prefix(&*other.0).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// The path as a text with dots.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl PartialOrd for QueuePath {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for QueuePath {
    /// As the parts in sequence, without splitting: the dot is below every other byte.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        let rank = |byte: &u8| (*byte != b'.', *byte);
        let (own, others) = (self.0.as_bytes(), other.0.as_bytes());
        match own.iter().zip(others).find(|(own, other)| own != other) {
            Some((own, other)) => rank(own).cmp(&rank(other)),
            None => own.len().cmp(&others.len()),
        }
    }
}

impl From<&str> for QueuePath {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl serde::Serialize for QueuePath {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.0)
    }
}

impl<'de> serde::Deserialize<'de> for QueuePath {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        super::saved::text::deserialize(from).map(Self)
    }
}

impl From<QueuePath> for Arc<str> {
    fn from(path: QueuePath) -> Self {
        path.0
    }
}

impl Borrow<str> for QueuePath {
    /// Only for hashed look-ups: the order of `str` differs.
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for QueuePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for QueuePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", &*self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_paths() {
        let path = QueuePath::new("root.Prod.ETL");
        assert_eq!(path.as_str(), "root.prod.etl");
        assert_eq!(path.name(), "etl");
        assert_eq!(path.depth(), 2);
        assert_eq!(path.parent(), Some(QueuePath::new("root.prod")));
        assert_eq!(QueuePath::root().parent(), None);
        assert_eq!(QueuePath::root().child("A"), QueuePath::new("root.a"));
    }

    #[test]
    fn within_compares_parts_not_letters() {
        let a = QueuePath::new("root.a");
        assert!(QueuePath::new("root.a.b").is_within(&a));
        assert!(a.is_within(&a));
        assert!(!QueuePath::new("root.ab").is_within(&a));
    }

    proptest::proptest! {
        #[test]
        fn sorts_by_its_parts(own in "[a-b!.\u{e9}-]{0,8}", other in "[a-b!.\u{e9}-]{0,8}") {
            let (own, other) = (QueuePath::new(&own), QueuePath::new(&other));
            proptest::prop_assert_eq!(own.cmp(&other), own.parts().cmp(other.parts()));
        }
    }

    #[test]
    fn sorts_a_queue_right_before_its_children() {
        let mut paths = ["root.a-b", "root.a", "root", "root.a.x"].map(QueuePath::new);
        paths.sort();
        assert_eq!(paths.map(|p| p.as_str().to_owned()), ["root", "root.a", "root.a.x", "root.a-b"]);
    }
}
