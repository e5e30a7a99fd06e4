//! SparkApplication: driver and executors with the sizes of Spark on Kubernetes and its operator.

use serde_json::{Map, Value, json};

use super::field::{Field, Rejected};
use super::making::{Made, Making, Scope};
use crate::names::{TASK_GROUPS, own};
use crate::objects::Pod;

const MEBIBYTE: u64 = 1 << 20;
/// Spark's minimum overhead, in bytes.
const LEAST_OVERHEAD: u64 = 384 * MEBIBYTE;
/// Spark's overhead as a share of the memory, with and without a JVM.
const OVERHEAD: (f64, f64) = (0.1, 0.4);

struct Role {
    name: &'static str,
    container: &'static str,
    group: &'static str,
}

const DRIVER: Role = Role { name: "driver", container: "spark-kubernetes-driver", group: "spark-driver" };
const EXECUTOR: Role = Role { name: "executor", container: "spark-kubernetes-executor", group: "spark-executor" };

pub(super) fn pods(scope: &Scope<'_>, making: &mut Making<'_>) -> Result<(), Rejected> {
    let app = App { spec: &scope.spec, scope };
    let (mut driver, mut executor) = (app.pod(&DRIVER)?, app.pod(&EXECUTOR)?);
    let instances = app.instances(1)?;
    if scope.spec.text_at("batchScheduler")? == Some("yunikorn") {
        app.gang(&mut driver, &mut executor, instances)?;
    }
    making.made.push(Made::one(DRIVER.name, driver, format!("{}-driver", scope.name)));
    let executors = Made::one(EXECUTOR.name, executor, format!("{}-exec-{{index}}", scope.name));
    making.made.push(Made { count: instances, first: 1, ..executors });
    Ok(())
}

/// The server of a SparkConnect is sized by its template alone.
pub(super) fn connect(scope: &Scope<'_>, making: &mut Making<'_>) -> Result<(), Rejected> {
    let app = App { spec: &scope.spec, scope };
    let server = match scope.spec.at("server.template")? {
        Some(template) => template.pod_of(template.value.clone(), 0)?,
        None => Pod::default(),
    };
    making.made.push(Made::one(DRIVER.name, server, format!("{}-server", scope.name)));
    let executors = Made::one(EXECUTOR.name, app.pod(&EXECUTOR)?, format!("{}-exec-{{index}}", scope.name));
    // Spark's default is two; the operator sets one only for a SparkApplication.
    making.made.push(Made { count: app.instances(2)?, first: 1, ..executors });
    Ok(())
}

struct App<'s, 'v> {
    spec: &'s Field<'v>,
    scope: &'s Scope<'v>,
}

