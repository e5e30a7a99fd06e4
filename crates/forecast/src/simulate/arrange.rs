//! Adapts a workload: nodes, load, queues, run times.

use std::collections::BTreeMap;
use std::time::Duration;

use super::draw::Draw;
use super::job::{Job, Workload};
use crate::whatif::{RuntimeRule, Runtimes};
use model::{AppId, NodeId, QueuePath, Resource, Time};
use scheduler::NodeSpec;

const MOST_DRAWN: usize = 5_000_000;

/// Takes the first of the workload's nodes, or copies them in order.
///
/// # Errors
/// The workload has no nodes to copy.
pub fn on_nodes(workload: &mut Workload, count: usize) -> Result<(), String> {
    let known = workload.nodes.len();
    if known == 0 && count > 0 {
        return Err("the workload has no node to copy: use --node".to_owned());
    }
    workload.nodes.truncate(count);
    for number in known..count {
        let mut copy = workload.nodes[number % known].clone();
        copy.id = NodeId::from(format!("{}+{}", copy.id, number / known));
        workload.nodes.push(copy);
    }
    Ok(())
}

/// Replaces the nodes by one. If requests count pods, a capacity without them has the default of the kubelet.
pub fn on_one_node(workload: &mut Workload, capacity: &Resource) {
    const PODS: i64 = 110;

    let mut node = NodeSpec { id: NodeId::from("node-1"), capacity: capacity.clone(), ..NodeSpec::default() };
    let mut requests = workload.jobs.iter().flat_map(|job| &job.tasks);
    if capacity.get("pods").is_none() && requests.any(|task| task.resource.amount("pods") > 0) {
        node.capacity.set("pods", PODS);
    }
    workload.nodes = vec![node];
}

/// Divides the times of arrival by a factor above 0; run times stay.
pub fn faster(workload: &mut Workload, factor: f64) {
    let scaled = |micros: u64| (micros as f64 / factor).round() as u64;
    for job in &mut workload.jobs {
        job.at = Time(scaled(job.at.0));
        for task in &mut job.tasks {
            task.after = Duration::from_secs_f64(task.after.as_secs_f64() / factor);
        }
    }
}

/// Replaces jobs by random draws, which never end, until they request `factor` times the nodes' capacity.
///
/// # Errors
/// No node has, or no job needs, the resource.
pub fn fill(workload: &mut Workload, resource: &str, factor: f64, seed: u64) -> Result<(), String> {
    let capacity = workload.capacity().amount(resource);
    if capacity <= 0 {
        return Err(format!("no node has {resource}"));
    }
    let wants = |job: &Job| -> i128 {
        job.tasks.iter().map(|task| i128::from(task.resource.amount(resource)) * i128::from(task.count)).sum()
    };
    if !workload.jobs.iter().any(|job| wants(job) > 0) {
        return Err(format!("no job requests {resource}"));
    }
    let target = (capacity as f64 * factor) as i128;
    let (mut draw, mut wanted, mut drawn) = (Draw::new(seed), 0_i128, Vec::new());
    while wanted < target && drawn.len() < MOST_DRAWN {
        let number = usize::try_from(draw.below(workload.jobs.len() as u64)).unwrap_or_default();
        let mut job = workload.jobs[number].clone();
        job.app = AppId::from(format!("{}-{}", job.app, drawn.len()));
        job.at = Time::from_millis(drawn.len() as u64);
        job.tasks.iter_mut().for_each(|task| (task.runs, task.taken_back, task.after) = (None, None, Duration::ZERO));
        wanted += wants(&job);
        drawn.push(job);
    }
    workload.jobs = drawn;
    Ok(())
}

/// Fills in a template with `{user}`, `{group}`, `{app}`, and `{tag:NAME}`.
///
/// # Errors
/// A name in braces is unknown.
pub fn ask_for_queue(job: &mut Job, form: &str) -> Result<(), String> {
    let (mut queue, mut rest) = (String::new(), form);
    while let Some((before, after)) = rest.split_once('{') {
        let (name, after) = after.split_once('}').ok_or_else(|| format!("{form:?}: a brace is not closed"))?;
        let value = match name {
            "user" => job.who.user.as_str(),
            "group" => job.who.groups.first().map_or("none", String::as_str),
            "app" => job.app.as_str(),
            _ => match name.strip_prefix("tag:") {
                Some(tag) => job.tags.get(tag).map_or("none", String::as_str),
                None => {
                    return Err(format!(
                        "{form:?}: unknown placeholder {{{name}}}; valid: {{user}}, {{group}}, {{app}}, {{tag:NAME}}"
                    ));
                }
            },
        };
        queue.push_str(before);
        // A dot in a name would start another level.
        queue.push_str(&value.replace('.', "_dot_"));
        rest = after;
    }
    queue.push_str(rest);
    job.queue = queue;
    Ok(())
}

