//! The state dump: all data at one time (`rest.md` 5.17).

use std::borrow::Cow;

use super::{Answer, Call, Reply, config};
use crate::reply;
use wire::convert;
use wire::dto;
use wire::dto::json;

const INDENT: &str = " ";

pub(super) fn dump(call: &Call) -> Answer {
    let (context, view) = (&call.shared.context, &call.view);
    let applications = view.partitions.iter().flat_map(|partition| {
        convert::applications(context, partition, partition.apps.iter().flatten().chain(&partition.ended))
    });
    let nodes = view.partitions.iter().map(|partition| dto::PartitionNodes {
        partition_name: partition.name.to_string(),
        nodes_info: convert::nodes(context, partition),
    });
    let roots = view.partitions.iter().filter_map(|partition| Some((partition, partition.root()?)));
    let rules = view.partitions.iter().map(|partition| dto::PartitionRules {
        partition: partition.name.to_string(),
        rules: convert::placement_rules(partition),
    });
    let dump = dto::StateDump {
        timestamp: context.wall.nanos(call.shared.engine.now()),
        partitions: convert::partitions(context, view),
        applications: applications.collect(),
        app_history: convert::app_history(context, view),
        container_history: convert::container_history(context, view),
        nodes: nodes.collect(),
        cluster_info: convert::clusters(context, view),
        queues: roots.map(|(partition, root)| convert::queue_tree(partition, root)).collect(),
        log_level: Cow::Owned(tracing::level_filters::LevelFilter::current().to_string()),
        config: Some(config::in_force(call)),
        placement_rules: rules.collect(),
        event_streams: call.shared.streams.list(),
        ..dto::StateDump::default()
    };
    Ok(Reply::of(reply::JSON, json::to_indented(&dump, INDENT)))
}
