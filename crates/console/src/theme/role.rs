//! The roles: the meaning of screen elements, by dotted names.

/// Makes [`Role`] from variant, dotted name, and fallback. The first role is the last fallback.
macro_rules! roles {
    ($first:ident $first_name:literal; $($role:ident $name:literal $fallback:ident;)*) => {
        /// The meaning of a screen element.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
        #[repr(u8)]
        #[allow(missing_docs, reason = "the dotted names in Role::name say what each is")]
        pub enum Role {
            #[default]
            $first,
            $($role),*
        }

        impl Role {
            /// All roles, in documentation order.
            pub const ALL: [Self; 1 + [$($name),*].len()] = [Self::$first, $(Self::$role),*];

            /// The dotted name in theme files.
            pub const fn name(self) -> &'static str {
                match self {
                    Self::$first => $first_name,
                    $(Self::$role => $name),*
                }
            }

            /// The fallback of an undefined role and group.
            pub const fn fallback(self) -> Self {
                match self {
                    Self::$first => Self::$first,
                    $(Self::$role => Self::$fallback),*
                }
            }
        }
    };
}

roles! {
    Text "text";
    Page "page" Text;
    Dim "text.dim" Text;
    Strong "text.strong" Text;
    Title "title" Strong;
    Accent "accent" Strong;
    Border "border" Dim;
    Selection "selection" Text;
    SelectionBar "selection.bar" Accent;
    Changed "changed" Strong;
    Match "match" Accent;
    StateActive "state.active" Good;
    StateDraining "state.draining" Warning;
    StateStopped "state.stopped" Error;
    StateWaiting "state.waiting" Warning;
    UsageNormal "usage.normal" Accent;
    UsageHigh "usage.high" Warning;
    UsageFull "usage.full" Danger;
    UsageEmpty "usage.empty" Border;
    UsageMark "usage.mark" Strong;
    PriorityRaised "priority.raised" Good;
    PriorityLowered "priority.lowered" Warning;
    PriorityFenced "priority.fenced" Accent;
    Warning "warning" Strong;
    Danger "danger" Error;
    Error "error" Strong;
    Good "good" Text;
    HintKey "hint.key" Accent;
    HintText "hint.text" Dim;
    Ghost "ghost" Dim;
    BadgeEmbedded "badge.embedded" Accent;
    BadgeRemote "badge.remote" Accent;
    BadgeFrozen "badge.frozen" Warning;
    BadgeStale "badge.stale" Error;
    BadgeWhatIf "badge.whatif" BadgeRemote;
    DiffAdd "diff.add" Good;
    DiffRemove "diff.remove" Error;
    DiffChange "diff.change" Warning;
    SyntaxKey "syntax.key" Accent;
    SyntaxText "syntax.text" Good;
    SyntaxNumber "syntax.number" PriorityFenced;
    SyntaxComment "syntax.comment" Dim;
    Fault "fault" Error;
    FaultWarning "fault.warning" Warning;
    Choice "choice" BadgeEmbedded;
}

impl Role {
    /// The role with a dotted name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Its own name, then its groups.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        std::iter::successors(Some(self.name()), |name| name.rsplit_once('.').map(|(group, _)| group))
    }

    /// Whether it is used for text, which must be legible.
    pub const fn is_text(self) -> bool {
        !matches!(
            self,
            Self::Page | Self::Border | Self::Selection | Self::SelectionBar | Self::UsageEmpty | Self::UsageMark
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_are_at_their_own_index_and_have_their_own_name() {
        for (index, role) in Role::ALL.into_iter().enumerate() {
            assert_eq!(role as usize, index, "{}", role.name());
            assert_eq!(Role::parse(role.name()), Some(role));
        }
    }

    #[test]
    fn falling_back_ends() {
        for role in Role::ALL {
            let end = (0..Role::ALL.len()).fold(role, |role, _| role.fallback());
            assert_eq!(end, Role::Text, "{}", role.name());
        }
        assert_eq!(Role::Dim.names().collect::<Vec<_>>(), ["text.dim", "text"]);
    }
}
