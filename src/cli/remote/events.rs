//! `kornsole events`: past and new events.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::{Value, json};

use super::{Ended, ServerArgs, exit, print};
use console::present::text::escape;
use model::Tags;
use source::remote::follow::EventMessage;
use source::remote::once::Once;
use view::record::{ChangeDetail, ChangeType, ObjectType};
use wire::dto::{EventRecord, json::to_bytes};

/// The minimum interval between two requests for pods.
const AGAIN: Duration = Duration::from_secs(5);

/// The arguments of `kornsole events`.
#[derive(Args, Clone, Debug)]
pub struct EventsArgs {
    /// The server to call
    #[command(flatten)]
    pub server: ServerArgs,
    /// Maximum number of past events; kornsole shows the latest
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub last: usize,
    /// Only events of this queue, application, node, user, request, or pod (NAMESPACE/NAME)
    #[arg(long, value_name = "NAME")]
    pub object: Option<String>,
    /// Follow new events
    #[arg(long)]
    pub watch: bool,
}

/// Prints events, one per line: a table row, or JSON with the keys of the REST API and the `id`.
pub fn events(args: &EventsArgs) -> ExitCode {
    exit(run(args))
}

fn run(args: &EventsArgs) -> Result<(), Ended> {
    let mut once = args.server.connect()?;
    let mut pods = PodNames::of(&mut once, !args.server.client.json || args.object.is_some());
    let mut last: Vec<String> = Vec::new();
    let mut next = 0;
    let mut restarted = false;
    // The past first, because only its newest events are printed.
    once.events(None, |message| {
        if let EventMessage::Events(first, _) = &message {
            next = first + count(&message);
        }
        last.extend(lines_of(args, &pods, &message));
        let too_many = last.len().saturating_sub(args.last);
        last.drain(..too_many);
        ControlFlow::Continue(())
    })?;
    if !print(&last.concat())? || !args.watch {
        return Ok(());
    }
    let mut ended: Result<(), Ended> = Ok(());
    once.events(Some(Duration::from_secs(1)), |message| {
        restarted |= message == EventMessage::Restarted;
        // The follower repeats the past, which is already printed.
        let message = if restarted { Some(message) } else { behind(message, next) };
        let text: String = message
            .map(|message| {
                // A request while a response is read needs its own thread.
                std::thread::scope(|scope| drop(scope.spawn(|| pods.learn(&once, &message)).join()));
                lines_of(args, &pods, &message).concat()
            })
            .unwrap_or_default();
        match print(&text) {
            Ok(true) => ControlFlow::Continue(()),
            Ok(false) => ControlFlow::Break(()),
            Err(error) => {
                ended = Err(error);
                ControlFlow::Break(())
            }
        }
    })?;
    ended
}

fn count(message: &EventMessage) -> u64 {
    match message {
        EventMessage::Events(_, records) => records.len() as u64,
        EventMessage::Gap(..) | EventMessage::Restarted | EventMessage::Current(..) => 0,
    }
}

/// The part of a message with numbers from `next` on.
fn behind(message: EventMessage, next: u64) -> Option<EventMessage> {
    match message {
        EventMessage::Events(first, records) => {
            let skip = usize::try_from(next.saturating_sub(first)).unwrap_or(usize::MAX);
            let rest: Vec<EventRecord> = records.into_iter().skip(skip).collect();
            (!rest.is_empty()).then(|| EventMessage::Events(first.max(next), rest))
        }
        other => Some(other),
    }
}

