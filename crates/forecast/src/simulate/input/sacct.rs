//! Reads the accounting of Slurm: `sacct --parsable2` (or `--parsable`, or `--json`), one job per row, without steps
//! (`101.batch`).
//!
//! A job becomes one application with one request per node. Source: the manual page of sacct. `ReqMem` is per job, or
//! with the suffix `n` per node and `c` per processor, as before Slurm 21.08. Times without a zone count as UTC.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use super::slurm_values::{bytes, invalid, moment, requested, span};
use super::{Reading, slurm, slurm_values};
use crate::simulate::job::{Job, Task, Workload};
use config::Place;
use config::input::TableCommand;
use model::{AppId, Identity, Resource, Time};

const HINT: &str =
    "use `sacct --parsable2 --format=JobID,User,Account,Partition,AllocCPUS,NNodes,ReqMem,AllocTRES,Submit,Start,End`";
const HINT_JSON: &str = "use the output of `sacct --json`";
const HINT_ENDED: &str = "use the output of `sacct --json --allusers --starttime 2025-01-01`";
const TAGS: [(&str, &str); 3] = [("jobname", "name"), ("partition", "partition"), ("account", "account")];

/// Times in seconds since 1970.
struct Row {
    id: String,
    user: String,
    groups: Vec<String>,
    tags: BTreeMap<String, String>,
    nodes: u32,
    cpus: i64,
    /// Bytes of the whole job.
    memory: i64,
    gpus: i64,
    submit: Option<i64>,
    start: Option<i64>,
    end: Option<i64>,
}

/// Starts with the header of `sacct --parsable`.
pub fn is_table(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default().to_ascii_lowercase();
    first.contains('|') && first.split('|').any(|column| matches!(column, "jobid" | "jobidraw"))
}

/// Returns true for output of `sacct --json`, and for that of other commands of Slurm, which is an error.
pub fn is_json(text: &str) -> bool {
    let is_of_slurm = |value: &Value| value["jobs"].is_array() || slurm::command(value).is_some();
    serde_json::from_str::<Value>(text).is_ok_and(|value| is_of_slurm(&value) && value["items"].is_null())
}

/// Explains a table with columns of a fixed width; `None` for another text.
pub fn printed(text: &str) -> Option<Reading> {
    let command = TableCommand::of(text)?;
    let mut reading = Reading::default();
    let (why, hint) = match command {
        TableCommand::Sacct => ("cuts off long values", HINT),
        TableCommand::Squeue | TableCommand::Sinfo => ("has no ended jobs, so their run times are unknown", HINT),
        TableCommand::KubectlGet => ("does not have the whole objects", "use `kubectl get pods,nodes -A -o json`"),
    };
    let at = Place { line: 1, column: 1 };
    reading.fault(at, format!("the table of `{}` {why}", command.name()), hint);
    Some(reading)
}

