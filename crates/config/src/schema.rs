//! A JSON Schema (draft 2020-12) for editors. `kornsole check` covers the rest of the rules.
//!
//! Known limit: a schema sees YAML 1.2, so it accepts `1e3` and `0x10`, which the reader rejects as quantities.

#[cfg(test)]
mod tests;
#[cfg(test)]
mod validator;

use serde_json::{Map, Value, json};

use super::decode;
use super::properties::PropertyKey;
use super::release_keys::unobeyed_keys;
use super::values::{FilterType, NodeSortPolicy, RuleKind, RuleValue, boolean};
use model::{AllowedValue, Profile};

/// The schema of a profile. Whatever the reader accepts without an error fits it.
pub fn schema(profile: Profile) -> Value {
    let schema = Schema { own: profile == Profile::Kornsole, profile };
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "YuniKorn queue configuration",
        "description": format!("Partitions, queues, limits and placement rules, as the profile {profile} reads them."),
        "$ref": "#/$defs/file",
        "$defs": {
            "file": schema.file(),
            "partition": schema.partition(),
            "queue": schema.queue(),
            "resources": schema.resources(),
            "amounts": amounts(),
            "properties": schema.properties(),
            "limit": schema.limit(),
            "childtemplate": schema.template(),
            "rule": schema.rule(),
            "filter": schema.filter(),
        },
    })
}

struct Schema {
    own: bool,
    profile: Profile,
}

impl Schema {
    fn file(&self) -> Value {
        let mut file = object(&decode::FILE, |key| match key {
            "partitions" => {
                let mut list = list("partition");
                if self.own {
                    list["type"] = json!("array");
                    list["minItems"] = json!(1);
                }
                described(list, "The partitions: parts of the cluster with queues, users and nodes of their own.")
            }
            "checksum" => described(text(), "The checksum of a text; ignored."),
            _ => Value::Null,
        });
        if self.own {
            file["required"] = json!(["partitions"]);
        }
        file
    }

    fn partition(&self) -> Value {
        let newer = self.profile.is_since_1_8();
        let mut partition = object(&decode::PARTITION, |key| match key {
            "name" => {
                let name = if self.own { matching(r"^[^\s/\[\]\x00-\x1f\x7f]*$") } else { text() };
                described(name, "The name. Default: `default`.")
            }
            "queues" => {
                let queues = json!({ "type": "array", "items": reference("queue") });
                described(
                    queues,
                    "The queue tree. If it does not have a single queue `root`, a root is added as the parent.",
                )
            }
            "placementrules" => described(
                list("rule"),
                "The rules that select the queue of an application, in the order in which \
                    they are tried.",
            ),
            "limits" => {
                described(list("limit"), "Limits of users and groups in the whole partition, as on the root queue.")
            }
            "nodesortpolicy" => described(self.node_sort(), "The order in which nodes are tried."),
            "preemption" => {
                let preemption = object(decode::preemption_keys(self.profile), |key| match key {
                    "enabled" => {
                        described(self.flag(), "Whether preemption is enabled in this partition. Default: true.")
                    }
                    "quotapreemptionenabled" => {
                        described(self.flag(), "Whether a lowered maximum preempts running allocations.")
                    }
                    _ => Value::Null,
                });
                described(preemption, "Preemption in the whole partition.")
            }
            _ => Value::Null,
        });
        if self.own {
            let mut dump = described(json!({}), "Has no effect: remove it.");
            dump["deprecated"] = json!(true);
            partition["properties"]["statedumpfilepath"] = dump;
        }
        if newer {
            let resolver = object(&decode::RESOLVER, |_| described(text(), "`os`, `ldap`, `test`, or nothing."));
            partition["properties"]["usergroupresolver"] = described(resolver, "The source of the groups of a user.");
        }
        partition["required"] = json!(["queues"]);
        partition
    }

    fn queue(&self) -> Value {
        let acl = || if self.own { matching("^[^ ]* ?[^ ]*$") } else { text() };
        let symbols = if self.profile.is_since_1_8() { ":#/@" } else { "" };
        let mut queue = object(&decode::QUEUE, |key| match key {
            "name" => {
                let name = json!({
                    "type": ["string", "integer", "boolean"],
                    "pattern": format!("^[a-zA-Z0-9_{symbols}-]{{1,64}}$"),
                });
                described(name, "The name, 1 to 64 of a-z A-Z 0-9 _ -; its case does not matter.")
            }
            "parent" => described(self.flag(), "Makes a queue without children a parent queue."),
            "queues" => described(list("queue"), "The child queues."),
            "maxapplications" => {
                described(self.count(), "The maximum number of running applications in this queue and its children.")
            }
            "properties" => reference("properties"),
            "adminacl" => {
                described(acl(), "Who may change the queue and kill applications: `user,user group,group`, or `*`.")
            }
            "submitacl" => described(acl(), "Who may submit applications: `user,user group,group`, or `*`."),
            "resources" => reference("resources"),
            "limits" => described(list("limit"), "Limits of users and groups in this queue and its subtree."),
            "childtemplate" => reference("childtemplate"),
            _ => Value::Null,
        });
        queue["required"] = json!(["name"]);
        queue
    }

