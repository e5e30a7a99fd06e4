//! Reads the CSVs of Alibaba's OpenB trace: `nodes.csv` (sn, cpu_milli, memory_mib, gpu, model) and `pods.csv` (name,
//! cpu_milli, memory_mib, num_gpu, gpu_milli, …, creation_time, deletion_time, scheduled_time in seconds).
//!
//! GPU thousandths are also a separate resource that never binds; its usage is the allocation rate of publications on
//! the trace.

use std::collections::BTreeMap;
use std::str::FromStr;

use super::{Reading, seconds};
use crate::simulate::job::{Job, Task};
use config::Place;
use config::csv::{Csv, Record};
use model::{AppId, Identity, NodeId, Resource, Time};
use scheduler::NodeSpec;

const GPU: &str = "nvidia.com/gpu";
const GPU_MILLI: &str = "gpu-milli";

/// Requests for a part of a GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fractions {
    /// They use a whole GPU.
    #[default]
    RoundUp,
    /// In thousandths; a request may combine parts of several GPUs.
    Thousandths,
}

impl FromStr for Fractions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "round-up" => Ok(Self::RoundUp),
            "thousandths" => Ok(Self::Thousandths),
            _ => Err(format!("{text:?} is invalid; use round-up or thousandths")),
        }
    }
}

/// Reads both files.
pub fn read(nodes: (&str, &str), pods: (&str, &str), fractions: Fractions) -> [Reading; 2] {
    let mut read_nodes = Reading::default();
    rows(&mut read_nodes, nodes.1, &["sn", "cpu_milli", "memory_mib", "gpu"], |reading, row| {
        let [id, cpu, memory, gpu] = [0, 1, 2, 3].map(|at| row[at].as_str());
        let [Some(cpu), Some(memory), Some(gpu)] = [cpu, memory, gpu].map(|text| text.parse::<i64>().ok()) else {
            return Err("cpu_milli, memory_mib, and gpu are whole numbers".to_owned());
        };
        let capacity = amounts(cpu, memory, (gpu, gpu.saturating_mul(1000)), fractions);
        reading.workload.nodes.push(NodeSpec { id: NodeId::from(id), capacity, ..NodeSpec::default() });
        Ok(())
    });
    let mut read_pods = Reading::default();
    let columns = [
        "name",
        "cpu_milli",
        "memory_mib",
        "num_gpu",
        "gpu_milli",
        "creation_time",
        "deletion_time",
        "qos",
        "gpu_spec",
    ];
    rows(&mut read_pods, pods.1, &columns, |reading, row| {
        let job = pod(row, fractions)?;
        if !row[8].is_empty() {
            reading.workload.leave_out("GPU models that a pod requests (gpu_spec)", || row[0].clone());
        }
        reading.workload.jobs.push(job);
        Ok(())
    });
    read_pods.workload.notes.push(
        match fractions {
            Fractions::RoundUp => {
                "OpenB: a pod that requests a part of a GPU gets a whole one; gpu-milli is the requested part in thousandths"
            }
            Fractions::Thousandths => {
                "OpenB: GPUs are counted in thousandths; a request can combine parts of several GPUs"
            }
        }
        .to_owned(),
    );
    read_pods.workload.sort();
    [read_nodes, read_pods]
}

fn amounts(cpu: i64, memory_mib: i64, (gpu, gpu_milli): (i64, i64), fractions: Fractions) -> Resource {
    let mut amounts = Resource::new();
    amounts.set("vcore", cpu);
    amounts.set("memory", memory_mib.saturating_mul(1 << 20));
    if gpu > 0 {
        amounts.set(GPU_MILLI, gpu_milli);
    }
    if gpu > 0 && fractions == Fractions::RoundUp {
        amounts.set(GPU, gpu);
    }
    amounts
}

