//! Times, memory, and processor usage.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const IDLE: Duration = Duration::from_secs(5);
/// After a load: caches are trimmed, and the disk is synced.
const REST: Duration = Duration::from_secs(3);

pub fn line(who: &str, what: &str, value: f64, unit: &str) {
    println!("{who:<14}{what:<56}{value:>10.2} {unit}");
}

/// Prints the median and the 99th percentile of times, in ms.
pub fn times(who: &str, what: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let ms = |at: usize| times[at].as_secs_f64() * 1000.0;
    line(who, &format!("{what}, median"), ms(times.len() / 2), "ms");
    line(who, &format!("{what}, 99 of 100"), ms(times.len() * 99 / 100), "ms");
}

/// Prints the processor usage and the memory of a process that has nothing to do.
pub fn idle(who: &str, when: &str, pid: u32) {
    sleep(REST);
    let before = processor(pid);
    sleep(IDLE);
    line(who, &format!("idle {when}"), 100.0 * (processor(pid) - before) / IDLE.as_secs_f64(), "% of a core");
    line(who, &format!("memory {when}"), memory(pid), "MB");
}

/// Seconds of processor time.
pub fn processor(pid: u32) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
}

/// Resident memory in MB.
pub fn memory(pid: u32) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<f64>().unwrap() / 1024.0
}

/// Runs a command and returns its time.
pub fn timed(mut command: Command) -> Duration {
    let started = Instant::now();
    let status = command.stdout(Stdio::null()).status().unwrap();
    let took = started.elapsed();
    assert!(status.success(), "{command:?}: {status}");
    took
}

/// Runs a command and returns its output.
pub fn output(mut command: Command) -> String {
    let output = command.stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", output.status);
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}
