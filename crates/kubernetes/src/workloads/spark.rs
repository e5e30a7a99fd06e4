//! SparkApplication: driver and executors with the sizes of Spark on Kubernetes and its operator.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::field::{Field, Rejected};
use super::making::{Made, Making, Refused, Scope};
use super::spark_gang;
use crate::objects::{Container, Pod};

pub(super) const MEBIBYTE: u64 = 1 << 20;
/// Spark's minimum overhead, in bytes.
pub(super) const LEAST_OVERHEAD: u64 = 384 * MEBIBYTE;
/// Spark's overhead as a share of the memory, with and without a JVM.
const OVERHEAD: (f64, f64) = (0.1, 0.4);
const SPARK: &str = "Spark";
const APP_ID: &str = "{{APP_ID}}";
const EXECUTOR_ID: &str = "{{EXECUTOR_ID}}";

pub(super) struct Role {
    pub name: &'static str,
    container: &'static str,
    pub group: &'static str,
}

pub(super) const DRIVER: Role = Role { name: "driver", container: "spark-kubernetes-driver", group: "spark-driver" };
pub(super) const EXECUTOR: Role =
    Role { name: "executor", container: "spark-kubernetes-executor", group: "spark-executor" };

pub(super) fn pods(scope: &Scope<'_>, making: &mut Making<'_>) -> Result<(), Rejected> {
    let app = App { spec: &scope.spec, scope };
    let (mut driver, mut executor) = (app.pod(&DRIVER)?, app.pod(&EXECUTOR)?);
    let instances = app.instances(1)?;
    // Without the driver, nothing creates executors.
    let refused = match scope.spec.text_at("batchScheduler")? {
        Some("yunikorn") => spark_gang::add(&app, (&mut driver, &mut executor), instances)?,
        _ => None,
    };
    if let Some((by, why)) = refused.or(app.without_vendor(&DRIVER)?) {
        making.refused.push(Refused { by, why, pods: instances.saturating_add(1) });
        return Ok(());
    }
    making.made.push(Made::one(DRIVER.name, driver, format!("{}-driver", scope.name)));
    app.executors(executor, instances, making)
}

/// Adds the server of a SparkConnect, which is sized by its template alone, and the initial executors.
pub(super) fn connect(scope: &Scope<'_>, making: &mut Making<'_>) -> Result<(), Rejected> {
    let app = App { spec: &scope.spec, scope };
    let mut server = match scope.spec.at("server.template")? {
        Some(template) => template.pod_of(template.value.clone(), 0)?,
        None => Pod::default(),
    };
    if server.spec.containers.is_empty() {
        server.spec.containers.push(Container { name: DRIVER.container.to_owned(), ..Container::default() });
    }
    making.made.push(Made::one(DRIVER.name, server, format!("{}-server", scope.name)));
    // Spark's default is two; the operator sets one only for a SparkApplication.
    app.executors(app.pod(&EXECUTOR)?, app.instances(2)?, making)
}

struct Device<'v> {
    name: &'v str,
    amount: u64,
    vendor: Option<&'v str>,
}

pub(super) struct App<'s, 'v> {
    pub spec: &'s Field<'v>,
    scope: &'s Scope<'v>,
}

