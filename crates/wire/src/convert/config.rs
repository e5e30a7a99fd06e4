//! The active configuration in YuniKorn's form, and configuration errors (`rest.md` 5.8, 5.9, E5).

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::dto;
use config::node::{FieldValue, Fields};
use config::yaml::{self, Node};
use config::{DEFAULT_CONFIG, Fault, Faults, Severity};
use model::Profile;
use view::act::FoundFault;

/// Converts `text` to YuniKorn's form after validation: without comments, with a root queue, and with a partition's
/// limits in its root. `None` before one is loaded.
pub fn config(loaded: Option<(&str, &str)>) -> dto::Config {
    let empty = dto::Config {
        deadlock_detection_enabled: Some(false),
        deadlock_timeout_seconds: Some(60),
        ..dto::Config::default()
    };
    let Some((text, checksum)) = loaded else { return empty };
    let written = Reader::read(text).or_else(|| Reader::read(DEFAULT_CONFIG));
    dto::Config { partitions: Some(written.unwrap_or_default()), checksum: checksum.to_owned(), ..empty }
}

/// Converts errors with their locations.
pub fn faults(faults: &[Fault]) -> Vec<dto::Fault> {
    faults.iter().map(FoundFault::from).map(fault).collect()
}

pub(super) fn fault(fault: FoundFault) -> dto::Fault {
    let FoundFault { code, severity, message, at, path, hint } = fault;
    let severity = Cow::Borrowed(if severity == Severity::Error { "error" } else { "warning" });
    dto::Fault { code, severity, message, line: at.line.into(), column: at.column.into(), path, hint }
}

/// Ignores errors, because at least a release accepts the text.
struct Reader {
    silent: Faults,
}

impl Reader {
    fn read(text: &str) -> Option<Vec<dto::PartitionConfig>> {
        // 1.8.0 accepts the most.
        let mut reader = Self { silent: Faults::new(Profile::V1_8_0) };
        let document = yaml::parse(text, &mut reader.silent)?;
        let fields = document.root()?.any_map("", "", &mut reader.silent)?;
        let partitions = reader.list(fields, "partitions");
        Some(partitions.into_iter().filter_map(|node| reader.partition(node)).collect())
    }

