//! Tolerant reading: missing, `null`, `[]`, and `{}` are equal; a number may be text.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::Word;

pub(super) trait Read: Sized {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error>;
}

/// For `deserialize_with`: reads tolerantly.
pub(super) fn read<'de, T: Read, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    T::read(deserializer)
}

/// For `deserialize_with` of an object: `null` is an empty one.
pub(super) fn object<'de, T: Deserialize<'de> + Default, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    Ok(Option::<T>::deserialize(deserializer)?.unwrap_or_default())
}

/// For `skip_serializing_if`: empty values are omitted (`rest.md` section 2).
pub(super) fn is_empty<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A list as a document: `null` and `{}` are empty.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(transparent)]
pub struct List<T>(
    /// The list's elements.
    pub Vec<T>,
);

impl<'de, T: DeserializeOwned> Deserialize<'de> for List<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Read::read(deserializer).map(Self)
    }
}

struct Number;

impl Visitor<'_> for Number {
    type Value = i128;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<i128, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<i128, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<i128, E> {
        // Beyond 2^53 a float has lost precision.
        let whole = (value.fract() == 0.0 && value.abs() <= 9_007_199_254_740_992.0).then_some(value as i128);
        whole.ok_or_else(|| E::custom(format_args!("{value} is not a whole number")))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<i128, E> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(0);
        }
        text.parse().map_err(|_| E::custom(format_args!("{text:?} is not a whole number")))
    }

    fn visit_unit<E: Error>(self) -> Result<i128, E> {
        Ok(0)
    }

    fn visit_none<E: Error>(self) -> Result<i128, E> {
        Ok(0)
    }
}

/// May be text; `null` and the empty text are 0.
pub(super) fn number<'de, T: TryFrom<i128>, D: Deserializer<'de>>(deserializer: D) -> Result<T, D::Error> {
    let value = deserializer.deserialize_any(Number)?;
    T::try_from(value).map_err(|_| D::Error::custom(format_args!("the number {value} is out of range")))
}

macro_rules! read_number {
    ($($type:ty),*) => {
        $(impl Read for $type {
            fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                number(deserializer)
            }
        })*
    };
}

read_number!(i32, i64, u64);

impl Read for Option<i64> {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Maybe;

        impl<'de> Visitor<'de> for Maybe {
            type Value = Option<i64>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number, or nothing")
            }

            fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
                Ok(None)
            }

            fn visit_none<E: Error>(self) -> Result<Self::Value, E> {
                Ok(None)
            }

            fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
                number(deserializer).map(Some)
            }
        }
        deserializer.deserialize_option(Maybe)
    }
}

impl Read for bool {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Flag;

        impl Visitor<'_> for Flag {
            type Value = bool;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("true or false")
            }

            fn visit_bool<E: Error>(self, value: bool) -> Result<bool, E> {
                Ok(value)
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<bool, E> {
                match text {
                    "true" => Ok(true),
                    "false" | "" => Ok(false),
                    _ => Err(E::custom(format_args!("{text:?} is not true or false"))),
                }
            }

            fn visit_unit<E: Error>(self) -> Result<bool, E> {
                Ok(false)
            }
        }
        deserializer.deserialize_any(Flag)
    }
}

impl Read for String {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.unwrap_or_default())
    }
}

impl Read for Word {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::read(deserializer).map(Word::Owned)
    }
}

/// The object must be empty.
fn nothing<'de, A: MapAccess<'de>>(mut map: A, expected: &str) -> Result<(), A::Error> {
    match map.next_key::<String>()? {
        None => Ok(()),
        Some(key) => {
            Err(A::Error::custom(format_args!("an object with the key {key:?} where {expected} was expected")))
        }
    }
}

impl<T: DeserializeOwned> Read for Vec<T> {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Items<T>(PhantomData<T>);

        impl<'de, T: DeserializeOwned> Visitor<'de> for Items<T> {
            type Value = Vec<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                let mut items = Vec::new();
                while let Some(item) = seq.next_element()? {
                    items.push(item);
                }
                Ok(items)
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                nothing(map, "a list").map(|()| Vec::new())
            }

            fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
                Ok(Vec::new())
            }
        }
        deserializer.deserialize_any(Items(PhantomData))
    }
}

struct Value<T>(PhantomData<T>);

impl<'de, T: Read> DeserializeSeed<'de> for Value<T> {
    type Value = T;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<T, D::Error> {
        T::read(deserializer)
    }
}

/// An empty list and `null` are empty objects.
pub(super) struct Entries<T>(pub PhantomData<T>);

impl<'de, T: Read> Visitor<'de> for Entries<T> {
    type Value = BTreeMap<String, T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = BTreeMap::new();
        while let Some(key) = map.next_key()? {
            entries.insert(key, map.next_value_seed(Value(PhantomData))?);
        }
        Ok(entries)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
        match seq.next_element::<IgnoredAny>()? {
            None => Ok(BTreeMap::new()),
            Some(_) => Err(A::Error::custom("a list where an object was expected")),
        }
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(BTreeMap::new())
    }
}

impl<T: Read> Read for BTreeMap<String, T> {
    fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Entries(PhantomData))
    }
}
