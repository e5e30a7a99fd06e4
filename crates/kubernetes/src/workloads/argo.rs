//! Workflow of Argo: the maximum pods, as if all steps ran at once.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::argo_steps;
use super::argo_text::{self, Parameters, Passed};
use super::field::{Field, Rejected};
use super::making::{Made, Making, Scope};
use super::patch;

const DEEPEST: usize = 100;
/// Calls that are distinguished by their arguments.
const MOST_KNOWN: usize = 10_000;
/// Fields of a template or workflow that go into the spec of its pods.
const OF_SPEC: [&str; 5] = ["affinity", "nodeSelector", "tolerations", "schedulerName", "priorityClassName"];

type Calls = BTreeMap<String, u64>;

pub(super) fn pods(scope: &Scope<'_>, making: &mut Making<'_>) -> Result<(), Rejected> {
    let mut specs = vec![scope.spec.clone()];
    if let Some(reference) = scope.spec.at("workflowTemplateRef")? {
        let name = reference.required("name")?.text()?;
        match shared(making, scope, name, reference.is_true_at("clusterScope")?) {
            Some(spec) => specs.push(spec.required("spec")?),
            None => making.notes.push(format!("WorkflowTemplate {name} is not in the manifests; no pods are created")),
        }
    }
    let mut flow = Flow {
        scope,
        parameters: Parameters::of_workflow(&specs)?,
        passed: BTreeMap::new(),
        templates: BTreeMap::new(),
        known: BTreeMap::new(),
        open: Vec::new(),
        skips: false,
        notes: Vec::new(),
    };
    for spec in &specs {
        for template in spec.at("templates")?.map(|list| list.items()).transpose()?.unwrap_or_default() {
            let name = template.required("name")?.text()?.to_owned();
            flow.templates.entry(name).or_insert(template);
        }
    }
    let mut calls = Calls::new();
    for field in ["entrypoint", "onExit"] {
        for spec in &specs {
            if let Some(name) = spec.text_at(field)? {
                let passed = flow.parameters.of_entrypoint();
                argo_text::pass(&passed, flow.passed.entry(name.to_owned()).or_default());
                add(&mut calls, &flow.calls((name, &passed), spec, making)?, 1);
                break;
            }
        }
    }
    flow.make(&calls, &specs, making)?;
    if calls.values().fold(0_u64, |sum, times| sum.saturating_add(*times)) > 1 {
        making.notes.push(
            "all steps are scheduled at the same time; Argo starts a step after the steps that it depends \
                on"
            .to_owned(),
        );
    }
    if calls.is_empty() && flow.skips {
        making.notes.push("creates no pods: its conditions and loops leave out all steps".to_owned());
    }
    flow.notes.sort();
    flow.notes.dedup();
    making.notes.append(&mut flow.notes);
    Ok(())
}

fn shared<'v>(making: &Making<'v>, scope: &Scope<'_>, name: &str, in_cluster: bool) -> Option<Field<'v>> {
    match in_cluster {
        true => making.template("ClusterWorkflowTemplate", "", name),
        false => making.template("WorkflowTemplate", &scope.namespace, name),
    }
}

fn add(calls: &mut Calls, more: &Calls, times: u64) {
    for (name, count) in more {
        let sum = calls.entry(name.clone()).or_default();
        *sum = sum.saturating_add(count.saturating_mul(times));
    }
}

struct Flow<'s, 'v> {
    scope: &'s Scope<'v>,
    parameters: Parameters,
    passed: BTreeMap<String, Passed>,
    /// By name; templates of other objects are `object/name`.
    templates: BTreeMap<String, Field<'v>>,
    /// By name and arguments.
    known: BTreeMap<(String, Passed), Calls>,
    open: Vec<String>,
    /// A condition or an empty loop leaves out a step.
    skips: bool,
    notes: Vec<String>,
}

