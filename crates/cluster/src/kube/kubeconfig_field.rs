//! Locates the kubeconfig field of an error. Output contains only keys, positions, and entry names, because values may
//! be secrets.

use std::fs;
use std::path::{Path, PathBuf};

use config::node::Fields;
use config::yaml::{self, Node};
use config::{Faults, Place};
use model::Profile;

/// Maximum size of a searched kubeconfig, in bytes.
const LARGEST: u64 = 1 << 20;

/// A field of a named entry: `users`, `ann`, `user.client-key`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    pub list: &'a str,
    pub entry: &'a str,
    pub keys: &'a [&'a str],
}

/// `/home/ann/.kube/config:12:5: users[1].user.token`. The field is that of the last value that starts there or before.
pub(super) fn at(file: &Path, line: u32, column: u32) -> String {
    let place = format!("{}:{line}:{column}", file.display());
    let field = read(file).and_then(|text| field_at(&text, Place { line, column }));
    field.map_or(place.clone(), |field| format!("{place}: {field}"))
}

/// In the first file with the entry. For a missing field, its parent.
pub(super) fn named(files: &[PathBuf], field: Field<'_>) -> Option<String> {
    files.iter().find_map(|file| {
        let (path, place) = find(&read(file)?, field)?;
        Some(format!("{}:{}:{}: {path}", file.display(), place.line, place.column))
    })
}

fn read(file: &Path) -> Option<String> {
    let small = fs::metadata(file).ok()?.len() <= LARGEST;
    if small { fs::read_to_string(file).ok() } else { None }
}

fn with_root<T>(text: &str, found: impl FnOnce(Node<'_>) -> Option<T>) -> Option<T> {
    let document = yaml::parse(text, &mut faults())?;
    found(document.root()?)
}

/// Faults that are ignored: the crate `kube` has reported its own.
fn faults() -> Faults {
    Faults::new(Profile::Kornsole)
}

fn map<'d>(node: Node<'d>) -> Option<Fields<'d>> {
    if node.is_map() { node.any_map("", "", &mut faults()) } else { None }
}

fn items<'d>(node: Node<'d>) -> Vec<Node<'d>> {
    if node.is_list() { node.items("", "", &mut faults()).unwrap_or_default() } else { Vec::new() }
}

fn field_at(text: &str, wanted: Place) -> Option<String> {
    with_root(text, |root| {
        let mut best: Option<(Place, String)> = None;
        let mut stack = vec![(root, String::new())];
        while let Some((node, path)) = stack.pop() {
            let own: Vec<(Place, Node<'_>, String)> = match map(node) {
                Some(fields) => fields
                    .into_iter()
                    .map(|(key, value)| {
                        let dot = if path.is_empty() { "" } else { "." };
                        (key.at, value, format!("{path}{dot}{}", key.text))
                    })
                    .collect(),
                None => {
                    let all = items(node).into_iter().enumerate();
                    all.map(|(number, item)| (item.at(), item, format!("{path}[{number}]"))).collect()
                }
            };
            for (at, value, path) in own {
                if at <= wanted && best.as_ref().is_none_or(|(before, _)| *before <= at) {
                    best = Some((at, path.clone()));
                }
                stack.push((value, path));
            }
        }
        best.map(|(_, path)| path)
    })
}

fn find(text: &str, field: Field<'_>) -> Option<(String, Place)> {
    with_root(text, |root| {
        let list = map(root)?.get(field.list)?;
        let is_it = |(_, item): &(usize, Node<'_>)| {
            let name = map(*item).and_then(|fields| fields.get("name")?.scalar());
            name.is_some_and(|name| name.text == field.entry)
        };
        let (number, entry) = items(list).into_iter().enumerate().find(is_it)?;
        let path = format!("{}[{number}].{}", field.list, field.keys.join("."));
        let (mut node, mut place) = (entry, entry.at());
        for key in field.keys {
            let Some(fields) = map(node) else { break };
            let Some(value) = fields.raw(key) else { break };
            place = fields.key_at(key).unwrap_or(place);
            node = value;
        }
        Some((path, place))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "clusters:\n- name: c\n  cluster:\n    server: 5\nusers:\n- name: u\n  user:\n    token: hunter2\n    exec: {command: [x]}\n";

    #[test]
    fn the_field_of_a_place_is_that_of_the_last_value_before_it() {
        let of = |line, column| field_at(TEXT, Place { line, column });
        assert_eq!(of(4, 13).as_deref(), Some("clusters[0].cluster.server"));
        assert_eq!(of(9, 20).as_deref(), Some("users[0].user.exec.command"));
        assert_eq!(of(9, 22).as_deref(), Some("users[0].user.exec.command[0]"));
        assert_eq!(of(1, 1).as_deref(), Some("clusters"));
        assert_eq!(field_at("a: [", Place { line: 1, column: 4 }), None);
    }

    #[test]
    fn a_field_that_is_missing_is_placed_at_what_should_have_it() {
        let place = |entry, keys: &'static [&'static str]| find(TEXT, Field { list: "users", entry, keys });
        assert_eq!(
            place("u", &["user", "token"]),
            Some(("users[0].user.token".to_owned(), Place { line: 8, column: 5 }))
        );
        assert_eq!(
            place("u", &["user", "client-key"]),
            Some(("users[0].user.client-key".to_owned(), Place { line: 7, column: 3 }))
        );
        assert_eq!(place("v", &["user"]), None);
    }
}
