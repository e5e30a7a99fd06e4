//! Times on the wire: ns since 1970, rarely RFC 3339.

use std::fmt;

use serde::de::{Deserializer, Error, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// A time as text or number, by release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deadline {
    /// RFC 3339 with fraction and zone, as written (1.8, 1.9).
    Text(String),
    /// Nanoseconds since 1970 (after 1.9).
    Nanos(i64),
}

impl Deadline {
    /// Converts to ns since 1970; `None` if invalid or beyond 64 bits.
    pub fn nanos(&self) -> Option<i64> {
        match self {
            Self::Text(text) => parse_rfc3339(text),
            Self::Nanos(nanos) => Some(*nanos),
        }
    }
}

impl Serialize for Deadline {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serializer.serialize_str(text),
            Self::Nanos(nanos) => serializer.serialize_i64(*nanos),
        }
    }
}

impl<'de> Deserialize<'de> for Deadline {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl Visitor<'_> for Either {
            type Value = Deadline;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an RFC 3339 time, or nanoseconds")
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Deadline, E> {
                Ok(Deadline::Text(text.to_owned()))
            }

            fn visit_i64<E: Error>(self, nanos: i64) -> Result<Deadline, E> {
                Ok(Deadline::Nanos(nanos))
            }

            fn visit_u64<E: Error>(self, nanos: u64) -> Result<Deadline, E> {
                Ok(Deadline::Nanos(i64::try_from(nanos).unwrap_or(i64::MAX)))
            }
        }
        deserializer.deserialize_any(Either)
    }
}

/// Formats ns since 1970 as RFC 3339 in UTC like YuniKorn.
pub fn rfc3339(nanos: i64) -> String {
    let at = OffsetDateTime::from_unix_timestamp_nanos(nanos.into()).unwrap_or(OffsetDateTime::UNIX_EPOCH);
    // 64 bits of ns cover 1677 to 2262.
    at.format(&Rfc3339).unwrap_or_default()
}

/// Parses RFC 3339 to ns since 1970; `None` if invalid or beyond 64 bits.
pub fn parse_rfc3339(text: &str) -> Option<i64> {
    let at = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    i64::try_from(at.unix_timestamp_nanos()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calendar_is_correct() {
        let cases = [
            (0, "1970-01-01T00:00:00Z"),
            (946_684_840_034_013_000, "2000-01-01T00:00:40.034013Z"),
            (951_782_400_000_000_000, "2000-02-29T00:00:00Z"),
            (-1, "1969-12-31T23:59:59.999999999Z"),
            (1_790_000_000_500_000_000, "2026-09-21T14:13:20.5Z"),
        ];
        for (nanos, text) in cases {
            assert_eq!(rfc3339(nanos), text);
            assert_eq!(parse_rfc3339(text), Some(nanos), "{text}");
        }
        assert_eq!(parse_rfc3339("2000-01-01T02:00:40.034013+02:00"), Some(946_684_840_034_013_000));
        assert_eq!(parse_rfc3339("1999-12-31T23:30:00-00:30"), Some(946_684_800_000_000_000));
    }

    #[test]
    fn what_is_no_time_is_none() {
        for text in ["", "x", "2000-01-01", "2000-13-01T00:00:00Z", "2000-01-01T00:00:00", "2000-01-01T00:00:00+0é:00"]
        {
            assert_eq!(parse_rfc3339(text), None, "{text}");
        }
        assert_eq!(parse_rfc3339("9999-01-01T00:00:00Z"), None, "beyond 64 bits");
    }
}
