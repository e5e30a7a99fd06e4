//! `kornsole diff --git`, and the commands of `docs/guide/ci.md`.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::common::TestDir;

const VALUES: &str = "\
yunikornDefaults:
  queues.yaml: |
    partitions:
    - name: default
      queues:
      - name: root
        submitacl: '*'
        queues:
        - name: a
          resources: {guaranteed: {vcore: 4}, max: {vcore: 8, cpu: 1}}
        - name: b
";

fn git(dir: &Path, arguments: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "init.defaultBranch=main"])
        .args(arguments)
        .current_dir(dir)
        .output()
        .unwrap();
    assert!(done.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
}

fn commit(dir: &TestDir, files: &[(&str, &str)]) {
    for (name, text) in files {
        std::fs::create_dir_all(dir.join(name).parent().unwrap()).unwrap();
        dir.write(name, text);
    }
    git(dir, &["add", "-A"]);
    git(dir, &["commit", "-q", "-m", "change"]);
}

fn repository(old: &str, new: &str) -> TestDir {
    let dir = TestDir::new();
    git(&dir, &["init", "-q"]);
    commit(&dir, &[("deploy/values.yaml", old), ("deploy/other.yaml", "kind: Service\n"), ("README", "a")]);
    git(&dir, &["checkout", "-q", "-b", "change"]);
    commit(&dir, &[("deploy/values.yaml", new), ("note", "b")]);
    dir
}

fn run(dir: &TestDir, arguments: &[&str]) -> (Option<i32>, String, String) {
    super::kornsole(&**dir, &[&["diff", "--git"], arguments].concat(), "")
}

