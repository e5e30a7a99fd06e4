//! Metrics in the Prometheus text format with YuniKorn's names (`rest.md` 5.16), without those of the Go runtime.
//! Unmeasured latencies have no observations.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::{Answer, Call, Reply};
use crate::reply;
use alerts::alerting::BoardSnapshot;
use alerts::{Muted, Stage};
use engine::{BOUNDS, Counts, Latency};
use model::{AppState, Profile};
use view::{PartitionView, QueueRow, View};

const RANGES: [&str; 10] = [
    "[0,10%]",
    "(10%,20%]",
    "(20%,30%]",
    "(30%,40%]",
    "(40%,50%]",
    "(50%,60%]",
    "(60%,70%]",
    "(70%,80%]",
    "(80%,90%]",
    "(90%,100%]",
];

pub(super) fn metrics(call: &Call) -> Answer {
    let engine = &call.shared.engine;
    let mut page = Page::default();
    let counts = engine.counters().counts();
    let message = engine.events().page(engine::Numbering::Upstream, u64::MAX, 0).next;
    events(&mut page, message);
    queue_apps(&mut page, &call.view);
    queue_resources(&mut page, &call.view);
    containers(&mut page, &counts);
    scheduler(&mut page, &call.view, &counts);
    node_usage(&mut page, &call.view);
    if let Some(board) = &call.shared.options.alerts {
        alerts(&mut page, &board.snapshot());
    }
    let kind = match call.shared.options.profile {
        Profile::V1_9_0 => reply::METRICS_1_9,
        Profile::V1_8_0 | Profile::V1_5_1 | Profile::Kornsole => reply::METRICS,
    };
    Ok(Reply { kind, body: page.0.into_bytes(), pages: false })
}

/// kornsole's own metrics: alerts, and pending notifications.
fn alerts(page: &mut Page, snapshot: &BoardSnapshot) {
    const NAME: &str = "kornsole_alert";
    page.family(NAME, "gauge", "Pending and firing alerts; the label held is the reason why an alert is not sent.");
    for alert in &snapshot.alerts {
        let state = match alert.stage {
            Stage::Pending => "pending",
            Stage::Firing => "firing",
        };
        let muted = match &alert.muted {
            None => "",
            Some(Muted::Inhibited(_)) => "inhibited",
            Some(Muted::Silenced(_)) => "silenced",
        };
        let mut labels = vec![("alertname", alert.rule.as_str()), ("severity", alert.severity.word())];
        labels.extend(alert.subject.labels());
        labels.extend([("state", state), ("held", muted)]);
        page.value(NAME, &labels, 1);
    }
    const WAITING: &str = "kornsole_alert_changes_waiting";
    page.family(WAITING, "gauge", "Alert changes that a receiver has not accepted yet.");
    for receiver in &snapshot.receivers {
        page.value(WAITING, &[("receiver", &receiver.name)], receiver.waiting);
    }
}

#[derive(Default)]
struct Page(String);

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        // Writing to a String cannot fail.
        let _written = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    fn value(&mut self, name: &str, labels: &[(&str, &str)], value: impl std::fmt::Display) {
        self.0.push_str(name);
        for (at, (label, text)) in labels.iter().enumerate() {
            let _written = write!(self.0, "{}{label}=\"", if at == 0 { '{' } else { ',' });
            for c in text.chars() {
                match c {
                    '\\' => self.0.push_str("\\\\"),
                    '"' => self.0.push_str("\\\""),
                    '\n' => self.0.push_str("\\n"),
                    c => self.0.push(c),
                }
            }
            self.0.push('"');
        }
        let close = if labels.is_empty() { "" } else { "}" };
        let _written = writeln!(self.0, "{close} {value}");
    }

    fn latency(&mut self, name: &str, labels: &[(&str, &str)], latency: &Latency) {
        let bucket = format!("{name}_bucket");
        let mut sum = 0;
        for (bound, count) in BOUNDS.iter().zip(latency.buckets) {
            sum += count;
            self.value(&bucket, &[labels, &[("le", &bound.to_string())]].concat(), sum);
        }
        self.value(&bucket, &[labels, &[("le", "+Inf")]].concat(), latency.count);
        self.value(&format!("{name}_sum"), labels, latency.total.as_secs_f64());
        self.value(&format!("{name}_count"), labels, latency.count);
    }
}