/// Returns the number of tasks that had none, and that still have none.
pub fn runtimes(workload: &mut Workload, rules: &[RuntimeRule]) -> [u64; 2] {
    let runtimes = Runtimes::given(rules);
    let (mut without, mut left) = (0, 0);
    for job in &mut workload.jobs {
        let queue = QueuePath::new(&job.queue);
        for task in job.tasks.iter_mut().filter(|task| task.never_ends()) {
            without += u64::from(task.count);
            task.runs = runtimes.of_named((&job.app, &job.who.user, &queue), "");
            left += if task.runs.is_none() { u64::from(task.count) } else { 0 };
        }
    }
    [without, left]
}

/// Sets missing run times to the median of the same user and queue, otherwise of the user, otherwise of all. Returns
/// the number of requests.
pub fn likely_runtimes(workload: &mut Workload) -> u64 {
    let kinds = |job: &Job| {
        [(job.who.user.clone(), job.queue.clone()), (job.who.user.clone(), String::new()), Default::default()]
    };
    let mut seen: BTreeMap<(String, String), Vec<Duration>> = BTreeMap::new();
    for job in &workload.jobs {
        for runs in job.tasks.iter().filter_map(|task| task.runs) {
            kinds(job).into_iter().for_each(|kind| seen.entry(kind).or_default().push(runs));
        }
    }
    seen.values_mut().for_each(|times| times.sort_unstable());
    let mut given = 0;
    for job in &mut workload.jobs {
        let likely = kinds(job).iter().find_map(|kind| seen.get(kind)).map(|times| times[times.len() / 2]);
        for task in job.tasks.iter_mut().filter(|task| task.never_ends()) {
            task.runs = likely;
            given += u64::from(task.count);
        }
    }
    given
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulate::job::Task;
    use model::{Identity, Resource};

    fn workload() -> Workload {
        let vcore = |amount| [("vcore", amount)].into_iter().collect::<Resource>();
        let node = |id: &str| NodeSpec { id: NodeId::from(id), capacity: vcore(4000), ..NodeSpec::default() };
        let task = Task { count: 1, resource: vcore(1000), ..Task::default() };
        let who = Identity::new("sue", ["eng"]);
        let job = Job { app: AppId::from("a"), at: Time(10), who, tasks: vec![task], ..Job::default() };
        Workload { nodes: vec![node("n1"), node("n2")], jobs: vec![job], ..Workload::default() }
    }

    #[test]
    fn nodes_are_the_first_or_copies() {
        let mut more = workload();
        on_nodes(&mut more, 5).unwrap();
        let ids: Vec<&str> = more.nodes.iter().map(|node| node.id.as_str()).collect();
        assert_eq!(ids, ["n1", "n2", "n1+1", "n2+1", "n1+2"]);
        on_nodes(&mut more, 1).unwrap();
        assert_eq!(more.nodes.len(), 1);
        assert!(on_nodes(&mut Workload::default(), 1).is_err());
    }

    #[test]
    fn a_fill_submits_a_multiple_of_the_capacity() {
        let mut filled = workload();
        fill(&mut filled, "vcore", 1.5, 1).unwrap();
        assert_eq!(filled.jobs.len(), 12);
        let mut wrong = workload();
        assert_eq!(fill(&mut wrong, "gpu", 1.0, 1).unwrap_err(), "no node has gpu");
    }

    #[test]
    fn a_form_names_a_queue() {
        let mut job = workload().jobs.remove(0);
        ask_for_queue(&mut job, "root.{group}.{user}").unwrap();
        assert_eq!(job.queue, "root.eng.sue");
        assert!(ask_for_queue(&mut job, "root.{team}").unwrap_err().contains("{team}"));
        assert!(ask_for_queue(&mut job, "root.{user").is_err());
    }

    #[test]
    fn unknown_runtimes_come_from_rules() {
        let mut jobs = workload();
        let rule: RuntimeRule = "user:sue=5m".parse().unwrap();
        assert_eq!(runtimes(&mut jobs, &[]), [1, 1]);
        assert_eq!(runtimes(&mut jobs, &[rule]), [1, 0]);
        assert_eq!(jobs.jobs[0].tasks[0].runs, Some(Duration::from_secs(300)));
    }
}