fn pod(row: &[String], fractions: Fractions) -> Result<Job, String> {
    let number = |at: usize| row[at].parse::<i64>().map_err(|_| format!("{:?} is not a whole number", row[at]));
    let (cpu, memory, count, milli) = (number(1)?, number(2)?, number(3)?, number(4)?);
    let gpu = (count, count.saturating_mul(milli));
    let time = |at: usize| seconds(&row[at]).ok_or_else(|| format!("{:?} is not a number of seconds", row[at]));
    let created = time(5)?;
    let runs = if row[6].is_empty() { None } else { Some(time(6)?.saturating_sub(created)) };
    let qos = if row[7].is_empty() { "unknown" } else { row[7].as_str() };
    let task = Task { count: 1, resource: amounts(cpu, memory, gpu, fractions), runs, ..Task::default() };
    Ok(Job {
        app: AppId::from(row[0].as_str()),
        at: Time::ZERO + created,
        who: Identity::new("openb", Vec::<String>::new()),
        tags: BTreeMap::from([("qos".to_owned(), qos.to_owned())]),
        tasks: vec![task],
        ..Job::default()
    })
}

fn rows(
    reading: &mut Reading,
    text: &str,
    names: &[&str],
    mut take: impl FnMut(&mut Reading, &[String]) -> Result<(), String>,
) {
    let (mut csv, mut record) = (Csv::new(text.as_bytes()), Record::default());
    let mut at: Option<Vec<usize>> = None;
    // Reading from memory cannot fail.
    while let Ok(Some(read)) = csv.next(&mut record) {
        if let Err(fault) = read {
            reading.fault(fault.at, fault.message, fault.hint);
            continue;
        }
        let Some(columns) = &at else {
            let find = |name: &&str| (0..record.count()).find(|index| record.get(*index) == *name);
            match names.iter().map(find).collect::<Option<Vec<usize>>>() {
                Some(found) => at = Some(found),
                None => {
                    let hint = format!("the first line must name the columns: {}", names.join(", "));
                    return reading.fault(record.place(0), "the header has missing columns", hint);
                }
            }
            continue;
        };
        let row: Vec<String> = columns.iter().map(|column| record.get(*column).to_owned()).collect();
        if let Err(message) = take(reading, &row) {
            reading.fault(record.place(0), message, format!("a row has {}", names.join(", ")));
        }
    }
    if at.is_none() && reading.faults.is_empty() {
        let hint = format!("the first line must name the columns: {}", names.join(", "));
        reading.fault(Place { line: 1, column: 1 }, "missing heading", hint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODES: &str = "sn,cpu_milli,memory_mib,gpu,model\nn0,32000,1024,2,T4\n";
    const PODS: &str = "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n\
                        p1,6000,512,1,460,V100,LS,Running,20,80,20\np0,1000,256,0,0,,BE,Running,10,,\n";

    #[test]
    fn parts_of_a_gpu_are_rounded_up_or_counted_in_thousandths() {
        let [nodes, pods] = read(("nodes.csv", NODES), ("pods.csv", PODS), Fractions::RoundUp);
        assert_eq!((nodes.faults, pods.faults.clone()), (vec![], vec![]));
        assert_eq!(nodes.workload.nodes[0].capacity.amount(GPU), 2);
        let jobs = &pods.workload.jobs;
        assert_eq!((jobs[0].app.as_str(), jobs[0].tasks[0].runs), ("p0", None));
        let wants = &jobs[1].tasks[0].resource;
        assert_eq!((wants.amount(GPU), wants.amount(GPU_MILLI)), (1, 460));
        assert_eq!(jobs[1].tasks[0].runs, Some(std::time::Duration::from_secs(60)));
        assert_eq!(pods.workload.left_out[0].first, "p1");
        let [nodes, pods] = read(("nodes.csv", NODES), ("pods.csv", PODS), Fractions::Thousandths);
        assert_eq!(nodes.workload.nodes[0].capacity.amount(GPU_MILLI), 2000);
        assert_eq!(pods.workload.jobs[1].tasks[0].resource.amount(GPU_MILLI), 460);
    }

    #[test]
    fn a_row_that_does_not_read_has_its_place() {
        let [nodes, pods] =
            read(("n", "sn,cpu\n"), ("p", &format!("{PODS}p2,x,1,0,0,,BE,,1,2,3\n")), Fractions::RoundUp);
        assert!(nodes.faults[0].to_string().contains("1:1: the header has missing columns"), "{:?}", nodes.faults);
        assert!(pods.faults[0].to_string().starts_with("4:1: \"x\" is not a whole number"), "{:?}", pods.faults);
        let [nodes, _] = read(("n", ""), ("p", PODS), Fractions::RoundUp);
        assert!(nodes.faults[0].message.contains("missing heading"));
    }
}