/// Reads the table of `sacct --parsable2`.
pub fn read(name: &str, text: &str) -> Reading {
    let mut reading = Reading::default();
    let mut lines = text.lines().enumerate();
    let (_, heading) = lines.next().unwrap_or_default();
    let heading: Vec<String> = heading.split('|').map(|column| column.trim().to_ascii_lowercase()).collect();
    let find = |names: &[&str]| names.iter().find_map(|name| heading.iter().position(|column| column == name));
    let at = |number: usize| Place { line: u32::try_from(number + 1).unwrap_or(u32::MAX), column: 1 };
    let times = [find(&["start"]), find(&["end"]), find(&["elapsedraw", "elapsed"])];
    let (Some(id), true) = (find(&["jobid", "jobidraw"]), times.iter().flatten().count() >= 2) else {
        reading.fault(at(0), "the header needs JobID, Submit, Start, and End", HINT);
        return reading;
    };
    let [has_submit, has_start, has_end] = [&["submit"], &["start"], &["end"]].map(|names| find(names).is_some());
    let mut rows = Vec::new();
    for (number, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split('|').map(str::trim).collect();
        if cells.len() < heading.len() {
            let message = format!("expected {} columns, found {}", heading.len(), cells.len());
            reading.fault(at(number), message, HINT);
            continue;
        }
        if !cells[id].contains('.') {
            if let Some((column, message)) = invalid(&heading, &cells) {
                let before: usize = line.split('|').take(column).map(|cell| cell.chars().count() + 1).sum();
                let column = u32::try_from(before + 1).unwrap_or(u32::MAX);
                reading.fault(Place { column, ..at(number) }, message, slurm_values::HINT);
                continue;
            }
            let cell = |names: &[&str]| find(names).map(|column| cells[column]).filter(|cell| !cell.is_empty());
            let mut row = of_cells(cells[id], &cell);
            let elapsed = || elapsed(&cell);
            row.start = if has_start { row.start } else { row.end.and_then(|end| end.checked_sub(elapsed()?)) };
            row.end = if has_end { row.end } else { row.start.and_then(|start| start.checked_add(elapsed()?)) };
            row.submit = if has_submit { row.submit } else { row.start };
            rows.push((format!("{name}:{}", number + 1), row));
        }
    }
    take(&mut reading.workload, rows);
    if !has_submit {
        reading.workload.notes.push("no column Submit: each job is submitted when it started".to_owned());
    }
    if reading.workload.jobs.is_empty() && reading.faults.is_empty() {
        reading.fault(at(0), "no started job found", HINT);
    }
    reading
}

/// Reads the output of `sacct --json`.
pub fn read_json(name: &str, text: &str) -> Reading {
    let mut reading = Reading::default();
    let all: Value = match serde_json::from_str(text) {
        Ok(all) => all,
        Err(error) => {
            let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
            let at = Place { line: number(error.line()), column: number(error.column()) };
            reading.fault(at, config::input::json_error(&error), HINT_JSON);
            return reading;
        }
    };
    if let Some(command) = slurm::command(&all) {
        let message = format!("the output of `{command}` has no ended jobs, so their run times are unknown");
        reading.fault(Place { line: 1, column: 1 }, message, HINT_ENDED);
        return reading;
    }
    let jobs = all["jobs"].as_array().map(Vec::as_slice).unwrap_or_default();
    let rows = jobs.iter().map(|job| (format!("{name}: job {}", job["job_id"]), of_json(job)));
    take(&mut reading.workload, rows.collect());
    if reading.workload.jobs.is_empty() {
        reading.fault(Place { line: 1, column: 1 }, "no started job found", HINT_JSON);
    }
    reading
}

fn of_cells<'t>(id: &str, cell: &impl Fn(&[&str]) -> Option<&'t str>) -> Row {
    let number = |names: &[&str]| cell(names).and_then(|text| text.parse::<i64>().ok());
    let tres = cell(&["alloctres", "reqtres"]).unwrap_or_default();
    let tres: BTreeMap<&str, &str> = tres.split(',').filter_map(|part| part.split_once('=')).collect();
    let of_tres = |name: &str| tres.get(name).and_then(|text| text.parse::<i64>().ok());
    // `gres/gpu` is the sum of the models, `gres/gpu:a100`, if a cluster counts both.
    let models = tres.iter().filter(|(name, _)| name.starts_with("gres/gpu:"));
    let of_models = models.filter_map(|(_, text)| text.parse::<i64>().ok()).fold(0_i64, i64::saturating_add);
    let nodes = number(&["nnodes", "allocnodes", "reqnodes"]).or(of_tres("node")).unwrap_or(1).max(1);
    let cpus = number(&["alloccpus", "ncpus", "reqcpus"]).or(of_tres("cpu")).unwrap_or(0);
    let memory = tres.get("mem").and_then(|text| bytes(text));
    Row {
        id: id.to_owned(),
        user: cell(&["user"]).unwrap_or("unknown").to_owned(),
        groups: cell(&["group", "account"]).map(str::to_owned).into_iter().collect(),
        tags: TAGS.iter().filter_map(|(column, tag)| Some(((*tag).to_owned(), cell(&[column])?.to_owned()))).collect(),
        nodes: u32::try_from(nodes).unwrap_or(u32::MAX),
        cpus,
        memory: memory.or_else(|| requested(cell(&["reqmem"])?, nodes, cpus)).unwrap_or(0),
        gpus: of_tres("gres/gpu").unwrap_or(of_models),
        submit: cell(&["submit"]).and_then(moment),
        start: cell(&["start"]).and_then(moment),
        end: cell(&["end"]).and_then(moment),
    }
}