impl<'v> App<'_, 'v> {
    /// `None` if `sparkConf` has no such property.
    pub fn conf(&self, key: &str) -> Result<Option<Field<'v>>, Rejected> {
        match self.spec.at("sparkConf")? {
            Some(conf) => conf.key(key),
            None => Ok(None),
        }
    }

    /// The properties with this prefix, without it.
    fn confs(&self, prefix: &str) -> Result<Vec<(&'v str, Field<'v>)>, Rejected> {
        let all = self.spec.at("sparkConf")?.map(|conf| conf.entries()).transpose()?.unwrap_or_default();
        Ok(all.into_iter().filter_map(|(key, field)| Some((key.strip_prefix(prefix)?, field))).collect())
    }

    /// The devices of `spark.ROLE.resource.NAME`.
    fn devices(&self, role: &Role) -> Result<Vec<Device<'v>>, Rejected> {
        let all = self.confs(&format!("spark.{}.resource.", role.name))?;
        let names: BTreeMap<&str, &Field<'v>> =
            all.iter().filter_map(|(key, field)| Some((key.split_once('.')?.0, field))).collect();
        let mut devices = Vec::new();
        for (name, any) in names {
            let setting = |key: &str| {
                let own = |of: &str| of.split_once('.').is_some_and(|(of, rest)| of == name && rest == key);
                all.iter().find(|(of, _)| own(of)).map(|(_, field)| field)
            };
            let amount = setting("amount").map(number).transpose()?;
            let key = format!("spark.{}.resource.{name}.amount", role.name);
            let missing = || any.rejected(format!("{key} is missing"));
            let vendor = setting("vendor").map(Field::text).transpose()?;
            let vendor = vendor.filter(|vendor| !vendor.is_empty());
            devices.push(Device { name, amount: amount.ok_or_else(missing)?, vendor });
        }
        // Spark ignores what is requested zero times.
        devices.retain(|device| device.amount > 0);
        Ok(devices)
    }

    /// Spark names the resource by its vendor, and fails without one.
    fn without_vendor(&self, role: &Role) -> Result<Option<(String, String)>, Rejected> {
        let devices = self.devices(role)?;
        let found = devices.iter().find(|device| device.vendor.is_none());
        Ok(found.map(|Device { name, .. }| {
            let key = format!("spark.{}.resource.{name}", role.name);
            let requested = format!("{key}.amount");
            let why = format!("sparkConf requests {requested} without {key}.vendor, for example nvidia.com");
            (SPARK.to_owned(), why)
        }))
    }

    fn executors(&self, pod: Pod, instances: u64, making: &mut Making<'_>) -> Result<(), Rejected> {
        if let Some((by, why)) = self.without_vendor(&EXECUTOR)?.filter(|_| instances > 0) {
            making.refused.push(Refused { by, why, pods: instances });
            return Ok(());
        }
        // Annotations with the number of an executor differ in each pod.
        let numbered = self.texts(&EXECUTOR, "annotations", "annotation")?.into_iter();
        let numbered = numbered.filter(|(_, text)| text.contains(EXECUTOR_ID));
        let annotations = numbered.map(|(key, text)| (key, text.replace(EXECUTOR_ID, "{index}"))).collect();
        let made = Made::one(EXECUTOR.name, pod, format!("{}-exec-{{index}}", self.scope.name));
        making.made.push(Made { count: instances, first: 1, annotations, ..made });
        Ok(())
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
            None => {
                LEAST_OVERHEAD.max((memory as f64 * self.factor(Some("spark.kubernetes.memoryOverheadFactor"))?) as u64)
            }
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

    /// Of the field, or of this property.
    pub fn factor(&self, property: Option<&str>) -> Result<f64, Rejected> {
        let written = match (self.spec.at("memoryOverheadFactor")?, property) {
            (Some(written), _) => Some(written),
            (None, Some(property)) => self.conf(property)?,
            (None, None) => None,
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
        let metadata = self.labels(role, taken(&mut template, "metadata"))?;
        let mut spec = taken(&mut template, "spec");
        let memory = format!("{}Mi", self.memory(role)?);
        let requests = json!({ "cpu": self.cpu(role)?, "memory": memory });
        let mut limits = json!({ "memory": memory });
        if let Some(cores) = part.text_at("coreLimit")? {
            limits["cpu"] = json!(cores);
        }
        for Device { name, amount, vendor } in self.devices(role)? {
            limits[format!("{}/{name}", vendor.unwrap_or_default())] = json!(amount);
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

    /// The labels or annotations of a role, in its field and in `sparkConf`.
    fn texts(&self, role: &Role, field: &str, property: &str) -> Result<BTreeMap<String, String>, Rejected> {
        let of_conf = self.confs(&format!("spark.kubernetes.{}.{property}.", role.name))?.into_iter();
        let of_conf = of_conf.filter_map(|(key, field)| Some((key.to_owned(), field.value.as_str()?.to_owned())));
        let mut all: BTreeMap<String, String> = of_conf.collect();
        all.extend(self.spec.texts_at(&format!("{}.{field}", role.name))?);
        if property == "annotation" {
            let id = self.id();
            all.values_mut().for_each(|text| *text = text.replace(APP_ID, &id));
        }
        Ok(all)
    }

    /// Spark draws this ID randomly; here it is stable, from the name.
    fn id(&self) -> String {
        format!("spark-{}-{}", self.scope.namespace, self.scope.name)
    }

    /// Adds the labels and annotations of the application to the metadata of a template.
    fn labels(&self, role: &Role, mut meta: Map<String, Value>) -> Result<Value, Rejected> {
        let mut all = |field: &str, property: &str| -> Result<Map<String, Value>, Rejected> {
            let mut all = taken(&mut meta, field);
            all.extend(self.texts(role, field, property)?.into_iter().map(|(key, value)| (key, Value::String(value))));
            Ok(all)
        };
        // Spark fills in its IDs in annotations, not in labels.
        let (mut labels, mut annotations) = (all("labels", "label")?, all("annotations", "annotation")?);
        if role.name == DRIVER.name {
            for (key, text) in self.texts(role, "annotations", "annotation")? {
                annotations.insert(key, json!(text.replace(EXECUTOR_ID, "")));
            }
        }
        labels.insert("spark-app-selector".to_owned(), json!(self.id()));
        labels.insert("spark-role".to_owned(), json!(role.name));
        labels.insert("sparkoperator.k8s.io/app-name".to_owned(), json!(self.scope.name));
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
pub(super) fn bytes(field: &Field<'_>) -> Result<u64, Rejected> {
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
