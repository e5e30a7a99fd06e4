//! Configurations inside Kubernetes ConfigMap manifests.
//!
//! Wherever a file is read it may be a manifest, of one or several documents: the configuration is then the `data`
//! entry of the policy group, and faults have their place in the manifest.

use super::fault::{Fault, Faults, Severity};
use super::reading::{Reading, read, read_bytes};
use super::types::{Place, Placed};
use super::yaml::{self, Document, Node, Origin, Scalar};
use model::Profile;

/// The policy group that is read where no other is asked for: its entry is `queues.yaml`.
pub const DEFAULT_POLICY_GROUP: &str = "queues";

/// Reads a file that is a queue configuration, or a manifest with one under `GROUP.yaml`.
pub fn read_file(bytes: &[u8], policy_group: &str, profile: Profile) -> Reading {
    let mut faults = Faults::new(profile);
    let Some(text) = yaml::decode(bytes, &mut faults).filter(|text| text.contains("ConfigMap")) else {
        return read_bytes(bytes, profile);
    };
    let documents = yaml::parse_all(text, &mut faults);
    let maps: Vec<_> = documents.iter().filter_map(Document::root).filter(|node| is_config_map(*node)).collect();
    let Some(first) = maps.first() else { return read(text, profile) };
    let scalar = entry(&maps, *first, policy_group, &mut faults);
    let config = scalar.and_then(|scalar| read_entry(scalar, profile, &mut faults));
    let config = config.filter(|_| !faults.has_errors());
    Reading { config, faults: faults.into_sorted() }
}

/// The entry of the policy group in one of the manifests; where there is none, the fault stands at `first`.
fn entry<'d>(maps: &[Node<'d>], first: Node<'d>, policy_group: &str, faults: &mut Faults) -> Option<Scalar<'d>> {
    let entry = format!("{policy_group}.yaml");
    let found = maps.iter().find_map(|node| data(*node).into_iter().find(|(key, _)| *key == entry));
    match found.map(|(_, node)| (node, node.scalar())) {
        Some((_, Some(scalar))) => return Some(scalar),
        Some((node, None)) => node.wrong_type(&entry, "a text", "data", faults),
        None => {
            let there: Vec<_> = maps.iter().flat_map(|node| data(*node)).map(|(key, _)| key).collect();
            let hint = if there.is_empty() {
                "put the queue configuration into `data`, as a block: `queues.yaml: |`".to_owned()
            } else {
                format!("entries there are: {}; `--policy-group NAME` reads `NAME.yaml`", there.join(", "))
            };
            let message = format!("the ConfigMap has no entry `{entry}` in `data`");
            faults.error("CFG-002", first.at(), "data", message, hint);
        }
    }
    None
}

/// The text of the configuration inside a manifest; `None` when the text is no manifest with such an entry.
pub fn queues_of(text: &str, policy_group: &str) -> Option<String> {
    embedded(text, policy_group).ok().flatten().map(|embedded| embedded.text)
}

/// A configuration inside a manifest.
#[derive(Clone, Debug)]
pub(super) struct Embedded {
    /// The text of the entry, as its block scalar holds it.
    pub text: String,
    /// Where the text begins in the manifest.
    pub origin: Origin,
}

/// The configuration inside a manifest; `None` when the text is none.
///
/// # Errors
/// The first fault, when the manifest has no such entry.
pub(super) fn embedded(text: &str, policy_group: &str) -> Result<Option<Embedded>, Fault> {
    if !text.contains("ConfigMap") {
        return Ok(None);
    }
    let mut faults = Faults::default();
    let documents = yaml::parse_all(text, &mut faults);
    let maps: Vec<_> = documents.iter().filter_map(Document::root).filter(|node| is_config_map(*node)).collect();
    let Some(first) = maps.first() else { return Ok(None) };
    let scalar = entry(&maps, *first, policy_group, &mut faults);
    if let Some(fault) = faults.into_sorted().into_iter().find(|fault| fault.severity == Severity::Error) {
        return Err(fault);
    }
    Ok(scalar.map(|scalar| Embedded { text: scalar.text.to_owned(), origin: scalar.origin() }))
}

fn read_entry(scalar: Scalar<'_>, profile: Profile, faults: &mut Faults) -> Option<super::Config> {
    let Reading { config, faults: inner } = read(scalar.text, profile);
    faults.embed(inner, |place| scalar.origin().outer(place));
    let mut config = config?;
    move_places(&mut config, &|place| scalar.origin().outer(place));
    Some(config)
}

