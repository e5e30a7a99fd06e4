//! Reconnects a console to a restarted daemon, whose API has a new address and new tokens.

use std::path::Path;
use std::sync::Weak;
use std::thread::sleep;
use std::time::{Duration, Instant};

use super::super::{Link, Remote, Source as _};
use client::{Endpoint, Token};
use local::client::Client;
use local::wire::{Reply, Request};

const LOOK: Duration = Duration::from_millis(500);
/// The shortest and longest pause between token requests: the number of tokens per user is limited.
const PAUSE: (Duration, Duration) = (Duration::from_secs(2), Duration::from_secs(60));

/// Renews the address and the token after a lost connection, while the console exists.
pub(super) fn watch(socket: &Path, remote: &Weak<Remote>, endpoint: &Endpoint) {
    let (mut next, mut pause) = (Instant::now(), PAUSE.0);
    loop {
        sleep(LOOK);
        let Some(remote) = remote.upgrade() else { return };
        match remote.link() {
            Link::Live { .. } => pause = PAUSE.0,
            Link::Connecting { cause: None, .. } => {}
            _ if Instant::now() < next => {}
            _ if renew(socket, endpoint).is_some() => {
                next = Instant::now() + pause;
                pause = (pause * 2).min(PAUSE.1);
            }
            // No daemon listens: a retry is cheap.
            _ => {}
        }
    }
}

fn renew(socket: &Path, endpoint: &Endpoint) -> Option<()> {
    let (Reply::Endpoint { url, token, .. }, _) = Client::connect(socket).ok()?.ask(&Request::Endpoint).ok()? else {
        return None;
    };
    endpoint.renew(&url, Token::new(&token).ok()?).ok()
}