impl<'v> Flow<'_, 'v> {
    /// Adds the pods of the called templates, and of the objects that they create.
    fn make(&mut self, calls: &Calls, specs: &[Field<'_>], making: &mut Making<'_>) -> Result<(), Rejected> {
        for (name, times) in calls {
            let Some(template) = self.templates.get(name) else { continue };
            let parameters = self.parameters.with_inputs(template, self.passed.get(name))?;
            let mut whole = pod(specs, template, self.scope)?;
            for spec in specs.iter().rev().chain([template]) {
                let Some(patch) = spec.at("podSpecPatch")? else { continue };
                if !argo_text::patch_spec(&mut whole["spec"], &patch, &parameters)? {
                    self.notes.push(format!("podSpecPatch of template {name} depends on parameters; it has no effect"));
                }
            }
            let pattern = format!("{}-{}-{{index}}", self.scope.name, name.replace('/', "-"));
            making.made.push(Made { count: *times, ..Made::one(name, template.pod_of(whole, 1)?, pattern) });
            if !argo_text::create(template, (&parameters, *times), self.scope, making)? {
                self.notes.push(format!("the manifest of template {name} depends on parameters; it creates no pods"));
            }
        }
        Ok(())
    }

    fn calls<'m>(
        &mut self,
        (name, passed): (&str, &Passed),
        by: &Field<'_>,
        making: &Making<'m>,
    ) -> Result<Calls, Rejected>
    where
        'm: 'v,
    {
        // Arguments that grow with each call have no end.
        let mut passed = passed.clone();
        if self.known.len() >= MOST_KNOWN {
            passed.values_mut().for_each(|value| *value = None);
        }
        let key = (name.to_owned(), passed);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        if self.open.iter().any(|open| open == name) {
            self.notes.push(format!("template {name} calls itself; one call is counted"));
            return Ok(Calls::new());
        }
        if self.open.len() >= DEEPEST {
            return Err(by.rejected(format!("cannot follow more than {DEEPEST} templates that call each other")));
        }
        let template = self.templates.get(name).cloned();
        let template = template.ok_or_else(|| by.rejected(format!("template {name:?} not found")))?;
        self.open.push(name.to_owned());
        let calls = self.inside((name, &key.1), &template, making);
        self.open.pop();
        let calls = calls?;
        self.known.insert(key, calls.clone());
        Ok(calls)
    }

    fn inside<'m>(
        &mut self,
        (name, passed): (&str, &Passed),
        template: &Field<'v>,
        making: &Making<'m>,
    ) -> Result<Calls, Rejected>
    where
        'm: 'v,
    {
        let parameters = self.parameters.with_inputs(template, Some(passed))?;
        let mut calls = Calls::new();
        for step in argo_steps::of_template(template, &parameters, &mut self.notes)? {
            let times = argo_steps::times(&step, &parameters, &mut self.notes)?;
            if times == 0 {
                self.skips = true;
                continue;
            }
            if let Some(called) = self.called(name, &step, making)? {
                let passed = argo_text::arguments(&step, &parameters)?;
                argo_text::pass(&passed, self.passed.entry(called.clone()).or_default());
                add(&mut calls, &self.calls((&called, &passed), &step, making)?, times);
            }
        }
        let gives = ["container", "script", "containerSet", "resource", "data"];
        for kind in gives {
            if template.key(kind)?.is_some() {
                calls.insert(name.to_owned(), 1);
            }
        }
        Ok(calls)
    }

    fn called<'m>(&mut self, by: &str, step: &Field<'v>, making: &Making<'m>) -> Result<Option<String>, Rejected>
    where
        'm: 'v,
    {
        let object = by.rsplit_once('/').map_or("", |(object, _)| object);
        let named =
            |object: &str, name: &str| if object.is_empty() { name.to_owned() } else { format!("{object}/{name}") };
        if let Some(name) = step.text_at("template")? {
            return Ok(Some(named(object, name)));
        }
        let own = step.text_at("name")?.unwrap_or_default();
        if let Some(inline) = step.at("inline")? {
            let name = format!("{by}-{own}");
            self.templates.insert(name.clone(), inline);
            return Ok(Some(name));
        }
        let Some(reference) = step.at("templateRef")? else { return Err(step.rejected("missing field template")) };
        let (file, name) = (reference.required("name")?.text()?, reference.required("template")?.text()?);
        let Some(found) = shared(making, self.scope, file, reference.is_true_at("clusterScope")?) else {
            self.notes.push(format!("WorkflowTemplate {file} is not in the manifests; its steps create no pods"));
            return Ok(None);
        };
        for template in found.required("spec.templates")?.items()? {
            let other = named(file, template.required("name")?.text()?);
            self.templates.entry(other).or_insert(template);
        }
        Ok(Some(named(file, name)))
    }
}

/// The fields of `templateDefaults` count where the template has none.
fn with_defaults(specs: &[Field<'_>], template: &Field<'_>) -> Result<Value, Rejected> {
    let mut whole = Value::Object(Map::new());
    for spec in specs.iter().rev() {
        let defaults = spec.at("templateDefaults")?.map(|field| field.entries()).transpose()?.unwrap_or_default();
        for (key, field) in defaults {
            // A kind of template that this one is not.
            if !["container", "script", "steps", "dag"].contains(&key) || template.key(key)?.is_some() {
                patch::merge(&mut whole, &json!({ key: field.value }));
            }
        }
    }
    patch::merge(&mut whole, template.value);
    Ok(whole)
}

fn pod(specs: &[Field<'_>], template: &Field<'_>, scope: &Scope<'_>) -> Result<Value, Rejected> {
    let whole = with_defaults(specs, template)?;
    let template = &Field::root(&whole, None);
    let mut containers = Vec::new();
    for main in ["container", "script"] {
        if let Some(field) = template.at(main)? {
            let mut container = json!({ "name": "main" });
            patch::merge(&mut container, field.value);
            containers.push(container);
        }
    }
    for list in ["containerSet.containers", "sidecars"] {
        let items = template.at(list)?.map(|field| field.items()).transpose()?.unwrap_or_default();
        containers.extend(items.into_iter().map(|item| item.value.clone()));
    }
    if containers.is_empty() {
        // Argo runs a resource or data template in a container of its own.
        containers.push(json!({ "name": "main" }));
    }
    let mut spec = Map::new();
    spec.insert("containers".to_owned(), Value::Array(containers));
    if let Some(init) = template.at("initContainers")? {
        spec.insert("initContainers".to_owned(), init.value.clone());
    }
    let places: Vec<&Field<'_>> = std::iter::once(template).chain(specs).collect();
    for key in OF_SPEC {
        for place in &places {
            if let (Some(field), false) = (place.at(key)?, spec.contains_key(key)) {
                spec.insert(key.to_owned(), field.value.clone());
            }
        }
    }
    let (mut labels, mut annotations) = (BTreeMap::new(), BTreeMap::new());
    for spec in specs.iter().rev() {
        labels.extend(spec.texts_at("podMetadata.labels")?);
        annotations.extend(spec.texts_at("podMetadata.annotations")?);
    }
    labels.extend(template.texts_at("metadata.labels")?);
    annotations.extend(template.texts_at("metadata.annotations")?);
    labels.insert("workflows.argoproj.io/workflow".to_owned(), scope.name.clone());
    Ok(json!({ "metadata": { "labels": labels, "annotations": annotations }, "spec": spec }))
}