fn is_config_map(node: Node<'_>) -> bool {
    let silent = &mut Faults::default();
    let kind = node.any_map("", "", silent).and_then(|fields| fields.get("kind"));
    kind.and_then(Node::scalar).is_some_and(|kind| kind.text == "ConfigMap")
}

/// The entries of `data`.
fn data(node: Node<'_>) -> Vec<(&str, Node<'_>)> {
    let silent = &mut Faults::default();
    let data = node.any_map("", "", silent).and_then(|fields| fields.get("data")?.any_map("", "", silent));
    data.into_iter().flatten().map(|(key, node)| (key.text, node)).collect()
}

/// Moves every place of a configuration that stands inside another text.
pub fn move_places(config: &mut super::Config, to: &dyn Fn(Place) -> Place) {
    for partition in &mut config.partitions {
        shift(&mut partition.at, to);
        move_queue(&mut partition.root, to);
        for mut rule in partition.rules.iter_mut() {
            loop {
                shift(&mut rule.at, to);
                let Some(parent) = &mut rule.parent else { break };
                rule = parent;
            }
        }
    }
}

fn move_queue(queue: &mut super::QueueConfig, to: &dyn Fn(Place) -> Place) {
    shift(&mut queue.at, to);
    shift(&mut queue.admin_acl.at, to);
    shift(&mut queue.submit_acl.at, to);
    shift_some(&mut queue.max_applications, to);
    shift_some(&mut queue.guaranteed, to);
    shift_some(&mut queue.max, to);
    queue.properties.values_mut().for_each(|property| shift(&mut property.at, to));
    queue.limits.iter_mut().for_each(|limit| shift(&mut limit.at, to));
    if let Some(template) = &mut queue.template {
        shift(&mut template.at, to);
    }
    queue.children.iter_mut().for_each(|child| move_queue(child, to));
}

fn shift_some<T>(placed: &mut Option<Placed<T>>, to: &dyn Fn(Place) -> Place) {
    if let Some(placed) = placed {
        shift(&mut placed.at, to);
    }
}

/// What is not written in the file stays so.
fn shift(place: &mut Place, to: &dyn Fn(Place) -> Place) {
    if place.line > 0 {
        *place = to(*place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str = "\
apiVersion: v1
kind: Service
---
apiVersion: v1
kind: ConfigMap
metadata: {name: yunikorn-configs}
data:
  log.level: INFO
  queues.yaml: |

    partitions:
    - name: default
      queues:
      - name: root
        maxapplications: 5
        sample: 1
";

    #[test]
    fn faults_point_into_the_manifest() {
        let reading = read_file(MANIFEST.as_bytes(), DEFAULT_POLICY_GROUP, Profile::Kornsole);
        let errors: Vec<_> = reading.faults.iter().filter(|f| f.code == "CFG-003").map(|f| f.at).collect();
        assert_eq!(errors, [Place { line: 16, column: 9 }]);
        let good = MANIFEST.replace("        sample: 1\n", "");
        let reading = read_file(good.as_bytes(), DEFAULT_POLICY_GROUP, Profile::Kornsole);
        let root = &reading.config.expect("it is valid").partitions[0].root;
        assert_eq!(root.at, Place { line: 14, column: 9 });
        assert_eq!(root.max_applications.as_ref().unwrap().at, Place { line: 15, column: 26 });
        assert_eq!(root.submit_acl.at, Place::default());
    }

    #[test]
    fn another_group_and_one_that_is_not_there() {
        let reading = read_file(MANIFEST.as_bytes(), "batch", Profile::Kornsole);
        let fault = reading.faults.iter().find(|fault| fault.code == "CFG-002").unwrap();
        assert!(fault.message.contains("batch.yaml"));
        assert!(fault.hint.contains("queues.yaml"));
        let other = MANIFEST.replace("queues.yaml", "batch.yaml").replace("        sample: 1\n", "");
        assert!(read_file(other.as_bytes(), "batch", Profile::Kornsole).is_valid());
    }

    #[test]
    fn a_configuration_that_only_mentions_config_maps_is_one() {
        let text = b"# from the ConfigMap\npartitions: [{queues: []}]\n";
        assert!(read_file(text, DEFAULT_POLICY_GROUP, Profile::Kornsole).is_valid());
    }
}
