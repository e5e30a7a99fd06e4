//! Configurations inside other files: extracted, read, and their locations mapped.

use super::fault::Fault;
use super::input::{self, Found, Input, Reference};
use super::reading::{Reading, read};
use super::types::{Place, Placed};
use super::yaml::{Origin, Style};
use model::Profile;

/// The policy group if the maps name none: the entry `queues.yaml`.
pub const DEFAULT_POLICY_GROUP: &str = "queues";

/// Reads a file that is or contains a queue configuration ([`input`]).
pub fn read_file(bytes: &[u8], policy_group: &str, profile: Profile) -> Reading {
    let refused = |faults| Reading { config: None, faults };
    let text = match input::text_of(bytes) {
        Ok(text) => text,
        Err(fault) => return refused(vec![fault]),
    };
    match input::recognize(&text, policy_group) {
        Err(faults) => refused(faults),
        Ok(Input::Plain) => read(&text, profile),
        Ok(input) => one_of(input).map_or_else(|fault| refused(vec![fault]), |found| found.read(profile)),
    }
}

/// # Errors
/// INP-006: several. INP-007: in another file.
fn one_of(input: Input) -> Result<Found, Fault> {
    let (at, code, message, hint) = match input {
        Input::Plain => (Place::default(), "INP-001", "the input has no queue configuration".to_owned(), input::FORMS),
        Input::Embedded(mut found) => match (found.pop(), found.as_slice()) {
            (Some(only), []) => return Ok(only),
            (last, all) => {
                let lines: Vec<String> = all.iter().chain(&last).map(|found| found.at.line.to_string()).collect();
                let message = format!(
                    "the input has {} different queue configurations, on lines {}",
                    lines.len(),
                    lines.join(", ")
                );
                (last.map_or_else(Place::default, |last| last.at), "INP-006", message, "keep one of them in the input")
            }
        },
        Input::Elsewhere(files) => {
            let names: Vec<&str> = files.iter().map(|Reference { path, .. }| path.as_str()).collect();
            let at = files.first().map_or_else(Place::default, |file| file.at);
            let message = format!("the queue configuration is in another file: {}", names.join(", "));
            (at, "INP-007", message, "name that file")
        }
    };
    Err(input::refusal(at, code, &message, hint.to_owned()))
}

/// The text of the configuration; `None` if the text is a configuration itself, or contains none.
pub fn queues_of(text: &str, policy_group: &str) -> Option<String> {
    embedded(text, policy_group).ok().flatten().map(|embedded| embedded.text)
}

#[derive(Clone, Debug)]
pub(super) struct Embedded {
    pub text: String,
    /// The start of the text in the manifest.
    pub origin: Origin,
}

/// `None` if the text is a configuration itself.
///
/// # Errors
/// The first error, if the input has no configuration, or several.
pub(super) fn embedded(text: &str, policy_group: &str) -> Result<Option<Embedded>, Fault> {
    let first = |faults: Vec<Fault>| faults.into_iter().next().ok_or(());
    let input = match input::recognize(text, policy_group).map_err(first) {
        Ok(Input::Plain) | Err(Err(())) => return Ok(None),
        Ok(input) => input,
        Err(Ok(fault)) => return Err(fault),
    };
    let Found { text, places, .. } = one_of(input)?;
    let origin = match places.block() {
        Some(content) => Origin { style: Style::Literal, content },
        None => Origin { style: Style::Quoted, content: places.outer(Place::default()) },
    };
    Ok(Some(Embedded { text, origin }))
}

/// Maps every location of an embedded configuration.
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
