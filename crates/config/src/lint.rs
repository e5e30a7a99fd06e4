//! Warnings about a valid configuration that does not do what was meant. Each has an id, which a comment or the command line can allow.

use super::fault::{Fault, Faults, Severity};
use super::node::Fields;
use super::yaml::{self, Node};
use model::Profile;

/// The ids of all warnings.
pub const IDS: [&str; 1] = ["W-001"];

/// What allows warnings on its own line, or on the next one if the line has nothing else.
const ALLOWED: &str = "# kornsole: allow ";

/// The deepest queue that is examined.
const DEEPEST: usize = yaml::DEEPEST;

/// The warnings of a configuration, with their places in its text. A text that is no YAML has none.
pub fn lint(text: &str) -> Vec<Fault> {
    let mut lint = Lint { found: Vec::new() };
    let Some(document) = yaml::parse(text, &mut Faults::new(Profile::default())) else { return Vec::new() };
    for partition in document.root().and_then(fields).into_iter().flat_map(|root| list(root, "partitions")) {
        let Some(partition) = fields(partition) else { continue };
        let name = text_of(partition, "name").unwrap_or("default");
        lint.limits(partition, name);
        for queue in list(partition, "queues") {
            lint.queue(queue, "", 0);
        }
    }
    let allowed = allowed_lines(text);
    lint.found.retain(|fault| !allowed.iter().any(|(line, ids)| *line == fault.at.line && ids.contains(fault.code)));
    lint.found
}

struct Lint {
    found: Vec<Fault>,
}

impl Lint {
    fn queue(&mut self, queue: Node<'_>, parent: &str, depth: usize) {
        let Some(queue) = fields(queue).filter(|_| depth < DEEPEST) else { return };
        let name = text_of(queue, "name").unwrap_or_default();
        let path = if parent.is_empty() { name.to_owned() } else { format!("{parent}.{name}") };
        self.resources(queue, &path);
        self.limits(queue, &path);
        if let Some(template) = queue.get("childtemplate").and_then(fields) {
            self.resources(template, &path);
        }
        for child in list(queue, "queues") {
            self.queue(child, &path, depth + 1);
        }
    }

    fn resources(&mut self, of: Fields<'_>, path: &str) {
        let Some(resources) = of.get("resources").and_then(fields) else { return };
        for kind in ["guaranteed", "max"] {
            self.names(resources, kind, path);
        }
    }

    fn limits(&mut self, of: Fields<'_>, path: &str) {
        for limit in list(of, "limits").into_iter().filter_map(fields) {
            self.names(limit, "maxresources", path);
        }
    }

    /// W-001: names that are in no request of a pod. Kubernetes accepts its own names and names with a domain, and the shim calls `cpu`
    /// `vcore`.
    fn names(&mut self, of: Fields<'_>, kind: &str, path: &str) {
        for (key, _) in of.get(kind).and_then(fields).into_iter().flatten() {
            let Some(hint) = unrequested(key.text) else { continue };
            self.found.push(Fault {
                code: "W-001",
                severity: Severity::Warning,
                at: key.at,
                path: path.to_owned(),
                message: format!("no pod requests `{}`, so `{kind}` has no effect on it", key.text),
                hint,
            });
        }
    }
}

/// What to write for a name that no pod requests; `None` if pods can request it.
fn unrequested(name: &str) -> Option<String> {
    let known = |name: &str| {
        matches!(name, "vcore" | "memory" | "ephemeral-storage" | "pods")
            || ["hugepages-", "attachable-volumes-"].iter().any(|prefix| name.starts_with(prefix))
    };
    let bare = name.strip_prefix("requests.").or_else(|| name.strip_prefix("limits."));
    if bare.is_none() && (known(name) || name.contains('/')) {
        return None;
    }
    let bare = bare.unwrap_or(name);
    let lower = bare.to_ascii_lowercase();
    let right = match lower.as_str() {
        "cpu" | "cpus" | "core" | "cores" | "vcores" | "vcpu" | "vcpus" => "vcore",
        "mem" | "ram" => "memory",
        "pod" => "pods",
        "storage" | "ephemeralstorage" => "ephemeral-storage",
        "gpu" | "gpus" => {
            return Some("write the full name of the extended resource, for example `nvidia.com/gpu`".to_owned());
        }
        lower if known(lower) => lower,
        _ if bare.contains('/') => bare,
        _ => {
            return Some(
                "pods request `vcore`, `memory`, `ephemeral-storage`, `pods`, `hugepages-SIZE`, and extended resources with a domain, \
                 for example `nvidia.com/gpu`"
                    .to_owned(),
            );
        }
    };
    Some(format!("write `{right}`"))
}

