//! Recognizes the output of Slurm's commands that cannot be read, so that an error names the command to use: JSON without
//! ended jobs, and tables with columns of a fixed width, which cut off long values.

use serde_json::Value;

/// Slurm's lists that contain no jobs, with the command that prints them.
const OTHERS: [(&str, &str); 5] = [
    ("sinfo", "sinfo --json"),
    ("nodes", "scontrol show nodes --json"),
    ("partitions", "scontrol show partitions --json"),
    ("reservations", "scontrol show reservations --json"),
    ("licenses", "scontrol show licenses --json"),
];

/// In bytes. The first line of another text can be the whole text.
const LONGEST_HEADING: usize = 2000;

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

/// Returns the command that printed a table with columns of a fixed width.
pub fn printed_table(text: &str) -> Option<&'static str> {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let heading = lines.next().filter(|line| line.len() <= LONGEST_HEADING && !line.contains('|'))?;
    let columns: Vec<String> = heading.split_whitespace().map(str::to_ascii_lowercase).collect();
    let has = |name: &str| columns.iter().any(|column| column == name);
    if has("jobid") && (has("st") || has("nodelist(reason)")) {
        return Some("squeue");
    }
    if has("jobid") || has("jobidraw") {
        let rule = lines.next()?;
        return rule.chars().all(|char| matches!(char, '-' | ' ')).then_some("sacct");
    }
    (has("partition") && has("avail") && has("nodelist")).then_some("sinfo")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_a_fixed_width_are_known_by_their_headings() {
        for (text, name) in [
            ("JobID           JobName  Partition\n------------ ---------- ----------\n1   a  b\n", Some("sacct")),
            ("\n  JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n", Some("squeue")),
            ("PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n", Some("sinfo")),
            ("JobID|State|Start\n--|--|--\n", None),
            ("JobID is a word\nof a text\n", None),
            ("", None),
        ] {
            assert_eq!(printed_table(text), name, "{text}");
        }
    }

    fn of(text: &str) -> Option<String> {
        command(&serde_json::from_str(text).unwrap())
    }

    #[test]
    fn each_command_is_named_and_sacct_is_not() {
        for (text, name) in [
            (r#"{"meta": {"slurm": {}, "command": ["/usr/bin/squeue", "--json"]}, "jobs": []}"#, Some("squeue --json")),
            (r#"{"meta": {"Slurm": {}}, "jobs": [{"job_id": 1, "job_state": "PENDING"}]}"#, Some("squeue --json")),
            (r#"{"jobs": [{"job_id": 1, "job_state": ["RUNNING"]}]}"#, Some("squeue --json")),
            (
                r#"{"meta": {"slurm": {}, "command": ["scontrol", "show", "jobs", "--json"]}, "jobs": [{"job_id": 1}]}"#,
                Some("scontrol show jobs --json"),
            ),
            (r#"{"meta": {"slurm": {}}, "sinfo": []}"#, Some("sinfo --json")),
            (r#"{"meta": {"Slurm": {}}, "nodes": []}"#, Some("scontrol show nodes --json")),
            (r#"{"meta": {"slurm": {}}, "jobs": [{"job_id": 1, "time": {}}]}"#, None),
            (r#"{"meta": {"slurm": {}, "command": ["sacct", "--json"]}, "jobs": []}"#, None),
            (r#"{"nodes": [], "partitions": []}"#, None),
            (r#"{"meta": {"slurm": {}}, "items": []}"#, None),
        ] {
            assert_eq!(of(text).as_deref(), name, "{text}");
        }
    }
}
