//! The symbols, and their ASCII equivalents.

/// The symbols, each one column wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is what its name says")]
pub struct Symbols {
    pub open: &'static str,
    pub closed: &'static str,
    pub active: &'static str,
    pub draining: &'static str,
    pub stopped: &'static str,
    pub meter_full: &'static str,
    pub meter_empty: &'static str,
    pub meter_mark: &'static str,
    pub limit: &'static str,
    pub fault: &'static str,
    pub good: &'static str,
    pub bad: &'static str,
    pub raised: &'static str,
    pub lowered: &'static str,
    pub fenced: &'static str,
    pub changed: &'static str,
    pub nothing: &'static str,
    pub bar: &'static str,
    pub crumb: &'static str,
    pub ellipsis: &'static str,
    pub line: &'static str,
    pub wall: &'static str,
    pub corners: [&'static str; 4],
    pub ascending: &'static str,
    pub descending: &'static str,
    pub arrow: &'static str,
    pub none: &'static str,
    pub scroll: &'static str,
    pub bars: [&'static str; 8],
    pub marked: &'static str,
}

/// The Unicode symbols.
pub static DRAWN: Symbols = Symbols {
    open: "▾",
    closed: "▸",
    active: "●",
    draining: "◐",
    stopped: "○",
    meter_full: "▰",
    meter_empty: "▱",
    meter_mark: "┆",
    limit: "!",
    fault: "✗",
    good: "✔",
    bad: "✘",
    raised: "↑",
    lowered: "↓",
    fenced: "⌂",
    changed: "*",
    nothing: "·",
    bar: "▌",
    crumb: "›",
    ellipsis: "…",
    line: "─",
    wall: "│",
    corners: ["┌", "┐", "└", "┘"],
    ascending: "▲",
    descending: "▼",
    arrow: "→",
    none: "–",
    scroll: "┃",
    bars: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
    marked: "✓",
};

/// The symbols for `--ascii`.
pub static ASCII: Symbols = Symbols {
    open: "v",
    closed: ">",
    active: "A",
    draining: "D",
    stopped: "S",
    meter_full: "#",
    meter_empty: ".",
    meter_mark: "|",
    limit: "!",
    fault: "X",
    good: "+",
    bad: "x",
    raised: "^",
    lowered: "v",
    fenced: "f",
    changed: "*",
    nothing: "-",
    bar: "|",
    crumb: ">",
    ellipsis: "~",
    line: "-",
    wall: "|",
    corners: ["+", "+", "+", "+"],
    ascending: "^",
    descending: "v",
    arrow: ">",
    none: "-",
    scroll: "#",
    bars: [".", ".", ":", ":", "|", "|", "#", "#"],
    marked: "x",
};

/// For screen readers: bars, frames, states, and priorities are empty, because words next to them have the same
/// meaning.
pub static SPOKEN: Symbols = Symbols {
    open: "",
    closed: "folded",
    active: "",
    draining: "",
    stopped: "",
    meter_full: "",
    meter_empty: "",
    meter_mark: "",
    limit: "at its limit",
    fault: "fault",
    good: "yes:",
    bad: "no:",
    raised: "",
    lowered: "",
    fenced: "",
    changed: "changed",
    nothing: "none",
    bar: "",
    crumb: ",",
    ellipsis: "~",
    line: "",
    wall: "",
    corners: ["", "", "", ""],
    ascending: "ascending",
    descending: "descending",
    arrow: "to",
    none: "none",
    scroll: "",
    bars: ["", "", "", "", "", "", "", ""],
    marked: "marked",
};

impl Symbols {
    /// Whether they are words.
    pub fn are_words(&self) -> bool {
        self.bars[0].is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::present::text::width;

    #[test]
    fn symbols_are_one_column_and_have_an_ascii_form() {
        let all = |symbols: &Symbols| {
            format!("{symbols:?}").split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>()
        };
        let (drawn, ascii) = (all(&DRAWN), all(&ASCII));
        assert_eq!(drawn.len(), ascii.len());
        assert!(drawn.iter().chain(&ascii).all(|symbol| width(symbol) == 1));
        assert!(ascii.iter().all(|symbol| symbol.is_ascii()));
    }

    #[test]
    fn each_state_has_its_own_symbol() {
        for symbols in [&DRAWN, &ASCII] {
            let mut states = [symbols.active, symbols.draining, symbols.stopped, symbols.nothing];
            states.sort_unstable();
            assert!(states.windows(2).all(|pair| pair[0] != pair[1]));
        }
    }
}
