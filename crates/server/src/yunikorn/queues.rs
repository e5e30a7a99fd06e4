//! Queues (`rest.md` 5.3).

use std::sync::Arc;

use super::{Answer, Call, Reply, RequestError, path, reply};
use model::name::{NameChars, QUEUE_NAME_MAX, is_queue_name};
use view::placement::RECOVERY_QUEUE;
use view::{PartitionView, QueueRow};
use wire::convert;

pub(super) fn tree(call: &Call) -> Answer {
    let partition = call.partition()?;
    let root = partition.root().ok_or_else(|| RequestError::not_found("Queue"))?;
    Ok(Reply::of(reply::JSON, convert::queue_tree_text(partition, root)))
}

pub(super) fn one(call: &Call) -> Answer {
    let (partition, row) = named(call)?;
    if call.query("subtree").is_some() {
        return Ok(Reply::of(reply::JSON, convert::queue_tree_text(partition, row)));
    }
    Ok(Reply::json(&convert::queue(partition, row)))
}

/// Decoded again, case-insensitive, every part a valid name.
pub(super) fn named(call: &Call) -> Result<(&PartitionView, &Arc<QueueRow>), RequestError> {
    let partition = call.partition()?;
    let path = path::decoded_again(call.parameter(1)).map_err(RequestError::bad)?.to_lowercase();
    let wide = call.shared.options.profile.is_since_1_8();
    let chars = if wide { NameChars::Wide } else { NameChars::Narrow };
    if path != RECOVERY_QUEUE
        && let Some(part) = path.split('.').find(|part| !is_queue_name(part, chars))
    {
        let more = if wide { ", '_', '-', ':', '#', '/' and '@'" } else { ", '_' and '-'" };
        return Err(RequestError::bad(format!(
            "invalid queue name {part:?}: each part of a path has 1 to {QUEUE_NAME_MAX} of letters, digits{more}"
        )));
    }
    let row = partition.queue_at_text(&path).ok_or_else(|| RequestError::not_found("Queue"))?;
    Ok((partition, row))
}
