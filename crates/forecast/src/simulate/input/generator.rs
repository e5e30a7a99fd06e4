//! Generates a workload from a TOML file:
//!
//! ```toml
//! for = "4h"                    # arrivals
//!
//! [[nodes]]
//! count = 10
//! capacity = { vcore = "64", memory = "256Gi" }
//!
//! [[stream]]
//! name = "etl"
//! queue = "root.etl"            # default: the placement rules decide
//! user = "ann"
//! every = "30s"                 # mean
//! arrivals = "poisson"          # or "even"
//! tasks = [1, 8]                # or a number
//! resource = { vcore = "4", memory = "8Gi" }
//! runtime = ["5m", "1h"]        # or a time
//! ```

use std::collections::BTreeMap;
use std::ops::Range;
use std::time::Duration;

use serde::Deserialize;
use toml::Spanned;

use super::Reading;
use crate::simulate::draw::Draw;
use crate::simulate::job::{Job, Task};
use config::Place;
use config::properties::parse_duration;
use model::quantity::parse_quantity;
use model::{AppId, Identity, NodeId, Priority, Resource, Time};
use scheduler::NodeSpec;

const MOST_APPS: usize = 10_000_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(rename = "for")]
    time: Spanned<String>,
    #[serde(default)]
    nodes: Vec<Nodes>,
    #[serde(default)]
    stream: Vec<Stream>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Nodes {
    #[serde(default = "one")]
    count: u32,
    #[serde(default = "node")]
    name: String,
    capacity: BTreeMap<String, Spanned<String>>,
    #[serde(default)]
    attributes: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stream {
    name: Spanned<String>,
    #[serde(default)]
    queue: String,
    user: String,
    #[serde(default)]
    groups: Vec<String>,
    #[serde(default)]
    tags: BTreeMap<String, String>,
    every: Spanned<String>,
    #[serde(default)]
    arrivals: Arrivals,
    #[serde(default)]
    tasks: Option<Spanned<Count>>,
    resource: BTreeMap<String, Spanned<String>>,
    runtime: Spanned<Runtime>,
    #[serde(default)]
    priority: i32,
}

#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Arrivals {
    #[default]
    Poisson,
    Even,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(untagged)]
