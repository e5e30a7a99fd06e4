//! The queue and the task groups that the operator of Spark sets for YuniKorn.

use serde_json::{Value, json};

use super::field::{Field, Rejected};
use super::spark::{App, DRIVER, EXECUTOR, LEAST_OVERHEAD, MEBIBYTE, Role, bytes};
use crate::names::{TASK_GROUPS, own};
use crate::objects::Pod;

const OPERATOR: &str = "spark-operator";

/// Who does not submit the application, and why.
type Refusal = (String, String);

/// Sets labels and annotations, or returns the reason why the operator cannot submit the application.
pub(super) fn add(
    app: &App<'_, '_>,
    (driver, executor): (&mut Pod, &mut Pod),
    instances: u64,
) -> Result<Option<Refusal>, Rejected> {
    let roles: &[Role] = if instances > 0 { &[DRIVER, EXECUTOR] } else { &[DRIVER] };
    for role in roles {
        if let Some(field) = without_unit(app, role)? {
            return Ok(Some((OPERATOR.to_owned(), of_unit(&field))));
        }
    }
    if let Some(queue) = app.spec.text_at("batchSchedulerOptions.queue")? {
        for pod in [&mut *driver, &mut *executor] {
            pod.metadata.labels.insert("queue".to_owned(), queue.to_owned());
        }
    }
    let mut groups = vec![group(app, &DRIVER, 1)?];
    if instances > 0 {
        groups.push(group(app, &EXECUTOR, instances)?);
    }
    for (pod, role) in [(&mut *driver, &DRIVER), (&mut *executor, &EXECUTOR)] {
        pod.metadata.annotations.insert(own("task-group-name"), role.group.to_owned());
    }
    driver.metadata.annotations.insert(own(TASK_GROUPS), Value::Array(groups).to_string());
    Ok(None)
}

fn group(app: &App<'_, '_>, role: &Role, members: u64) -> Result<Value, Rejected> {
    let resource = json!({ "cpu": cpu(app, role)?, "memory": format!("{}Mi", memory(app, role)?) });
    let mut group = json!({ "name": role.group, "minMember": members, "minResource": resource });
    for field in ["tolerations", "affinity", "labels"] {
        if let Some(found) = app.spec.at(&format!("{}.{field}", role.name))? {
            group[field] = found.value.clone();
        }
    }
    let mut selector = app.spec.texts_at("nodeSelector")?;
    selector.extend(app.spec.texts_at(&format!("{}.nodeSelector", role.name))?);
    if !selector.is_empty() {
        group["nodeSelector"] = json!(selector);
    }
    Ok(group)
}

/// The operator does not read `sparkConf` here: such a group is smaller or larger than its pods.
fn cpu(app: &App<'_, '_>, role: &Role) -> Result<String, Rejected> {
    for field in ["coreRequest", "cores"] {
        if let Some(field) = app.spec.at(&format!("{}.{field}", role.name))? {
            return Ok(field.value.as_str().map_or_else(|| field.value.to_string(), str::to_owned));
        }
    }
    Ok("1".to_owned())
}

/// In MiB; memory that only `sparkConf` sets counts as 0.
fn memory(app: &App<'_, '_>, role: &Role) -> Result<u64, Rejected> {
    let of = |field: Option<Field<'_>>| field.map(|field| bytes(&field)).transpose();
    let in_conf = app.conf(&format!("spark.{}.memory", role.name))?.is_some();
    let usual = if in_conf { 0 } else { 1 << 30 };
    let memory = of(app.spec.at(&format!("{}.memory", role.name))?)?.unwrap_or(usual);
    let overhead = match of(app.spec.at(&format!("{}.memoryOverhead", role.name))?)? {
        Some(overhead) => overhead,
        None => LEAST_OVERHEAD.max((memory as f64 * app.factor(None)?) as u64),
    };
    let mut sum = memory.saturating_add(overhead);
    if role.name == EXECUTOR.name {
        if app.spec.text_at("type")? == Some("Python") {
            sum = sum.saturating_add(of(app.conf("spark.executor.pyspark.memory")?)?.unwrap_or(0));
        }
        sum = sum.saturating_add(of(off_heap(app)?)?.unwrap_or(0));
    }
    Ok(sum / MEBIBYTE)
}

/// On for any other value than `false`, unlike in Spark.
fn off_heap<'v>(app: &App<'_, 'v>) -> Result<Option<Field<'v>>, Rejected> {
    let is_on = app.conf("spark.memory.offHeap.enabled")?.is_some_and(|field| field.value.as_str() != Some("false"));
    if is_on { app.conf("spark.memory.offHeap.size") } else { Ok(None) }
}

/// A size that Spark reads as MiB, and the operator not at all.
fn without_unit<'v>(app: &App<'_, 'v>, role: &Role) -> Result<Option<Field<'v>>, Rejected> {
    let mut sizes = Vec::new();
    for field in ["memory", "memoryOverhead"] {
        sizes.extend(app.spec.at(&format!("{}.{field}", role.name))?);
    }
    if role.name == EXECUTOR.name {
        sizes.extend(off_heap(app)?);
    }
    let is_plain = |field: &Field<'_>| match field.value {
        Value::String(text) => text.bytes().all(|digit| digit.is_ascii_digit()),
        other => other.is_number(),
    };
    Ok(sizes.into_iter().find(is_plain))
}

fn of_unit(field: &Field<'_>) -> String {
    let path = field.rejected("").path;
    let size = field.value.as_str().map_or_else(|| field.value.to_string(), str::to_owned);
    format!("{path} is {size} without a unit, which the operator needs for batchScheduler yunikorn; write {size}m")
}
