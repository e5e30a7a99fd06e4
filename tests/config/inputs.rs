//! Realistic inputs: the configuration is found by content, and each error has its location in the file.
//!
//! Each file of `inputs/` has one unknown key, `odd`, whose location the test searches in the text.

use std::fs;
use std::path::Path;

use config::input::{FORMS, Input, recognize};
use config::{DEFAULT_POLICY_GROUP, Place, Reading, read_file};
use model::Profile;

type Case = (&'static str, &'static str, Option<u32>);

const CASES: [Case; 41] = [
    ("plain.yaml", "", None),
    ("plain.json", "", None),
    ("snippet.yaml", "queues.yaml of F:1", None),
    ("snippet-commented.yaml", "queues.yaml of F:3", None),
    ("snippet-folded.yaml", "queues.yaml of F:1", Some(8)),
    ("snippet-single-quoted.yaml", "queues.yaml of F:1", Some(2)),
    ("config-map.yaml", "ConfigMap yunikorn-configs, queues.yaml of F:8", None),
    ("config-map.json", "ConfigMap yunikorn-configs, queues.yaml of F:4", Some(8)),
    ("config-map-group.yaml", "ConfigMap yunikorn-configs, tenants.yaml of F:7", None),
    ("config-map-escaped.yaml", "ConfigMap yunikorn-configs, queues.yaml of F:3", Some(8)),
    ("config-map-gz.yaml", "ConfigMap yunikorn-configs, queues.yaml of F:7", Some(8)),
    ("config-map-gz-lines.yaml", "ConfigMap yunikorn-configs, queues.yaml of F:5", Some(8)),
    ("list.yaml", "ConfigMap yunikorn-configs, queues.yaml of F:8", None),
    ("documents.yaml", "ConfigMap yunikorn-defaults, queues.yaml of F:14", None),
    ("helm-values.yaml", "Helm values, yunikornDefaults of F:3", None),
    ("helm-values-group.yaml", "Helm values, yunikornDefaults batch.yaml of F:1", None),
    ("helm-umbrella.yaml", "Helm values, yunikornDefaults of F:5", None),
    ("helm-old-chart.yaml", "Helm values, configuration of F:2", None),
    ("helm-old-umbrella.yaml", "Helm values, configuration of F:3", None),
    ("helm-user-values.yaml", "Helm values, yunikornDefaults of F:2", None),
    ("helm-anchor.yaml", "Helm values, yunikornDefaults of F:11", None),
    ("argocd-values-object.yaml", "Argo CD Application, yunikornDefaults of F:9", None),
    ("argocd-values.yaml", "Argo CD Application, yunikornDefaults of F:11", None),
    ("argocd-parameter.yaml", "Argo CD Application, queues.yaml of F:9", None),
    ("argocd-set.yaml", "Argo CD ApplicationSet, yunikornDefaults of F:12", None),
    ("flux.yaml", "Flux HelmRelease, yunikornDefaults of F:12", None),
    ("flux-umbrella.yaml", "Flux HelmRelease, yunikornDefaults of F:7", Some(8)),
    ("k3s.yaml", "HelmChart, yunikornDefaults of F:7", None),
    ("helmfile.yaml", "Helm values, yunikornDefaults of F:5", None),
    ("kustomization-literals.yaml", "Kustomize, configMapGenerator yunikorn-configs, queues.yaml of F:8", None),
    ("kustomization-patch.yaml", "Kustomize, JSON patch, queues.yaml of F:8", None),
    ("kustomization-merge.yaml", "Kustomize, ConfigMap yunikorn-configs, queues.yaml of F:9", None),
    ("release-heredoc.tf", "Terraform, yunikornDefaults of F:12", None),
    ("release-yamlencode.tf", "Terraform, yunikornDefaults of F:5", None),
    ("map-heredoc.tf", "Terraform, ConfigMap yunikorn-configs, queues.yaml of F:8", None),
    ("map-yamlencode.tf", "Terraform, ConfigMap yunikorn-configs, queues.yaml of F:7", Some(8)),
    ("map-local.tf", "Terraform, ConfigMap yunikorn-configs, queues.yaml of F:19", Some(8)),
    ("manifest.tf", "Terraform, ConfigMap yunikorn-configs, queues.yaml of F:7", Some(8)),
    ("set.tf", "Terraform, queues.yaml of F:4", None),
    ("variables.tfvars", "Terraform, queues_yaml of F:2", None),
    ("values-quoted-keys.yaml", "Helm values, yunikornDefaults of F:1", None),
];

fn dir() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/config/inputs")
}

fn read(text: &str) -> Reading {
    read_file(text.as_bytes(), DEFAULT_POLICY_GROUP, Profile::V1_9_0)
}

