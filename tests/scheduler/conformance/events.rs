//! The events of a real core compared with kornsole's, except [`remote_to_local`] and the texts of messages.

use std::io;
use std::path::Path;

use ::scenario::{self, Sink};
use model::Profile;
use scheduler::{Event, Scheduler};
use serde_json::Value;
use view::record::{self, Record};

struct Retained(Vec<Event>);

impl Sink for Retained {
    fn events(&mut self, _step: i64, events: &[Event]) -> io::Result<()> {
        self.0.extend_from_slice(events);
        Ok(())
    }

    fn snapshot(&mut self, _step: i64, _label: &str, _scheduler: &Scheduler) -> io::Result<()> {
        Ok(())
    }
}

fn file(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/rest").join(name);
    std::fs::read_to_string(path).expect("the recording is there")
}

fn run(profile: Profile) -> Vec<Record> {
    let scenario = scenario::read(&file("scenario.yaml")).scenario.expect("a scenario without faults");
    let config = scenario.embedded_config(profile).expect("it brings its configuration");
    let mut retained = Retained(Vec::new());
    scenario::run(&scenario, config, profile, &mut retained).expect("nothing is written");
    record::records(&retained.0, profile).into_iter().filter(|record| !record.is_own()).collect()
}

fn line(
    ms: u64,
    numbers: [u64; 3],
    (object, reference): (&str, &str),
    resource: &[(String, i64)],
    message: &str,
) -> String {
    let mut amounts: Vec<String> = resource.iter().filter(|(_, a)| *a != 0).map(|(n, a)| format!("{n}={a}")).collect();
    amounts.sort();
    let [kind, change, detail] = numbers;
    let report = if message.is_empty() { "" } else { "…" };
    format!("{ms} {kind}/{change}/{detail} {object} {reference} {} {report}", amounts.join(","))
}

fn local(profile: Profile) -> Vec<String> {
    run(profile)
        .iter()
        .map(|r| {
            let resource: Vec<(String, i64)> =
                r.resource.iter().map(|(name, amount)| (name.to_owned(), amount)).collect();
            let numbers = [r.kind.0, r.change.0, r.detail.0].map(u64::from);
            line(r.at.as_millis(), numbers, (&r.object, &r.reference), &resource, &r.message)
        })
        .collect()
}

const EPOCH: u64 = 946_684_800_000;

fn remote(name: &str) -> Vec<String> {
    let answer: Value = serde_json::from_str(&file(name)).expect("an answer is JSON");
    let records = answer["EventRecords"].as_array().expect("the batch has records");
    records
        .iter()
        .map(|record| {
            let text = |key: &str| record[key].as_str().unwrap_or_default();
            let number = |key: &str| record[key].as_u64().unwrap_or_default();
            let of = record["resource"]["resources"].as_object();
            let amount = |(name, of): (&String, &Value)| (name.clone(), of["value"].as_i64().unwrap_or_default());
            let resource: Vec<(String, i64)> = of.into_iter().flatten().map(amount).collect();
            let numbers = ["type", "eventChangeType", "eventChangeDetail"].map(number);
            let ms = number("timestampNano") / 1_000_000 - EPOCH;
            line(ms, numbers, (text("objectID"), text("referenceID")), &resource, text("message"))
        })
        .collect()
}

const RELOAD: &str = "40032 ";

fn remote_to_local(lines: Vec<String>) -> Vec<String> {
    // A reload of 1.5.1 reports the queues of its trial partition.
    let lines = lines.into_iter().filter(|line| !(line.starts_with(RELOAD) && line.contains(" 4/2/0 ")));
    // 1.5.1 appends a count to the request's ID (D-13).
    lines.map(|line| line.replace("-0 ", " ")).collect()
}

/// A Go map orders the limits of `*` randomly.
fn in_order(mut lines: Vec<String>) -> Vec<String> {
    let of_anyone = |line: &String| line.starts_with(RELOAD) && line.contains(" 5/1/600 ") && line.contains(" root  ");
    lines.chunk_by_mut(|one, next| of_anyone(one) && of_anyone(next)).for_each(<[String]>::sort);
    lines
}

fn compare(profile: Profile, recording: &str) -> String {
    let (local, remote) = (in_order(local(profile)), in_order(remote_to_local(remote(recording))));
    let diff = similar::TextDiff::from_slices(
        &remote.iter().map(String::as_str).collect::<Vec<_>>(),
        &local.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    let changed = diff.iter_all_changes().filter(|change| change.tag() != similar::ChangeTag::Equal);
    changed.map(|change| format!("{}{}\n", change.tag(), change.value())).collect()
}

#[test]
fn the_releases_events_are_those_of_the_recordings() {
    insta::assert_snapshot!(compare(Profile::V1_5_1, "events.1.5.1.json"), @"");
    insta::assert_snapshot!(compare(Profile::V1_8_0, "events.1.8.json"), @"");
}
