//! Reads an answer with invalid values, which are omitted and listed.
//!
//! Invariants:
//! - an omitted value is listed with its object, its path, and the reason;
//! - an object with an unreadable name is omitted as a whole, so that nothing appears under a wrong name;
//! - reasons do not contain Rust terms.

use std::fmt;

use serde::de::{DeserializeOwned, IgnoredAny};

use view::unread::Unknown;

use super::List;

/// Maximum number of omitted values before the answer counts as unreadable.
const MOST: usize = 1000;
/// Maximum length of a quoted value, in characters.
const QUOTED: usize = 40;
/// A value belongs to the outermost named object, in a tree of queues to the innermost.
const NAMES: [&str; 6] = ["queuename", "applicationID", "nodeID", "userName", "groupName", "name"];
const KINDS: [&str; 6] = ["queue", "application", "node", "user", "group", "partition"];

/// Why an answer is unreadable, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in bytes.
    pub column: usize,
    /// The reason of the error.
    pub reason: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (line {}, column {})", self.reason, self.line, self.column)
    }
}

/// Reads a document; invalid values are omitted and added to `unknown`.
///
/// # Errors
/// Invalid JSON, or a document of another form.
pub fn salvage<T: DeserializeOwned>(bytes: &[u8], unknown: &mut Vec<Unknown>) -> Result<T, Unreadable> {
    let first = match serde_json::from_slice(bytes) {
        Ok(value) => return Ok(value),
        Err(error) => error,
    };
    if let Err(error) = serde_json::from_slice::<IgnoredAny>(bytes) {
        return Err(unreadable(bytes, &error));
    }
    let (mut text, mut error) = (bytes.to_vec(), first);
    let mut found = Vec::new();
    for _ in 0..MOST {
        let Some((lost, rest)) = without(&text, &error) else { return Err(unreadable(&text, &error)) };
        found.push(lost);
        text = rest;
        match serde_json::from_slice(&text) {
            Ok(value) => {
                unknown.append(&mut found);
                return Ok(value);
            }
            Err(next) => error = next,
        }
    }
    Err(unreadable(bytes, &error))
}

/// Reads a list as a whole document.
///
/// # Errors
/// As [`salvage`], or a nonempty list without a readable entry: its objects are unknown, not absent.
pub fn salvage_list<T: DeserializeOwned>(bytes: &[u8], unknown: &mut Vec<Unknown>) -> Result<Vec<T>, Unreadable> {
    let before = unknown.len();
    let list = salvage::<List<T>>(bytes, unknown)?.0;
    match unknown.get(before) {
        Some(first) if list.is_empty() => Err(Unreadable { line: 1, column: 1, reason: none_read(first) }),
        _ => Ok(list),
    }
}

/// Why a nonempty list counts as unreadable.
pub fn none_read(first: &Unknown) -> String {
    format!("none of its entries can be read; the first: {first}")
}

fn unreadable(bytes: &[u8], error: &serde_json::Error) -> Unreadable {
    let (line, column) = (error.line().max(1), error.column().max(1));
    let reason = if bytes.trim_ascii().is_empty() { "the document is empty".to_owned() } else { plain(error) };
    Unreadable { line, column, reason }
}

/// The reason without location and without Rust terms.
pub fn plain(error: &serde_json::Error) -> String {
    let text = config::input::json_error(error);
    let text = text.rsplit_once(" at line ").map_or(text.as_str(), |(text, _)| text);
    let Some((found, expected)) = text
        .strip_prefix("invalid type: ")
        .or_else(|| text.strip_prefix("invalid value: "))
        .and_then(|rest| rest.rsplit_once(", expected "))
    else {
        return text.to_owned();
    };
    let found = match found {
        "sequence" => "a list".to_owned(),
        "map" => "an object".to_owned(),
        "null" | "unit value" => "null".to_owned(),
        other => {
            let value = other.split_once('`').map(|(_, value)| value.trim_end_matches('`'));
            let value = value.or_else(|| other.strip_prefix("string "));
            quoted(value.unwrap_or(other))
        }
    };
    let expected = match expected {
        "a sequence" => "a list",
        "a map" => "an object",
        "a boolean" => "true or false",
        "a string" | "string" => "a text",
        "f64" | "f32" => "a number",
        "u64" | "i64" | "u32" | "i32" | "u16" | "i16" | "u8" | "i8" | "usize" => "a whole number",
        other if other.starts_with("struct ") || other.starts_with("internally") => "an object",
        other => other,
    };
    format!("expected {expected}, found {found}")
}

