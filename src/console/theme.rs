//! Roles, styles and signs: how meaning looks.
//!
//! Invariants:
//! - draw code names a [`Role`], never a colour, and a field of [`Signs`], never a drawn character;
//! - what a colour says, a sign or a word says too: the theme `mono` has no colour and loses nothing;
//! - every sign is one column wide, and has a twin in ASCII.

use ratatui::style::{Color, Modifier, Style};

/// What a piece of the screen means. A theme gives each role a style.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u8)]
#[allow(missing_docs, reason = "the dotted names in Role::name say what each is")]
pub enum Role {
    #[default]
    Text,
    Dim,
    Strong,
    Title,
    Accent,
    Border,
    Selection,
    SelectionBar,
    Changed,
    Match,
    StateActive,
    StateDraining,
    StateStopped,
    StateWaiting,
    UsageNormal,
    UsageHigh,
    UsageFull,
    UsageEmpty,
    UsageMark,
    PriorityRaised,
    PriorityLowered,
    PriorityFenced,
    Warning,
    Danger,
    Error,
    Good,
    Fault,
    Choice,
    HintKey,
    HintText,
    Ghost,
    BadgeEmbedded,
    BadgeRemote,
    BadgeFrozen,
    BadgeStale,
}

impl Role {
    /// All roles.
    pub const ALL: [Self; 35] = [
        Self::Text,
        Self::Dim,
        Self::Strong,
        Self::Title,
        Self::Accent,
        Self::Border,
        Self::Selection,
        Self::SelectionBar,
        Self::Changed,
        Self::Match,
        Self::StateActive,
        Self::StateDraining,
        Self::StateStopped,
        Self::StateWaiting,
        Self::UsageNormal,
        Self::UsageHigh,
        Self::UsageFull,
        Self::UsageEmpty,
        Self::UsageMark,
        Self::PriorityRaised,
        Self::PriorityLowered,
        Self::PriorityFenced,
        Self::Warning,
        Self::Danger,
        Self::Error,
        Self::Good,
        Self::Fault,
        Self::Choice,
        Self::HintKey,
        Self::HintText,
        Self::Ghost,
        Self::BadgeEmbedded,
        Self::BadgeRemote,
        Self::BadgeFrozen,
        Self::BadgeStale,
    ];

    /// The dotted name, as a theme file writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Dim => "text.dim",
            Self::Strong => "text.strong",
            Self::Title => "title",
            Self::Accent => "accent",
            Self::Border => "border",
            Self::Selection => "selection",
            Self::SelectionBar => "selection.bar",
            Self::Changed => "changed",
            Self::Match => "match",
            Self::StateActive => "state.active",
            Self::StateDraining => "state.draining",
            Self::StateStopped => "state.stopped",
            Self::StateWaiting => "state.waiting",
            Self::UsageNormal => "usage.normal",
            Self::UsageHigh => "usage.high",
            Self::UsageFull => "usage.full",
            Self::UsageEmpty => "usage.empty",
            Self::UsageMark => "usage.mark",
            Self::PriorityRaised => "priority.raised",
            Self::PriorityLowered => "priority.lowered",
            Self::PriorityFenced => "priority.fenced",
            Self::Warning => "warning",
            Self::Danger => "danger",
            Self::Error => "error",
            Self::Good => "good",
            Self::Fault => "fault",
            Self::Choice => "choice",
            Self::HintKey => "hint.key",
            Self::HintText => "hint.text",
            Self::Ghost => "ghost",
            Self::BadgeEmbedded => "badge.embedded",
            Self::BadgeRemote => "badge.remote",
            Self::BadgeFrozen => "badge.frozen",
            Self::BadgeStale => "badge.stale",
        }
    }
}

/// The themes that are built in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ThemeName {
    /// For dark backgrounds, out of the 256 indexed colours.
    #[default]
    Dark,
    /// Without any colour; what `NO_COLOR` asks for.
    Mono,
}

impl ThemeName {
    /// All themes.
    pub const ALL: [Self; 2] = [Self::Dark, Self::Mono];

    /// The name, as `:theme` takes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dark => "dark",
            Self::Mono => "mono",
        }
    }

    /// The theme of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.name() == name)
    }
}

/// Styles by role, and the signs.
#[derive(Clone, Debug)]
pub struct Theme {
    styles: [Style; Role::ALL.len()],
    /// The signs in use.
    pub signs: &'static Signs,
    /// Only ASCII may reach the screen.
    pub ascii: bool,
}

