//! Resource maps in the forms of all releases.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;

use serde::de::{Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

use super::lenient::{Read, number, read};
use model::Resource;

/// Resources by type: `memory` in bytes, `vcore` in millicores, others in units; or percentages. May be negative.
///
/// Reads a plain map (since 1.7) and one under `Resources` (up to 1.6). A missing type differs from 0.
#[derive(Clone, Debug, Default)]
pub struct ResourceMap(pub Resource);

impl Deref for ResourceMap {
    type Target = Resource;

    fn deref(&self) -> &Resource {
        &self.0
    }
}

impl PartialEq for ResourceMap {
    fn eq(&self, other: &Self) -> bool {
        self.0.iter().eq(other.0.iter())
    }
}

impl Eq for ResourceMap {}

impl From<Resource> for ResourceMap {
    fn from(resource: Resource) -> Self {
        Self(resource)
    }
}

impl From<&Resource> for ResourceMap {
    fn from(resource: &Resource) -> Self {
        Self(resource.clone())
    }
}

impl Serialize for ResourceMap {
    /// Sorted by name bytewise, including memory and vcore.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        by_name(&self.0, |name, amount| map.serialize_entry(name, &amount))?;
        map.end()
    }
}

/// Visits the resources by name. [`Resource::iter`] starts with memory and vcore.
pub fn by_name<E>(resource: &Resource, mut visit: impl FnMut(&str, i64) -> Result<(), E>) -> Result<(), E> {
    use model::resource::{MEMORY, VCORE};
    let mut first = resource.iter().filter(|(name, _)| *name == MEMORY || *name == VCORE).peekable();
    for (name, amount) in resource.iter().filter(|(name, _)| *name != MEMORY && *name != VCORE) {
        while let Some((before, amount)) = first.next_if(|(before, _)| *before < name) {
            visit(before, amount)?;
        }
        visit(name, amount)?;
    }
    first.try_for_each(|(name, amount)| visit(name, amount))
}

impl<'de> Deserialize<'de> for ResourceMap {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Amounts { depth: 0 }).map(Self)
    }
}

impl Read for ResourceMap {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::deserialize(deserializer)
    }
}

/// Keys that wrap a map up to 1.6, and in events.
const WRAPPERS: [&str; 2] = ["Resources", "resources"];

struct Amounts {
    depth: u8,
}

impl<'de> Visitor<'de> for Amounts {
    type Value = Resource;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of resource types and whole numbers")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Resource, A::Error> {
        let mut resource = Resource::new();
        while let Some(name) = map.next_key::<String>()? {
            match map.next_value()? {
                Amount::Number(amount) => resource.set(&name, amount),
                Amount::Map(inner) if self.depth == 0 && WRAPPERS.contains(&name.as_str()) => {
                    inner.iter().for_each(|(name, amount)| resource.set(name, amount));
                }
                Amount::Map(_) => {
                    return Err(A::Error::custom(format_args!("expected the quantity of {name:?}, found an object")));
                }
            }
        }
        Ok(resource)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Resource, A::Error> {
        match seq.next_element::<IgnoredAny>()? {
            None => Ok(Resource::new()),
            Some(_) => Err(A::Error::custom("a list where an object of resource types was expected")),
        }
    }

    fn visit_unit<E: Error>(self) -> Result<Resource, E> {
        Ok(Resource::new())
    }
}

enum Amount {
    Number(i64),
    Map(Resource),
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Amount;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number")
            }

            fn visit_i64<E: Error>(self, value: i64) -> Result<Amount, E> {
                Ok(Amount::Number(value))
            }

            fn visit_u64<E: Error>(self, value: u64) -> Result<Amount, E> {
                number(serde::de::value::U64Deserializer::new(value)).map(Amount::Number)
            }

            fn visit_f64<E: Error>(self, value: f64) -> Result<Amount, E> {
                number(serde::de::value::F64Deserializer::new(value)).map(Amount::Number)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Amount, E> {
                number(serde::de::value::StrDeserializer::new(text)).map(Amount::Number)
            }

            fn visit_unit<E: Error>(self) -> Result<Amount, E> {
                Ok(Amount::Number(0))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Amount, A::Error> {
                Amounts { depth: 1 }.visit_map(map).map(Amount::Map)
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// A resource in an event: `{"resources": {type: {"value": n}}}`, where a value of 0 is omitted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventResource(pub ResourceMap);

impl Serialize for EventResource {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if !self.0.0.is_empty() {
            map.serialize_entry("resources", &Values(&self.0.0))?;
        }
        map.end()
    }
}

struct Values<'a>(&'a Resource);

impl Serialize for Values<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        by_name(self.0, |name, value| map.serialize_entry(name, &Quantity { value }))?;
        map.end()
    }
}

#[derive(Default, Serialize, Deserialize)]
struct Quantity {
    #[serde(default, deserialize_with = "read", skip_serializing_if = "super::lenient::is_empty")]
    value: i64,
}

impl<'de> Deserialize<'de> for EventResource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Default, Deserialize)]
        struct Wrapper {
            #[serde(default)]
            resources: Option<BTreeMap<String, Option<Quantity>>>,
        }
        let wrapper = Option::<Wrapper>::deserialize(deserializer)?.unwrap_or_default();
        let mut resource = Resource::new();
        for (name, quantity) in wrapper.resources.unwrap_or_default() {
            resource.set(&name, quantity.unwrap_or_default().value);
        }
        Ok(Self(resource.into()))
    }
}

/// Resources times seconds by instance type; under `TrackedResourceMap` in 1.6.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct UsageByType(pub BTreeMap<String, ResourceMap>);

impl Read for UsageByType {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Tracked;

        impl<'de> Visitor<'de> for Tracked {
            type Value = BTreeMap<String, ResourceMap>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of instance types")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut types = BTreeMap::new();
                while let Some(key) = map.next_key::<String>()? {
                    if key == "TrackedResourceMap" {
                        types.append(&mut map.next_value::<Wrapped>()?.0);
                    } else {
                        types.insert(key, map.next_value()?);
                    }
                }
                Ok(types)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                match seq.next_element::<IgnoredAny>()? {
                    None => Ok(BTreeMap::new()),
                    Some(_) => Err(A::Error::custom("a list where an object of instance types was expected")),
                }
            }

            fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
                Ok(BTreeMap::new())
            }
        }

        struct Wrapped(BTreeMap<String, ResourceMap>);

        impl<'de> Deserialize<'de> for Wrapped {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                read(deserializer).map(Self)
            }
        }
        deserializer.deserialize_any(Tracked).map(Self)
    }
}
