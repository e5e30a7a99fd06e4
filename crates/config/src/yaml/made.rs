//! A tree made by the reader of another language, with locations in its own text.

use super::{Content, Document, Entry, NodeData, Run, ScalarData, Style, count};
use crate::types::Place;

/// Members are added before their collection.
#[derive(Debug, Default)]
pub(crate) struct TreeMaker {
    document: Document,
}

impl TreeMaker {
    /// Adds a scalar at `at`; its text starts at `content`.
    pub fn scalar(&mut self, text: &str, style: Style, at: Place, content: Place) -> u32 {
        let start = count(self.document.texts.len());
        self.document.texts.push_str(text);
        let text = (start, count(self.document.texts.len()));
        self.node(at, Content::Scalar(ScalarData { text, style, content }))
    }

    pub fn list(&mut self, at: Place, items: &[u32]) -> u32 {
        let start = self.document.items.len();
        self.document.items.extend_from_slice(items);
        let run = Run::behind(start, &self.document.items);
        self.node(at, Content::List(run))
    }

    /// Adds a map; each key is an added scalar.
    pub fn map(&mut self, at: Place, entries: &[(u32, u32)]) -> u32 {
        let start = self.document.entries.len();
        self.document.entries.extend(entries.iter().map(|&(key, value)| Entry { key, value }));
        let run = Run::behind(start, &self.document.entries);
        self.node(at, Content::Map(run))
    }

    pub fn unknown(&mut self, at: Place) -> u32 {
        self.node(at, Content::Broken)
    }

    pub fn entries(&self, id: u32) -> Vec<(u32, u32)> {
        let Some(Content::Map(run)) = self.document.nodes.get(id as usize).map(|node| &node.content) else {
            return Vec::new();
        };
        self.document.entries(*run).iter().map(|entry| (entry.key, entry.value)).collect()
    }

    pub fn text(&self, id: u32) -> String {
        self.document.scalar(id).map_or_else(String::new, |scalar| scalar.text.to_owned())
    }

    /// The ID of the next node.
    pub fn next(&self) -> u32 {
        count(self.document.nodes.len())
    }

    pub fn finish(mut self, root: u32) -> Document {
        self.document.root = Some(root);
        self.document
    }

    fn node(&mut self, at: Place, content: Content) -> u32 {
        let id = self.next();
        self.document.nodes.push(NodeData { at, content });
        id
    }
}
