//! What a saved file has: a whole state dump, or the answer of one endpoint of the REST API, by its shape.

use std::borrow::Cow;
use std::sync::Arc;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

use config::input::TableCommand;
use view::unread::{MissingLists, Unread};
use wire::dto;

const SHOWN: usize = 20;

/// What was read of a file.
#[derive(Debug, Default)]
pub struct SavedAnswer {
    /// The objects; those of a single answer alone, where it is one.
    pub dump: dto::StateDump,
    /// What users have in use, where the file has it.
    pub users: Option<Vec<dto::UserUsage>>,
    /// What groups have in use, where the file has it.
    pub groups: Option<Vec<dto::GroupUsage>>,
    /// The lists that it does not have.
    pub unread: Unread,
    /// What is unknown and why, for a person.
    pub notes: Vec<String>,
    /// The values that could not be read.
    pub unknown: Vec<dto::Unknown>,
}

/// The answer of an endpoint, by a key that its objects have and no others.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Endpoint {
    Queues,
    Apps,
    Nodes,
    Users,
    Groups,
    Partitions,
}

impl Endpoint {
    /// Which answer an object is of.
    fn of(object: &Value) -> Option<Self> {
        let has = |key: &str| object.get(key).is_some();
        Some(match object {
            _ if has("queuename") => Self::Queues,
            _ if has("applicationID") => Self::Apps,
            _ if has("nodeID") || has("nodesInfo") => Self::Nodes,
            _ if has("userName") => Self::Users,
            _ if has("groupName") => Self::Groups,
            _ if has("clusterId") && has("name") => Self::Partitions,
            _ => return None,
        })
    }

    const fn words(self) -> &'static str {
        match self {
            Self::Queues => "queues",
            Self::Apps => "applications",
            Self::Nodes => "nodes",
            Self::Users => "users",
            Self::Groups => "groups",
            Self::Partitions => "the list of partitions",
        }
    }
}

/// Reads a file: a state dump, or one response of the REST API, which is an object or a list of objects.
///
/// # Errors
/// It is neither: file, line, column, and the error.
pub fn read(name: &str, bytes: &[u8]) -> Result<SavedAnswer, String> {
    let mut unknown = Vec::new();
    // Some programs start a file with a byte order mark.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let bytes = &*pasted(bytes);
    let wanted = "expected a state dump, or the response of /ws/v1/…/queues, nodes, applications, or usage/users";
    let at =
        |why: dto::Unreadable| format!("{name}:{}:{}: cannot read the file: {}", why.line, why.column, fault(&why));
    let whole: Value = dto::salvage(bytes, &mut unknown).map_err(|why| {
        let starts_as_json = matches!(bytes.trim_ascii_start().first(), None | Some(b'{' | b'['));
        if starts_as_json { at(why) } else { not_json(name, bytes, wanted) }
    })?;
    let objects: Vec<&Value> = match &whole {
        Value::Array(list) => list.iter().collect(),
        other => vec![other],
    };
    if objects.is_empty() {
        return Err(format!("{name}:1:1: the list is empty; {wanted}"));
    }
    let Some(endpoint) = objects.iter().find_map(|object| Endpoint::of(object)) else {
        return dump(name, bytes, &whole, wanted);
    };
    if let Some(other) = objects.iter().filter_map(|object| Endpoint::of(object)).find(|other| *other != endpoint) {
        let (one, other) = (endpoint.words(), other.words());
        return Err(format!("{name}: has both {one} and {other}; save each answer in its own file"));
    }
    let mut read = SavedAnswer { unread: unread(name, endpoint), ..SavedAnswer::default() };
    let is_list = whole.is_array();
    match endpoint {
        Endpoint::Queues => read.dump.queues = several(bytes, is_list, &mut unknown).map_err(at)?,
        Endpoint::Partitions => read.dump.partitions = several(bytes, is_list, &mut unknown).map_err(at)?,
        Endpoint::Apps => read.dump.applications = several(bytes, is_list, &mut unknown).map_err(at)?,
        Endpoint::Nodes if objects.iter().any(|object| object.get("nodesInfo").is_some()) => {
            read.dump.nodes = several(bytes, is_list, &mut unknown).map_err(at)?;
        }
        Endpoint::Nodes => {
            let nodes_info = several(bytes, is_list, &mut unknown).map_err(at)?;
            read.dump.nodes = vec![dto::PartitionNodes { partition_name: DEFAULT.to_owned(), nodes_info }];
        }
        Endpoint::Users => read.users = Some(several(bytes, is_list, &mut unknown).map_err(at)?),
        Endpoint::Groups => read.groups = Some(several(bytes, is_list, &mut unknown).map_err(at)?),
    }
    let others = [Endpoint::Queues, Endpoint::Apps, Endpoint::Nodes, Endpoint::Users, Endpoint::Groups];
    let others: Vec<&str> = others.iter().filter(|one| **one != endpoint).map(|one| one.words()).collect();
    read.notes.push(format!(
        "{name} has only {}; {} are unknown, because a single response of the REST API does not contain them.",
        endpoint.words(),
        others.join(", ")
    ));
    name_partitions(&mut read.dump);
    note(&mut read.notes, &unknown);
    if endpoint != Endpoint::Partitions {
        let reason = format!("{name} has only {}", endpoint.words());
        let capacity = |partition: &dto::Partition| dto::Unknown {
            kind: "partition",
            name: partition.name.clone(),
            path: "capacity".to_owned(),
            reason: reason.clone(),
        };
        unknown.extend(read.dump.partitions.iter().map(capacity));
    }
    read.unknown = unknown;
    Ok(read)
}

