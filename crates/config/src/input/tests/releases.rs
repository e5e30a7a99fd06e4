//! Several values of one release, and how they override each other.

use super::*;

fn values(queue: &str) -> String {
    format!("yunikornDefaults:\n  queues.yaml: |\n    partitions: [{{name: default, queues: [{{name: {queue}}}]}}]\n")
}

fn indented(text: &str, columns: usize) -> String {
    text.lines().map(|line| format!("{}{line}\n", " ".repeat(columns))).collect()
}

/// With `base.yaml`, `prod.yaml`, and `group.yaml` next to it.
fn recognized(text: &str) -> Result<Vec<Found>, String> {
    let read = |path: &str| match path {
        "base.yaml" | "prod.yaml" => Ok((path.to_owned(), values(path.trim_end_matches(".yaml")))),
        "group.yaml" => Ok((path.to_owned(), "yunikornDefaults: {service.policyGroup: tenants}\n".to_owned())),
        "broken.yaml" => Ok((path.to_owned(), "a: [\n".to_owned())),
        _ => Err(format!("cannot read {path}")),
    };
    match recognize_with(text, DEFAULT_POLICY_GROUP, &Files { name: "in", read: &read, template: false }) {
        Ok(Input::Embedded(found)) => Ok(found),
        Ok(other) => Err(format!("{other:?}")),
        Err(faults) => Err(faults.iter().map(|fault| format!("{fault}; {}", fault.hint)).collect()),
    }
}

/// The queue, and where it is.
fn used(text: &str) -> String {
    let found = recognized(text).unwrap_or_else(|why| panic!("{why}: {text}"));
    let [found] = found.as_slice() else { panic!("{found:?}") };
    let queue = found.text.rsplit("name: ").next().unwrap().split('}').next().unwrap();
    let said = found.description("in");
    format!("{queue}: {}", said.rsplit_once(" of ").unwrap().1)
}

fn release(values: &str) -> String {
    format!("resource \"helm_release\" \"yk\" {{\n  values = [{values}]\n}}\n")
}

#[test]
fn a_later_value_of_terraform_overrides_an_earlier_one() {
    let written = |queue: &str| {
        format!("yamlencode({{ yunikornDefaults = {{ \"queues.yaml\" = \"partitions: [{{name: {queue}}}]\" }} }})")
    };
    let two = release("file(\"base.yaml\"), file(\"${path.module}/prod.yaml\")");
    assert_eq!(used(&two), "prod: prod.yaml:1, overrides base.yaml:1");
    let text_first = release(&format!("{}, file(\"prod.yaml\")", written("text")));
    assert_eq!(used(&text_first), "prod: prod.yaml:1, overrides in:2");
    let text_last = release(&format!("file(\"prod.yaml\"), file(\"base.yaml\"), {}", written("text")));
    assert_eq!(used(&text_last), "text: in:2, overrides base.yaml:1 and prod.yaml:1");
    let heredoc = |queue: &str| format!("<<-EOT\n{}  EOT\n  ", indented(&values(queue), 4));
    let heredocs = release(&format!("{}, {}", heredoc("one"), heredoc("two")));
    assert_eq!(used(&heredocs), "two: in:8, overrides in:3");
    let set =
        "  set {\n    name = \"yunikornDefaults.queues\\\\.yaml\"\n    value = \"partitions: [{name: set}]\"\n  }\n}\n";
    let above = format!("{}{set}", two.trim_end_matches("}\n"));
    assert_eq!(used(&above), "set: in:5, overrides prod.yaml:1 and base.yaml:1");
}

#[test]
fn lists_that_terraform_joins_keep_their_order() {
    let joined = |more: &str| {
        let values = "concat([file(\"base.yaml\")], local.more, [file(\"group.yaml\")])";
        format!("resource \"helm_release\" \"yk\" {{\n  values = {values}\n}}\nlocals {{\n  more = {more}\n}}\n")
    };
    let tenants = "<<-EOT\n    yunikornDefaults:\n      tenants.yaml: 'partitions: [{name: tenants}]'\n  EOT";
    assert_eq!(used(&joined(&format!("concat([], [{tenants}\n  ])"))), "tenants: in:6");
    let unknown = joined("concat(var.a)").replace("group.yaml", "prod.yaml");
    assert_eq!(used(&unknown), "prod: prod.yaml:1, overrides base.yaml:1");
}

#[test]
fn a_file_above_that_cannot_be_read_refuses_the_values_below_it() {
    let missing = recognized(&release("file(\"base.yaml\"), file(\"none.yaml\")")).unwrap_err();
    assert!(missing.starts_with("2:32: error[INP-007]: the values of `none.yaml` have precedence"), "{missing}");
    let broken = recognized(&release("file(\"base.yaml\"), file(\"broken.yaml\")")).unwrap_err();
    assert!(broken.starts_with("2:32: error[CFG-001]") && broken.contains("(broken.yaml:"), "{broken}");
    assert_eq!(used(&release("file(\"none.yaml\"), file(\"base.yaml\")")), "base: base.yaml:1");
    let unknown = used(&release("file(\"base.yaml\"), var.more"));
    assert_eq!(unknown, "base: base.yaml:1, `var.more`, which only Terraform can evaluate, may override it (in:2)");
}

