mod locals;
mod releases;
mod unexpanded;

use super::*;
use crate::manifest::{DEFAULT_POLICY_GROUP, read_file};

fn errors(text: &str) -> Vec<(u32, u32, &'static str, Option<String>)> {
    let reading = read_file(text.as_bytes(), DEFAULT_POLICY_GROUP, Profile::V1_9_0);
    let inner = |message: &str| Some(message.rsplit_once(" (line ")?.1.trim_end_matches(')').to_owned());
    reading
        .faults
        .iter()
        .filter(|fault| fault.code != "CFG-014")
        .map(|fault| (fault.at.line, fault.at.column, fault.code, inner(&fault.message)))
        .collect()
}

fn odd(text: &str, inner: Option<&str>) -> (u32, u32, &'static str, Option<String>) {
    let at = Lines::of(text).place(text.find("odd").unwrap());
    (at.line, at.column, "CFG-003", inner.map(|line| format!("{line} of queues.yaml")))
}

fn described(text: &str) -> String {
    match recognize(text, DEFAULT_POLICY_GROUP) {
        Ok(Input::Embedded(found)) => found.iter().map(|found| found.description("f")).collect::<Vec<_>>().join("; "),
        other => format!("{other:?}"),
    }
}

#[test]
fn a_place_in_a_block_is_its_place_in_the_file() {
    let text = "yunikornDefaults:\n  queues.yaml: |\n    partitions:\n      - name: default\n        odd: 1\n";
    assert_eq!(errors(text)[0], odd(text, None));
    assert_eq!(described(text), "queue configuration in Helm values, yunikornDefaults of f:1");
}

#[test]
fn a_place_in_a_quoted_text_of_several_lines_is_exact_and_names_the_inner_line() {
    let text =
        "data:\n  queues.yaml: \"partitions:\\n  - name: \\\n    default \\n    odd:\n    1\\n\"\nkind: ConfigMap\n";
    assert_eq!(errors(text)[0], odd(text, Some("3")));
}

#[test]
fn a_place_in_a_single_quoted_and_in_a_folded_text_is_exact() {
    let text = "queues.yaml: 'partitions: [{name: default,\n  odd: ''1''}]'\n";
    assert_eq!(errors(text)[0], odd(text, Some("1")));
    let text = "queues.yaml: >-\n  partitions: [{name: default,\n  odd: 1}]\n";
    assert_eq!(errors(text)[0], odd(text, Some("1")));
    let text = "queues.yaml: partitions\n";
    assert_eq!(errors(text)[0], (1, 14, "CFG-002", Some("1 of queues.yaml".to_owned())));
}

#[test]
fn values_in_a_text_of_an_application_have_their_place_in_the_file() {
    let text = "kind: Application\nspec:\n  source:\n    helm:\n      values: |\n        yunikornDefaults:\n          queues.yaml: |\n            partitions:\n              - odd: 1\n";
    assert_eq!(errors(text)[0], odd(text, None));
    assert_eq!(described(text), "queue configuration in Argo CD Application, yunikornDefaults of f:6");
    let quoted = "kind: Application\nspec: {source: {helm: {values: \"yunikornDefaults:\\n  queues.yaml: |\\n    partitions:\\n      - odd: 1\\n\"}}}\n";
    assert_eq!(errors(quoted)[0], odd(quoted, Some("2")));
}

#[test]
fn terraform_objects_are_texts_with_places() {
    let text = "resource \"helm_release\" \"yk\" {\n  values = [yamlencode({\n    yunikornDefaults = {\n      \"queues.yaml\" = yamlencode({\n        partitions = [{\n          name = \"default\"\n          odd = 1\n        }]\n      })\n    }\n  })]\n}\n";
    assert_eq!(errors(text)[0], odd(text, Some("3")));
    let heredoc = "resource \"kubernetes_config_map\" \"yk\" {\n  metadata {\n    name = \"yunikorn-configs\"\n  }\n  data = {\n    \"queues.yaml\" = <<-EOT\n      partitions:\n        - odd: 1\n    EOT\n  }\n}\n";
    assert_eq!(errors(heredoc)[0], odd(heredoc, None));
    assert_eq!(described(heredoc), "queue configuration in Terraform, ConfigMap yunikorn-configs, queues.yaml of f:6");
}

#[test]
fn a_template_outside_of_the_configuration_hides_nothing() {
    let text = "resource \"helm_release\" \"yk\" {\n  values = [<<-EOT\n    image: ${var.image}\n    yunikornDefaults:\n      queues.yaml: |\n        partitions:\n          - odd: 1\n  EOT\n  ]\n}\n";
    assert_eq!(errors(text)[0], odd(text, None));
    let within = text.replace("odd: 1", "name: ${var.name}");
    assert_eq!(errors(&within)[0], (7, 19, "INP-004", None));
}

#[test]
fn a_list_of_config_maps_need_not_repeat_their_kind() {
    let text = "{\"kind\": \"ConfigMapList\", \"items\": [{\"metadata\": {\"name\": \"yunikorn-configs\"},\n\"data\": {\"queues.yaml\": \"{partitions: [{odd: 1}]}\"}}]}";
    assert_eq!(errors(text)[0], odd(text, Some("1")));
}