fn unread(name: &str, endpoint: Endpoint) -> Unread {
    let why: Option<Arc<str>> = Some(Arc::from(format!("{name} has only {}", endpoint.words())));
    let unless = |of: Endpoint| why.clone().filter(|_| endpoint != of);
    let (users, groups) = (unless(Endpoint::Users), unless(Endpoint::Groups));
    Unread {
        apps: endpoint != Endpoint::Apps,
        nodes: endpoint != Endpoint::Nodes,
        users: !matches!(endpoint, Endpoint::Users | Endpoint::Groups),
        missing: MissingLists { apps: why.clone(), nodes: why.clone(), users, groups },
    }
}

/// What a terminal or `curl -i` prints before an answer is blank, and several objects are a list.
fn pasted(bytes: &[u8]) -> Cow<'_, [u8]> {
    let is_start = |line: &[u8]| matches!(line.trim_ascii_start().first(), Some(b'{' | b'['));
    let before: usize =
        bytes.split_inclusive(|byte| *byte == b'\n').take_while(|line| !is_start(line)).map(<[u8]>::len).sum();
    let mut bytes = Cow::Borrowed(bytes);
    if before < bytes.len() && !bytes[..before].trim_ascii().is_empty() {
        bytes.to_mut()[..before].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    let mut objects = serde_json::Deserializer::from_slice(&bytes).into_iter::<IgnoredAny>();
    let mut ends = Vec::new();
    while let Some(Ok(_)) = objects.next() {
        ends.push(objects.byte_offset());
    }
    let is_whole = ends.last().is_some_and(|end| bytes[*end..].trim_ascii().is_empty());
    if ends.len() < 2 || !is_whole || bytes.trim_ascii_start().first() != Some(&b'{') {
        return bytes;
    }
    // The lines stay the same.
    let mut list = b"[".to_vec();
    let mut from = 0;
    for end in &ends {
        list.extend_from_slice(if from == 0 { b"" } else { b"," });
        list.extend_from_slice(&bytes[from..*end]);
        from = *end;
    }
    list.push(b']');
    Cow::Owned(list)
}

/// Why a file of another kind is not read.
fn not_json(name: &str, bytes: &[u8], wanted: &str) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    match TableCommand::of(&text) {
        Some(command) => format!("{name}:1:1: the file is a table of `{}`; {wanted}", command.name()),
        None => format!("{name}:1:1: the file is not JSON; {wanted}"),
    }
}

/// Why a file is not JSON.
fn fault(why: &dto::Unreadable) -> &str {
    match why.reason.as_str() {
        reason if reason.starts_with("EOF") => "it ends too early: a part is missing",
        "expected value" | "expected ident" => "expected JSON",
        "trailing characters" => "more follows after the end of the JSON",
        reason => reason,
    }
}

/// The error answer of a server.
fn refusal(whole: &Value) -> Option<String> {
    let code = whole.get("status_code").or_else(|| whole.get("code"))?.as_u64()?;
    Some(format!("the server answered {code}: {}", whole.get("message")?.as_str()?))
}

const DEFAULT: &str = "default";