/// The lines on which comments allow warnings, with the ids.
fn allowed_lines(text: &str) -> Vec<(u32, &str)> {
    let mut allowed = Vec::new();
    let mut pending: Vec<&str> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let number = u32::try_from(number + 1).unwrap_or(u32::MAX);
        let ids = line.split_once(ALLOWED).map(|(_, ids)| ids.split(" because").next().unwrap_or(ids));
        let is_comment = line.trim_start().starts_with('#');
        if is_comment || line.trim().is_empty() {
            pending.extend(ids);
            continue;
        }
        allowed.extend(pending.drain(..).chain(ids).map(|ids| (number, ids)));
    }
    allowed
}

fn fields(node: Node<'_>) -> Option<Fields<'_>> {
    if node.is_map() { node.any_map("", "", &mut Faults::default()) } else { None }
}

fn list<'d>(of: Fields<'d>, key: &str) -> Vec<Node<'d>> {
    let node = of.get(key).filter(|node| node.is_list());
    node.and_then(|node| node.items(key, "", &mut Faults::default())).unwrap_or_default()
}

fn text_of<'d>(of: Fields<'d>, key: &str) -> Option<&'d str> {
    of.get(key)?.scalar().map(|scalar| scalar.text)
}

/// The warnings as a check shows them: those that are allowed are removed, those that are denied are errors.
pub fn judged(mut warnings: Vec<Fault>, allow: &[String], deny: &[String]) -> Vec<Fault> {
    warnings.retain(|fault| !allow.iter().any(|id| id == fault.code));
    for fault in warnings.iter_mut().filter(|fault| deny.iter().any(|id| id == fault.code)) {
        fault.severity = Severity::Error;
    }
    warnings
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Vec<(u32, u32, String)> {
        lint(text).into_iter().map(|fault| (fault.at.line, fault.at.column, fault.hint)).collect()
    }

    #[test]
    fn names_of_no_request_are_found_where_they_are_written() {
        let text = "\
partitions:
  - name: default
    limits: [{users: ['*'], maxresources: {GPU: 1}}]
    queues:
      - name: root
        queues:
          - name: a
            resources: {guaranteed: {cpu: 1, vcore: 1}, max: {Memory: 1Gi, example.com/x: 1, pods: 5}}
            limits:
              - users: [sue]
                maxresources:
                  requests.cpu: 4
          - name: b
            childtemplate: {resources: {max: {hugepages-2Mi: 1, slots: 3, requests.nvidia.com/gpu: 1}}}
";
        let found = at(text);
        let places: Vec<(u32, u32)> = found.iter().map(|(line, column, _)| (*line, *column)).collect();
        assert_eq!(places, [(3, 44), (8, 38), (8, 63), (12, 19), (14, 65), (14, 75)]);
        assert!(found[0].2.contains("`nvidia.com/gpu`") && found[1].2 == "write `vcore`", "{found:?}");
        assert!(found[2].2 == "write `memory`" && found[3].2 == "write `vcore`", "{found:?}");
        assert!(found[4].2.contains("with a domain") && found[5].2 == "write `nvidia.com/gpu`", "{found:?}");
        assert_eq!(lint(text)[3].path, "root.a");
    }

    #[test]
    fn a_comment_allows_its_own_line_or_the_next_one() {
        let queue = |resources: &str| {
            format!("partitions: [{{queues: [{{name: root,\n  resources: {{\n{resources}\n  }}}}]}}]\n")
        };
        let text = queue("max: {cpu: 1}, # kornsole: allow W-001 because a test\nguaranteed: {cpu: 1}");
        assert_eq!(at(&text).iter().map(|found| found.0).collect::<Vec<_>>(), [4]);
        let text = queue("# kornsole: allow W-001 because a test\n\nmax: {cpu: 1},\nguaranteed: {cpu: 1}");
        assert_eq!(at(&text).iter().map(|found| found.0).collect::<Vec<_>>(), [6]);
        let text = queue("# kornsole: allow W-002 because a test\nmax: {cpu: 1}");
        assert_eq!(at(&text).len(), 1);
    }

    #[test]
    fn what_is_denied_is_an_error_and_what_is_allowed_is_gone() {
        let warnings = lint("partitions: [{queues: [{name: root, resources: {max: {cpu: 1}}}]}]");
        let ids = ["W-001".to_owned()];
        assert!(judged(warnings.clone(), &ids, &[]).is_empty());
        assert_eq!(judged(warnings, &[], &ids)[0].severity, Severity::Error);
    }
}
