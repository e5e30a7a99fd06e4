//! A macro that makes the column enum of a list.

/// Makes a column enum from rows `Name: "name", live, largest first;`, the first one the default. `more` excludes a
/// column from the next-column key; `line` cannot be sorted.
macro_rules! columns {
    (@steps) => { true };
    (@steps more) => { false };
    (@steps line) => { false };
    (@sorts) => { true };
    (@sorts more) => { true };
    (@sorts line) => { false };
    ($(#[$doc:meta])* $name:ident { $first:ident: $($rest:tt)+ }) => {
        columns!(@ $(#[$doc])* $name, $first { $first: $($rest)+ });
    };
    (@ $(#[$doc:meta])* $name:ident, $first:ident {
        $($column:ident: $text:literal, $live:literal, $largest:literal $(, $more:ident)?;)+
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "each is the column of that name")]
        pub enum $name {
            $($column,)+
        }

        impl Default for $name {
            fn default() -> Self {
                Self::$first
            }
        }

        impl Column for $name {
            const ALL: &'static [Self] = &[$(Self::$column,)+];

            fn name(self) -> &'static str {
                match self { $(Self::$column => $text,)+ }
            }

            fn live(self) -> bool {
                match self { $(Self::$column => $live,)+ }
            }

            fn largest_first(self) -> bool {
                match self { $(Self::$column => $largest,)+ }
            }

            fn steps(self) -> bool {
                match self { $(Self::$column => columns!(@steps $($more)?),)+ }
            }

            fn sorts(self) -> bool {
                match self { $(Self::$column => columns!(@sorts $($more)?),)+ }
            }
        }
    };
}

pub(super) use columns;