fn dump(name: &str, bytes: &[u8], whole: &Value, wanted: &str) -> Result<SavedAnswer, String> {
    if !whole.is_object() {
        let found = if whole.is_array() { "a list of other objects" } else { "a single value" };
        return Err(format!("{name}:1:1: {wanted}, found {found}"));
    }
    let mut unknown = Vec::new();
    let read: dto::StateDump = dto::salvage(bytes, &mut unknown)
        .map_err(|why| format!("{name}:{}:{}: not a state dump: {}", why.line, why.column, why.reason))?;
    if read.partitions.is_empty() && read.queues.is_empty() {
        if let Some(refusal) = refusal(whole) {
            return Err(format!("{name}: {refusal}; {wanted}"));
        }
        let keys: Vec<&str> = whole.as_object().into_iter().flatten().map(|(key, _)| key.as_str()).take(5).collect();
        let keys = if keys.is_empty() { "nothing".to_owned() } else { keys.join(", ") };
        return Err(format!("{name}: not a state dump, found {keys}; {wanted}"));
    }
    let mut notes = Vec::new();
    note(&mut notes, &unknown);
    let unread = lost_lists(name, (&read, whole), &unknown);
    Ok(SavedAnswer { dump: read, notes, unread, unknown, ..SavedAnswer::default() })
}

/// The lists that a dump does not have, or that have entries of which none could be read.
fn lost_lists(name: &str, (dump, whole): (&dto::StateDump, &Value), unknown: &[dto::Unknown]) -> Unread {
    let lost = |key: &str, is_empty: bool| {
        if whole.get(key).is_none() {
            return Some(Arc::from(format!("{name} has no {key}")));
        }
        let below = |one: &&dto::Unknown| one.kind.is_empty() && one.path.split('.').next() == Some(key);
        let first = unknown.iter().find(below).filter(|_| is_empty)?;
        Some(Arc::from(dto::none_read(first)))
    };
    let nodes = dump.nodes.iter().all(|part| part.nodes_info.is_empty());
    let (apps, nodes) = (lost("applications", dump.applications.is_empty()), lost("nodes", nodes));
    let (has_apps, has_nodes) = (apps.is_none(), nodes.is_none());
    Unread {
        apps: !has_apps,
        nodes: !has_nodes,
        users: false,
        missing: MissingLists { apps, nodes, ..MissingLists::default() },
    }
}

fn several<T: DeserializeOwned>(
    bytes: &[u8],
    is_list: bool,
    unknown: &mut Vec<dto::Unknown>,
) -> Result<Vec<T>, dto::Unreadable> {
    if is_list {
        return dto::salvage_list(bytes, unknown);
    }
    Ok(vec![dto::salvage(bytes, unknown)?])
}

/// A partition for every name that an object has; `default` where none has one.
fn name_partitions(dump: &mut dto::StateDump) {
    for root in &mut dump.queues {
        default_name(&mut root.partition);
    }
    for app in &mut dump.applications {
        default_name(&mut app.partition);
    }
    let mut names: Vec<String> = dump.queues.iter().map(|root| root.partition.clone()).collect();
    names.extend(dump.applications.iter().map(|app| app.partition.clone()));
    names.extend(dump.nodes.iter().map(|nodes| nodes.partition_name.clone()));
    names.sort();
    names.dedup();
    if names.is_empty() {
        names.push(DEFAULT.to_owned());
    }
    if dump.partitions.is_empty() {
        let named = |name| dto::Partition { name, ..dto::Partition::default() };
        dump.partitions = names.into_iter().map(named).collect();
    }
}

/// An answer names a partition with the id of its cluster in front, as `[mycluster]default`, or without.
fn default_name(name: &mut String) {
    if name.is_empty() {
        *name = DEFAULT.to_owned();
    }
}

