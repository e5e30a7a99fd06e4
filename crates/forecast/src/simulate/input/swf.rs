//! Reads the Standard Workload Format: one job per line, 18 numbers, -1 for unknown; `;` starts a comment.
//!
//! A job with n processors becomes one application with n requests of one core. `MaxNodes` and `MaxProcs` become nodes.

use std::io::{self, BufRead, Read as _};
use std::time::Duration;

use super::{Reading, seconds};
use crate::simulate::job::{Job, Task, Workload};
use config::Place;
use model::{AppId, Identity, NodeId, Resource, Time};
use scheduler::NodeSpec;

const COLUMNS: usize = 18;
const NAMES: [&str; COLUMNS] = [
    "job",
    "submit time",
    "wait time",
    "run time",
    "processors used",
    "average cpu time",
    "memory used",
    "processors requested",
    "time requested",
    "memory requested",
    "status",
    "user",
    "group",
    "application",
    "queue",
    "partition",
    "preceding job",
    "think time",
];

const LONGEST: u64 = 1 << 16;
/// After so many invalid lines the rest is not read.
const MOST_FAULTS: usize = 10_000;
const MOST_NODES: i64 = 1_000_000;

/// Starts with a comment or a line of 18 numbers.
pub fn is_log(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    first.starts_with(';') || columns(first).is_ok()
}

/// The nodes of the header, each with its share of the processors; none if the header has no number of processors.
fn nodes(header: &[(String, String)]) -> Vec<NodeSpec> {
    let of = |name: &str| {
        let value = header.iter().find(|(key, _)| key == name).map(|(_, value)| value);
        value.and_then(|text| text.split_whitespace().next()?.parse::<i64>().ok()).filter(|count| *count > 0)
    };
    let Some(processors) = of("MaxProcs") else { return Vec::new() };
    let count = of("MaxNodes").unwrap_or(1).min(processors).min(MOST_NODES);
    // The first nodes get the remainder.
    let cores = |node: i64| processors / count + i64::from(node < processors % count);
    let spec = |node: i64| {
        let mut capacity = Resource::new();
        capacity.set("vcore", cores(node).saturating_mul(1000));
        NodeSpec { id: NodeId::from(format!("node-{}", node + 1)), capacity, ..NodeSpec::default() }
    };
    (0..count).map(spec).collect()
}

/// Limits jobs to the nodes of the header, which have no memory: jobs request none.
pub fn on_its_own_nodes(workload: &mut Workload) {
    if workload.nodes.is_empty() {
        return;
    }
    let mut stripped = "";
    for task in workload.jobs.iter_mut().flat_map(|job| &mut job.tasks) {
        if task.resource.amount("memory") > 0 {
            task.resource.set("memory", 0);
            stripped = "; their memory is unknown, so memory does not count: use --node";
        }
    }
    let cores = workload.nodes.iter().map(|node| node.capacity.amount("vcore") / 1000).fold(0_i64, i64::saturating_add);
    let nodes = workload.nodes.len();
    workload.notes.push(format!("nodes of the header: {nodes} with {cores} cores in total{stripped}"));
}

/// Reads jobs, and the nodes of the header.
pub fn read(name: &str, text: &str) -> Reading {
    // A text in memory is always read.
    read_from(name, text.as_bytes(), None).unwrap_or_default()
}

/// Reads a log line by line, and keeps the jobs that are submitted up to a time.
///
/// # Errors
/// The source cannot be read.
pub fn read_from(name: &str, mut source: impl BufRead, until: Option<Time>) -> io::Result<Reading> {
    let mut reading = Reading::default();
    let (mut header, mut in_header, mut line, mut later) = (Vec::new(), true, Vec::new(), 0_u64);
    let mut starts = None;
    for number in 1_u32.. {
        line.clear();
        source.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            break;
        }
        let at = Place { line: number, column: 1 };
        if line.len() as u64 == LONGEST {
            reading.fault(at, format!("the line has {LONGEST} bytes or more"), "a line has 18 numbers");
            break;
        }
        let text = String::from_utf8_lossy(&line);
        let (numbers, comment) = text.split_once(';').unwrap_or((&text, ""));
        in_header &= numbers.trim().is_empty();
        if numbers.trim().is_empty() {
            let pair = comment.split_once(':').filter(|_| in_header);
            header.extend(pair.map(|(key, value)| (key.trim().to_owned(), value.trim().to_owned())));
            continue;
        }
        match columns(numbers) {
            Ok(columns) => {
                // Lines are in the order of their submit times.
                let since = columns[1] - *starts.get_or_insert(columns[1].max(0.0));
                match until.is_some_and(|until| since > until.as_millis() as f64 / 1000.0) {
                    true => later += 1,
                    false => take(&mut reading, name, at, &columns),
                }
            }
            Err(_) if reading.faults.len() == MOST_FAULTS => {
                reading.fault(
                    at,
                    format!("more than {MOST_FAULTS} lines are invalid"),
                    "the rest of the log is not read",
                );
                break;
            }
            Err((column, message)) => {
                let hint = "a line has 18 numbers separated by blanks; -1 means unknown";
                reading.fault(Place { column, ..at }, message, hint);
            }
        }
    }
    if reading.workload.jobs.is_empty() && reading.faults.is_empty() && later == 0 {
        reading.fault(Place { line: 1, column: 1 }, "no job found", "one line of 18 numbers for each job");
    }
    let workload = &mut reading.workload;
    workload.nodes = nodes(&header);
    workload.sort();
    begin_with_the_first(workload);
    workload.notes.push(
        "Standard Workload Format: each processor of a job is a request of one core; they may start at different times"
            .to_owned(),
    );
    if later > 0 {
        workload.notes.push(format!("jobs that are submitted after the end of --for: {later}"));
    }
    Ok(reading)
}

