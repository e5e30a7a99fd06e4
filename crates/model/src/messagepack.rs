//! Reads MessagePack as `rmp_serde` writes it: its reader, once for each type, was a third of the journal's code.

use std::fmt;

use serde::de::value::StrDeserializer;
use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde::forward_to_deserialize_any;

/// A damaged file must not exhaust the stack.
const DEPTH: u16 = 512;

/// Why bytes are not the expected value.
#[derive(Debug)]
pub struct Fault(String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

impl serde::de::Error for Fault {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self(message.to_string())
    }
}

/// Ignores the rest of the bytes.
///
/// # Errors
/// The bytes end too early, have a marker that `rmp_serde` does not write, or are of another type.
pub fn from_slice<'de, T: Deserialize<'de>>(bytes: &'de [u8]) -> Result<T, Fault> {
    T::deserialize(&mut Reader { rest: bytes, depth: DEPTH })
}

struct Reader<'de> {
    rest: &'de [u8],
    depth: u16,
}

/// For lists and maps the number of entries.
enum Head<'de> {
    Nil,
    Bool(bool),
    Unsigned(u64),
    Signed(i64),
    Float(f64),
    Text(&'de str),
    Bytes(&'de [u8]),
    List(usize),
    Map(usize),
}

const NIL: u8 = 0xc0;

impl<'de> Reader<'de> {
    fn head(&mut self) -> Result<Head<'de>, Fault> {
        let marker = self.array::<1>()?[0];
        Ok(match marker {
            0x00..=0x7f => Head::Unsigned(marker.into()),
            0x80..=0x8f => Head::Map(usize::from(marker & 0x0f)),
            0x90..=0x9f => Head::List(usize::from(marker & 0x0f)),
            0xa0..=0xbf => self.text(usize::from(marker & 0x1f))?,
            NIL => Head::Nil,
            0xc2 | 0xc3 => Head::Bool(marker == 0xc3),
            0xc4..=0xc6 => {
                let length = self.length(marker - 0xc4)?;
                Head::Bytes(self.take(length)?)
            }
            0xca => Head::Float(f32::from_be_bytes(self.array()?).into()),
            0xcb => Head::Float(f64::from_be_bytes(self.array()?)),
            0xcc => Head::Unsigned(u8::from_be_bytes(self.array()?).into()),
            0xcd => Head::Unsigned(u16::from_be_bytes(self.array()?).into()),
            0xce => Head::Unsigned(u32::from_be_bytes(self.array()?).into()),
            0xcf => Head::Unsigned(u64::from_be_bytes(self.array()?)),
            0xd0 => Head::Signed(i8::from_be_bytes(self.array()?).into()),
            0xd1 => Head::Signed(i16::from_be_bytes(self.array()?).into()),
            0xd2 => Head::Signed(i32::from_be_bytes(self.array()?).into()),
            0xd3 => Head::Signed(i64::from_be_bytes(self.array()?)),
            0xd9..=0xdb => {
                let length = self.length(marker - 0xd9)?;
                self.text(length)?
            }
            0xdc | 0xdd => Head::List(self.length(marker - 0xdb)?),
            0xde | 0xdf => Head::Map(self.length(marker - 0xdd)?),
            0xe0..=0xff => Head::Signed(i8::from_be_bytes([marker]).into()),
            0xc1 | 0xc7..=0xc9 | 0xd4..=0xd8 => return Err(Fault(format!("unknown marker {marker:#04x}"))),
        })
    }

    /// In 2 to the power of `width` bytes.
    fn length(&mut self, width: u8) -> Result<usize, Fault> {
        Ok(match width {
            0 => self.array::<1>()?[0].into(),
            1 => u16::from_be_bytes(self.array()?).into(),
            _ => usize::try_from(u32::from_be_bytes(self.array()?)).unwrap_or(usize::MAX),
        })
    }

    fn text(&mut self, length: usize) -> Result<Head<'de>, Fault> {
        let text = std::str::from_utf8(self.take(length)?);
        text.map(Head::Text).map_err(|error| Fault(error.to_string()))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Fault> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or_else(ends)?;
        self.rest = rest;
        Ok(*bytes)
    }

    fn take(&mut self, length: usize) -> Result<&'de [u8], Fault> {
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or_else(ends)?;
        self.rest = rest;
        Ok(bytes)
    }

    fn deeper(&mut self) -> Result<(), Fault> {
        self.depth = self.depth.checked_sub(1).ok_or_else(|| Fault(format!("more than {DEPTH} nested lists")))?;
        Ok(())
    }
}

fn ends() -> Fault {
    Fault("the value ends too early".to_owned())
}