fn lines_of(args: &EventsArgs, pods: &PodNames, message: &EventMessage) -> Vec<String> {
    let json = args.server.client.json;
    let line = |value: Value| String::from_utf8_lossy(&to_bytes(&value)).into_owned();
    match message {
        EventMessage::Events(first, records) => {
            let numbered = (*first..).zip(records);
            let about = |record: &EventRecord| match &args.object {
                Some(name) => [&record.object_id, &record.reference_id]
                    .into_iter()
                    .any(|id| id == name || pods.names.get(id) == Some(name)),
                None => true,
            };
            let wanted = numbered.filter(|(_, record)| about(record));
            wanted.map(|(id, record)| if json { line(as_json(id, record)) } else { as_row(id, record, pods) }).collect()
        }
        EventMessage::Gap(from, to) if json => vec![line(json!({"gap": {"from": from, "to": to}}))],
        EventMessage::Gap(from, to) => vec![format!("-- events {from} to {to} are lost\n")],
        EventMessage::Current(..) => Vec::new(),
        EventMessage::Restarted if json => vec![line(json!({"restarted": true}))],
        EventMessage::Restarted => vec!["-- the scheduler was restarted\n".to_owned()],
    }
}

fn as_json(id: u64, record: &EventRecord) -> Value {
    let mut value = serde_json::to_value(record).unwrap_or_default();
    if let Some(map) = value.as_object_mut() {
        map.insert("id".to_owned(), json!(id));
    }
    value
}

fn as_row(id: u64, record: &EventRecord, pods: &PodNames) -> String {
    let number = |number: i32| u32::try_from(number).unwrap_or_default();
    let kind = ObjectType(number(record.kind)).to_string();
    let (change, detail) =
        (ChangeType(number(record.event_change_type)), ChangeDetail(number(record.event_change_detail)));
    let change = if change == ChangeType::NONE { "-".to_owned() } else { change.to_string() };
    let at = wire::dto::time::rfc3339(record.timestamp_nano / 1_000_000 * 1_000_000);
    let (object, reference) = (pods.name(&record.object_id), pods.name(&record.reference_id));
    let parts = [object, reference, &record.message].map(|part| escape(part).into_owned());
    let line = format!("{id:>8}  {at:<24}  {kind:<11}  {change:<6}  {detail:<20}  {}", parts.join("  "));
    format!("{}\n", line.trim_end())
}

/// The pods of request IDs, as `namespace/name`, in a Kubernetes cluster.
struct PodNames {
    names: HashMap<String, String>,
    partitions: Vec<Arc<str>>,
    asked: Instant,
}

impl PodNames {
    /// Fetches the pods of active and ended applications. JSON has the IDs, so it needs pods only for a filter.
    fn of(once: &mut Once, wanted: bool) -> Self {
        let mut pods = Self { names: HashMap::new(), partitions: Vec::new(), asked: Instant::now() };
        if wanted && let Ok(view) = once.look(&[]) {
            pods.partitions = view.partitions.iter().map(|part| Arc::clone(&part.name)).collect();
            pods.ask(once);
        }
        pods
    }

    /// Fetches the pods again if an event names an unknown request, but not often.
    fn learn(&mut self, once: &Once, message: &EventMessage) {
        let EventMessage::Events(_, records) = message else { return };
        let is_new = |record: &EventRecord| {
            ObjectType(u32::try_from(record.kind).unwrap_or_default()) == ObjectType::REQUEST
                && !self.names.contains_key(&record.object_id)
        };
        if self.asked.elapsed() >= AGAIN && records.iter().any(is_new) {
            self.ask(once);
        }
    }

    fn ask(&mut self, once: &Once) {
        self.asked = Instant::now();
        self.names.clear();
        for partition in &self.partitions {
            for app in once.applications(partition, true).unwrap_or_default() {
                let asks = app.requests.into_iter().map(|ask| (ask.allocation_key, ask.allocation_tags));
                let all = asks.chain(app.allocations.into_iter().map(|one| (one.allocation_key, one.allocation_tags)));
                self.names.extend(all.filter_map(|(key, tags)| Some((key, Tags::from(tags).pod()?))));
            }
        }
    }

    /// The pod of a request, or the ID.
    fn name<'s>(&'s self, id: &'s str) -> &'s str {
        self.names.get(id).map_or(id, String::as_str)
    }
}
