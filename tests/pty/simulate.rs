use super::terminal::Terminal;
use crate::common::TestDir;

const LONG: &str = r#"for = "20000h"

[[nodes]]
count = 2
capacity = { vcore = "8", memory = "32Gi" }

[[stream]]
name = "etl"
queue = "root.etl"
user = "ann"
every = "2m"
tasks = 2
resource = { vcore = "1" }
runtime = ["1m", "5m"]
"#;

#[test]
fn a_single_long_run_shows_progress_speed_and_time_left() {
    let dir = TestDir::new();
    let file = dir.write("long.toml", LONG);
    let terminal = Terminal::kornsole(&["simulate", file.to_str().unwrap()], &[]);
    terminal.until("done, rate and left", |seen| {
        let text = seen.emulator.screen().contents();
        let line = text.lines().last().unwrap_or_default();
        let done = line.split(' ').next().and_then(|word| word.parse::<u64>().ok());
        done.is_some_and(|done| done > 0)
            && line.contains(" requests, ")
            && line.contains("/s, ")
            && line.ends_with(" left")
    });
    // Same as Ctrl-C.
    terminal.signal("INT");
    assert_eq!(terminal.end().exit_code(), 130);
    terminal.until_text("interrupted after 0 of 1 runs; repeat the command to start again");
}