fn quoted(value: &str) -> String {
    let mut short: String = value.chars().take(QUOTED).collect();
    if short.len() < value.len() {
        short.push('…');
    }
    short
}

struct Member {
    key: Option<String>,
    index: usize,
    start: usize,
    value: usize,
    end: usize,
}

/// `None` if the error is about the whole document.
fn without(text: &[u8], error: &serde_json::Error) -> Option<(Unknown, Vec<u8>)> {
    let mut path = path_to(text, offset(text, error)?);
    let value = path.last().map(|last| String::from_utf8_lossy(&text[last.value..last.end]).into_owned())?;
    let reason = match value.parse::<f64>() {
        Ok(_) if !value.contains(['.', 'e', 'E']) => format!("the number {} is out of range", quoted(&value)),
        Ok(_) => format!("{} is not a whole number", quoted(&value)),
        Err(_) => plain(error),
    };
    // Without its name, an object would appear under another one.
    if path.last()?.key.as_deref().is_some_and(|key| NAMES.contains(&key)) {
        path.pop();
    }
    let last = path.last()?;
    let lost = lost(text, &path, reason);
    let comma_after = skip_space(text, last.end);
    let (from, to) = if text.get(comma_after) == Some(&b',') {
        (last.start, comma_after + 1)
    } else {
        let before = text[..last.start].trim_ascii_end();
        (if before.last() == Some(&b',') { before.len() - 1 } else { last.start }, last.end)
    };
    let rest = [&text[..from], &text[to..]].concat();
    Some((lost, rest))
}

fn lost(text: &[u8], path: &[Member], reason: String) -> Unknown {
    let root = skip_space(text, 0);
    let starts = std::iter::once(root).chain(path.iter().map(|member| member.value));
    let (mut kind, mut name, mut from) = ("", String::new(), 0);
    for (depth, start) in starts.enumerate() {
        let Some((number, found)) = name_of(text, start) else { continue };
        if kind.is_empty() || (kind == "queue" && number == 0) {
            (kind, name, from) = (KINDS[number], found, depth);
        }
    }
    let keys: Vec<String> = path[from.min(path.len())..]
        .iter()
        .map(|member| member.key.clone().unwrap_or_else(|| member.index.to_string()))
        .collect();
    Unknown { kind, name, path: keys.join("."), reason }
}

fn name_of(text: &[u8], start: usize) -> Option<(usize, String)> {
    if text.get(start) != Some(&b'{') {
        return None;
    }
    let members = members(text, start);
    NAMES.iter().enumerate().find_map(|(number, key)| {
        let member = members.iter().find(|member| member.key.as_deref() == Some(key))?;
        Some((number, serde_json::from_slice(&text[member.value..member.end]).ok()?))
    })
}

fn offset(text: &[u8], error: &serde_json::Error) -> Option<usize> {
    let line = error.line().checked_sub(1)?;
    let start = match line {
        0 => 0,
        _ => text.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(line - 1)?.0 + 1,
    };
    Some((start + error.column()).saturating_sub(1))
}

/// Members from the document to the innermost value with this byte.
fn path_to(text: &[u8], at: usize) -> Vec<Member> {
    let mut path: Vec<Member> = Vec::new();
    let mut start = skip_space(text, 0);
    while matches!(text.get(start), Some(b'{' | b'[')) {
        let Some(next) = members(text, start).into_iter().find(|member| (member.value..member.end).contains(&at))
        else {
            break;
        };
        start = next.value;
        path.push(next);
    }
    path
}

