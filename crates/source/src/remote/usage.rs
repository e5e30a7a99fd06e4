//! Requests usage over time from a remote.

use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::book::Book;
use crate::remote::worker::Request;
use crate::usage::path;
use crate::{Link, Source as _, UsageAnswer};
use client::{Client, Remote};
use view::used::{UsageQuestion, Used};
use wire::convert::read::used;
use wire::dto::native::UsageReport;

impl super::Remote {
    /// Call it before any events arrive.
    #[must_use]
    pub fn with_book(self, book: Arc<Book>) -> Self {
        // One exists.
        let _ = self.shared.book.set(book);
        self
    }
}

pub(super) fn ask(source: &super::Remote, question: UsageQuestion, answer: UsageAnswer) {
    match may_ask(source.shared.remote.load_full().as_deref(), source.link()) {
        Ok(()) => source.request(Request::Usage(question, answer)),
        Err(why) => answer(Err(why)),
    }
}

/// Whether a remote can be asked for usage.
///
/// # Errors
/// Returns the reason if not.
fn may_ask(remote: Option<&Remote>, link: Link) -> Result<(), String> {
    match (remote, link) {
        (Some(Remote::Kornsole(server)), _) if !server.can("usage") => {
            Err("this version of kornsole has no ledger".to_owned())
        }
        (Some(_), Link::Live { .. }) => Ok(()),
        (_, Link::Stale { cause: why, .. } | Link::Refused { why, .. }) => {
            Err(format!("the connection is lost: {why}"))
        }
        _ => Err("not connected yet".to_owned()),
    }
}

/// Fetches usage from a kornsole server.
///
/// # Errors
/// Returns an error if it cannot be fetched.
pub async fn usage(client: &Client, question: &UsageQuestion, now: SystemTime) -> Result<Used, String> {
    let now = now.duration_since(UNIX_EPOCH).unwrap_or_default();
    let path = path(question, i64::try_from(now.as_nanos()).unwrap_or(i64::MAX));
    let got = client.json::<UsageReport>(&path).await.map_err(|fault| fault.to_string())?;
    Ok(used(got.value, question.by))
}