fn note(notes: &mut Vec<String>, unknown: &[dto::Unknown]) {
    notes.extend(unknown.iter().take(SHOWN).map(|one| format!("unknown: {one}")));
    if unknown.len() > SHOWN {
        notes.push(format!("unknown: {} more values", unknown.len() - SHOWN));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_answers_are_known_by_their_shape() {
        for (text, has) in [
            (r#"{"queuename":"root","children":[{"queuename":"root.a"}]}"#, "queues"),
            (r#"[{"applicationID":"a","queueName":"root.a"}]"#, "applications"),
            (r#"{"applicationID":"a","queueName":"root.a"}"#, "applications"),
            (r#"[{"nodeID":"n"}]"#, "nodes"),
            (r#"[{"partitionName":"default","nodesInfo":[{"nodeID":"n"}]}]"#, "nodes"),
            (r#"[{"userName":"ann"}]"#, "users"),
            (r#"[{"groupName":"dev"}]"#, "groups"),
        ] {
            let read = read("x.json", text.as_bytes()).unwrap();
            assert!(read.notes[0].starts_with(&format!("x.json has only {has}; ")), "{:?}", read.notes);
            assert_eq!(read.dump.partitions[0].name, "default", "{text}");
            let unknown: Vec<String> = read.unknown.iter().map(ToString::to_string).collect();
            assert_eq!(unknown, [format!("partition default: capacity: x.json has only {has}")]);
        }
    }

    #[test]
    fn a_value_that_cannot_be_read_is_noted() {
        let text = r#"[{"nodeID":"n","capacity":{"memory":16487540320812345678,"vcore":4}}]"#;
        let read = read("x.json", text.as_bytes()).unwrap();
        assert_eq!(read.dump.nodes[0].nodes_info[0].capacity.amount("vcore"), 4);
        assert_eq!(read.notes[1], "unknown: node n: capacity.memory: the number 16487540320812345678 is out of range");
    }

    #[test]
    fn a_list_of_which_no_entry_can_be_read_is_unknown_not_empty() {
        let text =
            r#"{"queues":[{"queuename":"root"}],"applications":[{"applicationID":7},{"applicationID":8}],"nodes":[]}"#;
        let read = super::read("x.json", text.as_bytes()).unwrap();
        assert!(read.unread.apps && !read.unread.nodes, "{:?}", read.unread);
        let why = read.unread.no_apps();
        assert!(why.starts_with("applications unknown: none of its entries can be read"), "{why}");
        let alone = super::read("x.json", br#"[{"applicationID":7},{"applicationID":8}]"#).unwrap_err();
        assert!(alone.contains("none of its entries can be read"), "{alone}");
    }

    #[test]
    fn a_byte_order_mark_is_skipped() {
        let read = read("x.json", "\u{feff}[{\"nodeID\":\"n\",\"capacity\":{\"vcore\":4}}]".as_bytes()).unwrap();
        assert_eq!(read.dump.nodes[0].nodes_info.len(), 1);
    }

    #[test]
    fn an_answer_is_found_behind_what_a_terminal_prints_and_objects_in_a_row_are_a_list() {
        let text = "$ curl -i host/ws/v1/partition/default/nodes\r\nHTTP/1.1 200 OK\r\n\r\n[{\"nodeID\":\"n\"}]\n";
        assert_eq!(read("x.json", text.as_bytes()).unwrap().dump.nodes[0].nodes_info.len(), 1);
        let rows = "{\"nodeID\":\"a\"}\n{\n  \"nodeID\":\"b\"\n}\n";
        assert_eq!(read("x.json", rows.as_bytes()).unwrap().dump.nodes[0].nodes_info.len(), 2);
        let cut = read("x.json", b"HTTP/1.1 200 OK\n\n[{\"nodeID\":").unwrap_err();
        assert!(cut.starts_with("x.json:3:"), "the lines of the file: {cut}");
    }

    #[test]
    fn a_list_that_a_dump_does_not_have_is_unknown() {
        let read = read("x.json", br#"{"partitions":[{"name":"default"}],"applications":[]}"#).unwrap();
        assert!(read.unread.nodes && !read.unread.apps, "{:?}", read.unread);
    }

    #[test]
    fn what_is_neither_is_described_with_its_place() {
        for (text, starts) in [
            ("", "x.json:1:1: cannot read the file: the document is empty"),
            ("[]", "x.json:1:1: the list is empty; "),
            ("[1, 2]", "x.json:1:1: expected a state dump"),
            ("{\"a\": 1}", "x.json: not a state dump, found a; "),
            ("{\n  \"queuename\": ", "x.json:2:15: cannot read the file: it ends too early"),
            ("{\"a\": 1}}", "x.json:1:9: cannot read the file: more follows after the end of the JSON"),
            ("no json", "x.json:1:1: the file is not JSON; expected a state dump"),
            (
                "NAME STATUS AGE\nn1 Ready 3d\n",
                "x.json:1:1: the file is a table of `kubectl get`; expected a state dump",
            ),
            ("{\"queuename\": \"root\"}[{\"nodeID\": \"n\"}]", "x.json:1:"),
            ("{\"queuename\": \"root\"}\n{\"nodeID\": \"n\"}", "x.json: has both queues and nodes; "),
            (
                "{\"status_code\": 404, \"message\": \"Partition not found\"}",
                "x.json: the server answered 404: Partition not found; ",
            ),
        ] {
            let why = read("x.json", text.as_bytes()).unwrap_err();
            assert!(why.starts_with(starts), "{why}");
            assert!(!why.contains("struct") && !why.contains(":0:"), "{why}");
        }
    }
}
