//! Traces: the output of a run, one JSON object per line (`scenario.md`, Trace).

use std::io::{self, Write};
use std::ops::Range;

use super::json::Json;
use model::{AppId, AskId, QueuePath, Resource, Time};
use scheduler::index::{NodeKey, SlabKey};
use scheduler::state::queue::Queue;
use scheduler::usage::{QueueUsage, Trackers};
use scheduler::{Event, EventKind, Partition, ReleaseReason, Scheduler};

/// The step number of the initial configuration.
pub const LOAD: i64 = -1;

/// Receives the results of a run.
pub trait Sink {
    /// The events of one command of a step, in order.
    ///
    /// # Errors
    /// Returns an error if the write fails; the run ends.
    fn events(&mut self, step: i64, events: &[Event]) -> io::Result<()>;

    /// A step requests the state.
    fn snapshot(&mut self, step: i64, label: &str, scheduler: &Scheduler) -> io::Result<()>;

    /// A step is done at this time.
    fn time(&mut self, now: Time) {
        let _ = now;
    }
}

/// A sink that discards everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Sink for Silent {
    fn events(&mut self, _step: i64, _events: &[Event]) -> io::Result<()> {
        Ok(())
    }

    fn snapshot(&mut self, _step: i64, _label: &str, _scheduler: &Scheduler) -> io::Result<()> {
        Ok(())
    }
}

/// Prints the trace. Events without a line format, including rejected commands, are skipped.
pub struct Trace<W> {
    out: W,
    json: Json,
}

impl<W: Write> Trace<W> {
    /// Prints to `out`, which should be buffered.
    pub fn new(out: W) -> Self {
        Self { out, json: Json::default() }
    }

    /// Flushes and returns the writer.
    ///
    /// # Errors
    /// Returns an error if the rest cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.out.flush()?;
        Ok(self.out)
    }

    /// Returns the writer without flushing.
    pub fn into_inner(self) -> W {
        self.out
    }

    fn start(&mut self, step: i64, event: &str) -> io::Result<()> {
        self.json.open(b'{');
        self.json.number_field("step", step)?;
        self.json.text_field("event", event)
    }

    fn end(&mut self) -> io::Result<()> {
        self.json.close(b'}');
        self.json.end_line();
        self.out.write_all(self.json.as_bytes())?;
        self.json.clear();
        Ok(())
    }

    fn event(&mut self, step: i64, kind: &EventKind) -> io::Result<()> {
        let Some(name) = name_of(kind) else { return Ok(()) };
        self.start(step, name)?;
        let json = &mut self.json;
        match kind {
            EventKind::ConfigRejected { message } => json.text_field("message", message)?,
            EventKind::NodeAccepted { node } => json.text_field("node", node.as_str())?,
            EventKind::NodeRejected { node, message } => {
                json.text_field("node", node.as_str())?;
                json.text_field("message", message)?;
            }
            EventKind::AppAccepted { app, queue }
            | EventKind::Moved { app, queue, .. }
            | EventKind::Killed { app, queue, .. } => {
                json.text_field("app", app.as_str())?;
                json.text_field("queue", queue.as_str())?;
            }
            EventKind::AppRejected { app, message } | EventKind::Denied { app, message, .. } => {
                json.text_field("app", app.as_str())?;
                json.text_field("message", message)?;
            }
            EventKind::AskRejected { app, ask, message } => {
                json.text_field("app", app.as_str())?;
                json.text_field("ask", ask.as_str())?;
                json.text_field("message", message)?;
            }
            EventKind::Allocated { app, ask, node, .. } => {
                json.text_field("app", app.as_str())?;
                json.text_field("ask", ask.as_str())?;
                json.text_field("node", node.as_str())?;
            }
            _ => {}
        }
        self.end()
    }
}

impl<W: Write> Sink for Trace<W> {
    fn events(&mut self, step: i64, events: &[Event]) -> io::Result<()> {
        let (mut lines, mut asked) = (Vec::new(), Vec::new());
        for Event { kind, .. } in events {
            if let Some(release) = asked_release(kind) {
                asked.push(release);
                lines.push(release);
            } else if let EventKind::Released { app, ask, reason, .. } = kind {
                match asked.iter().position(|(of, id, _)| (*of, *id) == (app, ask)) {
                    Some(at) => drop(asked.swap_remove(at)),
                    None => lines.push((app, ask, *reason)),
                }
            } else if name_of(kind).is_some() {
                self.released(step, &mut lines)?;
                self.event(step, kind)?;
            }
        }
        self.released(step, &mut lines)
    }

