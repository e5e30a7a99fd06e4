//! Reads the objects of a page one by one: a parsed object is many times larger than what is kept of it.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::objects::{Followed, Texts};

/// Returns the objects of a page.
///
/// # Errors
/// It is not a list of such objects.
pub(super) fn objects<T: Followed>(page: &[u8], texts: &mut Texts) -> Result<Vec<T>, serde_json::Error> {
    let mut found = Vec::new();
    let mut deserializer = serde_json::Deserializer::from_slice(page);
    deserializer.deserialize_map(Page { found: &mut found, texts })?;
    deserializer.end().map(|()| found)
}

struct Page<'p, T> {
    found: &'p mut Vec<T>,
    texts: &'p mut Texts,
}

impl<'de, T: Followed> Visitor<'de> for Page<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of objects")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some(key) = fields.next_key::<String>()? {
            if key == "items" {
                fields.next_value_seed(Items { found: &mut *self.found, texts: &mut *self.texts })?;
            } else {
                fields.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

struct Items<'p, T> {
    found: &'p mut Vec<T>,
    texts: &'p mut Texts,
}

impl<'de, T: Followed> DeserializeSeed<'de> for Items<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, T: Followed> Visitor<'de> for Items<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("objects")
    }

    /// An empty list may be `null`.
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(wire) = items.next_element::<T::Wire>()? {
            self.found.push(T::read(wire, self.texts));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use view::kubernetes::PodRow;

    fn names(text: &str) -> Result<Vec<String>, serde_json::Error> {
        let rows = objects::<PodRow>(text.as_bytes(), &mut Texts::default())?;
        Ok(rows.iter().map(|row| row.name.to_string()).collect())
    }

    #[test]
    fn a_page_without_items_reads() {
        for text in [r#"{"items":null}"#, r#"{"metadata":{},"items":[]}"#, "{}"] {
            assert_eq!(names(text).unwrap(), Vec::<String>::new(), "{text}");
        }
    }

    #[test]
    fn the_objects_of_a_page_are_in_its_order_and_a_truncated_page_is_none() {
        let text = r#"{"items":[{"metadata":{"name":"b"}},{"metadata":{"name":"a"}}],"metadata":{"continue":"x"}}"#;
        assert_eq!(names(text).unwrap(), ["b", "a"]);
        for bad in [&text[..text.len() - 1], r#"{"items":{}}"#, r#"{"items":[7]}"#, "[]", "{}x"] {
            assert!(names(bad).is_err(), "{bad}");
        }
    }
}