impl<'v> App<'_, 'v> {
    fn conf(&self, key: &str) -> Result<Option<Field<'v>>, Rejected> {
        match self.spec.at("sparkConf")? {
            Some(conf) => conf.key(key),
            None => Ok(None),
        }
    }

    fn setting(&self, role: &Role, field: &str, key: &str) -> Result<Option<Field<'v>>, Rejected> {
        match self.spec.at(&format!("{}.{field}", role.name))? {
            Some(found) => Ok(Some(found)),
            None => self.conf(key),
        }
    }

    /// With dynamic allocation, like the operator.
    fn instances(&self, usual: u64) -> Result<u64, Rejected> {
        let number = |field: Option<Field<'_>>| field.map(|field| number(&field)).transpose();
        let own = number(self.setting(&EXECUTOR, "instances", "spark.executor.instances")?)?;
        let dynamic = self.spec.at("dynamicAllocation")?;
        let by_field = dynamic.as_ref().map(|dynamic| dynamic.is_true_at("enabled")).transpose()?.unwrap_or(false);
        let by_conf = self.conf("spark.dynamicAllocation.enabled")?.is_some_and(|field| is_on(&field));
        if !by_field && !by_conf {
            return Ok(own.unwrap_or(usual));
        }
        let mut most = own.unwrap_or(0);
        for (field, key) in [
            ("minExecutors", "spark.dynamicAllocation.minExecutors"),
            ("initialExecutors", "spark.dynamicAllocation.initialExecutors"),
        ] {
            let written = dynamic.as_ref().map(|dynamic| dynamic.at(field)).transpose()?.flatten();
            let written = match written {
                Some(written) => Some(written),
                None => self.conf(key)?,
            };
            most = most.max(number(written)?.unwrap_or(0));
        }
        Ok(most)
    }

    fn cpu(&self, role: &Role) -> Result<String, Rejected> {
        let name = role.name;
        let request = self.setting(role, "coreRequest", &format!("spark.kubernetes.{name}.request.cores"))?;
        let cores = match request {
            Some(request) => Some(request),
            None => self.setting(role, "cores", &format!("spark.{name}.cores"))?,
        };
        Ok(match cores.as_ref().map(|field| (field, field.value)) {
            None => "1".to_owned(),
            Some((_, Value::String(text))) => text.clone(),
            Some((_, Value::Number(number))) if number.as_f64().is_some_and(|number| number >= 0.0) => {
                number.to_string()
            }
            Some((field, _)) => return Err(field.expected("a number of cores")),
        })
    }

    /// With the overhead, in MiB.
    fn memory(&self, role: &Role) -> Result<u64, Rejected> {
        let name = role.name;
        let of = |field: Option<Field<'_>>| field.map(|field| bytes(&field)).transpose();
        let memory = of(self.setting(role, "memory", &format!("spark.{name}.memory"))?)?.unwrap_or(1 << 30);
        let overhead = self.setting(role, "memoryOverhead", &format!("spark.{name}.memoryOverhead"))?;
        let overhead = match of(overhead)? {
            Some(overhead) => overhead,
            None => LEAST_OVERHEAD.max((memory as f64 * self.factor()?) as u64),
        };
        let mut sum = memory.saturating_add(overhead);
        if name == EXECUTOR.name {
            if self.spec.text_at("type")? == Some("Python") {
                sum = sum.saturating_add(of(self.conf("spark.executor.pyspark.memory")?)?.unwrap_or(0));
            }
            if self.conf("spark.memory.offHeap.enabled")?.is_some_and(|field| is_on(&field)) {
                sum = sum.saturating_add(of(self.conf("spark.memory.offHeap.size")?)?.unwrap_or(0));
            }
        }
        Ok(sum / MEBIBYTE)
    }

    fn factor(&self) -> Result<f64, Rejected> {
        let written = match self.spec.at("memoryOverheadFactor")? {
            Some(written) => Some(written),
            None => self.conf("spark.kubernetes.memoryOverheadFactor")?,
        };
        let Some(field) = written else {
            let on_jvm = !matches!(self.spec.text_at("type")?, Some("Python" | "R"));
            return Ok(if on_jvm { OVERHEAD.0 } else { OVERHEAD.1 });
        };
        let number = match field.value {
            Value::String(text) => text.parse::<f64>().ok(),
            other => other.as_f64(),
        };
        number
            .filter(|number| (0.0..=100.0).contains(number))
            .ok_or_else(|| field.expected("a factor, for example 0.1"))
    }

    /// Returns the pod of a role: its template with the settings of the application.
    fn pod(&self, role: &Role) -> Result<Pod, Rejected> {
        let part = self.spec.required(role.name)?;
        let mut template = part.at("template")?.and_then(|field| field.value.as_object().cloned()).unwrap_or_default();
        let metadata = self.labels(role, &part, taken(&mut template, "metadata"))?;
        let mut spec = taken(&mut template, "spec");
        let memory = format!("{}Mi", self.memory(role)?);
        let requests = json!({ "cpu": self.cpu(role)?, "memory": memory });
        let mut limits = json!({ "memory": memory });
        if let Some(cores) = part.text_at("coreLimit")? {
            limits["cpu"] = json!(cores);
        }
        if let Some(gpu) = part.at("gpu")? {
            limits[gpu.required("name")?.text()?] = json!(gpu.required("quantity")?.count()?);
        }
        let resources = json!({ "requests": requests, "limits": limits });
        let mut containers = vec![json!({ "name": role.container, "resources": resources })];
        let of_template = spec.get("containers").and_then(Value::as_array).cloned().unwrap_or_default();
        containers.extend(of_template.into_iter().skip(1));
        if let Some(sidecars) = part.at("sidecars")? {
            containers.extend(sidecars.items()?.into_iter().map(|sidecar| sidecar.value.clone()));
        }
        spec.insert("containers".to_owned(), Value::Array(containers));
        for (from, to) in [
            ("initContainers", "initContainers"),
            ("tolerations", "tolerations"),
            ("affinity", "affinity"),
            ("priorityClassName", "priorityClassName"),
            ("schedulerName", "schedulerName"),
        ] {
            if let Some(field) = part.at(from)? {
                spec.insert(to.to_owned(), field.value.clone());
            }
        }
        self.nodes(&part, &mut spec)?;
        self.volumes(&part, &mut spec)?;
        self.scheduler(role, &mut spec)?;
        part.pod_of(json!({ "metadata": metadata, "spec": spec }), 1)
    }

    /// Adds the labels and annotations of the application to the metadata of a template.
    fn labels(&self, role: &Role, part: &Field<'_>, mut meta: Map<String, Value>) -> Result<Value, Rejected> {
        let (name, conf) = (role.name, self.spec.texts_at("sparkConf").unwrap_or_default());
        let mut all = |field: &str, property: &str| -> Result<Map<String, Value>, Rejected> {
            let mut all = taken(&mut meta, field);
            let prefix = format!("spark.kubernetes.{name}.{property}.");
            let of_conf = conf.iter().filter_map(|(key, value)| Some((key.strip_prefix(&prefix)?, value)));
            all.extend(of_conf.map(|(key, value)| (key.to_owned(), json!(value))));
            all.extend(part.texts_at(field)?.into_iter().map(|(key, value)| (key, Value::String(value))));
            Ok(all)
        };
        let (mut labels, annotations) = (all("labels", "label")?, all("annotations", "annotation")?);
        let Scope { name: app, namespace, .. } = self.scope;
        // Spark draws this ID randomly; here it is stable, from the name.
        labels.insert("spark-app-selector".to_owned(), json!(format!("spark-{namespace}-{app}")));
        labels.insert("spark-role".to_owned(), json!(name));
        labels.insert("sparkoperator.k8s.io/app-name".to_owned(), json!(app));
        Ok(json!({ "labels": labels, "annotations": annotations }))
    }

    fn nodes(&self, part: &Field<'_>, spec: &mut Map<String, Value>) -> Result<(), Rejected> {
        let all = [self.spec.texts_at("nodeSelector")?, part.texts_at("nodeSelector")?];
        let mut selector = taken(spec, "nodeSelector");
        selector.extend(all.into_iter().flatten().map(|(key, value)| (key, Value::String(value))));
        spec.insert("nodeSelector".to_owned(), Value::Object(selector));
        Ok(())
    }

    fn volumes(&self, part: &Field<'_>, spec: &mut Map<String, Value>) -> Result<(), Rejected> {
        let (Some(volumes), Some(mounts)) = (self.spec.at("volumes")?, part.at("volumeMounts")?) else { return Ok(()) };
        let mut mounted = Vec::new();
        for mount in mounts.items()? {
            mounted.extend(mount.text_at("name")?);
        }
        let mut all = spec.get("volumes").and_then(Value::as_array).cloned().unwrap_or_default();
        for volume in volumes.items()? {
            if volume.text_at("name")?.is_some_and(|name| mounted.contains(&name)) {
                all.push(volume.value.clone());
            }
        }
        spec.insert("volumes".to_owned(), Value::Array(all));
        Ok(())
    }

    /// The batch scheduler of the application overrides the scheduler of the role.
    fn scheduler(&self, role: &Role, spec: &mut Map<String, Value>) -> Result<(), Rejected> {
        let by_app = self.spec.text_at("batchScheduler")?.filter(|name| !name.is_empty());
        let mut by_conf = self.conf(&format!("spark.kubernetes.{}.scheduler.name", role.name))?;
        if by_conf.is_none() {
            by_conf = self.conf("spark.kubernetes.scheduler.name")?;
        }
        match (by_app, by_conf) {
            (Some(name), _) => drop(spec.insert("schedulerName".to_owned(), json!(name))),
            (None, Some(name)) => drop(spec.entry("schedulerName").or_insert(json!(name.text()?))),
            (None, None) => {}
        }
        Ok(())
    }

    /// Like the operator for YuniKorn.
    fn gang(&self, driver: &mut Pod, executor: &mut Pod, instances: u64) -> Result<(), Rejected> {
        if let Some(queue) = self.spec.text_at("batchSchedulerOptions.queue")? {
            for pod in [&mut *driver, &mut *executor] {
                pod.metadata.labels.insert("queue".to_owned(), queue.to_owned());
            }
        }
        let mut groups = vec![self.group(&DRIVER, 1)?];
        if instances > 0 {
            groups.push(self.group(&EXECUTOR, instances)?);
        }
        for (pod, role) in [(&mut *driver, &DRIVER), (&mut *executor, &EXECUTOR)] {
            pod.metadata.annotations.insert(own("task-group-name"), role.group.to_owned());
        }
        driver.metadata.annotations.insert(own(TASK_GROUPS), Value::Array(groups).to_string());
        Ok(())
    }

    fn group(&self, role: &Role, members: u64) -> Result<Value, Rejected> {
        let resource = json!({ "cpu": self.cpu(role)?, "memory": format!("{}Mi", self.memory(role)?) });
        let mut group = json!({ "name": role.group, "minMember": members, "minResource": resource });
        for field in ["tolerations", "affinity", "labels"] {
            if let Some(found) = self.spec.at(&format!("{}.{field}", role.name))? {
                group[field] = found.value.clone();
            }
        }
        Ok(group)
    }
}