    fn snapshot(&mut self, step: i64, label: &str, scheduler: &Scheduler) -> io::Result<()> {
        self.start(step, "snapshot")?;
        self.json.text_field("label", label)?;
        if let Some(partition) = scheduler.partitions().first() {
            queues(&mut self.json, &mut self.out, partition)?;
            apps(&mut self.json, &mut self.out, partition)?;
            nodes(&mut self.json, &mut self.out, partition)?;
            usage(&mut self.json, "users", &partition.usage.users, partition)?;
            usage(&mut self.json, "groups", &partition.usage.groups, partition)?;
        } else {
            for list in ["queues", "apps", "nodes", "users", "groups"] {
                self.json.open_field(list, b'[');
                self.json.close(b']');
            }
        }
        self.end()
    }
}

impl<W: Write> Trace<W> {
    /// Prints the releases with a common cause, by application and request.
    fn released(&mut self, step: i64, lines: &mut Vec<Release<'_>>) -> io::Result<()> {
        lines.sort_by_key(|(app, ask, _)| (*app, *ask));
        for (app, ask, reason) in lines.drain(..) {
            self.start(step, "released")?;
            self.json.text_field("app", app.as_str())?;
            self.json.text_field("ask", ask.as_str())?;
            self.json.text_field("reason", reason_name(reason))?;
            self.end()?;
        }
        Ok(())
    }
}

type Release<'a> = (&'a AppId, &'a AskId, ReleaseReason);

/// Its line precedes the allocations of the same cycle; the later confirmation has no line.
const fn asked_release(kind: &EventKind) -> Option<Release<'_>> {
    match kind {
        EventKind::Preempted { app, ask, .. } | EventKind::QuotaPreempted { app, ask, .. } => {
            Some((app, ask, ReleaseReason::Preempted))
        }
        EventKind::Stopping { app, ask, reason, .. } => Some((app, ask, *reason)),
        EventKind::PlaceholderTooSmall { app, placeholder, .. } => Some((app, placeholder, ReleaseReason::Timeout)),
        _ => None,
    }
}

fn name_of(kind: &EventKind) -> Option<&'static str> {
    Some(match kind {
        EventKind::ConfigAccepted => "configAccepted",
        EventKind::ConfigRejected { .. } => "configRejected",
        EventKind::NodeAccepted { .. } => "nodeAccepted",
        EventKind::NodeRejected { .. } => "nodeRejected",
        EventKind::AppAccepted { .. } => "appAccepted",
        EventKind::AppRejected { .. } => "appRejected",
        EventKind::AskRejected { .. } => "askRejected",
        EventKind::Allocated { .. } => "allocated",
        EventKind::Denied { .. } => "denied",
        EventKind::Moved { .. } => "moved",
        EventKind::Killed { .. } => "killed",
        _ => return None,
    })
}

/// The name of a reason in a trace; a removed node stops its allocations.
const fn reason_name(reason: ReleaseReason) -> &'static str {
    match reason {
        ReleaseReason::Stopped | ReleaseReason::NodeRemoved => "stopped",
        ReleaseReason::Timeout => "timeout",
        ReleaseReason::Preempted => "preempted",
        ReleaseReason::Replaced => "replaced",
    }
}

fn queues(json: &mut Json, out: &mut impl Write, partition: &Partition) -> io::Result<()> {
    let mut queues: Vec<&Queue> = partition.queues.iter().collect();
    queues.sort_by_key(|queue| queue.path.as_str());
    json.open_field("queues", b'[');
    for queue in queues {
        json.open(b'{');
        json.text_field("queue", queue.path.as_str())?;
        json.text_field("status", &queue.state.to_string())?;
        json.flag_field("managed", queue.managed);
        json.flag_field("leaf", queue.leaf);
        json.number_field("priority", i64::from(queue.current_priority().0))?;
        json.resource_field("allocated", &queue.allocated)?;
        json.resource_field("pending", &queue.pending)?;
        let none = Resource::new();
        json.resource_field("guaranteed", queue.guaranteed.as_ref().unwrap_or(&none))?;
        json.resource_field("max", queue.max.as_ref().unwrap_or(&none))?;
        json.resource_field("preempting", &queue.preempting)?;
        json.number_field("runningApps", i64::try_from(queue.running).unwrap_or(i64::MAX))?;
        let mut apps: Vec<&str> = queue.apps.iter().map(|app| partition.apps[*app].id.as_str()).collect();
        apps.sort_unstable();
        json.list_field("apps", apps.into_iter())?;
        json.close(b'}');
        json.pass_on(out)?;
    }
    json.close(b']');
    Ok(())
}

fn apps(json: &mut Json, out: &mut impl Write, partition: &Partition) -> io::Result<()> {
    let mut apps: Vec<_> = partition.apps.iter().map(|(_, app)| app).collect();
    apps.sort_by_key(|app| &app.id);
    json.open_field("apps", b'[');
    for app in apps {
        json.open(b'{');
        json.text_field("app", app.id.as_str())?;
        json.text_field("queue", app.queue_path.as_str())?;
        json.text_field("user", &app.who.user)?;
        json.text_field("state", app.state.name())?;
        json.resource_field("allocated", &app.allocated)?;
        json.resource_field("pending", &app.pending)?;
        json.resource_field("placeholder", &app.allocated_placeholder)?;
        json.close(b'}');
        json.pass_on(out)?;
    }
    json.close(b']');
    Ok(())
}