/// `None` if the text is packed.
fn place_of_invalid(text: &str) -> Option<Place> {
    let before = &text[..text.rfind("odd")?];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let count = |number: usize| u32::try_from(number).unwrap();
    Some(Place { line: count(before.matches('\n').count() + 1), column: count(before[start..].chars().count() + 1) })
}

fn description(text: &str) -> String {
    match recognize(text, DEFAULT_POLICY_GROUP).unwrap() {
        Input::Plain => String::new(),
        Input::Embedded(found) => {
            assert_eq!(found.len(), 1);
            let reported = found[0].description("F");
            reported.strip_prefix("queue configuration in ").unwrap().to_owned()
        }
        Input::Elsewhere(files) => panic!("{files:?}"),
    }
}

#[test]
fn every_file_has_a_case() {
    let mut files: Vec<String> =
        fs::read_dir(dir()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    let mut cases: Vec<&str> = CASES.iter().map(|case| case.0).collect();
    cases.sort_unstable();
    assert_eq!(files, cases);
}

#[test]
fn each_input_is_recognized_and_each_fault_has_its_place_in_the_file() {
    let mut wrong = Vec::new();
    for (file, reported, line) in CASES {
        let text = fs::read_to_string(dir().join(file)).unwrap();
        let (reading, described) = (read(&text), description(&text));
        if described != reported {
            wrong.push(format!("{file}: {described}"));
        }
        let [fault] = reading.faults.as_slice() else {
            wrong.push(format!("{file}: {:?}", reading.faults));
            continue;
        };
        let named = fault.message.rsplit_once(" (line ").and_then(|(_, rest)| rest.split(' ').next()?.parse().ok());
        // A packed text has only the location of its start.
        let place = place_of_invalid(&text).unwrap_or(fault.at);
        // A quoted key starts at its quote.
        let quoted = u32::from(text.contains("\"odd\"") || text.contains("\\\"odd"));
        let expected = Place { column: place.column - quoted, ..place };
        if fault.code != "CFG-003" || fault.at != expected && !text.contains("binaryData") || named != line {
            wrong.push(format!("{file}: {fault} (expected {expected:?}, {line:?})"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn without_its_fault_each_input_is_the_same_configuration() {
    let plain = read(&fs::read_to_string(dir().join("plain.yaml")).unwrap().replace("odd", "maxapplications"));
    let plain = plain.config.unwrap();
    for (file, ..) in CASES {
        let text = fs::read_to_string(dir().join(file)).unwrap();
        let valid = text.replace("odd", "maxapplications");
        if valid == text {
            continue;
        }
        let reading = read(&valid);
        let config = reading.config.unwrap_or_else(|| panic!("{file}: {:?}", reading.faults));
        assert!(config::diff(&plain, &config).is_empty(), "{file}");
        let value = config.partitions[0].root.children[0].max_applications.clone().unwrap();
        let (line, key) = (place_of_invalid(&text).unwrap().line, "maxapplications");
        assert_eq!(value.at.line, line, "{file}");
        let source = valid.lines().nth(line as usize - 1).unwrap();
        let after: String = source.chars().skip(value.at.column as usize - 1).collect();
        assert!(after.starts_with('1') && source.contains(key), "{file}: {source} at {:?}", value.at);
    }
}

fn refused(text: &str) -> (&'static str, u32, String) {
    let reading = read(text);
    assert!(!reading.is_valid(), "{text}");
    let fault = &reading.faults[0];
    (fault.code, fault.at.line, format!("{}; {}", fault.message, fault.hint))
}

#[test]
fn what_is_not_recognized_is_refused_with_what_is_read() {
    for text in ["kind: Service\nspec: {}\n", "image: {tag: a}\n", "- a\n- b\n", "resource \"a\" \"b\" {\n}\n"] {
        let (code, _, words) = refused(text);
        assert!(code == "INP-001" && words.contains(FORMS), "{text}: {words}");
    }
    // A misspelled key still identifies a configuration.
    assert_eq!(refused("partition:\n- name: default\n").0, "CFG-003");
    let (code, line, words) = refused("yunikornDefaults:\n  log.level: INFO\n");
    assert_eq!((code, line), ("CFG-002", 1));
    assert!(words.contains("`yunikornDefaults` has no entry `queues.yaml`"), "{words}");
    let template =
        "kind: ConfigMap\ndata:\n  queues.yaml: |\n    {{- toYaml .Values.queues | nindent 4 }}\n  b: {{ .x }}: {\n";
    let (code, line, words) = refused(template);
    assert!((code, line) == ("INP-005", 4) && words.contains("helm template"), "{code} {line} {words}");
}

#[test]
fn expressions_of_terraform_are_refused_by_name() {
    let of = |value: &str| {
        format!("resource \"kubernetes_config_map\" \"a\" {{\n  data = {{\n    \"queues.yaml\" = {value}\n  }}\n}}\n")
    };
    for (value, line, words) in [
        ("var.queues", 3, "`var.queues`"),
        ("yamlencode(local.nowhere)", 3, "`local.nowhere`"),
        ("yamlencode({\n  partitions = [{ name = var.name }]\n})", 4, "`var.name`"),
        ("<<EOT\npartitions:\n- name: ${var.name}\nEOT", 5, "`${var.name}`"),
        ("templatefile(\"q.tpl\", { a = 1 })", 3, "`templatefile"),
    ] {
        let (code, at, reported) = refused(&of(value));
        assert!(code == "INP-004" && at == line && reported.contains(words), "{value}: {code} {at} {reported}");
    }
    let (code, at, reported) = refused(&of("file(\"${path.module}/queues.yaml\")"));
    assert!((code, at) == ("INP-007", 3) && reported.contains("another file: queues.yaml"), "{code} {at} {reported}");
    assert_eq!(refused("a = [\n").0, "INP-003");
    assert_eq!(refused("a = \"b\nc\"\n").0, "INP-003");
}

#[test]
fn packed_data_of_other_forms_and_several_configurations_are_refused_by_name() {
    let bytes = |bytes: &[u8]| read_file(bytes, DEFAULT_POLICY_GROUP, Profile::V1_9_0).faults[0].to_string();
    assert!(bytes(b"BZh9").contains("error[INP-002]: cannot read bzip2 data"));
    assert!(bytes(&[0x28, 0xb5, 0x2f, 0xfd, 0]).contains("error[INP-002]: invalid zstd data"));
    assert!(bytes(&[0x1f, 0x8b, 8, 0]).contains("invalid gzip data"));
    let map = |key: &str, value: &str| {
        format!("kind: ConfigMap\nmetadata: {{name: yunikorn-configs}}\nbinaryData: {{{key}: {value}}}\n")
    };
    let (code, line, words) = refused(&map("queues.yaml.zst", "AAAA"));
    assert!((code, line) == ("INP-002", 3) && words.contains("unpacks only gzip"), "{words}");
    let (code, _, words) = refused(&map("queues.yaml", "AAAA"));
    assert!(code == "INP-002" && words.contains("takes `.yaml` for a compression"), "{words}");
    assert!(refused(&map("queues.yaml.gz", "AAAA")).2.contains("`queues.yaml.gz`: invalid gzip data"));
    assert!(refused(&map("queues.yaml.gz", "'*'")).2.contains("invalid Base64"));
    let two = "a: {yunikornDefaults: {queues.yaml: 'partitions: 1'}}\nb:\n  yunikornDefaults: {queues.yaml: 'partitions: 2'}\n";
    let (code, _, words) = refused(two);
    assert!(code == "INP-006" && words.contains("2 different queue configurations, on lines 1, 3"), "{words}");
}

#[test]
fn bombs_meet_a_named_limit() {
    use std::io::Write as _;
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let piece = vec![b' '; 1 << 20];
    (0..64).for_each(|_| packer.write_all(&piece).unwrap());
    let bomb = packer.finish().unwrap();
    let fault = read_file(&bomb, DEFAULT_POLICY_GROUP, Profile::V1_9_0).faults[0].to_string();
    assert!(fault.contains("more than 16 MiB when unpacked"), "{fault}");
    let deep = 10_000;
    for (text, words) in [
        (format!("x: {}", "[".repeat(deep)), "nested deeper than 256 levels"),
        (
            format!("yunikornDefaults: {{queues.yaml: \"partitions: {}\"}}", "[".repeat(deep)),
            "nested deeper than 256 levels",
        ),
        (format!("a = {}", "[".repeat(deep)), "nested deeper than 256 levels"),
        (format!("a {}", "{\na ".repeat(deep)), "nested deeper than 256 levels"),
        (format!("kind: List\nitems:\n{}", "- ".repeat(deep)), "nested deeper than 256 levels"),
    ] {
        let reported = refused(&text).2;
        assert!(reported.contains(words), "{reported}");
    }
    let levels = (1..40).map(|n| format!("a{n}: &a{n} [*a{0}, *a{0}]\n", n - 1)).collect::<String>();
    let reported = refused(&format!("kind: ConfigMap\na0: &a0 [x]\n{levels}")).2;
    assert!(reported.contains("expand to more than 500000 values"), "{reported}");
}