impl<'de> Deserializer<'de> for &mut Reader<'de> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.head()? {
            Head::Nil => visitor.visit_unit(),
            Head::Bool(value) => visitor.visit_bool(value),
            Head::Unsigned(value) => visitor.visit_u64(value),
            Head::Signed(value) => visitor.visit_i64(value),
            Head::Float(value) => visitor.visit_f64(value),
            Head::Text(text) => visitor.visit_borrowed_str(text),
            Head::Bytes(bytes) => visitor.visit_borrowed_bytes(bytes),
            Head::List(left) => {
                let mut entries = Entries::of(self, left)?;
                let value = visitor.visit_seq(&mut entries)?;
                entries.end().map(|()| value)
            }
            Head::Map(left) => {
                let mut entries = Entries::of(self, left)?;
                let value = visitor.visit_map(&mut entries)?;
                entries.end().map(|()| value)
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.rest.first() == Some(&NIL) {
            self.rest = &self.rest[1..];
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fault> {
        match self.head()? {
            Head::Nil | Head::List(0) => visitor.visit_unit(),
            _ => Err(serde::de::Error::invalid_type(Unexpected::Other("a value"), &visitor)),
        }
    }

    /// Only the name, or a map from the name to the content of the variant.
    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.head()? {
            Head::Text(name) => visitor.visit_enum(StrDeserializer::new(name)),
            Head::Map(1) => {
                self.deeper()?;
                let value = visitor.visit_enum(&mut *self)?;
                self.depth += 1;
                Ok(value)
            }
            _ => Err(serde::de::Error::invalid_type(Unexpected::Other("a value"), &visitor)),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit seq tuple tuple_struct map struct
        identifier ignored_any
    }

    /// As in `rmp_serde`: some types have a shorter form.
    fn is_human_readable(&self) -> bool {
        false
    }
}

struct Entries<'r, 'de> {
    reader: &'r mut Reader<'de>,
    left: usize,
}

impl<'r, 'de> Entries<'r, 'de> {
    fn of(reader: &'r mut Reader<'de>, left: usize) -> Result<Self, Fault> {
        reader.deeper()?;
        Ok(Self { reader, left })
    }

    /// A later version may have written more fields, so the value is rejected.
    fn end(self) -> Result<(), Fault> {
        self.reader.depth += 1;
        if self.left == 0 { Ok(()) } else { Err(Fault(format!("{} entries too many", self.left))) }
    }
}

impl<'de> SeqAccess<'de> for Entries<'_, 'de> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
        self.left = left;
        seed.deserialize(&mut *self.reader).map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> MapAccess<'de> for Entries<'_, 'de> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        self.next_element_seed(seed)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        seed.deserialize(&mut *self.reader)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.left)
    }
}

impl<'de> EnumAccess<'de> for &mut Reader<'de> {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Fault> {
        Ok((seed.deserialize(&mut *self)?, self))
    }
}

impl<'de> VariantAccess<'de> for &mut Reader<'de> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        <()>::deserialize(self)
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Fault> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_any(visitor)
    }

    fn struct_variant<V: Visitor<'de>>(self, _: &'static [&'static str], visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_any(visitor)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Debug;

    use proptest::prelude::*;
    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Serialize, Deserialize, Debug, PartialEq, Clone)]
    enum Kind {
        Plain,
        Number(i64),
        Pair(u8, String),
        Named { text: String, more: Option<Box<Kind>> },
    }

    #[derive(Serialize, Deserialize, Debug, PartialEq)]
    struct Unit;

    #[derive(Serialize, Deserialize, Debug, PartialEq)]
    struct Record {
        kind: Kind,
        amounts: BTreeMap<String, i64>,
        list: Vec<(u64, bool)>,
        share: f64,
        small: f32,
        letter: char,
        absent: Option<u16>,
        #[serde(with = "crate::saved::bytes")]
        bytes: Vec<u8>,
        unit: Unit,
        nothing: (),
    }

    fn kind() -> impl Strategy<Value = Kind> {
        let text = ".{0,40}";
        let flat = prop_oneof![
            Just(Kind::Plain),
            any::<i64>().prop_map(Kind::Number),
            (any::<u8>(), text).prop_map(|(number, text)| Kind::Pair(number, text)),
        ];
        flat.prop_recursive(4, 8, 1, move |inner| {
            (text, proptest::option::of(inner)).prop_map(|(text, more)| Kind::Named { text, more: more.map(Box::new) })
        })
    }

    fn record() -> impl Strategy<Value = Record> {
        let numbers = proptest::collection::vec((any::<u64>(), any::<bool>()), 0..40);
        let amounts = proptest::collection::btree_map(".{0,300}", any::<i64>(), 0..20);
        let bytes = proptest::collection::vec(any::<u8>(), 0..300);
        let floats = (-1e300..1e300, -1e30f32..1e30);
        (kind(), amounts, numbers, floats, any::<char>(), any::<Option<u16>>(), bytes).prop_map(
            |(kind, amounts, list, (share, small), letter, absent, bytes)| Record {
                kind,
                amounts,
                list,
                share,
                small,
                letter,
                absent,
                bytes,
                unit: Unit,
                nothing: (),
            },
        )
    }

    proptest! {
        #[test]
        fn what_rmp_serde_writes_is_read_back(record in record(), cut in any::<prop::sample::Index>()) {
            for written in [rmp_serde::to_vec(&record).unwrap(), rmp_serde::to_vec_named(&record).unwrap()] {
                prop_assert_eq!(&from_slice::<Record>(&written).unwrap(), &record);
                prop_assert!(from_slice::<Record>(&written[..cut.index(written.len())]).is_err());
            }
        }

        #[test]
        fn any_bytes_are_refused_or_read_as_rmp_serde_reads_them(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            if let Ok(kind) = from_slice::<Kind>(&bytes) {
                prop_assert_eq!(kind, rmp_serde::from_slice::<Kind>(&bytes).unwrap());
            }
        }
    }

    #[test]
    fn lists_inside_each_other_are_bounded() {
        assert!(from_slice::<serde::de::IgnoredAny>(&[0x91; 100_000]).is_err());
    }

    #[test]
    fn a_list_with_too_many_entries_is_refused() {
        let written = rmp_serde::to_vec(&(1, 2, 3)).unwrap();
        assert_eq!(from_slice::<(u8, u8)>(&written).unwrap_err().to_string(), "1 entries too many");
    }
}
