//! Functions whose value is read from their arguments.

use super::super::locals::local_of;
use super::{Parsed, Parser};

impl Parser<'_> {
    /// `encodes`: its value is a text.
    pub(super) fn call(&mut self, encodes: bool) -> Parsed<Option<u32>> {
        self.space(false);
        if self.byte() != b'(' {
            return Ok(None);
        }
        self.at += 1;
        self.space(true);
        let node = self.value(false)?;
        self.space(true);
        let is_open = self.hcl.expressions.get(&node).is_some_and(|source| local_of(source).is_none());
        if self.byte() != b')' || is_open {
            return Ok(None);
        }
        self.at += 1;
        if encodes {
            self.hcl.encoded.insert(node);
        }
        Ok(Some(node))
    }

    /// Its lists in a list.
    pub(super) fn concat(&mut self) -> Parsed<Option<u32>> {
        let (start, mut lists) = (self.at, Vec::new());
        self.space(false);
        if self.byte() != b'(' {
            return Ok(None);
        }
        self.at += 1;
        loop {
            self.space(true);
            if self.byte() == b')' {
                break;
            }
            lists.push(self.value(false)?);
            self.space(true);
            match self.byte() {
                b',' => self.at += 1,
                b')' => break,
                _ => return Ok(None),
            }
        }
        self.at += 1;
        let list = self.tree.list(self.lines.place(start), &lists);
        self.hcl.joined.insert(list);
        Ok(Some(list))
    }
}