/// Empty for another type.
fn taken(fields: &mut Map<String, Value>, key: &str) -> Map<String, Value> {
    match fields.remove(key) {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    }
}

/// Spark properties are texts.
fn number(field: &Field<'_>) -> Result<u64, Rejected> {
    match field.value {
        Value::String(text) => text.parse().map_err(|_| field.expected("an integer of 0 or more")),
        _ => field.count(),
    }
}

fn is_on(field: &Field<'_>) -> bool {
    matches!(field.value, Value::Bool(true)) || field.value.as_str() == Some("true")
}

/// `512m`, `4g`; a plain number is MiB.
fn bytes(field: &Field<'_>) -> Result<u64, Rejected> {
    let text = match field.value {
        Value::String(text) => text.to_lowercase(),
        Value::Number(number) => number.to_string(),
        _ => return Err(field.expected("a size, for example 4g")),
    };
    let end = text.find(|symbol: char| !symbol.is_ascii_digit()).unwrap_or(text.len());
    let (number, suffix) = text.split_at(end);
    let power = match suffix {
        "b" => 0,
        "k" | "kb" => 10,
        "" | "m" | "mb" => 20,
        "g" | "gb" => 30,
        "t" | "tb" => 40,
        "p" | "pb" => 50,
        _ => return Err(field.expected("a size in the format of Spark, for example 4g")),
    };
    let number: u64 = number.parse().map_err(|_| field.expected("a size, for example 4g"))?;
    Ok(number.saturating_mul(1 << power))
}
