//! Serialization of shared values, for `#[serde(with = "...")]`. Deserialization creates a separate copy for each
//! reference.

use std::borrow::Cow;
use std::sync::Arc;

use serde::de::{Deserialize, Deserializer};
use serde::ser::{Serialize, Serializer};

/// A deserialized text, borrowed from the input if possible.
#[derive(serde::Deserialize)]
pub struct Text<'a>(#[serde(borrow)] pub Cow<'a, str>);

/// Serializes an [`Arc`] as the value that it shares.
pub mod arc {
    use super::{Arc, Deserialize, Deserializer, Serialize, Serializer};

    /// Writes what is shared.
    ///
    /// # Errors
    /// Those of the format.
    pub fn serialize<T: Serialize, S: Serializer>(value: &Arc<T>, to: S) -> Result<S::Ok, S::Error> {
        T::serialize(value, to)
    }

    /// Reads a value into a new [`Arc`].
    ///
    /// # Errors
    /// Those of the format.
    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<Arc<T>, D::Error> {
        T::deserialize(from).map(Arc::new)
    }
}

/// Serializes a shared text as a string.
pub mod text {
    use super::{Arc, Deserialize, Deserializer, Serializer, Text};

    /// Writes the text.
    ///
    /// # Errors
    /// Those of the format.
    pub fn serialize<S: Serializer>(text: &Arc<str>, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(text)
    }

    /// Reads a text.
    ///
    /// # Errors
    /// Those of the format.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Arc<str>, D::Error> {
        Text::deserialize(from).map(|text| Arc::from(&*text.0))
    }
}

/// A shared text that may be absent.
pub mod text_option {
    use super::{Arc, Deserialize, Deserializer, Serialize, Serializer, Text};

    /// Writes the text or `None`.
    ///
    /// # Errors
    /// Those of the format.
    pub fn serialize<S: Serializer>(text: &Option<Arc<str>>, to: S) -> Result<S::Ok, S::Error> {
        text.as_deref().serialize(to)
    }

    /// Reads a text or `None`.
    ///
    /// # Errors
    /// Those of the format.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Arc<str>>, D::Error> {
        Ok(Option::<Text<'_>>::deserialize(from)?.map(|text| Arc::from(&*text.0)))
    }
}

/// A map by shared texts.
pub mod text_map {
    use std::collections::BTreeMap;

    use super::{Arc, Deserialize, Deserializer, Serialize, Serializer};

    /// Writes the map.
    ///
    /// # Errors
    /// Those of the format.
    pub fn serialize<V: Serialize, S: Serializer>(map: &BTreeMap<Arc<str>, V>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(map.iter().map(|(key, value)| (&**key, value)))
    }

    /// Reads the map.
    ///
    /// # Errors
    /// Those of the format.
    pub fn deserialize<'de, V: Deserialize<'de>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<BTreeMap<Arc<str>, V>, D::Error> {
        let map = BTreeMap::<String, V>::deserialize(from)?;
        Ok(map.into_iter().map(|(key, value)| (Arc::from(key), value)).collect())
    }
}

/// A list of any kind, as a sequence.
pub mod list {
    use super::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes the elements in their order.
    ///
    /// # Errors
    /// Those of the format.
    pub fn serialize<'a, L, S: Serializer>(list: &'a L, to: S) -> Result<S::Ok, S::Error>
    where
        &'a L: IntoIterator<Item: Serialize, IntoIter: ExactSizeIterator>,
    {
        to.collect_seq(list)
    }

    /// Reads the elements in their order.
    ///
    /// # Errors
    /// Those of the format.
    pub fn deserialize<'de, L, D: Deserializer<'de>>(from: D) -> Result<L, D::Error>
    where
        L: IntoIterator<Item: Deserialize<'de>> + FromIterator<L::Item>,
    {
        Vec::deserialize(from).map(L::from_iter)
    }
}

/// A list of shared values, as a sequence.
pub mod arcs {
    use super::{Arc, Deserialize, Deserializer, Serialize, Serializer};

    /// Writes what is shared, in its order.
    ///
    /// # Errors
    /// Those of the format.
    pub fn serialize<'a, T: Serialize + 'a, L, S: Serializer>(list: &'a L, to: S) -> Result<S::Ok, S::Error>
    where
        &'a L: IntoIterator<Item = &'a Arc<T>, IntoIter: ExactSizeIterator>,
    {
        to.collect_seq(list.into_iter().map(|shared| &**shared))
    }

    /// Reads each value into a new [`Arc`], in order.
    ///
    /// # Errors
    /// Those of the format.
    pub fn deserialize<'de, T: Deserialize<'de>, L: FromIterator<Arc<T>>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<L, D::Error> {
        Ok(Vec::<T>::deserialize(from)?.into_iter().map(Arc::new).collect())
    }
}

/// Serializes bytes as one binary value, not as a list of numbers.
pub mod bytes {
    use std::fmt;

    use super::{Deserializer, Serializer};

    /// Writes the bytes.
    ///
    /// # Errors
    /// Those of the format.
    pub fn serialize<S: Serializer>(bytes: &[u8], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_bytes(bytes)
    }

    /// Reads bytes.
    ///
    /// # Errors
    /// Those of the format.
    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        from.deserialize_bytes(Bytes)
    }

    struct Bytes;

    impl serde::de::Visitor<'_> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }
    }
}
