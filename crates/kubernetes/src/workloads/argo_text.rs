//! Texts in a Workflow of Argo: parameters, the manifest of a resource template, and patches of pods.

use std::collections::BTreeMap;

use serde_json::Value;

use super::field::{Field, Rejected};
use super::making::{self, Made, Making, Scope};
use super::{Role, group_and_kind, kinds, patch, role};
use crate::values;

/// Values by the name of a parameter; `None` if calls disagree.
pub(super) type Passed = BTreeMap<String, Option<String>>;

#[derive(Default)]
pub(super) struct Parameters(BTreeMap<String, String>);

impl Parameters {
    /// Returns the parameters of a workflow; the first spec that has a value counts.
    ///
    /// # Errors
    /// A field has the wrong type.
    pub fn of_workflow(specs: &[Field<'_>]) -> Result<Self, Rejected> {
        let mut all = BTreeMap::new();
        for spec in specs {
            for (name, value) in named(spec, "arguments.parameters")? {
                all.entry(format!("workflow.parameters.{name}")).or_insert(value);
            }
        }
        Ok(Self(all))
    }

    /// The entrypoint gets the arguments of the workflow.
    pub fn of_entrypoint(&self) -> Passed {
        let own = self.0.iter().filter_map(|(name, value)| Some((name.strip_prefix("workflow.parameters.")?, value)));
        own.map(|(name, value)| (name.to_owned(), Some(value.clone()))).collect()
    }

    /// Returns them with the inputs of a template, from its calls or by default.
    ///
    /// # Errors
    /// A field has the wrong type.
    pub fn with_inputs(&self, template: &Field<'_>, passed: Option<&Passed>) -> Result<Self, Rejected> {
        let mut all = self.0.clone();
        let own = named(template, "inputs.parameters")?.into_iter().map(|(name, value)| (name, Some(value)));
        let passed = passed.into_iter().flatten().map(|(name, value)| (name.clone(), value.clone()));
        for (name, value) in own.chain(passed) {
            let name = format!("inputs.parameters.{name}");
            match value {
                Some(value) => drop(all.insert(name, value)),
                None => drop(all.remove(&name)),
            }
        }
        Ok(Self(all))
    }

    /// Replaces `{{NAME}}`; unknown names remain.
    pub fn fill(&self, text: &str) -> String {
        let (mut filled, mut rest) = (String::new(), text);
        while let Some((before, behind)) = rest.split_once("{{") {
            filled.push_str(before);
            match behind.split_once("}}") {
                Some((name, behind)) if self.0.contains_key(name.trim()) => {
                    filled.push_str(&self.0[name.trim()]);
                    rest = behind;
                }
                _ => {
                    filled.push_str("{{");
                    rest = behind;
                }
            }
        }
        filled + rest
    }
}

/// The arguments of a call; `None` if their value is unknown.
pub(super) fn arguments(call: &Field<'_>, parameters: &Parameters) -> Result<Passed, Rejected> {
    let all = named(call, "arguments.parameters")?.into_iter();
    let filled = |value: &str| Some(parameters.fill(value)).filter(|value| !value.contains("{{"));
    Ok(all.map(|(name, value)| (name, filled(&value))).collect())
}

/// Merges with earlier calls' arguments.
pub(super) fn pass(arguments: &Passed, passed: &mut Passed) {
    for (name, value) in arguments {
        let known = passed.entry(name.clone()).or_insert_with(|| value.clone());
        if known != value {
            *known = None;
        }
    }
}

/// The names and values of a list of parameters, those with a value or a default.
fn named(field: &Field<'_>, path: &str) -> Result<Vec<(String, String)>, Rejected> {
    let mut all = Vec::new();
    for parameter in field.at(path)?.map(|list| list.items()).transpose()?.unwrap_or_default() {
        let value = match parameter.key("value")? {
            Some(value) => Some(value),
            None => parameter.key("default")?,
        };
        if let Some(value) = value {
            let text = value.value.as_str().map_or_else(|| value.value.to_string(), str::to_owned);
            all.push((parameter.required("name")?.text()?.to_owned(), text));
        }
    }
    Ok(all)
}

/// Changes the spec of a pod; false if the text depends on unknown values.
///
/// # Errors
/// The text is not a map of YAML or JSON.
pub(super) fn patch_spec(spec: &mut Value, field: &Field<'_>, parameters: &Parameters) -> Result<bool, Rejected> {
    let text = parameters.fill(field.text()?);
    if text.contains("{{") {
        return Ok(false);
    }
    for patch in objects(&text).map_err(|why| field.rejected(why))? {
        patch::merge(spec, &patch);
    }
    Ok(true)
}

/// Adds the pods of the objects of a resource template, `times` each; false if its text depends on unknown values.
///
/// # Errors
/// The text is not YAML, or a field of an object has the wrong type.
pub(super) fn create(
    template: &Field<'_>,
    (parameters, times): (&Parameters, u64),
    scope: &Scope<'_>,
    making: &mut Making<'_>,
) -> Result<bool, Rejected> {
    let creates = matches!(template.text_at("resource.action")?, Some("create" | "apply" | "replace"));
    let Some(field) = template.at("resource.manifest")?.filter(|_| creates) else { return Ok(true) };
    let text = parameters.fill(field.text()?);
    let (from, was) = (making.made.len(), making.suspended);
    let made = objects(&text)
        .map_err(|why| field.rejected(why))
        .and_then(|objects| objects.iter().try_for_each(|object| of_object(object, scope, making)));
    making.suspended = was;
    match made {
        Ok(()) => making.made[from..].iter_mut().for_each(|made| made.groups = made.groups.saturating_mul(times)),
        Err(_) if text.contains("{{") => {
            making.made.truncate(from);
            return Ok(false);
        }
        Err(why) => return Err(field.rejected(format!("{}: {}", why.path, why.why))),
    }
    Ok(true)
}

fn of_object(object: &Value, scope: &Scope<'_>, making: &mut Making<'_>) -> Result<(), Rejected> {
    let (group, kind) = group_and_kind(object);
    let text = |key: &str| object["metadata"][key].as_str().filter(|text| !text.is_empty());
    let name = text("name").or_else(|| text("generateName")).unwrap_or("object").trim_end_matches('-');
    let namespace = text("namespace").unwrap_or(&scope.namespace);
    let (from, root) = (making.made.len(), Field::root(object, None));
    if kind == "Pod" {
        making.made.push(Made::one("pod", root.pod()?, name.to_owned()));
    } else if role(object) == Some(Role::Creates) {
        let kind = kinds::find(group, kind).unwrap_or(&kinds::ANY);
        let inner = scope.created(root.required("spec")?, (name, namespace), root.texts_at("metadata.labels")?);
        making::expand(kind, &inner, making)?;
    }
    for made in &mut making.made[from..] {
        namespace.clone_into(&mut made.pod.metadata.namespace);
    }
    Ok(())
}

fn objects(text: &str) -> Result<Vec<Value>, String> {
    let documents = values::documents("line", text.as_bytes()).map_err(|faults| faults.join("; "))?;
    let roots = documents.iter().filter_map(|document| document.root()).map(values::value_of);
    let objects: Vec<Value> = roots.filter(|value| !value.is_null()).collect();
    match objects.iter().all(Value::is_object) {
        true => Ok(objects),
        false => Err("expected a map".to_owned()),
    }
}
