//! Recognizes JSON of Slurm's commands without ended jobs, so that an error names the command to use.

use serde_json::Value;

const OTHERS: [(&str, &str); 5] = [
    ("sinfo", "sinfo --json"),
    ("nodes", "scontrol show nodes --json"),
    ("partitions", "scontrol show partitions --json"),
    ("reservations", "scontrol show reservations --json"),
    ("licenses", "scontrol show licenses --json"),
];

/// Returns the command that printed a value; `None` for `sacct` and for JSON of other programs.
pub fn command(all: &Value) -> Option<String> {
    let meta = &all["meta"];
    let is_slurm = meta["Slurm"].is_object() || meta["slurm"].is_object();
    let of_list = match all["jobs"].as_array() {
        // Only `sacct` has the times of a job in a map.
        Some(jobs) if jobs.iter().any(|job| job["time"].is_object()) => None,
        Some(jobs) => (is_slurm || jobs.iter().any(|job| job["job_state"].is_array())).then_some("squeue --json"),
        None if is_slurm => OTHERS.into_iter().find(|(key, _)| all[*key].is_array()).map(|(_, command)| command),
        None => None,
    }?;
    let words = meta["command"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let words: Vec<&str> = words.map(|word| word.rsplit('/').next().unwrap_or(word)).collect();
    match words.first() {
        Some(&"sacct") => None,
        Some(_) => Some(words.join(" ")),
        None => Some(of_list.to_owned()),
    }
}