fn mangled(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect()
}

/// Every event is stored, and none is lost.
fn events(page: &mut Page, message: u64) {
    let families = [
        ("created", message, "Events created."),
        ("channeled", message, "Events received."),
        ("not_channeled", 0, "Events lost before they were received."),
        ("processed", message, "Events processed."),
        ("stored", message, "Events stored."),
        ("not_stored", 0, "Events not stored."),
        ("collected", message, "Events sent to the buffer."),
    ];
    for (name, value, help) in families {
        let name = format!("yunikorn_event_total_{name}");
        page.family(&name, "counter", help);
        page.value(&name, &[], value);
    }
}

fn leaves(view: &View) -> impl Iterator<Item = (&PartitionView, &QueueRow)> {
    view.partitions
        .iter()
        .flat_map(|partition| partition.walk().filter(|row| row.leaf).map(move |row| (partition, &**row)))
}

/// Applications by queue and state; rejected ones without a queue.
fn queue_apps(page: &mut Page, view: &View) {
    const NAME: &str = "yunikorn_queue_app";
    const ALWAYS: [AppState; 3] = [AppState::Accepted, AppState::New, AppState::Running];
    page.family(NAME, "gauge", "Applications of a queue by their state.");
    let mut counts: BTreeMap<(&str, AppState), u64> = BTreeMap::new();
    for (_, row) in leaves(view) {
        ALWAYS.into_iter().for_each(|state| {
            counts.entry((row.path.as_str(), state)).or_default();
        });
    }
    let apps = view.partitions.iter().flat_map(|partition| partition.apps.iter().flatten().chain(&partition.ended));
    for app in apps {
        let queue = if app.state == AppState::Rejected { "" } else { app.queue.as_str() };
        *counts.entry((queue, app.state)).or_default() += 1;
    }
    for ((queue, state), count) in counts {
        page.value(NAME, &[("queue", queue), ("state", &state.name().to_ascii_lowercase())], count);
    }
}

fn queue_resources(page: &mut Page, view: &View) {
    const NAME: &str = "yunikorn_queue_resource";
    page.family(
        NAME,
        "gauge",
        "Resources of a queue: guaranteed, max, allocated, pending, preempting, maxRunningApps.",
    );
    for row in view.partitions.iter().flat_map(PartitionView::walk) {
        let queue = row.path.as_str();
        let amounts = [
            ("allocated", Some(&row.allocated)),
            ("guaranteed", row.guaranteed.as_ref()),
            ("max", row.max.as_ref()),
            ("pending", Some(&row.pending)),
            ("preempting", Some(&row.preempting)),
        ];
        let apps = [("queue", queue), ("resource", "apps"), ("state", "maxRunningApps")];
        page.value(NAME, &apps, row.max_running.unwrap_or_default());
        for (state, resource) in amounts {
            for (name, amount) in resource.into_iter().flat_map(|resource| resource.iter()) {
                page.value(NAME, &[("queue", queue), ("resource", name), ("state", state)], amount);
            }
        }
    }
}

/// Added and removed allocations by queue, whose name is a part of the metric's name.
fn containers(page: &mut Page, counts: &Counts) {
    // Queues with the same name are added.
    let mut by_name: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    for (queue, count) in &counts.by_queue {
        let sum = by_name.entry(mangled(queue.as_str())).or_default();
        sum.0 += count.allocated;
        sum.1 += count.released;
    }
    for (queue, (allocated, released)) in by_name {
        let name = format!("yunikorn_{queue}_queue_container");
        page.family(&name, "counter", "Allocations of a queue that were added and removed.");
        page.value(&name, &[("state", "allocated")], allocated);
        page.value(&name, &[("state", "released")], released);
    }
}

