//! What takes a blocker away.

/// What takes a blocker away, the blockers that time repairs least first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mending {
    /// The ask cannot run unchanged: no node has the resource, the size, or what its conditions require, or it is above a maximum.
    Never,
    /// A quota, a limit, or a state has to be changed, or usage within it has to end.
    Change,
    /// Something that runs or is reserved has to end.
    #[default]
    End,
    /// Only time has to pass.
    Time,
    /// Its turn comes.
    Turn,
}

impl Mending {
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