#[test]
fn keys_of_several_values_merge() {
    let tenants = "yunikornDefaults:\n  tenants.yaml: |\n    partitions: [{name: tenants}]\n";
    let text =
        release(&format!("<<-EOT\n{}  EOT\n  , file(\"base.yaml\"), file(\"group.yaml\")", indented(tenants, 4)));
    assert_eq!(used(&text), "tenants: in:3");
}

#[test]
fn kustomize_merges_inline_values_by_its_option() {
    let chart = |more: &str| format!("helmCharts:\n- name: yunikorn\n  valuesFile: base.yaml\n{more}");
    let text = format!("  valuesInline:\n{}", indented(&values("text"), 4));
    assert_eq!(used(&chart("  additionalValuesFiles: [prod.yaml]\n")), "prod: prod.yaml:1, overrides base.yaml:1");
    assert_eq!(used(&chart(&text)), "text: in:5, overrides base.yaml:1");
    assert_eq!(used(&chart(&format!("  valuesMerge: merge\n{text}"))), "base: base.yaml:1, overrides in:6");
    assert_eq!(used(&chart(&format!("  valuesMerge: replace\n{text}"))), "text: in:6, replaces in:3");
    let all = chart(&format!("  additionalValuesFiles: [prod.yaml]\n{text}"));
    assert_eq!(used(&all), "prod: prod.yaml:1, overrides in:6 and base.yaml:1");
}

#[test]
fn an_application_has_parameters_above_its_object_above_its_text() {
    let helm = |more: &str| format!("kind: Application\nspec:\n  source:\n    helm:\n{more}");
    let text = format!("      values: |\n{}", indented(&values("text"), 8));
    let object = format!("      valuesObject:\n{}", indented(&values("object"), 8));
    let parameter = "      parameters:\n      - name: yunikornDefaults.queues\\.yaml\n        value: 'partitions: [{name: parameter}]'\n";
    // Argo CD does not read `values` then.
    assert_eq!(used(&helm(&format!("{text}{object}"))), "object: in:10, replaces in:6");
    assert_eq!(used(&helm(&format!("{parameter}{text}"))), "parameter: in:7, overrides in:9");
    let group = "      parameters: [{name: yunikornDefaults.service\\.policyGroup, value: queues}]\n";
    assert_eq!(used(&helm(&format!("{group}{text}"))), "text: in:7");
    let sources = format!("kind: Application\nspec:\n  sources:\n  - helm:\n{text}  - helm:\n{object}");
    assert_eq!(recognized(&sources).unwrap().len(), 2);
}

#[test]
fn a_flux_release_has_its_own_values_above_those_of_objects() {
    let map = |name: &str, queue: &str| {
        let values = indented(&values(queue), 4);
        format!("---\nkind: ConfigMap\nmetadata: {{name: {name}}}\ndata:\n  values.yaml: |\n{values}")
    };
    let from = "kind: HelmRelease\nspec:\n  valuesFrom: [{kind: ConfigMap, name: a}, {kind: ConfigMap, name: b}]\n";
    let own = format!("  values:\n{}", indented(&values("own"), 4));
    let maps = [map("b", "second"), map("a", "first")].concat();
    assert_eq!(used(&format!("{from}{maps}")), "second: in:9, overrides in:17");
    assert_eq!(used(&format!("{from}{own}{maps}")), "own: in:5, overrides in:13 and in:21");
    assert_eq!(
        used(&format!("{}---\n{from}", map("a", "first"))),
        "first: in:6, ConfigMap b, which the input does not contain, may override it (in:12)"
    );
    let unnamed = format!("{from}{own}{}", map("c", "other"));
    assert_eq!(recognized(&unnamed).unwrap().len(), 2);
}

#[test]
fn a_release_of_helmfile_merges_its_values_and_two_releases_are_two() {
    let list = |queue: &str| format!("  - {}", indented(&values(queue), 4).trim_start());
    let one = format!("releases:\n- name: yk\n  values:\n  - base.yaml\n{}{}", list("one"), list("two"));
    assert_eq!(used(&one), "two: in:8, overrides in:5 and base.yaml:1");
    let set = "  set: [{name: yunikornDefaults.queues\\.yaml, value: 'partitions: [{name: set}]'}]\n";
    assert_eq!(used(&format!("{one}{set}")), "set: in:11, overrides in:8 and in:5 and base.yaml:1");
    let two = format!("releases:\n- name: a\n  values:\n{}- name: b\n  values:\n{}", list("a"), list("b"));
    assert_eq!(recognized(&two).unwrap().len(), 2);
}