fn scheduler(page: &mut Page, view: &View, counts: &Counts) {
    let name = "yunikorn_scheduler_application_submission_total";
    page.family(name, "counter", "Submitted applications by result.");
    for (result, count) in [("accepted", counts.accepted), ("new", counts.submitted), ("rejected", counts.rejected)] {
        page.value(name, &[("result", result)], count);
    }
    let name = "yunikorn_scheduler_application_total";
    page.family(name, "gauge", "Applications by their state.");
    let apps = || view.partitions.iter().flat_map(|partition| partition.apps.iter().flatten().chain(&partition.ended));
    let states = [
        AppState::Running,
        AppState::Starting,
        AppState::Resuming,
        AppState::Failing,
        AppState::Completing,
        AppState::Completed,
        AppState::Failed,
    ];
    for state in states {
        let count = apps().filter(|app| app.state == state).count();
        page.value(name, &[("state", &state.name().to_ascii_lowercase())], count);
    }
    let name = "yunikorn_scheduler_container_allocation_attempt_total";
    page.family(name, "counter", "Scheduling attempts by result.");
    let attempts = [("allocated", counts.allocated), ("error", 0), ("rejected", 0), ("released", counts.released)];
    for (state, count) in attempts {
        page.value(name, &[("state", state)], count);
    }
    let name = "yunikorn_scheduler_node";
    page.family(name, "gauge", "Nodes by their state.");
    let nodes = || view.partitions.iter().flat_map(|partition| partition.nodes.values());
    let draining = nodes().filter(|node| !node.schedulable).count();
    for (state, count) in [("active", nodes().count()), ("draining", draining), ("failed", 0)] {
        page.value(name, &[("state", state)], count);
    }
    latencies(page, &counts.cycles);
}

/// Durations in seconds, despite their names.
fn latencies(page: &mut Page, cycles: &Latency) {
    const APART: &str = "Not measured separately from the cycle: no observations.";
    let none = Latency::default();
    for (step, help, latency) in [
        ("scheduling_cycle", "Time taken for a scheduling cycle, in seconds.", cycles),
        ("scheduling_latency", "Time of the main routine, in seconds.", cycles),
        ("trynode_latency", APART, &none),
        ("trynode_evaluation", APART, &none),
        ("trypreemption_latency", APART, &none),
    ] {
        let name = format!("yunikorn_scheduler_{step}_milliseconds");
        page.family(&name, "histogram", help);
        page.latency(&name, &[], latency);
    }
    let name = "yunikorn_scheduler_node_sorting_latency_milliseconds";
    page.family(name, "histogram", "Sort orders are updated without sorting: no observations.");
    for level in ["app", "queue"] {
        page.latency(name, &[("level", level)], &none);
    }
}

/// The number of nodes by utilization and resource.
fn node_usage(page: &mut Page, view: &View) {
    let nodes = || view.partitions.iter().flat_map(|partition| partition.nodes.values());
    let names: BTreeSet<&str> = nodes().flat_map(|node| node.capacity.iter().map(|(name, _)| name)).collect();
    for resource in names {
        let mut ranges = [0_u64; RANGES.len()];
        for node in nodes() {
            let Some(capacity) = node.capacity.get(resource) else { continue };
            let used = i128::from(node.allocated.amount(resource)).max(0) * 10;
            // The upper bound belongs to its range; more than 100% is in the last one.
            let range = match i128::from(capacity) {
                ..=0 if used > 0 => RANGES.len() - 1,
                ..=0 => 0,
                capacity => usize::try_from((used - 1).max(0) / capacity).unwrap_or(usize::MAX).min(RANGES.len() - 1),
            };
            ranges[range] += 1;
        }
        let name = format!("yunikorn_scheduler_{}_node_usage_total", mangled(resource));
        page.family(&name, "gauge", "Nodes by usage of a resource.");
        for (range, count) in RANGES.iter().zip(ranges) {
            page.value(&name, &[("range", range)], count);
        }
    }
}
