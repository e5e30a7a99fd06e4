//! Scripts from users of clusters, unchanged.

use std::fs;
use std::path::Path;

use super::machine::{Machine, until};

/// Puts a script into the directory of a machine, and submits it there. Gives the exit status, and all that is printed.
fn submit(machine: &Machine, script: &str) -> (i32, String) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/local/field").join(script);
    fs::copy(source, machine.dir.join(script)).unwrap();
    let output = machine.call(&["submit", script]);
    let reported = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    (output.status.code().unwrap(), reported)
}

#[test]
fn the_indices_of_a_sweep_do_different_work() {
    let machine = Machine::up(&[]);
    let (code, reported) = submit(&machine, "sweep.sh");
    assert_eq!((code, reported.as_str()), (0, "1-3\n"));
    for (job, rate) in [(1, "lr0.1"), (2, "lr0.01"), (3, "lr0.001")] {
        assert_eq!(machine.wait(job), 0);
        assert_eq!(machine.logs(job), format!("training {rate} task={} job={job}\n", job - 1));
        assert_eq!(machine.job(job)["time_limit"], 300);
    }
}

#[test]
fn a_script_that_stops_on_unset_variables_runs_to_its_end() {
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/local/field/localq.yaml");
    let machine = Machine::up(&["--config", config]);
    let (code, reported) = submit(&machine, "strict.sh");
    assert!(
        code == 0 && reported.contains("ignored options") && reported.contains("--account=lab99 (line 3)"),
        "{code} {reported}"
    );
    assert_eq!(machine.wait(1), 0, "{}", machine.logs(1));
    let due = format!("job 1 name eval cpus 1 dir {}\n", fs::canonicalize(&*machine.dir).unwrap().display());
    assert_eq!(machine.logs(1), due);
    until(|| fs::read_to_string(machine.dir.join("eval-1.log")).is_ok_and(|text| text == due));
    let job = machine.job(1);
    assert_eq!((&job["queue"], &job["memory"]), (&"root.spgpu".into(), &(1_u64 << 30).into()));
}

#[test]
fn what_was_left_out_is_given_or_runs_nothing() {
    let machine = Machine::up(&["--gpu", "2"]);
    for (script, why) in [
        ("d.sh", "d.sh:7: cannot apply --constraint=rome: not supported"),
        ("n16.sh", "n16.sh:10: cannot apply --nodelist=node1: this machine is "),
    ] {
        let (code, reported) = submit(&machine, script);
        assert!(code == 2 && reported.contains(why), "{code} {reported}");
    }
    assert_eq!(machine.live(), 0);
    for (job, script, log) in [(1, "gpn.sh", "visible=[0]\n"), (2, "e.sh", "e\n"), (3, "e2.sh", "e\n")] {
        let (code, reported) = submit(&machine, script);
        assert_eq!((code, reported), (0, format!("{job}\n")), "{script}: neither a warning nor an array");
        assert_eq!((machine.wait(job), machine.logs(job).as_str()), (0, log), "{script}");
        assert_eq!(machine.job(job)["vcore"], 1000, "{script}");
    }
    assert_eq!(machine.job(2)["memory"], 4_u64 << 30, "0 is all memory");
    let without = Machine::up(&["--gpu", "0"]);
    let (code, reported) = submit(&without, "gpn.sh");
    assert!(
        code != 0 && reported.contains("more than this machine's capacity") && without.live() == 0,
        "{code} {reported}"
    );
}
