//! Elements of long lists that are parsed only if their ID or the hash of their bytes changed.
//!
//! If lists have a random order, the hash differs; then the element is parsed and compared later.

use std::hash::{Hash, Hasher};

use imbl::OrdMap;
use rustc_hash::FxHasher;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::dto::{Unknown, Unreadable, none_read, salvage};

/// Maximum position of the ID, in bytes from the start.
const FRONT: usize = 160;

type Read<R> = Box<dyn Fn(&[u8], &mut Vec<Unknown>) -> Result<R, Unreadable> + Send + Sync>;

/// ID → hash of the bytes.
pub type Seen<K> = OrdMap<K, u64>;

/// The result for an element.
#[derive(Clone, Debug)]
pub enum Element<K, R> {
    /// Unchanged since this hash.
    Same(K, u64),
    /// New or changed row.
    Read(Box<R>, u64),
}

/// Reads the elements of a list with the hashes of the previous state.
pub struct ListReader<K, R> {
    seen: Seen<K>,
    key: &'static str,
    read: Read<R>,
    /// The results so far.
    pub elements: Vec<Element<K, R>>,
    /// The values that could not be parsed.
    pub unknown: Vec<Unknown>,
    taken: usize,
}

impl<K: Ord + Clone + for<'a> From<&'a str>, R> ListReader<K, R> {
    /// A reader of objects `T` with the ID in `key`.
    pub fn new<T: DeserializeOwned>(
        seen: Seen<K>,
        key: &'static str,
        convert: impl Fn(T) -> R + Send + Sync + 'static,
    ) -> Self {
        let read = move |bytes: &[u8], unknown: &mut Vec<Unknown>| salvage(bytes, unknown).map(&convert);
        Self { seen, key, read: Box::new(read), elements: Vec::new(), unknown: Vec::new(), taken: 0 }
    }

    /// A reader with given rows.
    pub fn of(rows: impl IntoIterator<Item = R>) -> Self {
        let read = |_: &[u8], _: &mut Vec<Unknown>| {
            Err(Unreadable { line: 1, column: 1, reason: "this list was already read".to_owned() })
        };
        let elements = (0_u64..).zip(rows).map(|(number, row)| Element::Read(Box::new(row), number)).collect();
        Self { seen: Seen::new(), key: "", read: Box::new(read), elements, unknown: Vec::new(), taken: 0 }
    }

    /// Takes one element. An unreadable one is omitted and added to `unknown`.
    ///
    /// # Errors
    /// The element is not JSON.
    pub fn take(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.taken += 1;
        let hash = hash(bytes);
        let id = id_at_front(bytes, self.key).map(K::from);
        let element = match id {
            Some(id) if self.seen.get(&id) == Some(&hash) => Element::Same(id, hash),
            _ => {
                let before = self.unknown.len();
                match (self.read)(bytes, &mut self.unknown) {
                    // Parsed again the next time, so that its unknown values are reported again.
                    Ok(row) => Element::Read(Box::new(row), if self.unknown.len() == before { hash } else { 0 }),
                    Err(why) if serde_json::from_slice::<IgnoredAny>(bytes).is_err() => return Err(why.to_string()),
                    Err(why) => {
                        let path = format!("entry {}", self.taken);
                        self.unknown.push(Unknown { kind: "", name: String::new(), path, reason: why.to_string() });
                        return Ok(());
                    }
                }
            }
        };
        self.elements.push(element);
        Ok(())
    }

    /// Returns the reader at the end of the list.
    ///
    /// # Errors
    /// A nonempty list without a readable entry: its objects are unknown, not absent.
    pub fn finished(self) -> Result<Self, String> {
        match self.unknown.first() {
            Some(first) if self.elements.is_empty() => Err(none_read(first)),
            _ => Ok(self),
        }
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    bytes.trim_ascii_end().hash(&mut hasher);
    hasher.finish()
}

/// The ID at the start of an object, if it has no escapes.
fn id_at_front<'b>(bytes: &'b [u8], key: &str) -> Option<&'b str> {
    let front = std::str::from_utf8(bytes.get(..bytes.len().min(FRONT))?)
        .or_else(|error| std::str::from_utf8(&bytes[..error.valid_up_to()]));
    let rest = front.ok()?.strip_prefix('{')?.trim_start();
    let rest = rest.strip_prefix('"')?.strip_prefix(key)?.strip_prefix('"')?.trim_start();
    let rest = rest.strip_prefix(':')?.trim_start().strip_prefix('"')?;
    let end = rest.find(['"', '\\'])?;
    (rest.as_bytes()[end] == b'"').then_some(&rest[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::AppId;

    #[test]
    fn an_id_is_found_at_the_front_only_where_it_is_plain() {
        let id = |text: &str| id_at_front(text.as_bytes(), "applicationID").map(str::to_owned);
        assert_eq!(id(r#"{"applicationID":"a-1","x":1}"#).as_deref(), Some("a-1"));
        assert_eq!(id("{\n  \"applicationID\" : \"a-1\"}").as_deref(), Some("a-1"));
        assert_eq!(id(r#"{"x":1,"applicationID":"a-1"}"#), None);
        assert_eq!(id(r#"{"applicationID":"a\u003c"}"#), None);
        assert_eq!(id(&format!(r#"{{"applicationID":"{}"}}"#, "ü".repeat(200))), None);
    }

    #[test]
    fn only_what_differs_is_read() {
        let read = |seen: &Seen<AppId>, text: &str| {
            let mut reader = ListReader::new(seen.clone(), "id", |value: serde_json::Value| value);
            reader.take(text.as_bytes()).unwrap();
            reader.elements.remove(0)
        };
        let mut seen = Seen::new();
        let Element::Read(value, hash) = read(&seen, r#"{"id":"a","n":1}"#) else { panic!("it was never seen") };
        assert_eq!(value["n"], 1);
        seen.insert(AppId::from("a"), hash);
        assert!(matches!(read(&seen, "{\"id\":\"a\",\"n\":1}\n"), Element::Same(_, same) if same == hash));
        assert!(matches!(read(&seen, r#"{"id":"a","n":2}"#), Element::Read(..)));
        assert!(matches!(read(&seen, r#"{"id":"b","n":1}"#), Element::Read(..)));
    }
    #[test]
    fn entries_that_cannot_be_read_have_the_numbers_of_the_list() {
        let mut reader = ListReader::new(Seen::<AppId>::new(), "id", |value: String| value);
        for entry in ["\"a\"", "[1]", "\"b\"", "{}"] {
            reader.take(entry.as_bytes()).unwrap();
        }
        let paths: Vec<&str> = reader.unknown.iter().map(|unknown| &*unknown.path).collect();
        assert_eq!((paths, reader.elements.len()), (vec!["entry 2", "entry 4"], 2));
        assert!(reader.finished().is_ok(), "the others were read");
    }

    #[test]
    fn a_list_of_which_no_entry_can_be_read_is_not_an_empty_one() {
        let of = |entries: &[&str]| {
            let mut reader = ListReader::new(Seen::<AppId>::new(), "id", |value: String| value);
            entries.iter().for_each(|entry| reader.take(entry.as_bytes()).unwrap());
            reader.finished().map(|reader| reader.elements.len())
        };
        assert_eq!(of(&[]), Ok(0));
        assert_eq!(of(&["\"a\"", "7"]), Ok(1));
        let why = of(&["7", "[]"]).unwrap_err();
        assert!(
            why.starts_with("none of its entries can be read; the first: entry 1: expected a text, found 7"),
            "{why}"
        );
    }
}
