//! Requests the results of a remote shadow.

use crate::remote::worker::Request;
use crate::{Link, NO_SHADOW, ShadowAnswer, Source as _};
use client::{Client, Remote};
use view::shadowed::ShadowSheet;
use wire::convert::shadow_sheet;
use wire::dto::native::ShadowReport;

pub(super) fn ask(source: &super::Remote, answer: ShadowAnswer) {
    match may_ask(source.shared.remote.load_full().as_deref(), source.link()) {
        Ok(()) => source.request(Request::Shadow(answer)),
        Err(why) => answer(Err(why)),
    }
}

/// Whether a remote can have shadow results.
///
/// # Errors
/// Returns the reason if not.
fn may_ask(remote: Option<&Remote>, link: Link) -> Result<(), String> {
    match (remote, link) {
        (Some(Remote::Kornsole(server)), Link::Live { .. }) if server.can("shadow") => Ok(()),
        (Some(_), Link::Live { .. }) => Err(NO_SHADOW.to_owned()),
        (_, Link::Stale { cause: why, .. } | Link::Refused { why, .. }) => {
            Err(format!("the connection is lost: {why}"))
        }
        _ => Err("not connected yet".to_owned()),
    }
}

/// Fetches the sheet of a shadow.
///
/// # Errors
/// Returns an error if it cannot be fetched.
pub async fn sheet(client: &Client) -> Result<ShadowSheet, String> {
    let got = client.json::<ShadowReport>("kornsole/v1/shadow").await.map_err(|fault| fault.to_string())?;
    Ok(shadow_sheet(got.value))
}
