//! A text that is edited by successive changes, in a manifest in the block with the configuration.

use super::change::{self, PathSegment, TreeChange};
use super::lines::{line_break, line_start};
use super::patch::{Patch, patches};
use super::refusal::EditFaults;
use super::syntax::Tree;
use crate::fault::{Fault, Faults, Severity};
use crate::manifest::{Embedded, embedded};
use crate::types::Place;
use crate::yaml::{self, Origin, Style};

/// A change is applied only if the new text gives the expected tree.
pub(super) struct Draft<'a> {
    /// Without a byte order mark.
    whole: String,
    marked: bool,
    text: String,
    origin: Option<Origin>,
    policy_group: &'a str,
    pub refuse: EditFaults<'a>,
}

impl<'a> Draft<'a> {
    /// Reads a configuration, or a manifest with one.
    ///
    /// # Errors
    /// The first error of invalid YAML, or why the text cannot be edited.
    pub fn new(text: &str, policy_group: &'a str, refuse: EditFaults<'a>) -> Result<Self, Fault> {
        let whole = text.strip_prefix('\u{feff}').unwrap_or(text);
        let marked = whole.len() < text.len();
        let (text, origin) = inside(whole, policy_group, refuse)?;
        let draft = Self { whole: whole.to_owned(), marked, text, origin, policy_group, refuse };
        draft.check_yaml(&draft.text)?;
        Ok(draft)
    }

    pub fn finish(self) -> String {
        if self.marked { format!("\u{feff}{}", self.whole) } else { self.whole }
    }

    /// [`Self::out`] maps its locations.
    fn tree(&self) -> Result<Tree<'_>, Fault> {
        Tree::parse(&self.text).ok_or_else(|| self.refuse.form(Place::default(), "the text cannot be read"))
    }

    /// Searches the tree; maps the location of an error to the whole text.
    pub fn look<T>(&self, find: impl FnOnce(&Tree<'_>) -> Result<T, Fault>) -> Result<T, Fault> {
        find(&self.tree()?).map_err(|fault| self.out(fault))
    }

    fn out(&self, fault: Fault) -> Fault {
        let at = self.origin.map_or(fault.at, |origin| origin.outer(fault.at));
        Fault { at, ..fault }
    }

    fn check_yaml(&self, text: &str) -> Result<(), Fault> {
        let mut faults = Faults::default();
        if text.len() > yaml::LARGEST {
            let _too_large = yaml::decode(text.as_bytes(), &mut faults);
        } else {
            let _document = yaml::parse(text, &mut faults);
        }
        let first = faults.into_sorted().into_iter().find(|fault| fault.severity == Severity::Error);
        first.map_or(Ok(()), |fault| Err(self.out(fault)))
    }

    /// Applies one change to the text and the tree.
    ///
    /// # Errors
    /// The reason why it cannot be applied; the text is unchanged.
    pub fn apply(&mut self, at: &[PathSegment], change: &TreeChange) -> Result<(), Fault> {
        let tree = self.tree()?;
        let patches = patches(&tree, at, change, self.refuse).map_err(|fault| self.out(fault))?;
        let place = patches.first().map_or_else(Place::default, |patch| tree.place(patch.range.start));
        let expected = tree.value().and_then(|tree| change::apply(tree, at, change));
        let text = patched(&self.text, &patches);
        let cannot = || self.out(self.refuse.form(place, "the change would also change other values"));
        if expected.is_none() || Tree::parse(&text).and_then(|tree| tree.value()) != expected {
            return Err(cannot());
        }
        self.check_yaml(&text)?;
        let whole = match self.origin {
            None => text.clone(),
            Some(origin) => {
                let outer: Option<Vec<Patch>> =
                    patches.iter().map(|patch| moved(patch, &self.text, &self.whole, origin)).collect();
                patched(&self.whole, &outer.ok_or_else(cannot)?)
            }
        };
        let (found, origin) = inside(&whole, self.policy_group, self.refuse)?;
        // Empty lines at the end of a block are not significant.
        if found.trim_end_matches('\n') != text.trim_end_matches('\n') {
            return Err(cannot());
        }
        (self.whole, self.text, self.origin) = (whole, found, origin);
        Ok(())
    }
}

/// With its origin in a manifest.
fn inside(whole: &str, policy_group: &str, refuse: EditFaults<'_>) -> Result<(String, Option<Origin>), Fault> {
    match embedded(whole, policy_group)? {
        None => Ok((whole.to_owned(), None)),
        Some(Embedded { text, origin }) if origin.style == Style::Literal => Ok((text, Some(origin))),
        Some(Embedded { origin, .. }) => {
            let message = "the configuration is a quoted or folded text in the manifest";
            Err(refuse.fault("EDT-004", origin.content, message, "write it as a block of lines: `queues.yaml: |`"))
        }
    }
}

fn patched(text: &str, patches: &[Patch]) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for patch in patches {
        out += &text[from..patch.range.start];
        out += &patch.with;
        from = patch.range.end;
    }
    out + &text[from..]
}

fn moved(patch: &Patch, text: &str, whole: &str, origin: Origin) -> Option<Patch> {
    let indent = usize::try_from(origin.content.column).ok()?.checked_sub(1)?;
    let first = usize::try_from(origin.content.line).ok()?.checked_sub(1)?;
    let mut starts = vec![0];
    starts.extend(whole.match_indices('\n').map(|(at, _)| at + 1));
    let outer = |at: usize| -> Option<(usize, bool)> {
        let line = text[..at].matches('\n').count();
        let column = at - line_start(text, at);
        match starts.get(first + line) {
            Some(start) if column == 0 => Some((*start, true)),
            Some(start) => Some((start + indent + column, false)),
            // Only the last line of the file may have no line break.
            None => Some((whole.len(), true)),
        }
    };
    let (start, at_start) = outer(patch.range.start)?;
    let (end, at_end) = outer(patch.range.end)?;
    let margin = " ".repeat(indent);
    let mut with = String::new();
    if at_start && !whole[..start].ends_with('\n') {
        with.push('\n');
    }
    if at_start && !(patch.with.is_empty() && at_end) {
        with += &margin;
    }
    let lines: Vec<&str> = patch.with.split('\n').collect();
    for (index, line) in lines.iter().enumerate() {
        if index > 0 {
            with.push('\n');
            let last = index + 1 == lines.len();
            if !line.is_empty() || (last && !at_end) {
                with += &margin;
            }
        }
        with += line;
    }
    let with = if line_break(whole) == "\n" { with } else { with.replace("\r\n", "\n").replace('\n', "\r\n") };
    (start <= end && whole.is_char_boundary(start) && whole.is_char_boundary(end))
        .then_some(Patch { range: start..end, with })
}
