//! Clusters, partitions, nodes, rules, and usage (`rest.md` 5.1, 5.2, 5.5 to 5.7, 5.15).

use super::{Answer, Call, Reply, RequestError, path};
use model::NodeId;
use model::name::{NameChars, is_limit_group, is_limit_user};
use wire::convert;

pub(super) fn clusters(call: &Call) -> Answer {
    Ok(Reply::json(&convert::clusters(&call.shared.context, &call.view)))
}

pub(super) fn partitions(call: &Call) -> Answer {
    Ok(Reply::json(&convert::partitions(&call.shared.context, &call.view)))
}

pub(super) fn nodes(call: &Call) -> Answer {
    Ok(Reply::json(&convert::nodes(&call.shared.context, call.partition()?)))
}

pub(super) fn node(call: &Call) -> Answer {
    let partition = call.partition()?;
    let row = partition.nodes.get(&NodeId::from(call.parameter(1))).ok_or_else(|| RequestError::not_found("Node"))?;
    Ok(Reply::json(&convert::node(&call.shared.context, partition, row)))
}

pub(super) fn placement_rules(call: &Call) -> Answer {
    Ok(Reply::json(&convert::placement_rules(call.partition()?)))
}

pub(super) fn users(call: &Call) -> Answer {
    Ok(Reply::json(&convert::users(call.partition()?)))
}

pub(super) fn user(call: &Call) -> Answer {
    let partition = call.partition()?;
    let name = path::decoded_again(call.parameter(1)).map_err(RequestError::bad)?;
    // The pattern of the path is the same in all profiles.
    if !is_limit_user(&name, NameChars::Wide) {
        return Err(RequestError::bad("Invalid user name"));
    }
    let user = convert::user(partition, &name).ok_or_else(|| RequestError::not_found("User"))?;
    Ok(Reply::json(&user))
}

pub(super) fn groups(call: &Call) -> Answer {
    Ok(Reply::json(&convert::groups(call.partition()?)))
}

pub(super) fn group(call: &Call) -> Answer {
    let partition = call.partition()?;
    let name = path::decoded_again(call.parameter(1)).map_err(RequestError::bad)?;
    if !is_limit_group(&name) {
        return Err(RequestError::bad("Invalid group name"));
    }
    let group = convert::group(partition, &name).ok_or_else(|| RequestError::not_found("Group"))?;
    Ok(Reply::json(&group))
}

pub(super) fn node_utilizations(call: &Call) -> Answer {
    let all = convert::utilizations(&call.shared.context, &call.view.partitions);
    // YuniKorn answers `null`.
    Ok(Reply::json(&Some(all).filter(|all| !all.is_empty())))
}

pub(super) fn node_utilization(call: &Call) -> Answer {
    let default = call.view.partitions.iter().find(|partition| &*partition.name == "default");
    let not_found = || RequestError::new(axum::http::StatusCode::INTERNAL_SERVER_ERROR, "Partition not found");
    Ok(Reply::json(&convert::utilization(default.ok_or_else(not_found)?)))
}
