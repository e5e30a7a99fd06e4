//! Placeholders in the text of a configuration.

use super::*;

fn refused(text: &str) -> String {
    match recognize(text, DEFAULT_POLICY_GROUP) {
        Ok(_) => "read".to_owned(),
        Err(faults) => {
            assert_eq!(faults.len(), 1, "{faults:?}");
            format!("{}; {}", faults[0], faults[0].hint)
        }
    }
}

fn root(inside: &str) -> String {
    format!("partitions:\n- name: default\n  queues:\n  - name: root\n    {inside}\n")
}

fn map(inside: &str) -> String {
    let block = root(inside).replace('\n', "\n    ");
    format!("kind: ConfigMap\nmetadata: {{name: yunikorn-configs}}\ndata:\n  queues.yaml: |\n    {block}\n")
}

#[test]
fn a_template_of_helm_in_a_configuration_has_its_place_and_the_remedy() {
    let acl = "submitacl: \"{{ .Values.submitAcl }}\"";
    let words = refused(&map(acl));
    assert!(words.starts_with("9:21: error[INP-005]: the input is a Helm template"), "{words}");
    assert!(words.contains("`{{ .Values.submitAcl }}`; render it first: helm template"), "{words}");
    assert!(refused(&root(acl)).starts_with("5:17: error[INP-005]"), "{}", refused(&root(acl)));
    let range = refused(&map("{{- range .Values.teams }}\n    {{- end }}"));
    assert!(range.starts_with("9:9: error[INP-005]"), "{range}");
    assert!(refused(&root("properties: {a: '{{ .x }}'}")).contains("INP-005"));
    assert!(refused(&root("queues: [{name: {{cluster}}}]")).starts_with("5:21: error[INP-005]"));
}

#[test]
fn a_placeholder_of_an_application_set_names_its_command() {
    let values = root("queues: [{name: '{{cluster}}'}]").replace('\n', "\n            ");
    let set = format!(
        "kind: ApplicationSet\nspec:\n  template:\n    spec:\n      source:\n        helm:\n          valuesObject:\n            yunikornDefaults:\n              queues.yaml: |\n                {}\n",
        values.replace("\n            ", "\n                ")
    );
    let words = refused(&set);
    assert!(words.contains("error[INP-004]: only Argo CD can evaluate `{{cluster}}`"), "{words}");
    assert!(words.contains("argocd appset generate"), "{words}");
}

#[test]
fn a_variable_of_a_shell_is_refused_where_no_text_is_free() {
    let words = refused(&root("submitacl: ${ADMINS}"));
    assert!(words.starts_with("5:16: error[INP-004]: the text has the variable `${ADMINS}`"), "{words}");
    assert!(words.contains("envsubst"), "{words}");
    let flow = refused(&root("resources: {max: {memory: ${mem}}}"));
    assert!(flow.starts_with("5:31: error[INP-004]") && flow.contains("`${mem}`"), "{flow}");
}

#[test]
fn comments_descriptions_and_regular_expressions_are_no_placeholders() {
    for inside in [
        "# {{ .Values.x }} and ${X}",
        "submitacl: '*' # ${X}",
        "limits: [{limit: 'all of ${TEAM} and {{ x }}', users: ['*'], maxapplications: 1}]",
        "properties: {a: '${X}'}",
        "submitacl: 'a$'",
        "submitacl: 'a{{2}}'",
    ] {
        assert_eq!(refused(&root(inside)), "read", "{inside}");
        assert_eq!(refused(&map(inside)), "read", "{inside}");
    }
    let rule = "partitions:\n- name: default\n  placementrules:\n  - name: user\n    filter: {users: ['^a{{b}}${c}$']}\n  queues: []\n";
    assert_eq!(refused(rule), "read");
}

#[test]
fn a_file_that_terraform_fills_in_is_refused_with_its_place() {
    let of = |inside: &str| {
        let content = format!("yunikornDefaults:\n  queues.yaml: |\n    {}", root(inside).replace('\n', "\n    "));
        let read = move |path: &str| Ok((path.to_owned(), content.clone()));
        let files = Files { name: "main.tf", read: &read, template: false };
        let text =
            "resource \"helm_release\" \"yk\" {\n  values = [templatefile(\"${path.module}/v2.tftpl\", {})]\n}\n";
        match recognize_with(text, DEFAULT_POLICY_GROUP, &files) {
            Ok(_) => "read".to_owned(),
            Err(faults) => faults[0].to_string(),
        }
    };
    let words = of("submitacl: \"${acl}\"");
    assert_eq!(words, "2:13: error[INP-004]: only Terraform can evaluate `${acl}` (v2.tftpl:7:21)");
    assert!(of("adminacl: ${admins}").contains("`${admins}` (v2.tftpl:7:19)"));
    assert!(of("resources: {max: {memory: ${mem}}}").contains("`${mem}` (v2.tftpl:7:35)"));
    assert_eq!(of("submitacl: '*' # ${acl}"), "read");
    let plain = recognize_with(
        &root("submitacl: \"${upper(acl)}\""),
        DEFAULT_POLICY_GROUP,
        &Files { name: "q.tftpl", read: &|_| Err(String::new()), template: true },
    );
    assert_eq!(plain.unwrap_err()[0].code, "INP-004");
}
