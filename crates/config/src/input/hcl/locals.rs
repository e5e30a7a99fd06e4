//! Values of locals in place of their names.
//!
//! Invariant: no value contains itself, because a local that is open is not put into its own value.

use super::Hcl;
use crate::yaml::Content;

/// How many locals may be named through each other.
const DEEPEST: usize = 128;

/// The name and the members in `local.NAME`, `local.NAME.MEMBER`, `local.NAME["MEMBER"]`, or `"${local.NAME}"`.
pub(super) fn local_of(source: &str) -> Option<(&str, Vec<&str>)> {
    let bare = source.strip_prefix("\"${").and_then(|rest| rest.strip_suffix("}\"")).unwrap_or(source).trim();
    let rest = bare.strip_prefix("local.")?;
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let (name, mut rest) = rest.split_at(rest.find(|c| !is_part(c)).unwrap_or(rest.len()));
    let mut members = Vec::new();
    while !rest.is_empty() {
        let member = if let Some(after) = rest.strip_prefix('.') {
            let (member, after) = after.split_at(after.find(|c| !is_part(c)).unwrap_or(after.len()));
            rest = after;
            member
        } else {
            let (member, after) = rest.strip_prefix('[')?.split_once(']')?;
            rest = after;
            let quoted = member.trim().strip_prefix('"').and_then(|member| member.strip_suffix('"'));
            quoted.unwrap_or(member.trim())
        };
        if member.is_empty() || member.contains(['"', '$', '(']) {
            return None;
        }
        members.push(member);
    }
    (!name.is_empty()).then_some((name, members))
}

impl Hcl {
    pub(super) fn resolve_locals(&mut self) {
        for name in self.locals.keys().cloned().collect::<Vec<_>>() {
            self.resolve_local(&name, &mut Vec::new());
        }
        for id in self.expressions.keys().copied().collect::<Vec<_>>() {
            self.put(id, &mut Vec::new());
        }
    }

    /// Before its value is put anywhere; `open`: the locals whose values contain it.
    fn resolve_local(&mut self, name: &str, open: &mut Vec<String>) {
        let Some(&(key, value)) = self.locals.get(name) else { return };
        if !self.resolved.insert(value) {
            return;
        }
        open.push(name.to_owned());
        // The nodes of a value were added after its name.
        for id in self.expressions.range(key..=value).map(|(id, _)| *id).collect::<Vec<_>>() {
            self.put(id, open);
        }
        open.pop();
    }

    /// Puts the value of the local in place of an expression that names it.
    fn put(&mut self, id: u32, open: &mut Vec<String>) {
        let Some((name, members)) = self.expressions.get(&id).and_then(|source| local_of(source)) else { return };
        let (name, members) = (name.to_owned(), members.into_iter().map(str::to_owned).collect::<Vec<_>>());
        let Some(&(_, value)) = self.locals.get(&name) else { return };
        if self.endless.contains_key(&id) {
            return;
        }
        if let Some(first) = open.iter().position(|known| *known == name) {
            let circle = open[first..].iter().chain([&name]).map(|name| format!("local.{name}")).collect::<Vec<_>>();
            self.endless.insert(id, format!("local.{name} is a part of its own value: {}", circle.join(" → ")));
            return;
        }
        if open.len() >= DEEPEST {
            self.endless.insert(id, format!("more than {DEEPEST} locals name each other here"));
            return;
        }
        self.resolve_local(&name, open);
        let Some(target) = self.member(value, &members) else { return };
        let Some((content, at)) = self.document.nodes.get(target as usize).map(|node| (node.content, node.at)) else {
            return;
        };
        if let Some(node) = self.document.nodes.get_mut(id as usize) {
            (node.content, node.at) = (content, at);
        }
        match self.expressions.get(&target).cloned() {
            Some(source) => {
                self.expressions.insert(id, source);
                if let Some(why) = self.endless.get(&target).cloned() {
                    self.endless.insert(id, why);
                }
            }
            None => {
                self.expressions.remove(&id);
            }
        }
        if self.encoded.contains(&target) {
            self.encoded.insert(id);
        }
        if self.joined.contains(&target) {
            self.joined.insert(id);
        }
        self.used.insert(value);
    }

    fn member(&self, value: u32, members: &[String]) -> Option<u32> {
        members.iter().try_fold(value, |id, member| match self.document.nodes.get(id as usize)?.content {
            Content::Map(map) => {
                let entries = self.document.entries(map);
                Some(entries.iter().find(|entry| self.document.key(entry).0 == member)?.value)
            }
            Content::List(list) => self.document.items(list).get(member.parse::<usize>().ok()?).copied(),
            Content::Scalar(_) | Content::Broken => None,
        })
    }
}