/// A part of a log starts long after the log, so its times count from its first job.
fn begin_with_the_first(workload: &mut Workload) {
    let Some(first) = workload.jobs.first().map(|job| job.at).filter(|first| *first > Time::ZERO) else { return };
    for job in &mut workload.jobs {
        job.at = Time(job.at.0.saturating_sub(first.0));
    }
    workload.notes.push(format!("times count from the first job, which is submitted at {first} of the log"));
}

/// The error is the column and the reason.
fn columns(line: &str) -> Result<[f64; COLUMNS], (u32, String)> {
    let mut found = [-1.0; COLUMNS];
    let mut count = 0;
    for word in line.split_ascii_whitespace() {
        let start = word.as_ptr() as usize - line.as_ptr() as usize;
        let column = u32::try_from(line[..start].chars().count() + 1).unwrap_or(u32::MAX);
        if count == COLUMNS {
            return Err((column, format!("the line has more than {COLUMNS} columns")));
        }
        let number: Option<f64> = word.parse().ok().filter(|number: &f64| number.is_finite());
        found[count] = number.ok_or_else(|| (column, format!("{word:?} is not a number ({})", NAMES[count])))?;
        count += 1;
    }
    if count == COLUMNS { Ok(found) } else { Err((1, format!("the line has {count} columns, expected {COLUMNS}"))) }
}

