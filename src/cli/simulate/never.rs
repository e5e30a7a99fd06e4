//! Sentences about requests that never run.

use super::search::{quantity, shown_name};
use forecast::simulate::{Metrics, NeverCause, NeverRuns};

pub(super) fn sentences(metrics: &Metrics) -> Vec<String> {
    let scales = metrics.node_groups.is_some();
    metrics.never.iter().map(|never| sentence(never, scales)).collect()
}

fn sentence(NeverRuns { count, first, cause }: &NeverRuns, scales: bool) -> String {
    let runs = if *count == 1 { "1 request never runs".to_owned() } else { format!("{count} requests never run") };
    match cause {
        // The sentences of the node groups tell the rest.
        NeverCause::Node { resource, wants, most: 0 } if scales => {
            let (wants, name) = (quantity(resource, *wants), shown_name(resource));
            format!("{runs}: {first} requests {wants} {name}, and no node has {name}")
        }
        _ => format!("{runs}: {}", why(first, cause)),
    }
}

pub(super) fn why(first: &str, cause: &NeverCause) -> String {
    match cause {
        NeverCause::Node { resource, wants, most: 0 } => {
            let (wants, name) = (quantity(resource, *wants), shown_name(resource));
            format!(
                "{first} requests {wants} {name}, and no node has {name}; if a node has it, add {resource}=N to --node"
            )
        }
        NeverCause::Node { resource, wants, most } => {
            let [wants, most] = [wants, most].map(|amount| quantity(resource, *amount));
            format!("{first} requests {wants} {}, the largest node has {most}", shown_name(resource))
        }
        NeverCause::Together { wants } => {
            let all: Vec<String> = wants
                .iter()
                .map(|(name, amount)| format!("{} {}", quantity(name, *amount), shown_name(name)))
                .collect();
            format!("{first} requests {}, and no single node has all of it", all.join(", "))
        }
        NeverCause::RequiredNode { node } => format!("{first} requires node {node}, which is not in the cluster"),
        NeverCause::Queue { queue, resource, wants, max } => {
            let [wants, max] = [wants, max].map(|amount| quantity(resource, *amount));
            format!("{first} requests {wants} {}, the maximum of {queue} is {max}", shown_name(resource))
        }
        NeverCause::Stuck { why } if why.is_empty() => format!("{first} still waits after the last event"),
        NeverCause::Stuck { why } => format!("{first} still waits for {why} after the last event"),
    }
}
