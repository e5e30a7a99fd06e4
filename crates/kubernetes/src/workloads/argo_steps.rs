//! How often a Workflow calls a step: targets, conditions, and loops.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::argo_text::Parameters;
use super::field::{Field, Rejected};

const CONDITIONS: &str = "steps with a condition (when) that is known only during the run are counted; the workflow \
    creates at most these pods";
const TARGETS: &str = "the target of a DAG depends on parameters; all of its tasks are counted, so the workflow creates \
    at most these pods";

/// The steps of a template in the order of the file, of a DAG only the ones that its targets need.
pub(super) fn of_template<'v>(
    template: &Field<'v>,
    parameters: &Parameters,
    notes: &mut Vec<String>,
) -> Result<Vec<Field<'v>>, Rejected> {
    let mut steps = template.at("dag.tasks")?.map(|list| list.items()).transpose()?.unwrap_or_default();
    if let Some(target) = template.at("dag.target")? {
        steps = needed(steps, &target, parameters, notes)?;
    }
    for group in template.at("steps")?.map(|list| list.items()).transpose()?.unwrap_or_default() {
        // A group of parallel steps; old workflows have single steps.
        match group.value.is_array() {
            true => steps.extend(group.items()?),
            false => steps.push(group),
        }
    }
    Ok(steps)
}

fn needed<'v>(
    tasks: Vec<Field<'v>>,
    target: &Field<'v>,
    parameters: &Parameters,
    notes: &mut Vec<String>,
) -> Result<Vec<Field<'v>>, Rejected> {
    let text = parameters.fill(target.text()?);
    if text.contains("{{") {
        notes.push(TARGETS.to_owned());
        return Ok(tasks);
    }
    let mut by_name = BTreeMap::new();
    for task in &tasks {
        by_name.insert(task.text_at("name")?.unwrap_or_default(), task);
    }
    let mut open: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    if let Some(name) = open.iter().find(|name| !by_name.contains_key(name.as_str())) {
        return Err(target.rejected(format!("task {name:?} not found")));
    }
    let mut found: BTreeSet<String> = BTreeSet::new();
    while let Some(name) = open.pop() {
        if let Some(task) = by_name.get(name.as_str())
            && found.insert(name)
        {
            open.extend(dependencies(task)?);
        }
    }
    // An empty target is none.
    let is_needed =
        |task: &Field<'_>| found.is_empty() || task.value["name"].as_str().is_some_and(|name| found.contains(name));
    Ok(tasks.iter().filter(|task| is_needed(task)).cloned().collect())
}

/// The names in `dependencies`, or in an expression such as `(a && b.Succeeded) || !c`.
fn dependencies(task: &Field<'_>) -> Result<Vec<String>, Rejected> {
    let mut names = Vec::new();
    for name in task.at("dependencies")?.map(|list| list.items()).transpose()?.unwrap_or_default() {
        names.push(name.text()?.to_owned());
    }
    let words = task.text_at("depends")?.unwrap_or_default();
    let words = words.split(|symbol: char| symbol.is_whitespace() || "&|!()".contains(symbol));
    let words = words.filter_map(|word| word.split('.').next()).filter(|word| !word.is_empty());
    names.extend(words.map(str::to_owned));
    Ok(names)
}

/// 0 if its condition is false.
pub(super) fn times(step: &Field<'_>, parameters: &Parameters, notes: &mut Vec<String>) -> Result<u64, Rejected> {
    if let Some(when) = step.at("when")? {
        let text = match when.value {
            Value::String(text) => parameters.fill(text),
            other => other.to_string(),
        };
        match is_met(&text) {
            Some(false) => return Ok(0),
            Some(true) => {}
            None => notes.push(CONDITIONS.to_owned()),
        }
    }
    if let Some(items) = step.at("withItems")? {
        return Ok(items.items()?.len() as u64);
    }
    if let Some(sequence) = step.at("withSequence")? {
        if let Some(times) = sequence_length(&sequence, parameters)? {
            return Ok(times);
        }
        notes.push("a sequence depends on parameters; one call is counted".to_owned());
    }
    let Some(list) = step.at("withParam")? else { return Ok(1) };
    let text = parameters.fill(list.text()?);
    match serde_json::from_str::<Value>(&text) {
        Ok(Value::Array(items)) => return Ok(items.len() as u64),
        _ if text.contains("{{") => {}
        _ => return Err(list.rejected(format!("expected a JSON list, found {text:?}"))),
    }
    notes.push("withParam depends on a result; one call is counted".to_owned());
    Ok(1)
}

