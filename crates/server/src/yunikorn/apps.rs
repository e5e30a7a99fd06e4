//! Applications (`rest.md` 5.4).

use std::sync::Arc;

use super::{Answer, Call, Reply, RequestError, queues};
use model::AppState;
use view::{AppRow, PartitionView};
use wire::convert;

const STATUSES: [AppState; 7] = [
    AppState::New,
    AppState::Accepted,
    AppState::Starting,
    AppState::Running,
    AppState::Completing,
    AppState::Failing,
    AppState::Resuming,
];

/// The current applications of a leaf; empty for a parent.
pub(super) fn of_queue(call: &Call) -> Answer {
    let (partition, row) = queues::named(call)?;
    let apps = row.apps.iter().filter_map(|slot| partition.app(*slot));
    Ok(list(call, partition, apps))
}

/// Like [`of_queue`], with a state in the path, which must be `active`.
pub(super) fn of_queue_by_state(call: &Call) -> Answer {
    let (partition, row) = queues::named(call)?;
    if !call.parameter(2).eq_ignore_ascii_case("active") {
        return Err(RequestError::bad("only the following application state is allowed here: active"));
    }
    let status = status(call)?;
    let apps = row.apps.iter().filter_map(|slot| partition.app(*slot));
    Ok(list(call, partition, apps.filter(|app| status.is_none_or(|status| app.state == status))))
}

/// The active, completed, or rejected applications of a partition.
pub(super) fn of_partition(call: &Call) -> Answer {
    let partition = call.partition()?;
    let ended =
        |rejected: bool| partition.ended.iter().filter(move |app| (app.state == AppState::Rejected) == rejected);
    match call.parameter(1).to_ascii_lowercase().as_str() {
        "active" => {
            let status = status(call)?;
            let live = partition.apps.iter().flatten();
            Ok(list(call, partition, live.filter(|app| status.is_none_or(|status| app.state == status))))
        }
        "completed" => Ok(list(call, partition, ended(false))),
        "rejected" => Ok(list(call, partition, ended(true))),
        _ => Err(RequestError::bad("only the following application states are allowed: active, completed, rejected")),
    }
}

pub(super) fn one(call: &Call) -> Answer {
    let partition = call.partition()?;
    answer(call, partition, convert::newest(partition, call.parameter(1)))
}

pub(super) fn one_of_queue(call: &Call) -> Answer {
    let (partition, row) = queues::named(call)?;
    let found = convert::newest(partition, call.parameter(2)).filter(|app| app.queue == row.path);
    answer(call, partition, found)
}

fn answer(call: &Call, partition: &PartitionView, found: Option<&Arc<AppRow>>) -> Answer {
    let app = found.ok_or_else(|| RequestError::not_found("Application"))?;
    Ok(Reply::json(&convert::application(&call.shared.context, partition, app)))
}

fn list<'a>(call: &Call, partition: &PartitionView, apps: impl Iterator<Item = &'a Arc<AppRow>>) -> Reply {
    Reply::json(&convert::applications(&call.shared.context, partition, apps))
}

/// Parses the state filter; missing or empty means none.
fn status(call: &Call) -> Result<Option<AppState>, RequestError> {
    let Some(name) = call.query("status").filter(|name| !name.is_empty()) else { return Ok(None) };
    let known = STATUSES.into_iter().find(|state| state.name().eq_ignore_ascii_case(name));
    known.map(Some).ok_or_else(|| {
        let names: Vec<String> = STATUSES.iter().map(|state| state.name().to_ascii_lowercase()).collect();
        RequestError::bad(format!("only the following statuses are allowed: {}", names.join(", ")))
    })
}
