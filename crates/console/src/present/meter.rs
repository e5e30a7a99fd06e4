//! Usage as a bar with a mark for guaranteed resources: `▰▰▰┆▰▱▱▱▱▱`.

use crate::present::pieces::{Piece, piece};
use crate::theme::{Role, Symbols};

/// From which share on usage is high, in percent.
const HIGH: i64 = 80;

/// A meter; its base is shown next to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meter {
    /// What is used.
    pub used: i64,
    /// The value of the full bar, if known.
    pub base: Option<i64>,
    /// The guaranteed value.
    pub guaranteed: Option<i64>,
}

impl Meter {
    /// The role of the fill level.
    pub fn role(&self) -> Role {
        match self.base {
            Some(base) if self.used >= base && self.used > 0 => Role::UsageFull,
            Some(base) if percent(self.used, base) >= HIGH => Role::UsageHigh,
            _ => Role::UsageNormal,
        }
    }

    /// The bar. Nonzero usage shows a full symbol, and usage below the base an empty one.
    pub fn pieces(&self, width: u16, symbols: &Symbols) -> Vec<Piece> {
        if width == 0 {
            return Vec::new();
        }
        let cells = i64::from(width);
        let full = match self.base {
            _ if self.used <= 0 => 0,
            Some(base) if self.used >= base => cells,
            Some(base) => scaled(self.used, base, cells).clamp(1, (cells - 1).max(1)),
            None => 0,
        };
        let mark =
            self.guaranteed.filter(|guaranteed| *guaranteed > 0).zip(self.base).and_then(|(guaranteed, base)| {
                let least = i64::from(full > 0 && cells > 1);
                (base > 0 && guaranteed < base).then(|| scaled(guaranteed, base, cells).min(cells - 1).max(least))
            });
        let mut pieces = Vec::with_capacity(4);
        let mut run = |from: i64, to: i64| {
            for (symbol, role, from, to) in [
                (symbols.meter_full, self.role(), from, to.min(full)),
                (symbols.meter_empty, Role::UsageEmpty, from.max(full), to),
            ] {
                if to > from {
                    pieces.push((symbol, role, to - from));
                }
            }
        };
        match mark {
            None => run(0, cells),
            Some(mark) => {
                run(0, mark);
                run(mark, mark + 1);
                run(mark + 1, cells);
            }
        }
        let mut at = 0;
        let signed = |(symbol, role, count): (&'static str, Role, i64)| {
            let here = at;
            at += count;
            match mark {
                Some(mark) if here == mark && count == 1 => piece(Role::UsageMark, symbols.meter_mark),
                _ => piece(role, symbol.repeat(usize::try_from(count).unwrap_or(0))),
            }
        };
        pieces.into_iter().map(signed).collect()
    }
}

fn scaled(value: i64, base: i64, cells: i64) -> i64 {
    let (value, base, cells) = (i128::from(value), i128::from(base.max(1)), i128::from(cells));
    i64::try_from((value * cells * 2 + base) / (base * 2)).unwrap_or(i64::MAX)
}

fn percent(value: i64, base: i64) -> i64 {
    if base <= 0 { 0 } else { i64::try_from(i128::from(value) * 100 / i128::from(base)).unwrap_or(i64::MAX) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::super::theme::DRAWN;
    use super::*;
    use crate::present::pieces;

    fn shown(used: i64, base: Option<i64>, guaranteed: Option<i64>) -> String {
        let meter = Meter { used, base, guaranteed };
        meter.pieces(10, &DRAWN).iter().map(|piece| piece.text.as_ref()).collect()
    }

    #[test]
    fn shows_share_and_guarantee() {
        for (used, base, guaranteed, bar) in [
            (0, Some(100), None, "▱▱▱▱▱▱▱▱▱▱"),
            (1, Some(100), None, "▰▱▱▱▱▱▱▱▱▱"),
            (50, Some(100), None, "▰▰▰▰▰▱▱▱▱▱"),
            (99, Some(100), None, "▰▰▰▰▰▰▰▰▰▱"),
            (100, Some(100), None, "▰▰▰▰▰▰▰▰▰▰"),
            (500, Some(100), None, "▰▰▰▰▰▰▰▰▰▰"),
            (50, Some(100), Some(30), "▰▰▰┆▰▱▱▱▱▱"),
            (10, Some(100), Some(50), "▰▱▱▱▱┆▱▱▱▱"),
            (10, Some(100), Some(100), "▰▱▱▱▱▱▱▱▱▱"),
            (10, Some(100), Some(99), "▰▱▱▱▱▱▱▱▱┆"),
            (7, None, None, "▱▱▱▱▱▱▱▱▱▱"),
            (7, Some(0), None, "▰▰▰▰▰▰▰▰▰▰"),
            (0, Some(0), None, "▱▱▱▱▱▱▱▱▱▱"),
        ] {
            assert_eq!(shown(used, base, guaranteed), bar, "{used} of {base:?}, {guaranteed:?}");
        }
    }

    #[test]
    fn distinguishes_high_from_full() {
        let role = |used| Meter { used, base: Some(10), guaranteed: None }.role();
        assert_eq!([role(7), role(8), role(10)], [Role::UsageNormal, Role::UsageHigh, Role::UsageFull]);
    }

    proptest! {
        #[test]
        fn always_as_wide_as_asked(used: i64, base: Option<i64>, guaranteed: Option<i64>, width in 0u16..30) {
            let meter = Meter { used, base, guaranteed };
            prop_assert_eq!(pieces::width(&meter.pieces(width, &DRAWN)), usize::from(width));
        }
    }
}