/// The allocations of each node as `app/ask`. Read by application, because applications are contiguous in memory and
/// the allocations of a node are not.
struct Running {
    text: String,
    /// The start of each name, and the end of the last one.
    starts: Vec<usize>,
    /// The sorted names of each node, as indices into `starts`.
    names: Vec<u32>,
    /// The end of each node slot in `names`.
    ends: Vec<usize>,
}

impl Running {
    fn of(partition: &Partition) -> Self {
        let slots = partition.nodes.iter().map(|node| node.key.slot() + 1).max().unwrap_or(0);
        let (mut text, mut starts, mut nodes, mut ends) = (String::new(), vec![0], Vec::new(), vec![0; slots + 1]);
        let mut list = |app: &AppId, ask: &AskId, node: NodeKey| {
            text.push_str(app.as_str());
            text.push('/');
            text.push_str(ask.as_str());
            starts.push(text.len());
            nodes.push(node.0);
            ends[node.slot() + 1] += 1;
        };
        for (_, app) in partition.apps.iter() {
            for (_, ask) in app.asks.iter() {
                // A request that will replace a placeholder on another node is already charged there.
                let to_come = ask.rare.takes_over.filter(|takeover| takeover.charged).map(|takeover| takeover.node);
                let Some(node) = ask.allocation.map(|allocation| allocation.node).or(to_come) else { continue };
                if !ask.rare.unlisted {
                    list(&app.id, &ask.id, node);
                }
            }
        }
        for node in partition.nodes.iter() {
            for left in node.left_behind.iter().filter(|left| left.listed) {
                list(&left.app, &left.ask, node.key);
            }
        }
        // `ends` contains counts, shifted by one slot; now it becomes the insert position of each slot.
        (1..ends.len()).for_each(|slot| ends[slot] += ends[slot - 1]);
        let mut names = vec![0; nodes.len()];
        for (name, node) in (0..).zip(&nodes) {
            let next = &mut ends[*node as usize];
            names[*next] = name;
            *next += 1;
        }
        let mut running = Self { text, starts, names: Vec::new(), ends };
        for slot in 0..slots {
            let own = running.range(slot);
            names[own].sort_by(|one, other| running.name(*one).cmp(running.name(*other)));
        }
        running.names = names;
        running
    }

    fn range(&self, slot: usize) -> Range<usize> {
        slot.checked_sub(1).map_or(0, |before| self.ends[before])..self.ends[slot]
    }

    fn name(&self, name: u32) -> &str {
        let at = name as usize;
        &self.text[self.starts[at]..self.starts[at + 1]]
    }

    fn on(&self, node: NodeKey) -> impl Iterator<Item = &str> {
        self.names[self.range(node.slot())].iter().map(|name| self.name(*name))
    }
}

fn nodes(json: &mut Json, out: &mut impl Write, partition: &Partition) -> io::Result<()> {
    let mut nodes: Vec<_> = partition.nodes.iter().collect();
    nodes.sort_by_key(|node| &node.id);
    let running = Running::of(partition);
    json.open_field("nodes", b'[');
    for node in nodes {
        json.open(b'{');
        json.text_field("node", node.id.as_str())?;
        json.flag_field("schedulable", node.schedulable);
        json.resource_field("capacity", &node.total)?;
        json.resource_field("allocated", &node.allocated)?;
        json.resource_field("occupied", &node.occupied)?;
        json.list_field("allocations", running.on(node.key))?;
        json.close(b'}');
        json.pass_on(out)?;
    }
    json.close(b']');
    Ok(())
}

/// The usage of users or groups, on paths where it is not zero.
fn usage<K: SlabKey>(
    json: &mut Json,
    list: &'static str,
    trackers: &Trackers<K>,
    partition: &Partition,
) -> io::Result<()> {
    json.open_field(list, b'[');
    for (_, tracker) in trackers.iter() {
        let in_use = tracker.levels().filter(|(_, usage)| usage.is_used());
        let paths = in_use.filter_map(|(key, usage)| partition.queues.get(key).map(|queue| (&queue.path, usage)));
        let mut paths: Vec<(&QueuePath, &QueueUsage)> = paths.collect();
        if paths.is_empty() {
            continue;
        }
        paths.sort_by_key(|(path, _)| path.as_str());
        json.open(b'{');
        json.text_field("name", &tracker.name)?;
        json.open_field("queues", b'[');
        for (path, usage) in paths {
            json.open(b'{');
            json.text_field("queue", path.as_str())?;
            json.resource_field("allocated", &usage.allocated)?;
            json.list_field("runningApps", usage.running.iter().map(AppId::as_str))?;
            json.close(b'}');
        }
        json.close(b']');
        json.close(b'}');
    }
    json.close(b']');
    Ok(())
}
