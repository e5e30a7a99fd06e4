//! Completes and rejects pods by LimitRanges, like the API server.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::objects::{Amounts, Container, Meta, Pod, Step, Unread, read_as};
use super::pod_resources::{Written, written, written_of};
use super::quantity::{self, of_core};
use model::quantity::write_quantity;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LimitRange {
    metadata: Meta,
    spec: LimitRangeSpec,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct LimitRangeSpec {
    limits: Vec<Limit>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Limit {
    #[serde(rename = "type")]
    kind: String,
    default: Amounts,
    default_request: Amounts,
    max: Amounts,
    min: Amounts,
    max_limit_request_ratio: Amounts,
}

#[derive(Debug, Default)]
pub(crate) struct LimitRanges {
    /// By namespace and name, so that several apply in a fixed order.
    ranges: BTreeMap<(String, String), Vec<Limit>>,
}

impl Limit {
    /// Sets the defaults of the API: the limit is the maximum; the request is the limit, otherwise the minimum.
    fn complete(&mut self) {
        let Self { default, default_request, max, min, .. } = self;
        add_missing(default, max);
        add_missing(default_request, default);
        add_missing(default_request, min);
    }

    fn check(&self, number: usize) -> Result<(), Unread> {
        let Self { default, default_request, max, min, max_limit_request_ratio: ratio, .. } = self;
        let fields = [
            ("default", default),
            ("defaultRequest", default_request),
            ("max", max),
            ("min", min),
            ("maxLimitRequestRatio", ratio),
        ];
        for (field, (name, amount)) in
            fields.into_iter().flat_map(|(field, all)| all.iter().map(move |one| (field, one)))
        {
            if let Err(why) = quantity::thousandths(&amount.0) {
                let keys = ["spec", "limits"].map(|key| Step::Key(key.to_owned()));
                let inner = [Step::Item(number), Step::Key(field.to_owned()), Step::Key(name.clone())];
                return Err(Unread { path: keys.into_iter().chain(inner).collect(), ..Unread::whole(why) });
            }
        }
        Ok(())
    }

    fn violated(&self, sizes: &Written) -> Option<String> {
        let bound = |amounts: &Amounts, check: &dyn Fn(&str, i64) -> Option<String>| {
            amounts.iter().find_map(|(name, amount)| check(name, quantity::value(name, amount).ok()?))
        };
        let request = |name: &str| sizes.requests.get(of_core(name));
        let limit = |name: &str| sizes.limits.get(of_core(name));
        let text = |name: &str, amount: i64| write_quantity(of_core(name), amount);
        let below = |name: &str, least: i64| {
            let Some(request) = request(name) else {
                return Some(format!("has no {name} request, and the minimum is {}", text(name, least)));
            };
            let small = [("request", Some(request)), ("limit", limit(name))];
            let (what, amount) =
                small.into_iter().find_map(|(what, amount)| Some((what, amount.filter(|one| *one < least)?)))?;
            Some(format!("has a {name} {what} of {}, and the minimum is {}", text(name, amount), text(name, least)))
        };
        let above = |name: &str, most: i64| {
            let Some(limit) = limit(name) else {
                return Some(format!("has no {name} limit, and the maximum is {}", text(name, most)));
            };
            let large = [("limit", Some(limit)), ("request", request(name))];
            let (what, amount) =
                large.into_iter().find_map(|(what, amount)| Some((what, amount.filter(|one| *one > most)?)))?;
            Some(format!("has a {name} {what} of {}, and the maximum is {}", text(name, amount), text(name, most)))
        };
        let ratio = self.max_limit_request_ratio.iter().find_map(|(name, most)| {
            let thousandths = quantity::thousandths(&most.0).ok()?;
            let most = &most.0;
            let pair = request(name).filter(|one| *one > 0).zip(limit(name).filter(|one| *one > 0));
            let Some((request, limit)) = pair else {
                return Some(format!("has no {name} request and limit, and the limit may be at most {most} times the request"));
            };
            let is_above = i128::from(limit) * 1000 > i128::from(request) * i128::from(thousandths);
            let words = || {
                let (limit, request) = (text(name, limit), text(name, request));
                format!("has a {name} limit of {limit} and a request of {request}, and the limit may be at most {most} times the request")
            };
            is_above.then(words)
        });
        bound(&self.min, &below).or_else(|| bound(&self.max, &above)).or(ratio)
    }
}

fn add_missing(to: &mut Amounts, from: &Amounts) {
    for (name, amount) in from {
        to.entry(name.clone()).or_insert_with(|| amount.clone());
    }
}

impl LimitRanges {
    /// Fails with the invalid field.
    pub fn take(&mut self, value: &Value) -> Result<(), Unread> {
        let LimitRange { metadata, mut spec } = read_as(value)?;
        for (number, limit) in spec.limits.iter_mut().enumerate() {
            limit.check(number)?;
            if limit.kind == "Container" {
                limit.complete();
            }
        }
        self.ranges.insert((metadata.namespace, metadata.name), spec.limits);
        Ok(())
    }

    fn of(&self, pod: &Pod) -> impl Iterator<Item = (&str, &Limit)> + use<'_> {
        let namespace = pod.metadata.namespace.clone();
        let ranges = self.ranges.iter().filter(move |((of, _), _)| *of == namespace);
        ranges.flat_map(|((_, name), limits)| limits.iter().map(move |limit| (name.as_str(), limit)))
    }

    /// Adds default requests and limits to the containers.
    pub fn complete(&self, pod: &mut Pod) {
        for (_, limit) in self.of(pod).filter(|(_, limit)| limit.kind == "Container") {
            let add = |container: &mut Container| {
                add_missing(&mut container.resources.limits, &limit.default);
                add_missing(&mut container.resources.requests, &limit.default_request);
            };
            pod.spec.containers.iter_mut().for_each(add);
            pod.spec.init_containers.iter_mut().for_each(add);
        }
    }

    /// Returns the LimitRange that rejects a pod, and the reason.
    pub fn reject(&self, pod: &Pod) -> Option<(String, String)> {
        let rejects = |(range, limit)| Some((range, violated(pod, limit)?));
        let (range, why) = self.of(pod).find_map(rejects)?;
        Some((format!("LimitRange {}/{range}", pod.metadata.namespace), why))
    }
}

/// An invalid quantity in a pod violates nothing: it is reported elsewhere.
fn violated(pod: &Pod, limit: &Limit) -> Option<String> {
    match limit.kind.as_str() {
        "Container" => pod.spec.init_containers.iter().chain(&pod.spec.containers).find_map(|container| {
            let why = limit.violated(&written_of(container).ok()?)?;
            Some(format!("container {} {why}", container.name))
        }),
        "Pod" => limit.violated(&written(pod).ok()?).map(|why| format!("the pod {why}")),
        _ => None,
    }
}
