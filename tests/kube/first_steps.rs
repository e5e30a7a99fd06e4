use std::process::Command;

use serde_json::json;

use super::in_terminal::Terminal;
use super::{Stage, access, has, raise, twins};

fn commands() -> Vec<String> {
    let guide = std::fs::read_to_string("docs/guide/kubernetes-attach.md").unwrap();
    let block = guide.split("```sh\n").find(|block| block.starts_with("kornsole queues")).expect("the five commands");
    let lines = block.split("```").next().unwrap().lines();
    lines.map(|line| line.split('#').next().unwrap().trim().to_owned()).collect()
}

struct Person<'s> {
    stage: &'s Stage,
    kubeconfig: String,
    file: String,
}

impl Person<'_> {
    fn words(&self, command: &str) -> Vec<String> {
        let fill = |word: &str| match word {
            "APP" => "picky".to_owned(),
            "q.yaml" => self.file.clone(),
            other => other.to_owned(),
        };
        command.strip_prefix("kornsole ").unwrap().split_whitespace().map(fill).collect()
    }

    fn run(&self, command: &str) -> String {
        let mut words = self.words(command);
        let into = words.iter().position(|word| word == ">").map(|at| words.split_off(at)[1].clone());
        let output =
            Command::new(env!("CARGO_BIN_EXE_kornsole")).args(&words).envs(self.environment()).output().unwrap();
        let (out, err) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
        self.stage.saw(&format!("{out}{err}"));
        // Code 1: the application is pending.
        let code = if words[0] == "explain" { 1 } else { 0 };
        assert_eq!((output.status.code(), err.as_str()), (Some(code), ""), "{command}: {out}");
        if let Some(file) = into {
            std::fs::write(file, &out).unwrap();
        }
        out
    }

    fn start(&self, command: &str) -> Terminal {
        let words = self.words(command);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let environment = self.environment();
        let environment: Vec<(&str, &str)> = environment.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Terminal::kornsole(&words, &environment)
    }

    fn environment(&self) -> [(&'static str, String); 3] {
        let dir = self.stage.dir.join("person").display().to_string();
        [("KUBECONFIG", self.kubeconfig.clone()), ("XDG_CONFIG_HOME", dir.clone()), ("XDG_STATE_HOME", dir)]
    }
}

pub fn five_commands(stage: &Stage) {
    let text = std::fs::read_to_string(&stage.kubeconfig).unwrap();
    let kubeconfig = stage.file("bob", &text.replace("\"current-context\": \"admin\"", "\"current-context\": \"bob\""));
    std::fs::create_dir_all(stage.dir.join("person")).unwrap();
    let file = stage.dir.join("person/q.yaml").display().to_string();
    let person = Person { stage, kubeconfig, file };
    twins::serve(stage);
    access::without_adminacl(stage, || {
        let commands = commands();
        let [queues, explain, show, apply, kill] = commands.as_slice() else { panic!("{commands:?}") };
        has(&person.run(queues), &["tenant-a", "etl"]);
        has(&person.run(explain), &["picky", "node affinity/selector"]);
        let before = person.run(show);
        let map = || stage.config_map()["data"]["queues.yaml"].as_str().unwrap().to_owned();
        assert_eq!(before, map());
        std::fs::write(&person.file, raise(&before)).unwrap();
        let asked = ["~ root.tenants.tenant-a", "max memory 40G → 41G", "apply it? [y/N]"];
        let mut terminal = person.start(apply);
        asked.iter().for_each(|words| terminal.until_text(words));
        terminal.press("n\r");
        assert!(!terminal.end().success());
        assert_eq!(map(), before);
        let mut terminal = person.start(apply);
        terminal.until_text(asked[2]);
        terminal.press("y\r");
        assert!(terminal.end().success(), "{}", terminal.screen_text());
        assert_eq!(map(), raise(&before));
        let mut terminal = person.start(kill);
        for words in ["This cannot be undone. [y/N]", "pod"] {
            terminal.until_text(words);
        }
        terminal.press("y\r");
        assert!(terminal.end().success(), "{}", terminal.screen_text());
        let pods = stage.kubectl(&["get", "pods", "-A"]);
        assert!(!pods.contains("picky"), "a pod without a node is gone at once: {pods}");
    });
    stage.command(&json!({"answers": {}}));
}

/// With the package's link in PATH, kubectl finds kornsole.
pub fn plugin(stage: &Stage) {
    let dir = stage.dir.join("plugins");
    std::fs::create_dir_all(&dir).unwrap();
    let link = dir.join("kubectl-kornsole");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_kornsole"), &link).unwrap();
    let path = format!("{}:{}", dir.display(), std::env::var("PATH").unwrap());
    let kubectl = |arguments: &[&str]| {
        let mut command = Command::new(stage.kubectl_program());
        command.args(arguments).env("PATH", &path).env("KUBECONFIG", &stage.kubeconfig);
        let output = command.env("XDG_CONFIG_HOME", &stage.dir).output().unwrap();
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8_lossy(&output.stderr)
    };
    has(&kubectl(&["plugin", "list"]), &["kubectl-kornsole"]);
    has(&kubectl(&["kornsole", "--help"]), &["Usage: kubectl kornsole", "kubectl kornsole explain etl-1 "]);
    has(&kubectl(&["kornsole", "queues", "--bad"]), &["Usage: kubectl kornsole queues"]);
    has(&kubectl(&["kornsole", "queues"]), &["tenant-a", "etl"]);
}
