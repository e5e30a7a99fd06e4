//! Batches of events, health, and history (`rest.md` 5.10, 5.13, 5.14).

use axum::http::StatusCode;

use super::{Answer, Call, Reply, RequestError};
use engine::Numbering;
use wire::convert;
use wire::dto;

/// Events from a number on.
pub(super) fn batch(call: &Call) -> Answer {
    let log = call.shared.engine.events();
    if !log.is_tracking() {
        return Err(RequestError::new(StatusCode::INTERNAL_SERVER_ERROR, "Event tracking is disabled"));
    }
    let most = u64::from(call.shared.options.events.rest_response_size);
    let start = number(&call.query, "start")?.unwrap_or_default();
    let count = match number(&call.query, "count")? {
        Some(0) => return Err(RequestError::bad("0 is not a valid value for \"count\"")),
        count => count.unwrap_or(most).min(most),
    };
    let page = log.page(Numbering::Upstream, start, usize::try_from(count).unwrap_or(usize::MAX));
    let retained = page.highest().is_some_and(|highest| (page.lowest..=highest).contains(&start));
    let context = &call.shared.context;
    let records = || page.records.iter().map(|(_, record)| convert::event(context, record)).collect();
    Ok(Reply::json(&dto::EventBatch {
        instance_uuid: page.instance.to_string(),
        lowest_id: page.highest().map_or(0, |_| page.lowest),
        highest_id: page.highest().unwrap_or_default(),
        event_records: retained.then(records),
    }))
}

pub(super) fn number(query: &[(String, String)], name: &str) -> Result<Option<u64>, RequestError> {
    let Some((_, text)) = query.iter().find(|(known, _)| known == name) else { return Ok(None) };
    match text.parse() {
        // An unsigned number has no sign.
        Ok(number) if !text.starts_with('+') => Ok(Some(number)),
        _ if text.is_empty() => Ok(None),
        _ => Err(RequestError::bad(format!(
            "{text:?} is not a valid value for {name:?}: expected an unsigned whole number"
        ))),
    }
}

pub(super) fn health(call: &Call) -> Answer {
    Ok(Reply::json(&convert::health(&call.view)))
}

pub(super) fn app_history(call: &Call) -> Answer {
    Ok(Reply::json(&convert::app_history(&call.shared.context, &call.view)))
}

pub(super) fn container_history(call: &Call) -> Answer {
    Ok(Reply::json(&convert::container_history(&call.shared.context, &call.view)))
}
