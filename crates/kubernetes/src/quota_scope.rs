//! The scopes of a ResourceQuota: the pods that it counts.

use serde::Deserialize;

use super::objects::{Amounts, Container, Pod};

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct WrittenScopes {
    scopes: Vec<String>,
    scope_selector: Selector,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Selector {
    match_expressions: Vec<Expression>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Expression {
    scope_name: String,
    operator: String,
    values: Vec<String>,
}

/// `true`: the pods that match; `false`: the others.
#[derive(Debug)]
pub(super) enum Scope {
    Terminating(bool),
    /// Without requests and limits of CPU and memory.
    BestEffort(bool),
    HasClass(bool),
    ClassIn(bool, Vec<String>),
}

impl WrittenScopes {
    /// # Errors
    /// Describes the scope that is not evaluated.
    pub fn read(self) -> Result<Vec<Scope>, String> {
        let named = self.scopes.into_iter().map(|scope_name| Expression {
            scope_name,
            operator: "Exists".to_owned(),
            values: Vec::new(),
        });
        named.chain(self.scope_selector.match_expressions).map(Scope::of).collect()
    }
}

impl Scope {
    fn of(expression: Expression) -> Result<Self, String> {
        let Expression { scope_name, operator, values } = expression;
        Ok(match (scope_name.as_str(), operator.as_str()) {
            ("Terminating", "Exists") => Self::Terminating(true),
            ("NotTerminating", "Exists") => Self::Terminating(false),
            ("BestEffort", "Exists") => Self::BestEffort(true),
            ("NotBestEffort", "Exists") => Self::BestEffort(false),
            ("PriorityClass", "Exists") => Self::HasClass(true),
            ("PriorityClass", "DoesNotExist") => Self::HasClass(false),
            ("PriorityClass", "In") => Self::ClassIn(true, values),
            ("PriorityClass", "NotIn") => Self::ClassIn(false, values),
            _ => return Err(format!("the scope {scope_name} ({operator})")),
        })
    }

    pub fn matches(&self, pod: &Pod) -> bool {
        let class = &pod.spec.priority_class_name;
        match self {
            Self::Terminating(wanted) => pod.spec.active_deadline_seconds.is_some_and(|left| left >= 0) == *wanted,
            Self::BestEffort(wanted) => is_best_effort(pod) == *wanted,
            Self::HasClass(wanted) => class.is_empty() != *wanted,
            Self::ClassIn(wanted, values) => values.contains(class) == *wanted,
        }
    }
}

/// A limit is also a request.
fn is_best_effort(pod: &Pod) -> bool {
    let spec = &pod.spec;
    let has_none = |amounts: &Amounts| {
        let counted = amounts.iter().filter(|(name, _)| matches!(name.as_str(), "cpu" | "memory"));
        counted.into_iter().all(|(_, amount)| super::quantity::thousandths(&amount.0) == Ok(0))
    };
    let containers = spec.init_containers.iter().chain(&spec.containers);
    let amounts = containers.map(|Container { resources, .. }| &resources.requests);
    amounts.chain([&spec.resources.requests, &spec.resources.limits]).all(has_none)
}
