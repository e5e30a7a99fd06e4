//! The audit and revisions of a remote: a kornsole server has its own; for Apache YuniKorn, this console records the
//! observed configurations (`rest.md` E12).

use std::sync::Arc;

use crate::Records;
use crate::remote::stored::Retained;
use client::{Client, Remote};
use model::{Profile, Time};
use view::audit::{Revision, RevisionSource};
use wire::dto::native::ConfigState;

const SEEN: usize = 100;

/// `retained`: this machine stores some.
pub fn of_remote(remote: &Remote, has_token: bool, retained: bool) -> Records {
    match remote {
        Remote::YuniKorn(_) if retained => Records::unknown("read from this machine"),
        Remote::YuniKorn(_) => Records {
            audit: Err(Arc::from("Apache YuniKorn has no audit")),
            revisions: Ok(Vec::new()),
            ..Records::unknown("")
        },
        Remote::Kornsole(_) if !has_token => {
            Records::unknown("a token is required; use --token-file or KORNSOLE_TOKEN")
        }
        Remote::Kornsole(server) if !server.can("audit") => Records::unknown("this server has no audit"),
        Remote::Kornsole(_) => Records::unknown("waiting for the first response"),
    }
}

/// Adds an observed configuration.
pub fn saw(records: &mut Records, text: &str, at: Time) {
    let Ok(revisions) = &mut records.revisions else { return };
    let read = |text: &str| config::read(text, Profile::default()).config;
    let newest = revisions.first();
    if newest.is_some_and(|newest| newest.text.as_deref() == Some(text)) {
        return;
    }
    let before = newest.and_then(|newest| read(newest.text.as_deref()?));
    let changes = before.zip(read(text)).map_or(0, |(old, new)| config::diff(&old, &new).changes.len());
    let revision = Revision {
        number: newest.map_or(1, |newest| newest.number + 1),
        checksum: config::checksum(text.as_bytes()),
        at,
        wall: i64::try_from(at.0.saturating_mul(1000)).ok(),
        by: String::new(),
        reason: String::new(),
        source: RevisionSource::Seen,
        changes,
        text: Some(Arc::from(text)),
    };
    revisions.insert(0, Arc::new(revision));
    revisions.truncate(SEEN);
}

/// The text of a revision stored on this machine.
///
/// # Errors
/// Returns an error if it is not stored.
pub async fn retained_text(retained: Retained, number: u64) -> Result<Arc<str>, String> {
    let found = tokio::task::spawn_blocking(move || retained.revision(number)).await.ok().flatten();
    found.and_then(|found| found.text).ok_or_else(|| format!("revision {number} is not on this machine"))
}

/// Fetches the text of a revision from a kornsole server.
///
/// # Errors
/// Returns an error if it cannot be fetched.
pub async fn text(client: &Client, number: u64) -> Result<Arc<str>, String> {
    let path = format!("kornsole/v1/config/history/{number}");
    let got = client.json::<ConfigState>(&path).await.map_err(|fault| fault.to_string())?;
    Ok(Arc::from(got.value.text))
}
