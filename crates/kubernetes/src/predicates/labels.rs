//! Selectors of labels and nodes (K8S-173).

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::objects::{LabelSelector, NodeSelector, NodeTerm, Requirement};

pub(crate) type Labels = BTreeMap<String, String>;
pub(crate) type NamespaceLabels = BTreeMap<String, Arc<Labels>>;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Rule {
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    Exists(String),
    Absent(String),
    Greater(String, i64),
    Less(String, i64),
}

impl Rule {
    fn is_met(&self, labels: &Labels) -> bool {
        let number = |key: &str| labels.get(key).and_then(|value| value.parse::<i64>().ok());
        match self {
            Self::In(key, values) => labels.get(key).is_some_and(|value| values.contains(value)),
            Self::NotIn(key, values) => labels.get(key).is_none_or(|value| !values.contains(value)),
            Self::Exists(key) => labels.contains_key(key),
            Self::Absent(key) => !labels.contains_key(key),
            Self::Greater(key, than) => number(key).is_some_and(|value| value > *than),
            Self::Less(key, than) => number(key).is_some_and(|value| value < *than),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum BadRule {
    /// Values that do not match the operator: the term is skipped.
    Unreadable,
    /// Its operator is unknown: nothing matches (K8S-185).
    Unknown(String),
}

/// `numbers` allows `Gt` and `Lt`, as for nodes.
fn rule(of: &Requirement, numbers: bool) -> Result<Rule, BadRule> {
    let Requirement { key, operator, values } = of;
    let number = || match values.as_slice() {
        [one] => one.parse::<i64>().map_err(|_| BadRule::Unreadable),
        _ => Err(BadRule::Unreadable),
    };
    match operator.as_str() {
        "In" | "NotIn" if values.is_empty() => Err(BadRule::Unreadable),
        "Exists" | "DoesNotExist" if !values.is_empty() => Err(BadRule::Unreadable),
        "In" => Ok(Rule::In(key.clone(), values.clone())),
        "NotIn" => Ok(Rule::NotIn(key.clone(), values.clone())),
        "Exists" => Ok(Rule::Exists(key.clone())),
        "DoesNotExist" => Ok(Rule::Absent(key.clone())),
        "Gt" if numbers => Ok(Rule::Greater(key.clone(), number()?)),
        "Lt" if numbers => Ok(Rule::Less(key.clone(), number()?)),
        other => Err(BadRule::Unknown(format!("kornsole does not support the operator {other:?} on {key:?}"))),
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Selector {
    pairs: Vec<(String, String)>,
    rules: Vec<Rule>,
    nothing: bool,
}

impl Selector {
    /// Matches nothing: a missing selector.
    pub fn nothing() -> Self {
        Self { nothing: true, ..Self::default() }
    }

    /// Parses a selector; `None` is a missing one.
    ///
    /// # Errors
    /// The unsupported part.
    pub fn of(selector: Option<&LabelSelector>) -> Result<Self, String> {
        let Some(selector) = selector else { return Ok(Self::nothing()) };
        let pairs = selector.match_labels.iter().map(|(key, value)| (key.clone(), value.clone())).collect();
        let rules = selector.match_expressions.iter().map(|one| rule(one, false)).collect::<Result<_, _>>();
        let rules = rules.map_err(|bad| match bad {
            BadRule::Unknown(why) => why,
            BadRule::Unreadable => "kornsole does not support a label selector with these values".to_owned(),
        })?;
        Ok(Self { pairs, rules, nothing: false })
    }

    /// Adds a condition on a label.
    pub fn with(mut self, key: &str, value: &str, equal: bool) -> Self {
        if equal {
            self.pairs.push((key.to_owned(), value.to_owned()));
        } else {
            self.rules.push(Rule::NotIn(key.to_owned(), vec![value.to_owned()]));
        }
        self
    }

    /// Returns a label that all matching objects have, as an index key.
    pub fn pair(&self) -> Option<&(String, String)> {
        self.pairs.first()
    }

    /// Returns true if labels match.
    pub fn matches(&self, labels: &Labels) -> bool {
        !self.nothing
            && self.pairs.iter().all(|(key, value)| labels.get(key) == Some(value))
            && self.rules.iter().all(|rule| rule.is_met(labels))
    }
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Term {
    rules: Vec<Rule>,
    names: Vec<(String, bool)>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct NodeTerms(Vec<Term>);

impl NodeTerms {
    /// Fails with the unsupported part.
    pub fn of(selector: &NodeSelector) -> Result<Self, String> {
        let mut terms = Vec::new();
        for term in &selector.node_selector_terms {
            match read_term(term) {
                Ok(Some(term)) => terms.push(term),
                Ok(None) | Err(BadRule::Unreadable) => {}
                Err(BadRule::Unknown(why)) => return Err(why),
            }
        }
        Ok(Self(terms))
    }

    /// Returns true if a term matches the node.
    pub fn matches(&self, name: &str, labels: &Labels) -> bool {
        let is_met = |term: &Term| {
            term.names.iter().all(|(wanted, equal)| (wanted == name) == *equal)
                && term.rules.iter().all(|rule| rule.is_met(labels))
        };
        self.0.iter().any(is_met)
    }

    /// Returns names if every term has one.
    pub fn names(&self) -> Option<Vec<&str>> {
        let name = |term: &'_ Term| term.names.iter().position(|(_, equal)| *equal);
        self.0.iter().map(|term| name(term).map(|at| term.names[at].0.as_str())).collect()
    }
}

/// `None` for an empty term, which matches nothing.
fn read_term(term: &NodeTerm) -> Result<Option<Term>, BadRule> {
    if term.match_expressions.is_empty() && term.match_fields.is_empty() {
        return Ok(None);
    }
    let rules = term.match_expressions.iter().map(|one| rule(one, true)).collect::<Result<_, _>>()?;
    let names = term.match_fields.iter().map(field).collect::<Result<_, _>>()?;
    Ok(Some(Term { rules, names }))
}

fn field(of: &Requirement) -> Result<(String, bool), BadRule> {
    if of.key != "metadata.name" {
        return Err(BadRule::Unknown(format!("kornsole does not support the field {:?}", of.key)));
    }
    match (of.operator.as_str(), of.values.as_slice()) {
        ("In", [name]) => Ok((name.clone(), true)),
        ("NotIn", [name]) => Ok((name.clone(), false)),
        ("In" | "NotIn", _) => Err(BadRule::Unreadable),
        (other, _) => Err(BadRule::Unknown(format!("kornsole does not support the operator {other:?} on a field"))),
    }
}