enum Count {
    One(u32),
    Between([u32; 2]),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Runtime {
    One(String),
    Between([String; 2]),
}

fn one() -> u32 {
    1
}

fn node() -> String {
    "node".to_owned()
}

/// Draws a workload from a seed.
pub fn read(text: &str, seed: u64) -> Reading {
    let mut reading = Reading::default();
    let file: File = match toml::from_str(text) {
        Ok(file) => file,
        Err(error) => {
            let at = place(text, error.span().unwrap_or(0..0));
            reading.fault(at, error.message(), "see docs/guide/simulate.md for an example");
            return reading;
        }
    };
    let time = duration(&mut reading, text, &file.time);
    for nodes in &file.nodes {
        let capacity = amounts(&mut reading, text, &nodes.capacity);
        for _ in 0..nodes.count {
            let id = NodeId::from(format!("{}-{}", nodes.name, reading.workload.nodes.len() + 1));
            let attributes = nodes.attributes.clone();
            let node = NodeSpec { id, capacity: capacity.clone(), attributes, ..NodeSpec::default() };
            reading.workload.nodes.push(node);
        }
    }
    for (number, stream) in file.stream.iter().enumerate() {
        let twice = file.stream[..number].iter().any(|other| other.name.get_ref() == stream.name.get_ref());
        if twice {
            let message = format!("duplicate stream {:?}", stream.name.get_ref());
            reading.fault(place(text, stream.name.span()), message, "each needs a unique name");
        }
        // Each stream has its own sequence, so that changing one does not change the others.
        draw_stream(&mut reading, text, stream, time, Draw::new(seed ^ hash(stream.name.get_ref())));
    }
    reading.workload.sort();
    reading.workload.notes.push(format!("generated with seed {seed}"));
    reading
}

fn draw_stream(reading: &mut Reading, text: &str, stream: &Stream, time: Duration, mut draw: Draw) {
    let every = duration(reading, text, &stream.every);
    if every.is_zero() {
        return reading.fault(
            place(text, stream.every.span()),
            "the time between two applications is 0",
            "write a time, for example 30s",
        );
    }
    let resource = amounts(reading, text, &stream.resource);
    let (least, most) = match &stream.tasks {
        None => (1, 1),
        Some(count) => match *count.get_ref() {
            Count::One(count) | Count::Between([count, _]) if count == 0 => {
                return reading.fault(
                    place(text, count_span(stream)),
                    "an application without tasks",
                    "write an integer of 1 or more",
                );
            }
            Count::One(count) => (count, count),
            Count::Between([least, most]) => (least, most.max(least)),
        },
    };
    let span = stream.runtime.span();
    let runtime = |reading: &mut Reading, written: &str| {
        parse_duration(written).unwrap_or_else(|| {
            reading.fault(
                place(text, span.clone()),
                format!("{written:?} is not a time"),
                "write a time, for example 30s, 5m, or 2h",
            );
            Duration::ZERO
        })
    };
    let (shortest, longest) = match stream.runtime.get_ref() {
        Runtime::One(one) => (runtime(reading, one), runtime(reading, one)),
        Runtime::Between([one, other]) => (runtime(reading, one), runtime(reading, other)),
    };
    if !reading.faults.is_empty() {
        return;
    }
    let mut at = Duration::ZERO;
    for number in 1.. {
        at += match stream.arrivals {
            Arrivals::Poisson => draw.interval(every),
            Arrivals::Even => every,
        };
        if at > time || reading.workload.jobs.len() >= MOST_APPS {
            break;
        }
        let count = least + u32::try_from(draw.below(u64::from(most - least) + 1)).unwrap_or(0);
        let task = Task {
            count,
            resource: resource.clone(),
            priority: Priority(stream.priority),
            runs: Some(draw.time(shortest, longest.max(shortest))),
            ..Task::default()
        };
        reading.workload.jobs.push(Job {
            gang: None,
            app: AppId::from(format!("{}-{number:04}", stream.name.get_ref())),
            at: Time::ZERO + at,
            queue: stream.queue.clone(),
            who: Identity::new(&stream.user, &stream.groups),
            tags: stream.tags.clone(),
            tasks: vec![task],
        });
    }
}

fn count_span(stream: &Stream) -> Range<usize> {
    stream.tasks.as_ref().map_or(0..0, Spanned::span)
}

fn duration(reading: &mut Reading, text: &str, written: &Spanned<String>) -> Duration {
    parse_duration(written.get_ref()).unwrap_or_else(|| {
        let message = format!("{:?} is not a time", written.get_ref());
        reading.fault(place(text, written.span()), message, "write a time, for example 30s, 5m, or 2h");
        Duration::ZERO
    })
}

fn amounts(reading: &mut Reading, text: &str, written: &BTreeMap<String, Spanned<String>>) -> Resource {
    let mut amounts = Resource::new();
    for (name, quantity) in written {
        match parse_quantity(name, quantity.get_ref()) {
            Ok(amount) => amounts.set(name, amount),
            Err(fault) => reading.fault(
                place(text, quantity.span()),
                format!("{name}: {fault}"),
                "write a quantity, for \
                    example 4 or 16Gi",
            ),
        }
    }
    amounts
}

fn place(text: &str, span: Range<usize>) -> Place {
    let before = text.get(..span.start).unwrap_or(text);
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Place { line: number(before.matches('\n').count() + 1), column: number(column) }
}

/// A number that follows from a name (FNV-1a).
fn hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"for = "1h"

[[nodes]]
count = 3
capacity = { vcore = "8", memory = "16Gi" }

[[stream]]
name = "etl"
queue = "root.etl"
user = "ann"
every = "1m"
tasks = [1, 4]
resource = { vcore = "2" }
runtime = ["1m", "5m"]
"#;

    #[test]
    fn a_seed_gives_one_workload() {
        let (one, again, other) = (read(FILE, 1), read(FILE, 1), read(FILE, 2));
        assert_eq!(one.faults, []);
        let times = |reading: &Reading| reading.workload.jobs.iter().map(|job| job.at).collect::<Vec<Time>>();
        assert_eq!(times(&one), times(&again));
        assert_ne!(times(&one), times(&other));
        assert_eq!(one.workload.nodes.len(), 3);
        assert!((40..80).contains(&one.workload.jobs.len()), "{}", one.workload.jobs.len());
        let tasks = one.workload.jobs.iter().flat_map(|job| &job.tasks);
        assert!(tasks.clone().all(|task| (1..=4).contains(&task.count)));
        let (least, most) = (Duration::from_mins(1), Duration::from_mins(5));
        assert!(tasks.clone().all(|task| task.runs.is_some_and(|runs| (least..=most).contains(&runs))));
    }

    #[test]
    fn a_fault_has_its_place() {
        let faults =
            |text: String| read(&text, 1).faults.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        assert!(
            faults(FILE.replace("16Gi", "16X")).starts_with("5:36: memory: unknown suffix"),
            "{}",
            faults(FILE.replace("16Gi", "16X"))
        );
        assert!(faults(FILE.replace("\"1m\"\ntasks", "\"soon\"\ntasks")).starts_with("11:9: \"soon\" is not a time"));
        assert!(
            faults(FILE.replace("user =", "usr =")).starts_with("10:1: unknown field `usr`"),
            "{}",
            faults(FILE.replace("user =", "usr ="))
        );
        assert!(faults(FILE.replace("[1, 4]", "0")).starts_with("12:9: an application without tasks"));
    }
}