fn take(reading: &mut Reading, name: &str, at: Place, columns: &[f64; COLUMNS]) {
    let [job, submit, _, runs, used, _, memory_used, asked, _, memory_asked, status, user, group, ..] = *columns;
    let place = || format!("{name}:{}", at.line);
    let workload = &mut reading.workload;
    let processors = [asked, used].into_iter().find(|count| *count >= 1.0);
    let Some(processors) = processors else {
        return workload.leave_out("jobs without a number of processors", place);
    };
    if runs < 0.0 {
        return workload.leave_out("jobs without a run time", place);
    }
    if status == 5.0 && runs == 0.0 {
        return workload.leave_out("jobs that were canceled before they started", place);
    }
    let Some(submitted) = seconds(&submit.max(0.0).to_string()) else {
        return workload.leave_out("jobs without a submit time", place);
    };
    let whole = |number: f64| number.trunc().clamp(0.0, 1e15) as i64;
    let mut resource = Resource::new();
    resource.set("vcore", 1000);
    // Kilobytes per processor.
    if let Some(memory) = [memory_asked, memory_used].into_iter().find(|memory| *memory >= 1.0) {
        resource.set("memory", whole(memory).saturating_mul(1024));
    }
    let named = |number: f64, what: &str| (number >= 0.0).then(|| format!("{what}{}", whole(number)));
    let user = named(user, "user").unwrap_or_else(|| "unknown".to_owned());
    let groups: Vec<String> = named(group, "group").into_iter().collect();
    let mut tags = std::collections::BTreeMap::new();
    for (column, tag) in [(13, "application"), (14, "queue"), (15, "partition")] {
        tags.extend(named(columns[column], "").map(|value| (tag.to_owned(), value)));
    }
    let count = u32::try_from(whole(processors)).unwrap_or(u32::MAX);
    let runs = Duration::try_from_secs_f64(runs).unwrap_or(Duration::MAX);
    workload.jobs.push(Job {
        gang: None,
        app: AppId::from(format!("job-{}", whole(job))),
        at: Time::ZERO + submitted,
        queue: String::new(),
        who: Identity::new(&user, groups),
        tags,
        tasks: vec![Task { count, resource, runs: Some(runs), ..Task::default() }],
    });
    if columns[16] >= 0.0 {
        workload.leave_out("order of jobs (preceding job, think time): a job is submitted at its recorded time", place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_job_and_lines_are_sorted_by_their_time() {
        let text = "; MaxProcs: 4\n2 10.5 0 60 2 -1 -1 4 99 1024 1 3 7 -1 1 -1 -1 -1\n1 3 0 5.25 1 -1 -1 -1 9 -1 1 -1 -1 -1 -1 -1 -1 -1\n";
        let Reading { workload, faults } = read("log.swf", text);
        assert_eq!(faults, []);
        let [first, second] = workload.jobs.as_slice() else { panic!("{:?}", workload.jobs) };
        assert_eq!((first.app.as_str(), first.at, first.who.user.as_str()), ("job-1", Time::ZERO, "unknown"));
        assert_eq!(first.tasks[0].runs, Some(Duration::from_millis(5250)));
        assert_eq!((second.at, second.who.groups.clone()), (Time(7_500_000), vec!["group7".to_owned()]));
        let task = &second.tasks[0];
        assert_eq!((task.count, task.resource.amount("vcore"), task.resource.amount("memory")), (4, 1000, 1 << 20));
        assert_eq!(second.tags["queue"], "1");
    }

    #[test]
    fn the_header_has_the_nodes() {
        let log = "; MaxNodes: 3\n; MaxProcs: 64 (all)\n1 2 0 60 2 -1 -1 4 99 1024 1 3 7 -1 1 -1 -1 -1\n";
        assert!(is_log(log) && is_log(log.lines().last().unwrap()) && !is_log("JobID|User\n"));
        let mut workload = read("l", log).workload;
        let cores: Vec<i64> = workload.nodes.iter().map(|node| node.capacity.amount("vcore")).collect();
        assert_eq!(cores, [22_000, 21_000, 21_000]);
        on_its_own_nodes(&mut workload);
        assert_eq!(workload.jobs[0].tasks[0].resource.amount("memory"), 0);
        let note = workload.notes.last().unwrap();
        assert!(note.starts_with("nodes of the header: 3 with 64 cores in total; their memory is unknown"), "{note}");
        assert!(read("l", "; MaxNodes: 3\n").workload.nodes.is_empty(), "how many processors is unknown");
        let huge = "; MaxProcs: 9000000000000000000\n; MaxNodes: 9000000000\n";
        assert_eq!(read("l", huge).workload.nodes.len(), 1_000_000);
    }

    #[test]
    fn only_jobs_up_to_a_time_are_stored_and_long_lines_are_rejected() {
        let line = |at: u32| format!("{at} {at} 0 60 2 -1 -1 4 99 1024 1 3 7 -1 1 -1 -1 -1\n");
        let log = [1000, 1030, 1010, 1020].map(line).concat();
        let Reading { workload, faults } = read_from("l", log.as_bytes(), Some(Time(20_000_000))).unwrap();
        let names: Vec<&str> = workload.jobs.iter().map(|job| job.app.as_str()).collect();
        assert_eq!((names, faults.len()), (vec!["job-1000", "job-1010", "job-1020"], 0));
        assert!(workload.notes[0].starts_with("times count from the first job, which is submitted at "));
        assert_eq!(workload.notes[2], "jobs that are submitted after the end of --for: 1");
        let long = read("l", &" ".repeat(1 << 17));
        assert!(long.faults[0].message.contains("65536 bytes or more"), "{:?}", long.faults);
        let wrong = read("l", &"x\n".repeat(20_000));
        assert_eq!(wrong.faults.len(), 10_001);
    }

    #[test]
    fn a_line_that_does_not_read_has_its_place() {
        let reading = read("log.swf", "1 2 3\n\n1 2 x 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18\n");
        let faults: Vec<String> = reading.faults.iter().map(ToString::to_string).collect();
        assert!(faults[0].starts_with("1:1: the line has 3 columns, expected 18"), "{faults:?}");
        assert!(faults[1].starts_with("3:5: \"x\" is not a number (wait time)"), "{faults:?}");
        let canceled = read("l", "1 2 -1 -1 -1 -1 -1 4 -1 -1 5 1 1 -1 -1 -1 -1 -1\n");
        assert_eq!(canceled.workload.left_out[0].what, "jobs without a run time");
        assert_eq!(canceled.workload.left_out[0].first, "l:1");
    }
}
