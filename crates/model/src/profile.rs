//! The release to decide like (`profiles.md`).

use std::fmt;
use std::str::FromStr;

/// A behavior profile (`--core`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Profile {
    /// 1.5.1 with corrections and additions; the default.
    #[default]
    Kornsole,
    /// Apache YuniKorn 1.5.1.
    V1_5_1,
    /// Apache YuniKorn 1.8.0.
    V1_8_0,
    /// Apache YuniKorn 1.9.0.
    V1_9_0,
}

impl Profile {
    /// Every profile, the default one first.
    pub const ALL: [Self; 4] = [Self::Kornsole, Self::V1_5_1, Self::V1_8_0, Self::V1_9_0];

    /// The profiles of releases, the oldest first.
    pub const RELEASES: [Self; 3] = [Self::V1_5_1, Self::V1_8_0, Self::V1_9_0];

    /// The newest release, used for predictions if the release is unknown.
    pub const NEWEST: Self = Self::V1_9_0;

    /// The value of `--core`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kornsole => "kornsole",
            Self::V1_5_1 => "1.5.1",
            Self::V1_8_0 => "1.8.0",
            Self::V1_9_0 => "1.9.0",
        }
    }

    /// Whether it is 1.8.0 or a later release.
    pub const fn is_since_1_8(self) -> bool {
        match self {
            Self::Kornsole | Self::V1_5_1 => false,
            Self::V1_8_0 | Self::V1_9_0 => true,
        }
    }

    /// N-01: 1.9.0 and kornsole.
    pub const fn enforces_quotas(self) -> bool {
        match self {
            Self::V1_5_1 | Self::V1_8_0 => false,
            Self::Kornsole | Self::V1_9_0 => true,
        }
    }

    /// The older one of two; `None` for an invalid version.
    pub fn nearest(version: &str) -> Option<Self> {
        let wanted = number(version)?;
        Self::RELEASES.into_iter().min_by_key(|release| number(release.name()).unwrap_or(0).abs_diff(wanted))
    }
}

/// Of the same order; a minor release is 100 patches.
fn number(version: &str) -> Option<u64> {
    let mut parts = version.strip_prefix('v').unwrap_or(version).splitn(3, '.');
    let mut part = |otherwise: Option<&'static str>| {
        let digits = parts.next().or(otherwise)?;
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits[..end].parse::<u64>().ok().map(|number| number.min(9999))
    };
    let (major, minor, patch) = (part(None)?, part(None)?, part(Some("0"))?);
    Some((major * 10_000 + minor) * 100 + patch.min(99))
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Profile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|profile| profile.name() == text).ok_or_else(|| {
            let known = "valid profiles: kornsole, 1.5.1, 1.8.0, 1.9.0";
            match Self::nearest(text) {
                Some(nearest) => format!("{text:?} is not a profile; {known}; the nearest release is {nearest}"),
                None => format!("{text:?} is not a profile; {known}"),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_release_is_answered_with_those_known_and_the_nearest() {
        let nearest = |text: &str| text.parse::<Profile>().unwrap_err().split("release is ").nth(1).map(str::to_owned);
        let cases = [
            ("1.4.0", Some("1.5.1")),
            ("1.6.3", Some("1.5.1")),
            ("1.7.0", Some("1.8.0")),
            ("1.9", Some("1.9.0")),
            ("v1.10.2-SNAPSHOT", Some("1.9.0")),
            ("2.0.0", Some("1.9.0")),
            ("newest", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(nearest(text).as_deref(), expected, "{text}");
            assert!(text.parse::<Profile>().unwrap_err().contains("kornsole, 1.5.1, 1.8.0, 1.9.0"));
        }
        for profile in Profile::ALL {
            assert_eq!(profile.name().parse(), Ok(profile));
        }
    }
}