/// The run time of a job that has ended.
fn elapsed<'t>(cell: &impl Fn(&[&str]) -> Option<&'t str>) -> Option<i64> {
    if cell(&["state"]).is_some_and(|state| state.starts_with("RUNNING")) {
        return None;
    }
    cell(&["elapsedraw"]).and_then(|text| text.parse().ok()).or_else(|| span(cell(&["elapsed"])?))
}

fn of_json(job: &Value) -> Row {
    let text = |key: &str| job[key].as_str().filter(|text| !text.is_empty()).map(str::to_owned);
    let sum = |kind: &str, of_name: &dyn Fn(&str) -> bool| {
        let all = job["tres"]["allocated"].as_array().filter(|all| !all.is_empty());
        let all = all.or(job["tres"]["requested"].as_array()).map(Vec::as_slice).unwrap_or_default();
        let of_kind = |one: &&Value| one["type"] == kind && of_name(one["name"].as_str().unwrap_or_default());
        all.iter().filter(of_kind).filter_map(|one| one["count"].as_i64()).fold(0_i64, i64::saturating_add)
    };
    let tres = |kind: &str| sum(kind, &|_| true);
    let gpus = sum("gres", &|name| name == "gpu");
    // 0 is a time that has not come.
    let when = |key: &str| job["time"][key].as_i64().filter(|seconds| *seconds > 0);
    let array = &job["array"]["task_id"];
    let index = array["number"].as_i64().filter(|_| array["set"] == true).map(|index| format!("_{index}"));
    let tags = ["name", "partition", "account"];
    Row {
        id: format!("{}{}", job["job_id"], index.unwrap_or_default()),
        user: text("user").unwrap_or_else(|| "unknown".to_owned()),
        groups: text("group").or_else(|| text("account")).into_iter().collect(),
        tags: tags.iter().filter_map(|key| Some(((*key).to_owned(), text(key)?))).collect(),
        nodes: u32::try_from(tres("node").max(1)).unwrap_or(u32::MAX),
        cpus: tres("cpu"),
        memory: tres("mem").saturating_mul(1 << 20),
        gpus: if gpus > 0 { gpus } else { sum("gres", &|name| name.starts_with("gpu:")) },
        submit: when("submission"),
        start: when("start"),
        end: when("end"),
    }
}

fn take(workload: &mut Workload, rows: Vec<(String, Row)>) {
    let Some(first) = rows.iter().filter_map(|(_, row)| row.submit).min() else { return };
    for (place, row) in rows {
        match job(row, first) {
            Ok(job) => workload.jobs.push(job),
            Err(why) => workload.leave_out(why, || place),
        }
    }
    workload.sort();
    workload.notes.push("Slurm accounting: a job is one request for each of its nodes".to_owned());
}

