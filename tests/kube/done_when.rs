//! The program itself in a terminal, as an administrator uses it on a real API server: look, raise a maximum in the form, see it in the
//! ConfigMap by kubectl, undo it, kill an application; and the refusals of RBAC and of adminacl. No tape shows this, since a tape plays
//! without a network.

use super::terminal::Terminal;
use super::{Stage, has};

fn attach(stage: &Stage, context: &str) -> Terminal {
    let folder = stage.folder.display().to_string();
    let address = format!("k8s://{context}");
    let environment = [
        ("KUBECONFIG", stage.kubeconfig.as_str()),
        ("XDG_CONFIG_HOME", &folder),
        ("XDG_STATE_HOME", &folder),
        ("KORNSOLE_TOKEN", ""),
    ];
    let terminal = Terminal::kornsole(&["attach", &address], &environment);
    terminal.until_text("tenant-a");
    terminal
}

/// Presses keys until the screen says something: what they do may have to wait for an answer.
fn leads_to(terminal: &mut Terminal, keys: &str, text: &str) {
    terminal.press(keys);
    terminal.until_text(text);
}

pub fn an_administrator(stage: &Stage) {
    let before = stage.config_map();
    let mut terminal = attach(stage, "admin");
    terminal.until_text("k8s");
    // A maximum is raised in the form of its queue.
    leads_to(&mut terminal, ":queue root.tenants.tenant-a\r", "tenant-a");
    leads_to(&mut terminal, "cm", "maximum");
    leads_to(&mut terminal, "\x1521", "20 → 21");
    leads_to(&mut terminal, "\x1b[15~", "root.tenants.tenant-a: set maximum?");
    stage.saw(&terminal.screen_text());
    leads_to(&mut terminal, "y", "is in force");
    let after = stage.config_map();
    let (old, new) = (before["data"]["queues.yaml"].as_str().unwrap(), after["data"]["queues.yaml"].as_str().unwrap());
    let changed: Vec<(&str, &str)> = old.lines().zip(new.lines()).filter(|(old, new)| old != new).collect();
    let [(was, is)] = changed.as_slice() else { panic!("{changed:?}") };
    assert_eq!((was.trim(), is.trim()), ("vcore: \"20\"", "vcore: \"21\""), "one value is another one");
    assert_eq!(after["data"]["log.level"], before["data"]["log.level"]);
    // It is undone from the history, which this machine keeps.
    leads_to(&mut terminal, "\x1b:history\r", "admin");
    leads_to(&mut terminal, "jb", "back?");
    stage.saw(&terminal.screen_text());
    leads_to(&mut terminal, "y", "is in force");
    assert_eq!(stage.config_map()["data"], before["data"], "byte for byte");
    leads_to(&mut terminal, ":audit\r", "rollback");
    // An application is killed; the question says what is deleted.
    leads_to(&mut terminal, ":app job-1\r", "job-1-driver");
    leads_to(&mut terminal, "K", "Deletes 2 pods: 2 in team-a");
    leads_to(&mut terminal, "y", "killed job-1");
    assert!(!stage.read("team-a", "pods", "job-1-driver")["metadata"]["deletionTimestamp"].is_null());
    stage.saw(&terminal.screen_text());
    leads_to(&mut terminal, ":quit\r", "");
}

pub fn refusals(stage: &Stage) {
    let mut viewer = attach(stage, "eve");
    leads_to(&mut viewer, "2", "job-1");
    // What may be done is asked for in the background, and until then the API server refuses it itself.
    let began = std::time::Instant::now();
    let said = loop {
        viewer.press(":app job-1\rK");
        std::thread::sleep(std::time::Duration::from_millis(400));
        let screen = viewer.screen_text();
        if screen.contains("RBAC") {
            break screen;
        }
        assert!(began.elapsed() < super::terminal::DEADLINE, "{screen}");
        viewer.press("\x1b");
    };
    has(&said, &["needs delete on pods in team-a"]);
    let mut operator = attach(stage, "bob");
    leads_to(&mut operator, ":app job-1\r", "job-1-driver");
    leads_to(&mut operator, "K", "needs admin access on root.tenants.tenant-a.etl");
}
