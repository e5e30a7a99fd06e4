//! A process is killed under load: all acknowledged changes are present after a restart.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::sync::Arc;

use ::engine::journal::Dir;

use crate::common::{TestDir, share};

use super::stage::{AnsweredOrders, Chance, engine, fresh, is_not_durable, perform, seed, setup, steps};

const CHILD: &str = "KORNSOLE_KILL_CHILD";
const CLIENTS: usize = 16;

fn rounds() -> u64 {
    std::env::var("KORNSOLE_KILL_ROUNDS")
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(share::so_many(20, 3).into())
}

/// The killed process, which prints one line per answer. Without its variable, this is not a test.
#[test]
fn a_process_with_clients() {
    let Ok(task) = std::env::var(CHILD) else { return };
    let (dir, name) = task.rsplit_once(' ').unwrap();
    let setup = setup();
    let started = Dir::open(dir.as_ref(), false).unwrap().start(&setup, 100.0, None, fresh(&setup)).unwrap();
    let engine = Arc::new(engine(started));
    let clients = (0..CLIENTS).map(|client| {
        let (engine, name) = (Arc::clone(&engine), format!("{name}-{client}"));
        std::thread::spawn(move || {
            for step in steps(&name, &mut Chance(client as u64), 100_000) {
                let answered = match perform(&engine, step.act()) {
                    Ok(_) => "done",
                    Err(refusal) if is_not_durable(&refusal) => return,
                    Err(_) => "refused",
                };
                // One write per line, so that no line is truncated.
                let line = format!("done {answered} {}\n", step.line());
                std::io::stdout().lock().write_all(line.as_bytes()).unwrap();
            }
        })
    });
    clients.collect::<Vec<_>>().into_iter().for_each(|client| client.join().unwrap());
}

#[test]
fn what_was_answered_outlasts_a_kill() {
    let scratch = TestDir::new();
    let state = scratch.join("state");
    let mut chance = Chance(seed() + 17);
    let mut answered = AnsweredOrders::default();
    for round in 0..rounds() {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "kill::a_process_with_clients", "--nocapture", "--test-threads", "1"]);
        command.env(CHILD, format!("{} round-{round}", state.display()));
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let handle = |line: String, answered: &mut AnsweredOrders| {
            let Some(line) = line.split_once("done ").map(|(_, line)| line) else { return false };
            match line.split_once(' ') {
                Some(("done", line)) => answered.done.push(line.to_owned()),
                Some(("refused", line)) => answered.refused.push(line.to_owned()),
                _ => panic!("{line}"),
            }
            true
        };
        let mut left = 1 + chance.below(300);
        while left > 0 {
            let line = lines.next().expect("it continues for long").unwrap();
            left -= u64::from(handle(line, &mut answered));
        }
        child.kill().unwrap();
        lines.map_while(Result::ok).for_each(|line| {
            handle(line, &mut answered);
        });
        child.wait().unwrap();
        let setup = setup();
        let dir = Dir::open(&state, false).unwrap_or_else(|why| panic!("round {round}: {why}"));
        let (core, _retained) = dir.start(&setup, 1.0, None, fresh(&setup)).unwrap();
        answered.check(&core);
        let entries = core.audit_log().last();
        assert!(
            entries >= (answered.done.len() + answered.refused.len()) as u64,
            "round {round}: {entries} in the audit"
        );
    }
    assert!(answered.done.len() > 20 && !answered.refused.is_empty());
}
