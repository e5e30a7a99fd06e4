//! Locals of Terraform.

use super::*;

fn map(locals: &str, value: &str) -> String {
    let data = format!("metadata {{ name = \"yunikorn-configs\" }}\n  data = {{ \"queues.yaml\" = {value} }}\n");
    format!("locals {{\n{locals}}}\nresource \"kubernetes_config_map\" \"yk\" {{\n  {data}}}\n")
}

fn text_of(text: &str) -> Result<String, String> {
    match recognize(text, DEFAULT_POLICY_GROUP) {
        Ok(Input::Embedded(found)) if found.len() == 1 => Ok(found[0].text.clone()),
        Ok(other) => Err(format!("{other:?}")),
        Err(faults) => Err(faults.iter().map(ToString::to_string).collect()),
    }
}

#[test]
fn a_local_in_a_local_has_its_value_with_its_place() {
    let cfg = "  cfg = { partitions = [{ name = local.names.first, queues = [local.etl, local.all[1]] }] }\n";
    let more =
        "  all = [{ name = \"a\" }, { name = \"b\", queues = [local.etl] }]\n  names = { first = \"default\" }\n";
    let text = map(&format!("  etl = {{ name = \"etl\" }}\n{cfg}{more}"), "yamlencode(local.cfg)");
    let expected = "partitions:\n- name: \"default\"\n  queues:\n  - name: \"etl\"\n  - name: \"b\"\n    queues:\n    - name: \"etl\"\n";
    assert_eq!(
        text_of(&text).unwrap().replace("  - ", "- ").replace(' ', ""),
        expected.replace("  - ", "- ").replace(' ', "")
    );
    let faulty = text.replace("etl = { name", "etl = { odd = 1, name");
    let (line, column, ..) = odd(&faulty, None);
    let at = (line, column);
    assert!(errors(&faulty).iter().any(|error| (error.0, error.1) == at), "{:?}", errors(&faulty));
    let quoted = map("  a = local.b\n  b = yamlencode({ partitions = [] })\n", "\"${local.a}\"");
    assert_eq!(text_of(&quoted).unwrap(), "partitions: []\n");
    let joined = "yamlencode({ partitions = concat(local.a, [{ name = \"y\" }]), b = concat() })";
    let joined = map("  a = [{ name = \"x\" }]\n", joined);
    assert_eq!(text_of(&joined).unwrap(), "partitions:\n  - name: \"x\"\n  - name: \"y\"\nb: []\n");
    let file = map("  a = file(\"q.yaml\")\n", "local.a");
    assert!(text_of(&file).unwrap_err().contains("q.yaml"));
}

#[test]
fn locals_in_a_circle_are_named_and_too_many_values_are_refused() {
    let circle = map("  a = { x = local.b }\n  b = { partitions = [local.a] }\n", "yamlencode(local.a)");
    let why = text_of(&circle).unwrap_err();
    assert!(why.contains("error[INP-004]: local.a is a part of its own value: local.a → local.b → local.a"), "{why}");
    let itself = map("  a = local.a\n", "yamlencode(local.a)");
    assert!(text_of(&itself).unwrap_err().contains("local.a → local.a"));
    let double = |n: u32| format!("  v{n} = [local.v{0}, local.v{0}]\n", n + 1);
    let many: String = (0..60).map(double).chain(["  v60 = 1\n".to_owned()]).collect();
    let why = text_of(&map(&many, "yamlencode({ partitions = local.v0 })")).unwrap_err();
    assert!(why.contains("error[INP-003]: the locals make more than 500000 values here"), "{why}");
    let empty = many.replace("[local", "concat(local").replace("]\n", ")\n").replace("v60 = 1", "v60 = []");
    let why = text_of(&map(&empty, "yamlencode({ partitions = local.v0 })")).unwrap_err();
    assert!(why.contains("error[INP-003]: the locals make more than"), "{why}");
    let chain: String = (0..300).map(|n| format!("  w{n:03} = local.w{:03}\n", n + 1)).collect();
    let why = text_of(&map(&chain, "yamlencode(local.w000)")).unwrap_err();
    assert!(why.contains("more than 128 locals name each other here"), "{why}");
    let other = text_of(&map("", "yamlencode(local.missing)")).unwrap_err();
    assert!(other.contains("only Terraform can evaluate `local.missing`"), "{other}");
}

#[test]
fn locals_with_values_of_a_release_are_read_in_its_order() {
    let values =
        |name: &str| format!("{{ yunikornDefaults = {{ \"queues.yaml\" = \"partitions: [{{name: {name}}}]\" }} }}");
    let text = format!(
        "locals {{\n  base = {}\n  prod = {}\n}}\nresource \"helm_release\" \"a\" {{\n  values = [yamlencode(local.base), yamlencode(local.prod)]\n}}\n",
        values("base"),
        values("prod")
    );
    assert_eq!(text_of(&text).unwrap(), "partitions: [{name: prod}]");
    assert_eq!(described(&text), "queue configuration in Terraform, yunikornDefaults of f:3, overrides line 2");
}