    fn resources(&self) -> Value {
        let resources = object(&decode::RESOURCES, |key| match key {
            "guaranteed" => described(
                reference("amounts"),
                "The resources that the queue gets before other queues get more than their share.",
            ),
            "max" => {
                described(reference("amounts"), "The maximum that the queue and its children can use; 0 means none.")
            }
            _ => Value::Null,
        });
        described(resources, "Quantities by resource name. Not for root, which has the size of the cluster.")
    }

    fn limit(&self) -> Value {
        let symbols = if self.profile.is_since_1_8() { "#/" } else { "" };
        let user = format!("^([*]|[_a-zA-Z][a-zA-Z0-9:_.@{symbols}-]*[$]?)$");
        let mut limit = object(&decode::LIMIT, |key| match key {
            "limit" => described(text(), "A description, without effect."),
            "users" => described(names(&user), "User names, or `*` alone for all other users."),
            "groups" => described(
                names("^([*]|[_a-zA-Z][a-zA-Z0-9:_.-]*)$"),
                "Group names, or `*` alone for all other groups. The first match applies to a user.",
            ),
            "maxapplications" => {
                described(self.count(), "The maximum number of running applications, per user or per group.")
            }
            "maxresources" => described(reference("amounts"), "The maximum resources in use, per user or per group."),
            _ => Value::Null,
        });
        let some = |key: &str, shape: Value| json!({ "properties": { key: shape }, "required": [key] });
        let named = json!({ "type": "array", "minItems": 1 });
        limit["allOf"] = json!([
            { "anyOf": [some("users", named.clone()), some("groups", named), { "type": "null" }] },
            { "anyOf": [
                some("maxapplications", json!({ "type": "number" })),
                some("maxresources", json!({ "type": "object", "minProperties": 1 })),
                { "type": "null" },
            ] },
        ]);
        described(limit, "A limit: users and groups, and the most that each of them can use.")
    }

    fn template(&self) -> Value {
        let template = object(&decode::TEMPLATE, |key| match key {
            "maxapplications" => {
                described(self.count(), "The maximum number of running applications in a dynamic queue.")
            }
            "properties" => reference("properties"),
            "resources" if self.own => reference("resources"),
            "resources" => described(json!({}), "The resources of a dynamic queue."),
            _ => Value::Null,
        });
        described(template, "The initial settings of a queue that a placement rule creates in this queue.")
    }

    fn properties(&self) -> Value {
        let mut known = Map::new();
        let rows = PropertyKey::VALUES.iter().zip(PropertyKey::ALLOWED);
        for (key, row) in rows.filter(|(_, row)| row.is_read_by(self.profile)) {
            let values = self.names_of(key.allowed());
            // Other values cause only a warning.
            let value = if values.is_empty() { text() } else { json!({ "anyOf": [{ "enum": values }, text()] }) };
            known.insert(row.name.to_owned(), described(value, row.effect));
        }
        known.extend(unobeyed_keys(self.profile).map(|key| (key.to_owned(), text())));
        let properties = json!({ "type": ["object", "null"], "properties": known, "additionalProperties": text() });
        described(
            properties,
            "Settings by name. Child queues inherit most of them; unknown names are stored and shown.",
        )
    }

    fn rule(&self) -> Value {
        let name = if self.own {
            let names = RuleKind::spellings(self.profile);
            let pattern = format!("^({})$", any_case_of(names.iter().copied()));
            // The first is offered, the second is accepted.
            json!({ "anyOf": [{ "enum": names }, { "type": "string", "pattern": pattern }] })
        } else {
            json!({ "type": ["string", "boolean"], "pattern": "^[_a-zA-Z][a-zA-Z0-9_]*$" })
        };
        let mut rule = object(&decode::RULE, |key| match key {
            "name" => described(name.clone(), "Which rule."),
            "create" => described(self.flag(), "Whether the rule can create a queue that does not exist."),
            "filter" => reference("filter"),
            "parent" if self.own => {
                let one = json!({ "type": "array", "items": reference("rule"), "maxItems": 1 });
                let parent = json!({ "anyOf": [reference("rule"), text(), one] });
                described(parent, "The rule that selects the parent queue; or its name, or a full path.")
            }
            "parent" => described(reference("rule"), "The rule that selects the parent queue."),
            "value" => described(text(), "The queue of a `fixed` rule, the tag of a `tag` rule."),
            _ => Value::Null,
        });
        rule["required"] = json!(["name"]);
        if self.own {
            let valued = RuleKind::VALUES.iter().filter(|kind| kind.value() != RuleValue::Unused);
            let valued = format!("^({})$", any_case_of(valued.map(|kind| kind.name())));
            let valued = json!({ "properties": { "name": { "pattern": valued } } });
            rule["if"] = json!({ "allOf": [valued, { "type": "object" }] });
            rule["then"] =
                json!({ "required": ["value"], "properties": { "value": { "not": { "enum": ["", null] } } } });
        }
        described(rule, "A placement rule.")
    }

