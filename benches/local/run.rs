//! Which measurements, on Linux.

use std::fs;
use std::path::{Path, PathBuf};

use super::daemon::{busy, kornsole};
use super::queue::{pueue, slurm, task_spooler};

/// Runs all measurements.
pub fn all() {
    type Measure<'a> = &'a dyn Fn(&Path);

    let option = |name: &str| std::env::args().skip_while(|word| word != name).nth(1);
    let number = |name: &str| option(name).and_then(|text| text.parse().ok());
    let small = !std::env::args().any(|word| word == "--bench");
    let jobs = number("--jobs").unwrap_or(if small { 20 } else { 1000 });
    let pending = number("--pending").unwrap_or(if small { 100 } else { 10_000 });
    let program = option("--program").map_or_else(|| PathBuf::from(env!("CARGO_BIN_EXE_kornsole")), PathBuf::from);
    let only = option("--only");
    let is_measured = |who: &str| only.as_deref().is_none_or(|only| only == who);
    let dir = std::env::temp_dir().join(format!("kornsole-bench-local-{}", std::process::id()));
    let queues: [(&str, Measure<'_>); 5] = [
        ("kornsole", &|dir| kornsole(&program, dir, jobs, pending)),
        ("task-spooler", &|dir| task_spooler(dir, jobs, pending)),
        ("pueue", &|dir| pueue(dir, jobs, pending)),
        ("slurm", &|dir| slurm(dir, jobs, pending)),
        ("busy", &|dir| {
            let (at_one_time, waiting) = if small { (8, 64) } else { (500, pending) };
            // The target rate, 300 per second, and the machine's maximum.
            busy(&program, dir, at_one_time, waiting, "1.667");
            busy(&program, dir, at_one_time, waiting, "1");
        }),
    ];
    for (who, measure) in queues.into_iter().filter(|(who, _)| is_measured(who)) {
        let dir = dir.join(who);
        fs::create_dir_all(&dir).unwrap();
        measure(&dir);
    }
    // Supervisors outlive their daemon and may still write.
    let _ = fs::remove_dir_all(&dir);
}
