//! The kinds of changes that remove a blocker.

/// The kinds of changes that remove a blocker, ordered from those that time helps least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resolution {
    /// The unchanged request cannot run: no node fits, or it exceeds a maximum.
    Never,
    /// A quota, a limit, or a state must change, or usage in it must end.
    Change,
    /// An allocation or a reservation must end.
    #[default]
    End,
    /// Time must pass.
    Time,
    /// Earlier requests come first.
    Turn,
}

impl Resolution {
    /// Its name in the native API.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Change => "change",
            Self::End => "end",
            Self::Time => "time",
            Self::Turn => "turn",
        }
    }
}
