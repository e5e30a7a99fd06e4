//! Rules, and the queues that they create, as text without a submission.

use config::{Place, TemplateConfig};
use model::quantity::show_amount;
use model::{QueuePath, Resource, VCORE};

use super::decide::Placed;
use super::filter::{Filter, Names};
use super::rules::Rules;
use super::trace::RuleRef;
use super::tree::{QueueTree, ancestors};
use super::words::{joined, kind_name, rule_words};

/// A rule of a list, or one of its parents, for columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleLine {
    /// The rule of the list.
    pub rule: RuleRef,
    /// 0 for the rule itself, 1 for its parent, and so on.
    pub depth: usize,
    /// The rule with its number: `2 user, create`; of a parent `parent: fixed`.
    pub head: String,
    /// The queue of a `fixed` rule.
    pub value: String,
    /// Its filter: `allow users sue, bob`; empty if all users pass.
    pub filter: String,
    /// The location in the configuration.
    pub at: Place,
}

/// The template of a created leaf, with the queue that defines it.
pub type Template<'a> = (&'a QueuePath, &'a TemplateConfig);

impl Rules {
    /// Lists each rule followed by its parents, then the rules that cannot be configured.
    pub fn rule_lines(&self) -> Vec<RuleLine> {
        let mut lines = Vec::new();
        for (number, rule) in self.list.iter().enumerate() {
            for (depth, link) in rule.links.iter().enumerate() {
                let words = rule_words(link.kind, &link.value, link.create);
                lines.push(RuleLine {
                    rule: RuleRef::Rule(number),
                    depth,
                    head: if depth == 0 { format!("{} {words}", number + 1) } else { format!("parent: {words}") },
                    value: if link.kind.value_is_queue() { link.value.to_string() } else { String::new() },
                    filter: link.filter.words(),
                    at: link.at,
                });
            }
        }
        let behind = |rule, head| RuleLine {
            rule,
            depth: 0,
            head,
            value: String::new(),
            filter: String::new(),
            at: Place::default(),
        };
        let number = self.list.len() + 1;
        lines.extend(self.recovery.then(|| behind(RuleRef::Recovery, format!("{number} recovery"))));
        let fallback = self.recovery && self.switches.placement_default;
        lines.extend(fallback.then(|| behind(RuleRef::Fallback, format!("{} default queue", number + 1))));
        lines
    }

    /// Whether both lists are equal, regardless of their locations.
    pub fn same_as(&self, other: &Self) -> bool {
        let words = |rules: &Self| -> Vec<RuleLine> {
            rules.rule_lines().into_iter().map(|line| RuleLine { at: Place::default(), ..line }).collect()
        };
        words(self) == words(other)
    }
}

impl Filter {
    /// `allow users sue, bob, groups dev`; empty if all users pass (PLC-050).
    fn words(&self) -> String {
        if self.is_empty() {
            return if self.deny { "deny all users".to_owned() } else { String::new() };
        }
        let part = |noun: &str, names: &Names| match names {
            Names::Absent => String::new(),
            Names::List(names) if names.is_empty() => format!("{noun} none"),
            Names::List(names) => format!("{noun} {}", names.join(", ")),
            Names::Expression(_, text) => format!("{noun} {text}"),
        };
        let verb = if self.deny { "deny" } else { "allow" };
        format!("{verb} {}", joined([part("users", &self.users), part("groups", &self.groups)]))
    }
}

impl Placed {
    /// The template of the nearest queue (SCH-186); none for the recovery queue (PLC-093).
    pub fn template<'t, T: QueueTree + ?Sized>(&self, tree: &'t T) -> Option<Template<'t>> {
        if self.create.is_empty() || self.recovery {
            return None;
        }
        let above = ancestors(self.path.as_str()).find_map(|path| tree.queue(path))?;
        above.template.map(|(from, template)| (from, &**template))
    }
}

impl super::trace::LinkTrace {
    /// The name of the rule in a configuration.
    pub fn kind_name(&self) -> &'static str {
        kind_name(self.kind)
    }
}

/// The settings of a template: `max cpu 6, mem 10G; at most 2 applications`.
pub fn template_words(template: &TemplateConfig) -> String {
    let mut parts: Vec<String> = Vec::new();
    parts.extend(template.max.as_ref().map(|max| format!("max {}", amounts(max))));
    parts.extend(template.guaranteed.as_ref().map(|guaranteed| format!("guaranteed {}", amounts(guaranteed))));
    parts.extend(template.max_applications.map(|max| match max {
        1 => "at most 1 application".to_owned(),
        max => format!("at most {max} applications"),
    }));
    parts.extend(template.properties.iter().map(|(key, value)| format!("{key} = {value}")));
    parts.join("; ")
}

fn amounts(resource: &Resource) -> String {
    let mut parts: Vec<String> = Vec::new();
    for (name, amount) in resource.iter() {
        let shown = match name {
            VCORE => "cpu",
            model::MEMORY => "mem",
            other => other,
        };
        let part = format!("{shown} {}", show_amount(name, amount));
        if name == VCORE { parts.insert(0, part) } else { parts.push(part) }
    }
    parts.join(", ")
}