    fn fields<'d>(&mut self, node: Node<'d>) -> Option<Fields<'d>> {
        node.any_map("", "", &mut self.silent)
    }

    fn list<'d>(&mut self, fields: Fields<'d>, key: &str) -> Vec<Node<'d>> {
        fields.list(key, "", &mut self.silent).unwrap_or_default()
    }

    fn text(&mut self, fields: Fields<'_>, key: &str) -> String {
        fields.text(key, "", &mut self.silent).good().map(|text| text.value).unwrap_or_default()
    }

    fn flag(&mut self, fields: Fields<'_>, key: &str) -> Option<bool> {
        fields.bool(key, "", &mut self.silent).good().map(|flag| flag.value)
    }

    fn count(&mut self, fields: Fields<'_>, key: &str) -> u64 {
        fields.uint(key, "", &mut self.silent).good().map(|count| count.value).unwrap_or_default()
    }

    fn names(&mut self, fields: Fields<'_>, key: &str) -> Vec<String> {
        self.list(fields, key).into_iter().filter_map(Node::scalar).map(|scalar| scalar.text.to_owned()).collect()
    }

    fn texts(&mut self, fields: Fields<'_>, key: &str) -> BTreeMap<String, String> {
        let map = fields.get(key).and_then(|node| self.fields(node));
        let entries = map.into_iter().flatten().filter_map(|(key, node)| Some((key.text, node.scalar()?)));
        let text = |scalar: yaml::Scalar<'_>| if scalar.is_null() { String::new() } else { scalar.text.to_owned() };
        entries.map(|(key, scalar)| (key.to_owned(), text(scalar))).collect()
    }

    fn partition(&mut self, node: Node<'_>) -> Option<dto::PartitionConfig> {
        let fields = self.fields(node)?;
        let name = Some(self.text(fields, "name")).filter(|name| !name.is_empty());
        let mut root = self.root(fields);
        let mut limits = self.limits(fields);
        if root.limits.is_empty() {
            root.limits = std::mem::take(&mut limits);
        }
        let preemption = fields.get("preemption").and_then(|node| self.fields(node));
        let preemption = preemption.map(|preemption| dto::Preemption {
            enabled: self.flag(preemption, "enabled"),
            quota_preemption_enabled: self.flag(preemption, "quotapreemptionenabled"),
        });
        let rules = self.list(fields, "placementrules");
        let resolver = fields.get("usergroupresolver").and_then(|node| self.fields(node));
        let resolver = resolver.map(|fields| self.text(fields, "type")).unwrap_or_default();
        Some(dto::PartitionConfig {
            name: name.unwrap_or_else(|| "default".to_owned()),
            queues: vec![root],
            placement_rules: rules.into_iter().filter_map(|node| self.rule(node)).collect(),
            limits,
            preemption: preemption.unwrap_or_default(),
            node_sort_policy: self.node_sort(fields),
            user_group_resolver: Some(dto::UserGroupResolver { kind: resolver }),
        })
    }

    /// Adds the single queue `root` if it is not configured (CFG-015).
    fn root(&mut self, fields: Fields<'_>) -> dto::QueueConfig {
        let queues = self.list(fields, "queues");
        let mut queues: Vec<_> = queues.into_iter().filter_map(|node| self.queue(node)).collect();
        let written = queues.len() == 1 && queues[0].name.eq_ignore_ascii_case("root");
        let root = if written { queues.pop() } else { None };
        let inserted = || dto::QueueConfig { name: "root".to_owned(), queues, ..dto::QueueConfig::default() };
        dto::QueueConfig { parent: true, ..root.unwrap_or_else(inserted) }
    }

    fn queue(&mut self, node: Node<'_>) -> Option<dto::QueueConfig> {
        let fields = self.fields(node)?;
        let template = fields.get("childtemplate").and_then(|node| self.fields(node));
        let children = self.list(fields, "queues");
        Some(dto::QueueConfig {
            name: self.text(fields, "name"),
            parent: self.flag(fields, "parent").unwrap_or_default(),
            resources: self.resources(fields),
            max_applications: self.count(fields, "maxapplications"),
            properties: self.texts(fields, "properties"),
            admin_acl: self.text(fields, "adminacl"),
            submit_acl: self.text(fields, "submitacl"),
            child_template: template.map(|fields| self.template(fields)).unwrap_or_default(),
            queues: children.into_iter().filter_map(|node| self.queue(node)).collect(),
            limits: self.limits(fields),
        })
    }

    fn resources(&mut self, fields: Fields<'_>) -> dto::Resources {
        let Some(fields) = fields.get("resources").and_then(|node| self.fields(node)) else {
            return dto::Resources::default();
        };
        dto::Resources { guaranteed: self.texts(fields, "guaranteed"), max: self.texts(fields, "max") }
    }

    fn template(&mut self, fields: Fields<'_>) -> dto::ChildTemplate {
        dto::ChildTemplate {
            max_applications: self.count(fields, "maxapplications"),
            properties: self.texts(fields, "properties"),
            resources: self.resources(fields),
        }
    }

    fn limits(&mut self, fields: Fields<'_>) -> Vec<dto::Limit> {
        let nodes = self.list(fields, "limits");
        let mut limits = Vec::with_capacity(nodes.len());
        for fields in nodes.into_iter().filter_map(|node| node.any_map("", "", &mut Faults::default())) {
            limits.push(dto::Limit {
                limit: self.text(fields, "limit"),
                users: self.names(fields, "users"),
                groups: self.names(fields, "groups"),
                max_resources: self.texts(fields, "maxresources"),
                max_applications: self.count(fields, "maxapplications"),
            });
        }
        limits
    }

    fn rule(&mut self, node: Node<'_>) -> Option<dto::Rule> {
        let Some(fields) = self.fields(node) else { return short_rule(node) };
        let filter = fields.get("filter").and_then(|node| self.fields(node));
        let filter = filter.map(|fields| dto::Filter {
            kind: self.text(fields, "type"),
            users: self.names(fields, "users"),
            groups: self.names(fields, "groups"),
        });
        let parent = fields.get("parent").and_then(|node| match node.is_list() {
            true => node.list("", "", &mut self.silent)?.first().copied(),
            false => Some(node),
        });
        Some(dto::Rule {
            name: self.text(fields, "name"),
            create: self.flag(fields, "create").unwrap_or_default(),
            filter: filter.unwrap_or_default(),
            parent: parent.and_then(|node| self.rule(node)).map(Box::new),
            value: self.text(fields, "value"),
        })
    }

    fn node_sort(&mut self, fields: Fields<'_>) -> dto::NodeSortPolicy {
        let Some(node) = fields.get("nodesortpolicy") else { return dto::NodeSortPolicy::default() };
        let Some(fields) = self.fields(node) else {
            let kind = node.scalar().map(|scalar| scalar.text.to_owned()).unwrap_or_default();
            return dto::NodeSortPolicy { kind, ..dto::NodeSortPolicy::default() };
        };
        let weights = fields.get("resourceweights").and_then(|node| self.fields(node));
        let weight =
            |(key, node): (config::node::MapKey<'_>, Node<'_>)| match node.float("", "", "", &mut Faults::default()) {
                FieldValue::Value(weight) => Some((key.text.to_owned(), weight.value)),
                _ => None,
            };
        dto::NodeSortPolicy {
            kind: self.text(fields, "type"),
            resource_weights: weights.into_iter().flatten().filter_map(weight).collect(),
        }
    }
}

/// A parent rule in text form: a queue, or the name of a rule (PLC-013).
fn short_rule(node: Node<'_>) -> Option<dto::Rule> {
    let text = node.scalar()?.text;
    let lower = text.to_lowercase();
    Some(if lower == "root" || lower.starts_with("root.") {
        dto::Rule { name: "fixed".to_owned(), value: text.to_owned(), ..dto::Rule::default() }
    } else {
        dto::Rule { name: text.to_owned(), ..dto::Rule::default() }
    })
}