    fn filter(&self) -> Value {
        let filter = object(&decode::FILTER, |key| match key {
            "type" => {
                let types = self.names_of(FilterType::ALLOWED);
                let pattern = format!("^({}|)$", any_case_of(types.iter().copied()));
                let text = json!({ "type": ["string", "null"], "pattern": pattern });
                described(
                    json!({ "anyOf": [{ "enum": types }, text] }),
                    "Whether the rule applies to users who match, or to all others.",
                )
            }
            "users" => described(names_or_expression(), "User names, or one regular expression."),
            "groups" => described(names_or_expression(), "Group names, or one regular expression."),
            _ => Value::Null,
        });
        described(filter, "The users and groups that the rule applies to.")
    }

    fn node_sort(&self) -> Value {
        let policies = self.names_of(NodeSortPolicy::ALLOWED);
        let kind = || {
            let policies = policies.iter().map(|name| json!(name));
            json!({ "enum": policies.chain([json!(""), Value::Null]).collect::<Vec<_>>() })
        };
        let map = object(&decode::NODE_SORT, |key| match key {
            "type" => described(kind(), "`fair`: the least used node first; `binpacking`: the most used node first."),
            "resourceweights" => {
                let weight = json!({ "type": ["number", "null"], "minimum": 0 });
                let weights = json!({ "type": ["object", "null"], "additionalProperties": weight });
                described(weights, "The weight of each resource; unlisted names have no weight.")
            }
            _ => Value::Null,
        });
        if self.own { json!({ "anyOf": [map, kind()] }) } else { map }
    }

    fn names_of(&self, allowed: &[AllowedValue]) -> Vec<&'static str> {
        allowed.iter().filter(|value| value.is_read_by(self.profile)).map(|value| value.name).collect()
    }

    /// CFG-006; the releases also accept the words of YAML 1.1.
    fn flag(&self) -> Value {
        let bool = json!({ "type": ["boolean", "null"] });
        if self.own {
            return bool;
        }
        let words: Vec<&str> = boolean::yaml_1_1_words().collect();
        json!({ "anyOf": [bool, { "enum": words }] })
    }

    /// CFG-007, CFG-055; in the releases 0 means unlimited, and floats are truncated.
    fn count(&self) -> Value {
        if self.own {
            json!({ "type": ["integer", "null"], "minimum": 1, "maximum": u64::MAX })
        } else {
            json!({ "type": ["number", "null"], "minimum": 0, "maximum": 18_446_744_073_709_551_616.0 })
        }
    }
}

/// Known keys, or null. A key without a shape is omitted.
fn object(known: &[&str], shape: impl Fn(&str) -> Value) -> Value {
    let properties: Map<String, Value> =
        known.iter().map(|key| ((*key).to_owned(), shape(key))).filter(|(_, shape)| !shape.is_null()).collect();
    json!({ "type": ["object", "null"], "properties": properties, "additionalProperties": false })
}

fn described(mut shape: Value, description: &str) -> Value {
    shape["description"] = json!(description);
    shape
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/$defs/{name}") })
}

fn list(of: &str) -> Value {
    json!({ "type": ["array", "null"], "items": reference(of) })
}

fn text() -> Value {
    json!({ "type": ["string", "number", "boolean", "null"] })
}

fn matching(pattern: &str) -> Value {
    json!({ "type": ["string", "number", "boolean", "null"], "pattern": pattern })
}

fn names(pattern: &str) -> Value {
    json!({ "type": ["array", "null"], "items": { "type": ["string", "boolean", "null"], "pattern": pattern } })
}

fn names_or_expression() -> Value {
    json!({ "type": ["array", "null"], "items": text() })
}

/// CFG-020 to CFG-022.
fn amounts() -> Value {
    let quantity = |more: &str, largest: i64| {
        json!({
            "type": ["string", "integer"],
            "pattern": format!(r"^\s*[0-9]+\s*(k|Ki|[MGTPE]i?{more})?\s*$"),
            "minimum": 0,
            "maximum": largest,
        })
    };
    let vcore = described(quantity("|m", i64::MAX / 1000), "Cores: 2, 1500m, 4k.");
    let memory = described(quantity("", i64::MAX), "Bytes: 500M, 10G, 4Gi.");
    json!({
        "type": ["object", "null"],
        "properties": { "vcore": vcore, "memory": memory },
        "additionalProperties": quantity("", i64::MAX),
        "description": "Quantities by resource name, with k M G T P E or Ki Mi Gi Ti Pi Ei.",
    })
}

fn any_case_of<'w>(words: impl Iterator<Item = &'w str>) -> String {
    words.map(any_case).collect::<Vec<_>>().join("|")
}

fn any_case(word: &str) -> String {
    word.chars().map(|c| format!("[{}{}]", c, c.to_ascii_uppercase())).collect()
}