/// Times are relative to `first`.
fn job(row: Row, first: i64) -> Result<Job, &'static str> {
    let submit = row.submit.ok_or("jobs without a submit time")?;
    let start = row.start.ok_or("jobs that did not start")?;
    let end = row.end.ok_or("jobs that still run")?;
    if row.cpus < 1 {
        return Err("jobs without processors");
    }
    let nodes = i64::from(row.nodes);
    // If a quantity does not divide evenly, the fullest node counts.
    let share = |amount: i64| amount.saturating_add(nodes - 1) / nodes;
    let mut resource = Resource::new();
    resource.set("vcore", share(row.cpus).saturating_mul(1000));
    for (name, amount) in [("memory", row.memory), ("nvidia.com/gpu", row.gpus)] {
        if amount > 0 {
            resource.set(name, share(amount));
        }
    }
    let seconds = |span: i64| Duration::from_secs(u64::try_from(span).unwrap_or(0));
    let runs = Some(seconds(end.saturating_sub(start)));
    Ok(Job {
        gang: None,
        app: AppId::from(format!("job-{}", row.id)),
        at: Time::ZERO + seconds(submit.saturating_sub(first)),
        queue: String::new(),
        who: Identity::new(&row.user, row.groups),
        tags: row.tags,
        tasks: vec![Task { count: row.nodes, resource, runs, ..Task::default() }],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "JobID|JobName|Partition|Account|AllocCPUS|ReqMem|Submit|Start|End|State|User\n\
        102|eval|cpu|lab|2|4G|2025-01-01T10:05:00|2025-01-01T10:05:10|2025-01-01T10:25:10|COMPLETED|bob\n\
        101|train|gpu|lab|4|16G|2025-01-01T10:00:00|2025-01-01T10:00:30|2025-01-01T11:00:30|COMPLETED|ann\n\
        101.batch|batch||lab|4||2025-01-01T10:00:30|2025-01-01T10:00:30|2025-01-01T11:00:30|COMPLETED|\n\
        103|x|cpu|lab|2|4G|2025-01-01T10:06:00|Unknown|Unknown|PENDING|bob\n";

    fn amounts(job: &Job) -> (u32, i64, i64, i64) {
        let amount = |name: &str| job.tasks[0].resource.amount(name);
        (job.tasks[0].count, amount("vcore"), amount("memory"), amount("nvidia.com/gpu"))
    }

    #[test]
    fn a_job_is_an_application_and_its_steps_are_skipped() {
        assert!(is_table(TABLE) && !is_table("a|b\n"));
        let Reading { workload, faults } = read("a.txt", TABLE);
        assert_eq!(faults, []);
        let [train, eval] = workload.jobs.as_slice() else { panic!("{:?}", workload.jobs) };
        assert_eq!((train.app.as_str(), train.at, train.who.user.as_str()), ("job-101", Time::ZERO, "ann"));
        assert_eq!((eval.at, eval.tags["partition"].as_str()), (Time(300_000_000), "cpu"));
        assert_eq!(amounts(train), (1, 4000, 16 << 30, 0));
        assert_eq!(train.tasks[0].runs, Some(Duration::from_secs(3600)));
        let left = &workload.left_out[0];
        assert_eq!((left.what.as_str(), left.first.as_str()), ("jobs that did not start", "a.txt:5"));
    }

    #[test]
    fn nodes_share_what_a_job_requests() {
        let text = "JobIDRaw|NNodes|NCPUS|ReqMem|AllocTRES|Submit|Start|End|\n\
            1|2|7|2Gn|billing=7,gres/gpu=4|1000|1000|1060|\n2|1|4|500Mc||1000|1001|1061|\n\
            3|2|8|1G|cpu=8,mem=6G,node=2|1000|1000|1001|\n";
        let jobs = read("t", text).workload.jobs;
        let all: Vec<_> = jobs.iter().map(amounts).collect();
        assert_eq!(all, [(2, 4000, 2 << 30, 2), (1, 4000, 2000 << 20, 0), (2, 4000, 3 << 30, 0)]);
    }

    #[test]
    fn the_output_in_json_gives_the_same() {
        let text = r#"{"meta": {"slurm": {}}, "jobs": [
            {"job_id": 7, "name": "t", "user": "ann", "group": "lab", "partition": "gpu",
             "array": {"task_id": {"set": true, "infinite": false, "number": 3}},
             "time": {"submission": 1000, "start": 1010, "end": 1070},
             "tres": {"allocated": [{"type": "cpu", "name": "", "count": 4}, {"type": "mem", "name": "", "count": 2048},
                {"type": "node", "name": "", "count": 1}, {"type": "gres", "name": "gpu", "count": 1}], "requested": []}},
            {"job_id": 8, "user": "ann", "time": {"submission": 1001, "start": 0, "end": 0}, "tres": {"allocated": []}}]}"#;
        assert!(is_json(text) && !is_json("{\"items\": [], \"jobs\": []}"));
        let Reading { workload, faults } = read_json("s.json", text);
        assert_eq!(faults, []);
        assert_eq!((workload.jobs[0].app.as_str(), amounts(&workload.jobs[0])), ("job-7_3", (1, 4000, 2 << 30, 1)));
        assert_eq!(workload.left_out[0].first, "s.json: job 8");
    }

    #[test]
    fn other_output_of_slurm_is_named_with_the_command_to_use() {
        for (text, command) in [
            (
                r#"{"meta": {"slurm": {}}, "jobs": [{"job_id": 7, "job_state": ["RUNNING"], "start_time": {"set": true, "number": 5}}]}"#,
                "squeue --json",
            ),
            (r#"{"meta": {"slurm": {}, "command": ["sinfo", "--json"]}, "sinfo": [{"nodes": {}}]}"#, "sinfo --json"),
        ] {
            assert!(is_json(text));
            let words = format!(
                "1:1: the output of `{command}` has no ended jobs, so their run times are unknown: use the output of `sacct --json"
            );
            assert!(read_json("s.json", text).faults[0].to_string().starts_with(&words));
        }
    }

    #[test]
    fn two_of_start_end_and_elapsed_are_enough() {
        let table = "JobID|State|Elapsed|Start|NCPUS|AllocTRES\n\
            1|COMPLETED|1-02:00:05|2025-01-01T10:00:10|2|cpu=2,gres/gpu:a100=3\n\
            2|RUNNING|00:10:00|2025-01-01T10:00:00|2|\n3|FAILED|01:30.500|2025-01-01T10:00:00|2|\n";
        let workload = read("t", table).workload;
        let [failed, completed] = workload.jobs.as_slice() else { panic!("{:?}", workload.jobs) };
        let runs = |job: &Job| job.tasks[0].runs.map(|runs| runs.as_secs());
        assert_eq!((runs(failed), runs(completed), completed.at), (Some(90), Some(93_605), Time(10_000_000)));
        assert_eq!(amounts(completed), (1, 2000, 0, 3), "models of GPUs count without their sum");
        assert_eq!(workload.left_out[0].what, "jobs that still run");
        assert!(workload.notes.iter().any(|note| note.starts_with("no column Submit: ")), "{:?}", workload.notes);
        let by_end = read("t", "JobIDRaw|Submit|End|ElapsedRaw|NCPUS\n1|100|160|50|1\n").workload;
        assert_eq!((by_end.jobs[0].at, runs(&by_end.jobs[0])), (Time::ZERO, Some(50)));
        assert!(read("t", "JobID|Start\n1|1\n").faults[0].message.contains("needs JobID"));
        assert_eq!(["x", "1:2:3:4", "-1-00:00:01", "9999999999-00:00:00"].map(span), [None; 4]);
    }

    #[test]
    fn what_cannot_be_read_has_its_place() {
        let short = read("t", "JobID|Submit|Start|End\n1|2\n").faults;
        assert!(short[0].to_string().starts_with("2:1: expected 4 columns, found 2"), "{short:?}");
        assert!(read("t", "JobID|User\n").faults[0].message.contains("needs JobID, Submit, Start, and End"));
        assert!(read_json("t", "{").faults[0].to_string().starts_with("1:1: EOF"));
        let head = "JobID|Submit|Start|End|AllocCPUS|ReqMem\n";
        for (row, fault) in [
            ("1|10|20|30|8|2GB", "2:14: invalid reqmem \"2GB\""),
            ("1|10|20|30|eight|2G", "2:12: invalid alloccpus \"eight\""),
            ("1|01/05/2024|20|30|8|2G", "2:3: invalid submit \"01/05/2024\""),
            ("1|10|30|20|8|2G", "2:9: the end is before the start"),
        ] {
            let faults = read("t", &format!("{head}{row}\n2|10|20|30|8|2G\n")).faults;
            assert!(faults.len() == 1 && faults[0].to_string().starts_with(fault), "{row}: {faults:?}");
        }
        assert_eq!(read("t", &format!("{head}1|10|Unknown|None|8|\n2|10|20|30|8|\n")).faults, []);
        let odd = "JobID|Submit|Start|End|NCPUS\n1|x|y|z|-9223372036854775808\n2|1|2|3|9223372036854775807\n";
        assert_eq!(read("t", odd).workload.jobs.len(), 1, "amounts at the edge do not overflow");
    }
}
