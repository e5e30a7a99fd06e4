//! Which release of the core to decide like (`profiles.md`).

use std::fmt;
use std::str::FromStr;

/// A behaviour profile (`--core`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Profile {
    /// The seeds and 1.5.1, defects mended, gaps filled.
    #[default]
    Kornsole,
    /// As Apache YuniKorn 1.5.1.
    V1_5_1,
    /// As Apache YuniKorn 1.8.0.
    V1_8_0,
}

impl Profile {
    /// Every profile.
    pub const ALL: [Self; 3] = [Self::Kornsole, Self::V1_5_1, Self::V1_8_0];

    /// The name that `--core` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kornsole => "kornsole",
            Self::V1_5_1 => "1.5.1",
            Self::V1_8_0 => "1.8.0",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|profile| profile.name() == text)
            .ok_or_else(|| format!("{text:?} is no profile; there are kornsole, 1.5.1 and 1.8.0"))
    }
}