fn members(text: &[u8], start: usize) -> Vec<Member> {
    let is_object = text.get(start) == Some(&b'{');
    let mut all = Vec::new();
    let mut at = skip_space(text, start + 1);
    while !matches!(text.get(at), None | Some(b'}' | b']')) {
        let first = at;
        let key = is_object.then(|| {
            let end = skip_value(text, at);
            let key = serde_json::from_slice(&text[at..end]).unwrap_or_default();
            at = skip_space(text, skip_space(text, end) + 1);
            key
        });
        let end = skip_value(text, at);
        all.push(Member { key, index: all.len(), start: first, value: at, end });
        at = skip_space(text, end);
        if text.get(at) == Some(&b',') {
            at = skip_space(text, at + 1);
        } else {
            break;
        }
    }
    all
}

fn skip_space(text: &[u8], at: usize) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

fn skip_value(text: &[u8], at: usize) -> usize {
    let (mut depth, mut quoted, mut escaped) = (0_usize, false, false);
    for (number, byte) in text.get(at..).unwrap_or_default().iter().enumerate() {
        let here = at + number;
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => {
                quoted = !quoted;
                if !quoted && depth == 0 {
                    return here + 1;
                }
            }
            _ if quoted => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth > 1 => depth -= 1,
            b'}' | b']' => return if depth == 1 { here + 1 } else { here },
            b',' if depth == 0 => return here,
            byte if depth == 0 && byte.is_ascii_whitespace() => return here,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dto;

    #[test]
    fn a_number_that_is_too_large_is_unknown_and_the_rest_is_read() {
        let text = r#"{"queuename":"root","children":[
            {"queuename":"root.a","allocatedResource":{"memory":16487540320812345678,"vcore":1000},"maxRunningApps":3},
            {"queuename":"root.b","maxRunningApps":99999999999999999999999, "children": 7}]}"#;
        let mut unknown = Vec::new();
        let root: dto::Queue = salvage(text.as_bytes(), &mut unknown).unwrap();
        assert_eq!((root.children.len(), root.children[0].max_running_apps), (2, 3));
        assert_eq!(root.children[0].allocated_resource.amount("vcore"), 1000);
        let words: Vec<String> = unknown.iter().map(ToString::to_string).collect();
        assert_eq!(
            words,
            [
                "queue root.a: allocatedResource.memory: the number 16487540320812345678 is out of range",
                "queue root.b: maxRunningApps: the number 99999999999999999999999 is out of range",
                "queue root.b: children: the number 7 is out of range",
            ]
        );
        assert!(unknown[0].touches("queue", "root.a", "allocatedResource", "memory"));
        assert!(!unknown[0].touches("queue", "root.a", "allocatedResource", "vcore"));
        assert!(!unknown[0].touches("queue", "root.b", "allocatedResource", "memory"));
    }

    #[test]
    fn an_object_with_an_invalid_name_is_skipped() {
        let mut unknown = Vec::new();
        let text =
            br#"[{"nodeID":5,"schedulable":true}, {"nodeID":"n2","schedulable":"maybe","allocated":{"vcore":1.5}}]"#;
        let nodes: dto::List<dto::Node> = salvage(text, &mut unknown).unwrap();
        assert_eq!((nodes.0.len(), nodes.0[0].node_id.as_str()), (1, "n2"));
        assert_eq!(unknown.len(), 3);
        assert_eq!(unknown[2].to_string(), "node n2: allocated.vcore: 1.5 is not a whole number");
        let none = salvage_list::<dto::Node>(br#"[{"nodeID":5},{"nodeID":6}]"#, &mut unknown).unwrap_err();
        assert!(none.reason.starts_with("none of its entries can be read; the first: "), "{none}");
        assert_eq!(salvage_list::<dto::Node>(b"{}", &mut unknown), Ok(Vec::new()), "upstream writes an empty list so");
    }

    #[test]
    fn what_cannot_be_read_at_all_is_described_without_words_of_rust() {
        let read = |text: &str| salvage::<dto::StateDump>(text.as_bytes(), &mut Vec::new()).unwrap_err();
        for (text, reason, line, column) in [
            ("[1]", "expected an object, found a list", 1, 1),
            ("", "the document is empty", 1, 1),
            ("{\n  \"queues\": [", "EOF while parsing a list", 2, 13),
        ] {
            let found = read(text);
            assert_eq!((found.reason.as_str(), found.line), (reason, line), "{text}");
            assert!(found.column >= 1 && found.column.abs_diff(column) <= 1, "{found}");
        }
    }
}
