//! Decodes a YAML tree (`scenario.md`, File and Steps).

use std::fmt::Write as _;
use std::sync::Arc;

use super::file::{ConfigSource, Cycles, EmbeddedText, Scenario, ScenarioStep, StepKind};
use super::value::{Values, duration, id, number};
use config::Faults;
use config::input::TableCommand;
use config::node::{Fields, MapKey, unknown_key};
use config::yaml::{Document, Node};
use model::{AppId, AskId, Identity, NodeId, Priority, QueuePath};
use scheduler::{AskSpec, GangStyle, NodeSpec, PartitionCommand, Submission};

const FILE: [&str; 6] = ["version", "name", "description", "config", "configFile", "steps"];
const STEPS: [&str; 16] = [
    "node",
    "updateNode",
    "removeNode",
    "drainNode",
    "resumeNode",
    "submit",
    "ask",
    "schedule",
    "release",
    "remove",
    "kill",
    "move",
    "config",
    "clean",
    "advance",
    "snapshot",
];
const SUBMIT: [&str; 10] =
    ["app", "queue", "user", "groups", "tags", "type", "gangStyle", "placeholderTimeout", "placeholder", "taskGroups"];
const ASK: [&str; 11] = [
    "app",
    "id",
    "resource",
    "priority",
    "count",
    "requiredNode",
    "allowPreemptSelf",
    "allowPreemptOther",
    "placeholder",
    "taskGroup",
    "tags",
];
use scheduler::placement::TYPE_TAG;
const MOST_ASKS: i64 = 1_000_000;
const HINT: &str = "start with `version: 1`, `config:`, and `steps:`";

/// Decodes a file (SCN-002). `None` if it is not a map.
pub(super) fn scenario(document: &Document, text: &str, faults: &mut Faults) -> Option<Scenario> {
    let Some(root) = document.root().filter(|root| !root.is_null()) else {
        faults.error("SCN-002", Default::default(), "", "the file is empty", HINT);
        return None;
    };
    if !root.is_map() {
        let (message, hint) = match TableCommand::of(text) {
            Some(command) => (format!("the file is a table of `{}`", command.name()), command.remedy()),
            None => (format!("the file is {}, not a map", root.kind()), HINT),
        };
        faults.error("SCN-002", root.at(), "", message, hint);
        return None;
    }
    if let Some(kind) = object_kind(root) {
        let message = format!("the file is a Kubernetes object ({kind}), not a scenario");
        faults.error("SCN-002", root.at(), "", message, "use `kornsole run --from-manifests FILE`");
        return None;
    }
    let fields = root.map("the file", &FILE, "", faults)?;
    if let Some(version) = fields.get("version")
        && version.scalar().is_none_or(|scalar| scalar.text != "1")
    {
        let written = version.scalar().map_or(version.kind().to_owned(), |scalar| scalar.text.to_string());
        faults.error("SCN-010", version.at(), "", format!("invalid `version` {written}"), "write `version: 1`");
    }
    let config = config_source(fields, faults);
    let nodes = fields.get("steps").and_then(|node| node.items("steps", "", faults)).unwrap_or_default();
    let mut path = String::new();
    let steps = nodes.into_iter().enumerate().filter_map(|(index, node)| {
        path.clear();
        let _written = write!(path, "steps[{index}]");
        step(&mut path, node, faults)
    });
    let steps = steps.collect();
    let mut texts = Values { fields, path: "".into(), faults };
    Some(Scenario { name: texts.optional_text("name"), description: texts.optional_text("description"), config, steps })
}

/// `None` if it is not a Kubernetes object.
fn object_kind<'d>(root: Node<'d>) -> Option<&'d str> {
    let fields = root.any_map("", "", &mut Faults::default())?;
    fields.get("apiVersion")?;
    Some(fields.get("kind")?.scalar()?.text)
}

fn config_source(fields: Fields<'_>, faults: &mut Faults) -> Option<ConfigSource> {
    let (text, file) = (fields.get("config"), fields.get("configFile"));
    if let (Some(_), Some(file)) = (text, file) {
        let hint = "keep one of them";
        faults.error("SCN-011", file.at(), "", "both `config` and `configFile` are given", hint);
    }
    if let Some(node) = text {
        return embedded(node, "", faults).map(ConfigSource::Text);
    }
    let file = file?;
    Some(ConfigSource::File { path: id(file, "configFile", "", faults).to_owned(), at: file.at() })
}

fn embedded(node: Node<'_>, path: &str, faults: &mut Faults) -> Option<EmbeddedText> {
    let scalar = node.scalar();
    if scalar.is_none() {
        node.wrong_type("config", "a text (a block after `|`)", path, faults);
    }
    scalar.map(EmbeddedText::new)
}

fn step(path: &mut String, node: Node<'_>, faults: &mut Faults) -> Option<ScenarioStep> {
    let Some(fields) = node.any_map("a step", path, faults) else {
        if node.is_null() {
            faults.error("SCN-020", node.at(), path, "a step without a key", step_hint());
        }
        return None;
    };
    let mut kinds = fields.into_iter();
    let Some((key, value)) = kinds.next() else {
        faults.error("SCN-020", node.at(), path, "a step without a key", step_hint());
        return None;
    };
    for (second, _) in kinds {
        if STEPS.contains(&second.text) {
            let message = format!("this step has a second key, `{}`, in addition to `{}`", second.text, key.text);
            faults.error("SCN-020", second.at, path, message, "each step has one key: start a new step with `- `");
        } else {
            unknown_key(second.text, second.at, "a step", &STEPS, path, faults);
        }
    }
    path.push('.');
    path.push_str(key.text);
    let kind = kind(key, value, path, faults)?;
    Some(ScenarioStep { at: node.at(), kind })
}

