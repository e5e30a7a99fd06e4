//! Maps in which a duplicate name is rejected.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

struct UniqueKeys<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for UniqueKeys<V> {
    type Value = BTreeMap<String, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut from: A) -> Result<Self::Value, A::Error> {
        let mut map = BTreeMap::new();
        while let Some(name) = from.next_key::<String>()? {
            if map.contains_key(&name) {
                return Err(A::Error::custom(format_args!("duplicate {name:?} in one object")));
            }
            map.insert(name, from.next_value()?);
        }
        Ok(map)
    }
}

/// Reads a map without duplicate names.
pub(super) fn unique_keys<'de, D: Deserializer<'de>, V: Deserialize<'de>>(
    from: D,
) -> Result<BTreeMap<String, V>, D::Error> {
    from.deserialize_map(UniqueKeys(PhantomData))
}

/// Reads an optional map without duplicate names.
pub(super) fn optional_unique_keys<'de, D, V>(from: D) -> Result<Option<BTreeMap<String, V>>, D::Error>
where
    D: Deserializer<'de>,
    V: Deserialize<'de>,
{
    struct Maybe<V>(BTreeMap<String, V>);

    impl<'de, V: Deserialize<'de>> Deserialize<'de> for Maybe<V> {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            unique_keys(from).map(Self)
        }
    }
    Ok(Option::<Maybe<V>>::deserialize(from)?.map(|Maybe(map)| map))
}