#[test]
fn a_configuration_in_a_key_that_nothing_reads_is_named() {
    let text = "yunikorn:\n  web: {}\n  queues: |\n    # Spark\n    partitions:\n      - name: default\n";
    let faults = recognize(text, DEFAULT_POLICY_GROUP).unwrap_err();
    assert_eq!((faults[0].at.line, faults[0].at.column, faults[0].code), (3, 3, "INP-001"));
    assert_eq!(faults[0].message, "YuniKorn ignores the queue configuration in `queues`");
    assert!(faults[0].hint.contains("`queues.yaml: |` in `yunikornDefaults`"), "{}", faults[0].hint);
    let both = format!("{text}  yunikornDefaults:\n    queues.yaml: |\n      partitions: []\n");
    assert_eq!(described(&both), "queue configuration in Helm values, yunikornDefaults of f:7");
}

#[test]
fn a_patch_for_an_object_without_a_configuration_names_no_file() {
    let patch = |target: &str| {
        let text = format!("kind: Kustomization\npatches:\n  - path: patch.yaml\n    target: {{{target}}}\n");
        matches!(recognize(&text, DEFAULT_POLICY_GROUP), Ok(Input::Elsewhere(_)))
    };
    assert!(!patch("kind: PodDisruptionBudget, name: pdb"));
    assert!(patch("kind: ConfigMap") && patch("name: yunikorn") && patch("kind: .*Map"));
}

#[test]
fn files_that_a_release_names_are_reported() {
    let text = "resource \"helm_release\" \"yk\" {\n  values = [templatefile(\"${path.module}/values.yaml\", {})]\n}\n";
    let Ok(Input::Elsewhere(files)) = recognize(text, DEFAULT_POLICY_GROUP) else { panic!("a reference") };
    assert_eq!(
        files,
        [Reference {
            path: "values.yaml".to_owned(),
            at: Place { line: 2, column: 13 },
            plain: false,
            template: true,
            rival: true
        }]
    );
}

#[test]
fn terraform_that_decodes_a_text_has_its_configuration() {
    let values =
        "<<-EOT\n    yunikornDefaults:\n      queues.yaml: |\n        partitions:\n          - odd: 1\n  EOT\n  ";
    let other = "yaml_body = templatefile(\"${path.module}/../app.yaml\", {x = yamlencode(local.values)})";
    for call in ["yamldecode", "trimspace"] {
        let text = format!("locals {{\n  values = {call}({values})\n}}\nresource \"m\" \"y\" {{\n  {other}\n}}\n");
        assert_eq!(errors(&text)[0], odd(&text, None));
    }
    let of_file = "locals {\n  values = yamldecode(file(\"values.yaml\"))\n}\n";
    let Ok(Input::Elsewhere(files)) = recognize(of_file, DEFAULT_POLICY_GROUP) else { panic!("a reference") };
    assert_eq!(files.len(), 1);
}

#[test]
fn texts_in_texts_do_not_open_more_than_the_limit() {
    let mut text = "yunikornDefaults: {queues.yaml: 'partitions: 1'}\n".to_owned();
    for _ in 0..3 {
        let columns = " ".repeat(201);
        let block: String = text.lines().map(|line| format!("{columns}{line}\n")).collect();
        let maps: String = (0..200).map(|level| format!("{}configuration:\n", " ".repeat(level))).collect();
        text = format!("{maps}{}x: |\n{block}", " ".repeat(200));
    }
    assert_eq!(errors(&text)[0].2, "INP-001");
}

#[test]
fn values_in_a_secret_and_in_another_object_are_found_or_named() {
    let values = "yunikornDefaults:\n  queues.yaml: |\n    partitions:\n      - odd: 1\n";
    let block = values.replace('\n', "\n    ");
    let plain = format!("kind: Secret\nmetadata: {{name: v}}\nstringData:\n  values.yaml: |\n    {block}\n");
    assert_eq!(errors(&plain)[0], odd(&plain, None));
    let map = plain.replace("Secret", "ConfigMap").replace("stringData", "data");
    assert_eq!(errors(&map)[0], odd(&map, None));
    let release = "kind: HelmRelease\nspec:\n  valuesFrom:\n  - {kind: ConfigMap, name: v}\n";
    let both = format!("{release}---\n{map}");
    assert_eq!(errors(&both)[0], odd(&both, None));
    let reported =
        |text: &str| recognize(text, DEFAULT_POLICY_GROUP).err().into_iter().flatten().map(|fault| fault.to_string());
    let words = "4:5: error[INP-001]: the Helm values are in ConfigMap v, which the input does not contain";
    assert_eq!(reported(release).collect::<Vec<_>>(), [words]);
    let application = "kind: Application\nspec: {source: {helm: {valueFiles: [prod.yaml]}}}\n";
    assert!(
        reported(application).next().unwrap().contains("the Helm values are in prod.yaml, which the input does not")
    );
    use base64::Engine as _;
    let packed = base64::engine::general_purpose::STANDARD.encode(values);
    let secret = format!("kind: Secret\nmetadata: {{name: v}}\ndata:\n  values.yaml: {packed}\n");
    assert_eq!(described(&secret), "queue configuration in Secret, yunikornDefaults of f:4");
    assert_eq!(errors(&secret)[0].0, 4);
}