fn step_hint() -> String {
    format!("write one of: {}", STEPS.join(", "))
}

fn kind(key: MapKey<'_>, node: Node<'_>, path: &str, faults: &mut Faults) -> Option<StepKind> {
    let known: &[&str] = match key.text {
        "node" => &["id", "capacity", "attributes"],
        "updateNode" => &["id", "capacity"],
        "submit" => &SUBMIT,
        "ask" => &ASK,
        "release" => &["app", "id"],
        "remove" => &["app"],
        "kill" => &["app", "as"],
        "move" => &["app", "to", "as"],
        text if STEPS.contains(&text) => return simple_kind(key, node, path, faults),
        text => {
            unknown_key(text, key.at, "a step", &STEPS, path, faults);
            return None;
        }
    };
    if node.is_null() {
        let message = format!("`{}` is empty", key.text);
        faults.error("SCN-021", key.at, path, message, format!("valid keys: {}", known.join(", ")));
        return None;
    }
    let fields = node.map(key.text, known, path, faults)?;
    let values = &mut Values { fields, path: path.into(), faults };
    Some(StepKind::Command(match key.text {
        "node" => PartitionCommand::AddNode(NodeSpec {
            id: NodeId::from(values.id("id")),
            capacity: values.resource("capacity"),
            attributes: values.texts("attributes"),
            ..NodeSpec::default()
        }),
        "updateNode" => PartitionCommand::UpdateNode {
            id: NodeId::from(values.id("id")),
            capacity: Some(values.resource("capacity")),
            occupied: None,
        },
        "submit" => PartitionCommand::Submit(submission(values)),
        "ask" => PartitionCommand::Ask(ask(values)),
        "release" => {
            PartitionCommand::Release { app: AppId::from(values.id("app")), ask: AskId::from(values.id("id")) }
        }
        "remove" => PartitionCommand::Remove { app: AppId::from(values.id("app")) },
        "kill" => PartitionCommand::Kill { app: AppId::from(values.id("app")), by: who(values), reason: String::new() },
        _ => PartitionCommand::Move {
            app: AppId::from(values.id("app")),
            to: QueuePath::new(values.id("to")),
            by: who(values),
        },
    }))
}

/// Decodes the steps whose value is not a map.
fn simple_kind(key: MapKey<'_>, node: Node<'_>, path: &str, faults: &mut Faults) -> Option<StepKind> {
    let command = |command| Some(StepKind::Command(command));
    let name = key.text;
    match name {
        "removeNode" => command(PartitionCommand::RemoveNode(NodeId::from(id(node, name, path, faults)))),
        "drainNode" => command(PartitionCommand::DrainNode(NodeId::from(id(node, name, path, faults)))),
        "resumeNode" => command(PartitionCommand::ResumeNode(NodeId::from(id(node, name, path, faults)))),
        "schedule" => match node.scalar() {
            Some(scalar) if scalar.text == "idle" => Some(StepKind::Schedule(Cycles::Idle)),
            _ => {
                let cycles = number(node, "schedule", 0, i64::from(Cycles::MOST), path, faults)?;
                Some(StepKind::Schedule(Cycles::Count(u32::try_from(cycles).unwrap_or(Cycles::MOST))))
            }
        },
        "config" => embedded(node, path, faults).map(StepKind::Config),
        "clean" => {
            if !node.bool("clean", path, faults).good()?.value {
                faults.error("SCN-023", node.at(), path, "`clean` is false", "write `clean: true`, or remove it");
            }
            Some(StepKind::Clean)
        }
        "advance" => duration(node, "advance", path, faults).map(StepKind::Advance),
        _ => Some(StepKind::Snapshot(node.text("snapshot", path, faults).good()?.value)),
    }
}

fn submission(values: &mut Values<'_, '_>) -> Submission {
    let app = AppId::from(values.id("app"));
    let queue = values.optional_text("queue");
    let who = values.identity();
    let mut tags = values.texts("tags");
    let app_type = values.optional_text("type");
    if !app_type.is_empty() {
        tags.entry(TYPE_TAG.to_owned()).or_insert(app_type);
    }
    let styles = [("Soft", GangStyle::Soft), ("Hard", GangStyle::Hard)];
    let task_groups = values.task_groups();
    Submission {
        app,
        queue,
        who,
        tags,
        gang_style: values.word("gangStyle", &styles).unwrap_or_default(),
        placeholder_timeout: values.duration("placeholderTimeout"),
        placeholder_ask: values.optional_resource("placeholder").unwrap_or(task_groups),
        created: None,
    }
}

fn ask(values: &mut Values<'_, '_>) -> AskSpec {
    let priority = values.number("priority", i64::from(i32::MIN), i64::from(i32::MAX), 0);
    let count = values.number("count", 1, MOST_ASKS, 1);
    AskSpec {
        app: AppId::from(values.id("app")),
        id: AskId::from(values.id("id")),
        count: u32::try_from(count).unwrap_or(1),
        resource: values.resource("resource"),
        priority: Priority(i32::try_from(priority).unwrap_or(0)),
        required_node: values.optional_id("requiredNode").map(NodeId::from),
        allow_preempt_self: values.flag("allowPreemptSelf"),
        allow_preempt_other: values.flag("allowPreemptOther"),
        originator: false,
        placeholder: values.flag("placeholder"),
        task_group: values.optional_id("taskGroup").map(Arc::from),
        tags: values.texts("tags").into(),
        created: None,
        limit: None,
    }
}

fn who(values: &mut Values<'_, '_>) -> Identity {
    values.inner("as", &["user", "groups"]).map(|mut inner| inner.identity()).unwrap_or_default()
}
