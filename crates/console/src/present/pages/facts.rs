//! Facts that lists share.

use crate::present::format;
use crate::present::pieces::{Piece, dim, piece, plain};
use crate::state::column::Column;
use crate::state::page::Listing;
use crate::theme::{Role, Symbols};

/// The sort of a list.
pub fn sort<R, I, C: Column>(symbols: &Symbols, list: &Listing<R, I, C>) -> Vec<Piece> {
    let symbol = if list.sort.descending { symbols.descending } else { symbols.ascending };
    vec![dim("sort "), plain(list.sort.column.name()), plain(" "), dim(symbol)]
}

/// The filter of a list.
pub fn filter<R, I, C: Column>(symbols: &Symbols, list: &Listing<R, I, C>) -> Vec<Piece> {
    if list.filter.is_empty() {
        return vec![dim("filter "), dim(symbols.none)];
    }
    vec![dim("filter "), piece(Role::Accent, list.filter.clone())]
}

/// The number of rows and of hidden rows.
pub fn count<R, I, C: Column>(list: &Listing<R, I, C>, noun: &str) -> Vec<Piece> {
    count_of(list, format::count(list.total as u64, noun))
}

/// The same; an empty list that is not read yet has no count.
pub fn count_read<R, I, C: Column>(unread: bool, list: &Listing<R, I, C>, noun: &str, symbols: &Symbols) -> Vec<Piece> {
    if unread && list.total == 0 {
        vec![dim(format!("{} {}", symbols.none, format::plural(noun)))]
    } else {
        count(list, noun)
    }
}

/// The same with a given total.
pub fn count_of<R, I, C: Column>(list: &Listing<R, I, C>, all: String) -> Vec<Piece> {
    if list.filter.is_empty() {
        return vec![plain(all)];
    }
    vec![plain(format!("{} of {all}", list.rows.len())), dim(format!(", {} hidden", list.hidden()))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::column::NodeColumn;
    use crate::theme::DRAWN;

    #[test]
    fn a_list_that_is_not_read_has_no_count() {
        let list: Listing<(), (), NodeColumn> = Listing::default();
        let text = |unread| count_read(unread, &list, "node", &DRAWN)[0].text.to_string();
        assert_eq!((text(true), text(false)), ("– nodes".to_owned(), "0 nodes".to_owned()));
        assert_eq!(count_read(true, &list, "entry", &DRAWN)[0].text, "– entries");
    }
}
