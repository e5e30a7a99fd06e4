//! The cursor of a list, on an item, not on a row number.

/// The row by identity, and the visible part.
#[derive(Clone, Debug)]
pub struct Cursor<I> {
    /// A filter may hide it for a while.
    pub wanted: Option<I>,
    /// Meaningless in an empty list.
    pub index: usize,
    /// The first visible row.
    pub top: usize,
}

impl<I> Default for Cursor<I> {
    fn default() -> Self {
        Self { wanted: None, index: 0, top: 0 }
    }
}

/// A movement in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// Rows up (negative) or down.
    Rows(isize),
    /// Pages up (negative) or down.
    Pages(isize),
    /// To the first row.
    Top,
    /// To the last row.
    Bottom,
}

impl Move {
    /// The new index in `len` rows with `height` visible.
    pub fn from(self, index: usize, len: usize, height: usize) -> usize {
        let last = len.saturating_sub(1);
        let by = |rows: isize| index.saturating_add_signed(rows).min(last);
        match self {
            Self::Rows(rows) => by(rows),
            Self::Pages(pages) => {
                let page = isize::try_from(height.saturating_sub(1).max(1)).unwrap_or(isize::MAX);
                by(pages.saturating_mul(page))
            }
            Self::Top => 0,
            Self::Bottom => last,
        }
    }
}

impl<I: PartialEq> Cursor<I> {
    /// Moves to `wanted` when available.
    pub fn at(wanted: I) -> Self {
        Self { wanted: Some(wanted), index: 0, top: 0 }
    }

    /// Moves the cursor to a row.
    pub fn go(&mut self, index: usize, len: usize, identity: impl Fn(usize) -> Option<I>) {
        self.index = index.min(len.saturating_sub(1));
        self.wanted = identity(self.index);
    }

    /// Finds the wanted item; otherwise the cursor stays at its index or moves to `instead`. `keep`: it is only hidden.
    pub fn find(&mut self, len: usize, identity: impl Fn(usize) -> Option<I>, instead: Option<usize>, keep: bool) {
        let is = |index: usize, wanted: &I| identity(index).as_ref() == Some(wanted);
        self.find_by(len, is, &identity, instead, keep);
    }

    /// [`Cursor::find`] with a cheap comparison; nearest rows first.
    pub fn find_by(
        &mut self,
        len: usize,
        is: impl Fn(usize, &I) -> bool,
        identity: impl Fn(usize) -> Option<I>,
        instead: Option<usize>,
        keep: bool,
    ) {
        let found = self.wanted.as_ref().and_then(|wanted| {
            let near = self.index.min(len);
            let (mut below, mut above) = (near..len, (0..near).rev());
            loop {
                match (below.next(), above.next()) {
                    (None, None) => return None,
                    (Some(index), _) if is(index, wanted) => return Some(index),
                    (_, Some(index)) if is(index, wanted) => return Some(index),
                    _ => {}
                }
            }
        });
        match found {
            Some(index) => self.index = index,
            None => {
                self.index = instead.unwrap_or(self.index).min(len.saturating_sub(1));
                if !keep || self.wanted.is_none() {
                    self.wanted = if len == 0 { None } else { identity(self.index) };
                }
            }
        }
    }

    /// Scrolls minimally, and fills the screen.
    pub fn scroll(&mut self, len: usize, height: usize) {
        let height = height.max(1);
        self.index = self.index.min(len.saturating_sub(1));
        self.top = self.top.min(self.index).max((self.index + 1).saturating_sub(height));
        self.top = self.top.min(len.saturating_sub(height));
    }

    /// The visible rows.
    pub fn visible(&self, len: usize, height: usize) -> std::ops::Range<usize> {
        let top = self.top.min(len);
        top..(top + height).min(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(cursor: &mut Cursor<char>, list: &str, keep: bool) -> usize {
        let items: Vec<char> = list.chars().collect();
        cursor.find(items.len(), |index| items.get(index).copied(), None, keep);
        cursor.index
    }

    #[test]
    fn follows_the_object_when_rows_move() {
        let mut cursor = Cursor::at('c');
        assert_eq!(find(&mut cursor, "abcd", false), 2);
        assert_eq!(find(&mut cursor, "cxyz", false), 0);
    }

    #[test]
    fn stays_at_its_height_when_the_object_is_removed() {
        let mut cursor = Cursor::at('c');
        find(&mut cursor, "abcd", false);
        assert_eq!(find(&mut cursor, "abde", false), 2);
        assert_eq!(cursor.wanted, Some('d'));
        assert_eq!(find(&mut cursor, "", false), 0);
        assert_eq!(cursor.wanted, None);
    }

    #[test]
    fn the_cursor_returns_to_a_row_that_a_filter_hid() {
        let mut cursor = Cursor::at('c');
        find(&mut cursor, "abcd", false);
        assert_eq!(find(&mut cursor, "ab", true), 1);
        assert_eq!(find(&mut cursor, "abcd", true), 2);
    }

    #[test]
    fn scrolls_as_little_as_needed() {
        let mut cursor: Cursor<char> = Cursor { wanted: None, index: 9, top: 0 };
        cursor.scroll(20, 5);
        assert_eq!(cursor.top, 5);
        cursor.index = 7;
        cursor.scroll(20, 5);
        assert_eq!(cursor.top, 5);
        cursor.scroll(8, 5);
        assert_eq!(cursor.top, 3);
        cursor.scroll(0, 0);
        assert_eq!((cursor.index, cursor.top), (0, 0));
    }

    #[test]
    fn moves_end_at_the_ends() {
        assert_eq!(Move::Rows(-1).from(0, 0, 0), 0);
        assert_eq!(Move::Pages(1).from(0, 30, 10), 9);
        assert_eq!(Move::Pages(9).from(0, 30, 10), 29);
        assert_eq!(Move::Bottom.from(3, 30, 10), 29);
    }
}
