//! `kornsole whatif` as it is called.

use std::process::Command;

use super::stage::{CONFIG, STEPS};

fn whatif(arguments: &[&str]) -> (i32, String, String) {
    let folder = tempfile_folder();
    let indented: String = CONFIG.lines().map(|line| format!("  {line}\n")).collect();
    let file = folder.join("scenario.yaml");
    std::fs::write(&file, format!("version: 1\nconfig: |\n{indented}steps:{STEPS}")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
    command.args(["whatif", "--workload"]).arg(&file).args(arguments);
    let output = command.output().unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn tempfile_folder() -> std::path::PathBuf {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = format!("kornsole-whatif-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn it_prints_a_table_or_json() {
    let (code, table, _) = whatif(&["--set", "root.a.max.vcore=+3", "--for", "1m"]);
    assert_eq!(code, 0, "{table}");
    assert!(table.starts_with("1 application starts that would not"), "{table}");
    assert!(table.contains("first difference: two/y-1 is allocated on n1, instead of: nothing any more"), "{table}");
    let (code, json, _) = whatif(&["--set", "root.a.max.vcore=+3", "--for", "1m", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((code, json["diff"]["applications"][0]["effect"].as_str()), (0, Some("started")));
}

#[test]
fn what_is_no_change_is_wrong_use_and_no_file_is_bad_input() {
    let (code, _, message) = whatif(&["--change", "burn it"]);
    assert!(code == 2 && message.contains("write one of"), "{message}");
    let (code, _, message) = whatif(&["--config", "nowhere.yaml"]);
    assert!(code == 1 && message.contains("nowhere.yaml"), "{message}");
}