#[test]
fn differences_and_only_new_warnings_are_printed() {
    // An additional line moves the old warning to another line.
    let new = VALUES
        .replace("yunikornDefaults", "# values\nyunikornDefaults")
        .replace("- name: b", "- name: c\n          resources: {max: {Memory: 1Gi}}");
    let dir = repository(VALUES, &new);
    let (code, out, err) = run(&dir, &["main"]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    assert!(out.starts_with("deploy/values.yaml (Helm values, yunikornDefaults): "), "{out}");
    assert!(out.contains("\n  + root.c ") && out.contains("\n  - root.b "), "{out}");
    assert!(out.contains("new deploy/values.yaml:13:29: warning[W-001]: no pod requests `Memory`"), "{out}");
    assert!(!out.contains("`cpu`"), "the old warning is not new: {out}");
    let last = out.lines().last().unwrap();
    assert!(
        last.starts_with("main..HEAD: deploy/values.yaml: ") && last.ends_with("1 new warning (core 1.9.0)"),
        "{last}"
    );
    assert_eq!(run(&dir, &["main..change", "--deny", "W-001"]).0, Some(1));
    let (code, out, _) = run(&dir, &["main..HEAD", "--allow", "W-001", "deploy"]);
    assert!(code == Some(0) && !out.contains("W-001"), "{out}");
    let (code, out, _) = run(&dir, &["HEAD..HEAD"]);
    assert_eq!((code, out.as_str()), (Some(0), "HEAD..HEAD: no differences (core 1.9.0)\n"));
}

#[test]
fn an_invalid_configuration_is_exit_code_1_in_each_format() {
    let dir = repository(VALUES, &VALUES.replace("cpu: 1", "memory: 8GB"));
    let place = "deploy/values.yaml:10:71";
    let of = |format: &str| {
        let (code, out, err) = run(&dir, &["main", "--format", format]);
        assert_eq!(code, Some(1), "{format}: {out}");
        // Annotations have no place for the core: it is beside them.
        assert!((out.clone() + &err).contains("1.9.0"), "{format}: {out}{err}");
        assert_eq!(err, if format == "github" { "core 1.9.0\n" } else { "" });
        out
    };
    assert!(of("text").contains(&format!("new {place}: error[CFG-021]")), "{}", of("text"));
    assert!(of("markdown").contains(&format!("{place}: error[CFG-021]")), "{}", of("markdown"));
    assert!(of("github").contains("::error file=deploy/values.yaml,line=10,col=71,title=CFG-021::"));
    let sarif: Value = serde_json::from_str(&of("sarif")).unwrap();
    assert_eq!(sarif["runs"][0]["results"][0]["ruleId"], "CFG-021");
    let junit = of("junit");
    assert!(junit.contains("failures=\"2\"") && junit.contains("name=\"CFG-021 10:71\""), "{junit}");
    let json: Value = serde_json::from_str(&of("json")).unwrap();
    assert_eq!(json["files"][0]["newFaults"][0]["line"], 10);
    assert_eq!((&json["files"][0]["valid"], &json["effects"]), (&Value::Bool(false), &Value::Null));
}

#[test]
fn what_cannot_be_compared_is_an_error_with_its_remedy() {
    let dir = repository(VALUES, VALUES);
    let (code, _, err) = run(&dir, &["nowhere..HEAD"]);
    assert!(code == Some(1) && err.starts_with("error: commit \"nowhere\" not found; fetch it first"), "{err}");
    let (code, _, err) = run(&dir, &["main", "README"]);
    assert!(code == Some(1) && err.contains("no queue configuration found in main..HEAD"), "{err}");
    let elsewhere = TestDir::new();
    let (code, _, err) = run(&elsewhere, &["main"]);
    assert!(code == Some(1) && err.starts_with("error: "), "{err}");
}

#[test]
fn the_changes_of_the_base_since_the_branch_started_are_left_out_with_three_dots() {
    let dir = repository(VALUES, &VALUES.replace("name: b", "name: c"));
    git(&dir, &["checkout", "-q", "main"]);
    commit(&dir, &[("deploy/values.yaml", &VALUES.replace("name: b", "name: later"))]);
    let (_, out, _) = run(&dir, &["main..change"]);
    assert!(out.contains("- root.later"), "{out}");
    let (_, out, _) = run(&dir, &["main...change"]);
    assert!(out.contains("- root.b") && !out.contains("root.later"), "{out}");
}

#[test]
fn a_moved_file_is_the_same_configuration_and_links_are_not_followed() {
    let dir = repository(VALUES, VALUES);
    git(&dir, &["mv", "deploy/values.yaml", "deploy/moved.yaml"]);
    std::os::unix::fs::symlink("/etc/passwd", dir.join("deploy/link.yaml")).unwrap();
    commit(&dir, &[]);
    let (code, out, _) = run(&dir, &["main"]);
    assert_eq!((code, out.as_str()), (Some(0), "main..HEAD: no differences (core 1.9.0)\n"));
}

const STATE: &str = "
steps:
- node: {id: n, capacity: {vcore: 20}}
- submit: {app: one, queue: root.a, user: ann}
- ask: {app: one, id: x, resource: {vcore: 5}}
- submit: {app: two, queue: root.b, user: bob}
- ask: {app: two, id: y, resource: {vcore: 1}}
- schedule: idle
";

#[test]
fn effects_on_applications_are_listed() {
    let new = VALUES
        .replace("guaranteed: {vcore: 4}, max: {vcore: 8, cpu: 1}", "max: {vcore: 4}")
        .replace("        - name: b\n", "");
    let dir = repository(VALUES, &new);
    let queues: String = VALUES.lines().skip(2).map(|line| format!("{}\n", &line[2..])).collect();
    dir.write("state.yaml", format!("config: |\n{queues}{STATE}"));
    let (code, out, err) = run(&dir, &["main", "--workload", "state.yaml"]);
    assert_eq!((code, err.as_str()), (Some(0), ""), "{out}");
    for line in [
        "  queue root.b drains: it is removed when its applications have finished (1 application: two)",
        "  guaranteed vcore of root.a: 4 to 0 (1 application: one)",
        "  max vcore of root.a: 8 to 4, and 5 are in use (1 application: one)",
        "  submitted again, they are rejected instead of placed in root.b (1 application: two)",
    ] {
        assert!(out.lines().any(|found| found == line), "{line}\n{out}");
    }
    let (_, out, _) = run(&dir, &["main", "--workload", "state.yaml", "--format", "markdown"]);
    assert!(out.contains("<details><summary>Effects on applications (4)</summary>"), "{out}");
    let (_, out, _) = run(&dir, &["HEAD", "--workload", "state.yaml"]);
    assert!(out.starts_with("no application is affected\n"), "{out}");
}

#[test]
fn a_comment_has_at_most_60_lines() {
    let many: String = (0..200)
        .map(|number| format!("        - {{name: q{number}, resources: {{max: {{Memory: {number}Mi}}}}}}\n"))
        .collect();
    let dir = repository(VALUES, &format!("{VALUES}{many}"));
    let (code, out, _) = run(&dir, &["main", "--format", "markdown"]);
    assert_eq!(code, Some(0));
    assert!(out.lines().count() <= 60 && out.lines().count() > 50, "{}", out.lines().count());
    assert_eq!(out.matches("<details>").count(), out.matches("</details>").count());
    assert!(
        out.starts_with("### Queue configuration: deploy/values.yaml: ") && out.contains("more lines; see"),
        "{out}"
    );
}

fn commands(page: &str) -> Vec<String> {
    let mut in_block = false;
    let mut found = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            in_block = !in_block;
        } else if in_block && let Some(at) = line.find("kornsole ").filter(|at| !line[..*at].contains(['#', '/'])) {
            found.push(line[at..].trim().to_owned());
        }
    }
    found
}

#[test]
fn each_command_of_the_page_about_merge_requests_works() {
    let dir = repository(VALUES, &VALUES.replace("name: b", "name: c").replace(", cpu: 1", ""));
    git(&dir, &["update-ref", "refs/remotes/origin/main", "main"]);
    dir.write(
        "deploy/policy.yaml",
        "config: values.yaml\ntests:\n- {name: a, place: {user: ann, queue: root.a}, expect: root.a}\n",
    );
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide/ci.md")).unwrap();
    let commands = commands(&page);
    assert_eq!(commands.len(), 7, "{commands:?}");
    let binary = Path::new(env!("CARGO_BIN_EXE_kornsole")).parent().unwrap();
    for command in commands {
        let local = command.replace("/config/", "deploy/");
        let done = Command::new("sh")
            .args(["-euc", &local])
            .current_dir(&*dir)
            .env("PATH", format!("{}:{}", binary.display(), std::env::var("PATH").unwrap()))
            .env("GITHUB_BASE_REF", "main")
            .env("GITHUB_STEP_SUMMARY", dir.join("summary.md"))
            .env("CI_MERGE_REQUEST_DIFF_BASE_SHA", "main")
            .output()
            .unwrap();
        assert!(done.status.success(), "{command}: {}", String::from_utf8_lossy(&done.stderr));
    }
    for (file, text) in [("summary.md", "root.c"), ("review.md", "root.c"), ("report.xml", "<testsuites ")] {
        assert!(std::fs::read_to_string(dir.join(file)).unwrap().contains(text), "{file}");
    }
}