/// `None` if it depends on unknown parameters.
fn sequence_length(sequence: &Field<'_>, parameters: &Parameters) -> Result<Option<u64>, Rejected> {
    let number = |key: &str| -> Result<Option<Option<i64>>, Rejected> {
        let Some(field) = sequence.at(key)? else { return Ok(None) };
        let text = field.value.as_str().map_or_else(|| field.value.to_string(), |text| parameters.fill(text));
        match text.trim().parse() {
            Ok(number) => Ok(Some(Some(number))),
            Err(_) if text.contains("{{") => Ok(Some(None)),
            Err(_) => Err(field.expected("an integer")),
        }
    };
    let (count, start, end) = (number("count")?, number("start")?, number("end")?);
    Ok(match (count, start.unwrap_or(Some(0)), end) {
        (Some(count), ..) => count.map(|count| u64::try_from(count).unwrap_or(0)),
        // It counts down to a smaller end.
        (None, Some(start), Some(Some(end))) => Some(end.abs_diff(start).saturating_add(1)),
        _ => None,
    })
}

/// Evaluates `true`, `false`, and comparisons of two words or numbers; `None` for others.
fn is_met(when: &str) -> Option<bool> {
    match when.trim() {
        "" | "true" => return Some(true),
        "false" => return Some(false),
        _ => {}
    }
    let at = when.find(['=', '!', '<', '>'])?;
    let (left, rest) = when.split_at(at);
    let operator = ["==", "!=", "<=", ">=", "<", ">"].into_iter().find(|operator| rest.starts_with(operator))?;
    let (left, right) = (Term::of(left)?, Term::of(&rest[operator.len()..])?);
    match (operator, left, right) {
        ("==", Term::Word(left), Term::Word(right)) => Some(left == right),
        ("!=", Term::Word(left), Term::Word(right)) => Some(left != right),
        ("==", Term::Number(left), Term::Number(right)) => Some(left == right),
        ("!=", Term::Number(left), Term::Number(right)) => Some(left != right),
        ("<", Term::Number(left), Term::Number(right)) => Some(left < right),
        (">", Term::Number(left), Term::Number(right)) => Some(left > right),
        ("<=", Term::Number(left), Term::Number(right)) => Some(left <= right),
        (">=", Term::Number(left), Term::Number(right)) => Some(left >= right),
        _ => None,
    }
}

enum Term {
    Word(String),
    Number(f64),
}

impl Term {
    fn of(text: &str) -> Option<Self> {
        let text = text.trim();
        for quote in ['"', '\''] {
            if let Some(inner) = text.strip_prefix(quote).and_then(|text| text.strip_suffix(quote)) {
                return Some(Self::Word(inner.to_owned())).filter(|_| !inner.contains([quote, '{', '\\']));
            }
        }
        let is_plain = |text: &str| text.chars().all(|symbol| symbol.is_alphanumeric() || symbol == '_');
        match text.parse() {
            Ok(number) if text.starts_with(|symbol: char| symbol.is_ascii_digit() || symbol == '-') => {
                Some(Self::Number(number))
            }
            // Unquoted, a hyphen is a minus.
            _ if text.is_empty() || !is_plain(text) || ["true", "false"].contains(&text) => None,
            _ => Some(Self::Word(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_of_known_values_are_evaluated() {
        for (when, met) in [
            ("true", Some(true)),
            (" false ", Some(false)),
            ("heads == heads", Some(true)),
            ("'a b' == \"a c\"", Some(false)),
            ("prod != dev", Some(true)),
            ("4 > 3", Some(true)),
            ("4.0 == 4", Some(true)),
            ("4 <= 3", Some(false)),
            ("{{steps.a.outputs.result}} == heads", None),
            ("'{{item}}' == heads", None),
            ("a == b && c == d", None),
            ("a =~ b", None),
            ("4 == four", None),
            ("flip-coin == flip", None),
            ("true == false", None),
        ] {
            assert_eq!(is_met(when), met, "{when}");
        }
    }
}
