//! The allowed values of configuration keys: one table for each type, made by
//! [`allowed_values!`](crate::allowed_values). Validator, schema, completion, diffs, and forms use only it.

use super::Profile;

/// An allowed value in the notation of the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AllowedValue {
    /// The name in messages, schema, and completion.
    pub name: &'static str,
    /// Other names, which only [`Profile::Kornsole`] reads.
    pub aliases: &'static [&'static str],
    /// The profiles that read the name.
    pub readers: Readers,
    /// The effect in a few words, for the schema.
    pub effect: &'static str,
}

/// The profiles that read a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readers {
    /// Every profile reads the value.
    All,
    /// Only [`Profile::Kornsole`]; a release rejects the value.
    Kornsole,
    /// 1.9.0 and [`Profile::Kornsole`].
    Since1_9,
}

impl AllowedValue {
    /// Whether `profile` reads the name.
    pub fn is_read_by(&self, profile: Profile) -> bool {
        match self.readers {
            Readers::All => true,
            Readers::Kornsole => profile == Profile::Kornsole,
            Readers::Since1_9 => profile.enforces_quotas(),
        }
    }

    /// The names in `profile`: the main name, then the aliases.
    pub fn spellings(&self, profile: Profile) -> impl Iterator<Item = &'static str> {
        let aliases = if profile == Profile::Kornsole { self.aliases } else { &[] };
        self.is_read_by(profile).then_some(self.name).into_iter().chain(aliases.iter().copied())
    }
}

/// A list like `default, fence or disabled`, each name in `quote` characters.
pub fn one_of(allowed: &[AllowedValue], quote: &str) -> String {
    let names: Vec<String> = allowed.iter().map(|value| format!("{quote}{}{quote}", value.name)).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Writes the table of an enum: `Variant: Readers "name", ["alias", ...], "effect";` for each variant.
///
/// The enum gets `VALUES` (the variants), `ALLOWED` (their rows, in the same order), `row`, `name`, and `parse`. A
/// variant without a row does not compile. `exact` or `any_case` is the case sensitivity of `parse`.
#[macro_export]
macro_rules! allowed_values {
    (@same exact $text:ident $name:expr) => { $text == $name };
    (@same any_case $text:ident $name:expr) => { $text.eq_ignore_ascii_case($name) };
    ($type:ident, $case:ident, {
        $($variant:ident: $readers:ident $name:literal, [$($alias:literal),*], $effect:literal;)+
    }) => {
        impl $type {
            /// Every value in the order of completion and schema.
            pub const VALUES: &'static [Self] = &[$(Self::$variant),+];

            /// The rows of [`Self::VALUES`] in the same order.
            pub const ALLOWED: &'static [$crate::AllowedValue] = &[$(*Self::$variant.row()),+];

            /// The row of this value.
            pub const fn row(self) -> &'static $crate::AllowedValue {
                match self {
                    $(Self::$variant => &$crate::AllowedValue {
                        name: $name,
                        aliases: &[$($alias),*],
                        readers: $crate::Readers::$readers,
                        effect: $effect,
                    }),+
                }
            }

            /// The name in a file.
            pub const fn name(self) -> &'static str {
                self.row().name
            }

            /// The value with this name or alias, if any.
            pub fn parse(text: &str) -> Option<Self> {
                let same = |name: &str| $crate::allowed_values!(@same $case text name);
                let rows = Self::VALUES.iter().zip(Self::ALLOWED);
                let mut rows = rows.filter(|(_, row)| same(row.name) || row.aliases.iter().any(|alias| same(alias)));
                rows.next().map(|(value, _)| *value)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use super::super::PriorityPolicy;
    use super::*;

    #[test]
    fn a_sentence_lists_the_names() {
        assert_eq!(one_of(PriorityPolicy::ALLOWED, ""), "default or fence");
        assert_eq!(one_of(PriorityPolicy::ALLOWED, "`"), "`default` or `fence`");
        assert_eq!(one_of(&PriorityPolicy::ALLOWED[..1], ""), "default");
        assert_eq!(one_of(&[], ""), "");
    }

    #[test]
    fn only_our_own_profile_reads_aliases() {
        let row = AllowedValue { name: "a", aliases: &["b"], readers: Readers::All, effect: "" };
        assert_eq!(row.spellings(Profile::Kornsole).collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!(row.spellings(Profile::V1_5_1).collect::<Vec<_>>(), ["a"]);
        let own = AllowedValue { readers: Readers::Kornsole, ..row };
        assert_eq!(own.spellings(Profile::V1_8_0).count(), 0);
    }
}