impl Theme {
    /// The theme of that name, with signs from ASCII only if asked for.
    pub fn new(name: ThemeName, ascii: bool) -> Self {
        let style = match name {
            ThemeName::Dark => dark,
            ThemeName::Mono => mono,
        };
        Self { styles: Role::ALL.map(style), signs: if ascii { &ASCII } else { &DRAWN }, ascii }
    }

    /// The style of a role.
    pub fn style(&self, role: Role) -> Style {
        self.styles[role as usize]
    }
}

fn dark(role: Role) -> Style {
    let fg = |index| Style::new().fg(Color::Indexed(index));
    let badge = |index| Style::new().fg(Color::Indexed(234)).bg(Color::Indexed(index)).add_modifier(Modifier::BOLD);
    match role {
        Role::Text => Style::new(),
        Role::Dim | Role::Ghost | Role::HintText => fg(244),
        Role::Strong => fg(255).add_modifier(Modifier::BOLD),
        Role::Title => fg(255).add_modifier(Modifier::BOLD),
        Role::Accent | Role::HintKey => fg(110),
        Role::SelectionBar => fg(110).add_modifier(Modifier::BOLD),
        Role::Border | Role::UsageEmpty => fg(239),
        Role::Selection => Style::new().bg(Color::Indexed(237)),
        Role::Changed => Style::new().add_modifier(Modifier::BOLD),
        Role::Match => fg(110).add_modifier(Modifier::UNDERLINED),
        Role::StateActive | Role::Good => fg(108),
        Role::StateDraining | Role::Warning | Role::StateWaiting => fg(179),
        Role::StateStopped | Role::Error => fg(174),
        Role::UsageNormal => fg(109),
        Role::UsageHigh => fg(179),
        Role::UsageFull | Role::Danger => fg(173).add_modifier(Modifier::BOLD),
        Role::UsageMark => fg(255),
        Role::Fault => fg(174).add_modifier(Modifier::UNDERLINED),
        Role::Choice => Style::new().fg(Color::Indexed(234)).bg(Color::Indexed(110)),
        Role::PriorityRaised => fg(108),
        Role::PriorityLowered => fg(179),
        Role::PriorityFenced => fg(110),
        Role::BadgeEmbedded => badge(110),
        Role::BadgeRemote => badge(140),
        Role::BadgeFrozen => badge(179),
        Role::BadgeStale => badge(174),
    }
}

fn mono(role: Role) -> Style {
    let with = |modifier| Style::new().add_modifier(modifier);
    match role {
        Role::Dim | Role::Ghost | Role::HintText | Role::Border | Role::UsageEmpty => with(Modifier::DIM),
        Role::Strong | Role::Title | Role::Accent | Role::HintKey | Role::SelectionBar => with(Modifier::BOLD),
        Role::Changed | Role::UsageFull | Role::Danger | Role::Error => with(Modifier::BOLD),
        // Dim signs on a reversed bar would leave holes in it.
        Role::Selection => with(Modifier::REVERSED).remove_modifier(Modifier::DIM),
        Role::BadgeEmbedded | Role::BadgeRemote => with(Modifier::REVERSED),
        Role::BadgeFrozen | Role::BadgeStale => with(Modifier::REVERSED.union(Modifier::BOLD)),
        Role::Match | Role::Fault => with(Modifier::UNDERLINED),
        Role::Choice => with(Modifier::REVERSED.union(Modifier::BOLD)),
        _ => Style::new(),
    }
}

/// The drawn signs, each one column wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is what its name says")]
pub struct Signs {
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
}

/// The signs that a model's options ask for.
pub fn sign_set(model: &super::model::Model) -> &'static Signs {
    if model.options.ascii { &ASCII } else { &DRAWN }
}

/// The signs for terminals with Unicode.
pub static DRAWN: Signs = Signs {
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
};

/// The signs for `--ascii`.
pub static ASCII: Signs = Signs {
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
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::console::text::width;

    #[test]
    fn roles_stand_at_their_own_index() {
        for (index, role) in Role::ALL.into_iter().enumerate() {
            assert_eq!(role as usize, index, "{}", role.name());
        }
    }

    #[test]
    fn signs_are_one_column_and_have_an_ascii_twin() {
        let all =
            |signs: &Signs| format!("{signs:?}").split('"').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
        let (drawn, ascii) = (all(&DRAWN), all(&ASCII));
        assert_eq!(drawn.len(), ascii.len());
        assert!(drawn.iter().chain(&ascii).all(|sign| width(sign) == 1));
        assert!(ascii.iter().all(|sign| sign.is_ascii()));
    }

    #[test]
    fn mono_has_no_colour() {
        let theme = Theme::new(ThemeName::Mono, false);
        assert!(Role::ALL.into_iter().all(|role| theme.style(role).fg.is_none() && theme.style(role).bg.is_none()));
    }
}
