//! Requests explanations from a kornsole server (`rest.md` E4).

use std::sync::Arc;

use super::twin::Twins;
use crate::Link;
use client::{Client, Fault, Remote, encode_once};
use model::Time;
use view::act::{Code, Refusal};
use view::waiting::{Asked, Question, Sheet};
use wire::convert::read::RemoteState;
use wire::convert::read::explain as read;
use wire::dto::native as dto;

/// Whether a remote can be asked for an explanation.
///
/// # Errors
/// Returns the reason if not.
pub(super) fn may_ask(remote: Option<&Remote>, link: Link) -> Result<(), (Code, String)> {
    match (remote, link) {
        (Some(Remote::Kornsole(server)), _) if !server.can("explain") => {
            Err((Code::NotSupported, "this server does not support that".to_owned()))
        }
        (Some(_), Link::Live { .. }) => Ok(()),
        (_, Link::Stale { cause, .. }) => Err((Code::Unavailable, format!("the connection is lost: {cause}"))),
        (_, Link::Refused { why, .. }) => Err((Code::Unavailable, why)),
        (_, Link::Connecting { .. } | Link::Live { .. }) => Err((Code::Unavailable, "not connected yet".to_owned())),
    }
}

/// Requests an explanation from a kornsole server.
///
/// # Errors
/// Returns an error without an answer.
pub async fn ask(client: &Client, question: &Question) -> Result<Sheet, Refusal> {
    let path = format!("kornsole/v1/{}", path(question));
    let found = match &question.of {
        Asked::App(..) => client.json::<dto::Explained>(&path).await.map(|got| read::sheet(&got.value)),
        Asked::Waiting(_) => client.json::<dto::Waiting>(&path).await.map(|got| read::overview(&got.value)),
    };
    found.map_err(|fault| refusal(question, &fault))
}

/// Computes an explanation on a simulation copy.
///
/// # Errors
/// Returns an error without an answer.
pub async fn twin(twins: Arc<Twins>, question: Question, known: RemoteState, at: Time) -> Result<Sheet, Refusal> {
    let work = tokio::task::spawn_blocking(move || twins.explain(&question, known, at));
    work.await.unwrap_or_else(|_| Err(Refusal::stopped()))
}

/// The path of a question, relative to `kornsole/v1/`.
pub fn path(question: &Question) -> String {
    let partition = format!("partition/{}", encode_once(&question.partition));
    match &question.of {
        Asked::App(app, ask) => {
            let key = ask.as_ref().map(|ask| format!("?key={}", encode_once(ask.as_str())));
            format!("{partition}/application/{}/explain{}", encode_once(app.as_str()), key.unwrap_or_default())
        }
        Asked::Waiting(None) => format!("{partition}/explain"),
        Asked::Waiting(Some(queue)) => format!("{partition}/explain?queue={}", encode_once(queue.as_str())),
    }
}

fn refusal(question: &Question, fault: &Fault) -> Refusal {
    match fault {
        Fault::Missing(reported) if !reported.message.is_empty() => {
            Refusal::new(Code::NotFound, reported.message.clone(), reported.description.clone())
        }
        _ => Refusal::new(Code::Unavailable, format!("cannot explain {}", question.of), fault.to_string()),
    }
}
