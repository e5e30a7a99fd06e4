//! The examples of the REST API guide exactly as written.

use std::process::{Command, Output};

use crate::common::{Program, TestDir, serve_command};

const SERVE: &str = "kornsole serve ";

fn blocks() -> Vec<String> {
    let page = std::fs::read_to_string("docs/guide/rest.md").unwrap();
    let parts = page.split("```sh\n").skip(1);
    parts.map(|part| part.split("```").next().unwrap().to_owned()).collect()
}

fn shell(dir: &TestDir, script: &str) -> Output {
    dir.write(".curlrc", "write-out = \"%{stderr}\\n%{http_code} %{url_effective}\\n\"\n");
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_kornsole")).parent().unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default());
    let mut command = Command::new("bash");
    command.args(["-uc", script]).current_dir(&**dir).env("PATH", path).env("CURL_HOME", &**dir);
    command.env("XDG_CONFIG_HOME", "/nonexistent").env("NO_PROXY", "*");
    command.output().unwrap()
}

fn served(dir: &TestDir, block: &str) -> Program {
    let (before, serve) = block.split_once(SERVE).expect("it ends with a server");
    let made = shell(dir, &format!("set -e\n{before}"));
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let line = serve.lines().next().unwrap().split('#').next().unwrap();
    let mut command = serve_command(&line.split_whitespace().collect::<Vec<_>>());
    command.current_dir(&**dir);
    Program::spawn(command)
}

fn statuses(dir: &TestDir, block: &str, program: &Program) -> Vec<String> {
    let done = shell(dir, &block.replace("localhost:9080", &program.address.to_string()));
    let err = String::from_utf8_lossy(&done.stderr).into_owned();
    let host = program.address.to_string();
    let lines: Vec<String> = err.lines().filter(|line| line.contains(&host)).map(str::to_owned).collect();
    assert_eq!(lines.len(), block.matches("curl -").count(), "every request is answered: {err}");
    lines
}

#[test]
fn the_examples_of_the_guide_work_as_they_are_written() {
    let dir = TestDir::new();
    let blocks = blocks();
    let [files, reads, tokens, changes] = blocks.as_slice() else { panic!("{} blocks", blocks.len()) };
    let server = served(&dir, files);
    let mut all = statuses(&dir, reads, &server);
    let dump = std::fs::read(dir.join("dump.json")).unwrap();
    assert!(serde_json::from_slice::<serde_json::Value>(&dump).is_ok());
    server.kill();
    let server = served(&dir, tokens);
    all.extend(statuses(&dir, changes, &server));
    assert!(all.len() == 13 && all.iter().all(|line| line.starts_with("200 ")), "{all:#?}");
    let retained = std::fs::read_to_string(dir.join("queues.yaml")).unwrap();
    assert!(retained.contains("maxapplications: 4"), "the configuration is active, and in its file");
}
