//! Finds in a new pod what the API server would reject, with the field.

use super::objects::{Amount, Amounts, Container, Pod};
use super::quantity;

pub(super) const API_SERVER: &str = "the API server";
const NAME: &str = "must have lower-case letters, digits, - and . only, and a letter or digit at both ends";
const LABEL: &str = "must have letters, digits, -, _ and . only, and a letter or digit at both ends";
const LONGEST_NAME: usize = 253;
const LONGEST_LABEL: usize = 63;
/// Its Jobs have a longer name.
const LONGEST_CRON_JOB: usize = 52;
/// Spark draws it; the one of kornsole can be longer than a label.
const DRAWN: &str = "spark-app-selector";

/// Checks `metadata.name` of a pod, or of an object that creates pods.
pub(super) fn of_name(kind: &str, name: &str) -> Option<String> {
    let most = match kind {
        "CronJob" => LONGEST_CRON_JOB,
        // Its pods have the name as a label.
        "Job" => LONGEST_LABEL,
        _ => LONGEST_NAME,
    };
    let length = name.chars().count();
    match is_subdomain(name) {
        false => Some(format!("metadata.name {NAME}")),
        true => (length > most).then(|| format!("metadata.name has {length} characters, and the maximum is {most}")),
    }
}

/// Returns the first wrong field of a pod with its defaults, and the reason.
pub(super) fn of_pod(pod: &Pod) -> Option<String> {
    if pod.spec.containers.is_empty() {
        return Some("spec.containers is empty; a pod needs a container".to_owned());
    }
    let lists = [("initContainers", &pod.spec.init_containers), ("containers", &pod.spec.containers)];
    let containers = lists.into_iter().flat_map(|(list, all)| all.iter().enumerate().map(move |one| (list, one)));
    let mut faults = containers.filter_map(|(list, (number, container))| of_container(container, list, number));
    faults.next().or_else(|| of_pod_resources(pod)).or_else(|| of_labels(pod))
}

fn of_labels(pod: &Pod) -> Option<String> {
    let labels = pod.metadata.labels.iter().filter(|(key, _)| *key != DRAWN);
    let mut faults = labels.filter_map(|(key, value)| {
        let of = |why: String| format!("metadata.labels[{key:?}]: {value:?} {why}");
        let length = value.chars().count();
        match value.is_empty() || is_word(value) {
            false => Some(of(LABEL.to_owned())),
            true if length > LONGEST_LABEL => {
                Some(of(format!("has {length} characters, and the maximum is {LONGEST_LABEL}")))
            }
            true => None,
        }
    });
    faults.next()
}

fn of_container(container: &Container, list: &str, number: usize) -> Option<String> {
    let place = format!("spec.{list}[{number}].resources");
    let (requests, limits) = (&container.resources.requests, &container.resources.limits);
    let named = [("limits", limits), ("requests", requests)];
    for (kind, (name, amount)) in named.into_iter().flat_map(|(kind, all)| all.iter().map(move |one| (kind, one))) {
        if let Some(why) = of_resource(name).or_else(|| of_amount(name, amount)) {
            return Some(format!("{place}.{kind}: {why}"));
        }
    }
    if let Some(why) = above_limit(requests, limits) {
        return Some(format!("{place}.requests: {why}"));
    }
    let basic = ["cpu", "memory"];
    let has_pages = requests.keys().any(|name| is_huge(name));
    let is_alone = has_pages && !basic.iter().any(|name| requests.contains_key(*name));
    is_alone.then(|| format!("{place}: huge pages need a request of cpu or memory next to them"))
}

fn of_pod_resources(pod: &Pod) -> Option<String> {
    let of_pod = &pod.spec.resources;
    let known = |name: &str| matches!(name, "cpu" | "memory") || is_huge(name);
    let place = "spec.resources";
    for (kind, all) in [("limits", &of_pod.limits), ("requests", &of_pod.requests)] {
        if let Some(name) = all.keys().find(|name| !known(name)) {
            return Some(format!("{place}.{kind}: {name} is not cpu, memory, or hugepages-SIZE"));
        }
    }
    let why = above_limit(&of_pod.requests, &of_pod.limits)?;
    Some(format!("{place}.requests: {why}"))
}

fn of_resource(name: &str) -> Option<String> {
    let Some((domain, own)) = name.split_once('/') else {
        let is_known = matches!(name, "cpu" | "memory" | "ephemeral-storage") || is_huge(name);
        let words = "is not cpu, memory, ephemeral-storage, hugepages-SIZE, or a name with a domain such as \
            nvidia.com/gpu";
        return (!is_known).then(|| format!("{name} {words}"));
    };
    let is_valid = is_subdomain(domain) && is_word(own) && own.len() <= LONGEST_LABEL;
    let is_quota = !is_native(name) && name.starts_with("requests.");
    (!is_valid || is_quota).then(|| format!("{name} is not DOMAIN/NAME, for example nvidia.com/gpu"))
}

/// Devices are whole, and huge pages are whole pages.
fn of_amount(name: &str, amount: &Amount) -> Option<String> {
    let thousandths = quantity::thousandths(&amount.0).ok()?;
    if !is_native(name) && thousandths % 1000 != 0 {
        return Some(format!("{name} is {}, and must be an integer", amount.0));
    }
    let page = quantity::whole(name.strip_prefix("hugepages-")?).ok().filter(|page| *page > 0);
    let is_whole = page.is_some_and(|page| quantity::whole(&amount.0).is_ok_and(|bytes| bytes % page == 0));
    (!is_whole).then(|| format!("{name} is {}, which is not a multiple of the page size", amount.0))
}

/// What nodes do not overcommit has a limit, to which the request is equal.
fn above_limit(requests: &Amounts, limits: &Amounts) -> Option<String> {
    requests.iter().find_map(|(name, request)| {
        let is_exact = !is_native(name) || is_huge(name);
        let Some(limit) = limits.get(name) else {
            return is_exact.then(|| format!("{name} has no limit; it needs the limit {}", request.0));
        };
        let (asked, most) = (quantity::value(name, request).ok()?, quantity::value(name, limit).ok()?);
        match (is_exact, asked.cmp(&most)) {
            (true, order) if order.is_ne() => {
                Some(format!("{name} is {}, and must be equal to the limit {}", request.0, limit.0))
            }
            (_, order) if order.is_gt() => Some(format!("{name} is {}, above the limit {}", request.0, limit.0)),
            _ => None,
        }
    })
}

fn is_huge(name: &str) -> bool {
    name.starts_with("hugepages-")
}

fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

fn is_subdomain(name: &str) -> bool {
    let is_part = |part: &str| {
        let is_known = |symbol: u8| symbol.is_ascii_lowercase() || symbol.is_ascii_digit() || symbol == b'-';
        !part.is_empty() && part.bytes().all(is_known) && !part.starts_with('-') && !part.ends_with('-')
    };
    name.split('.').all(is_part)
}

fn is_word(text: &str) -> bool {
    let is_known = |symbol: u8| symbol.is_ascii_alphanumeric() || b"-_.".contains(&symbol);
    let is_end = |symbol: Option<u8>| symbol.is_some_and(|symbol| symbol.is_ascii_alphanumeric());
    text.bytes().all(is_known) && is_end(text.bytes().next()) && is_end(text.bytes().last())
}
