//! Edits by example: changed lines, and the diff of the configurations.

mod odd;
mod odd_styles;
mod random;
mod random_text;
mod usual;

use super::*;
use crate::{DEFAULT_POLICY_GROUP, Fault, diff, read_file};
use model::Profile;

const BLOCK: &str = "\
# The cluster of the lab.
partitions:
  - name: default
    queues:
      - name: root
        submitacl: '*'   # everybody
        queues:
          # the big tenant
          - name: tenant-a   # since spring
            adminacl: sue
            resources:
              max:
                memory: 40G   # half of it
                vcore: \"20\"
            limits:
              - limit: sue and bob
                users:
                  - sue
                  - bob
                maxresources:
                  memory: 12G
              # the rest
              - users: ['*']
                maxapplications: 3

          - name: tenant-b
            properties: # nothing yet
            queues:
              - name: x
";

fn target(queue: &QueuePath) -> Target<'_> {
    Target { policy_group: DEFAULT_POLICY_GROUP, partition: "default", queue }
}

fn report(old: &str, new: Result<String, Fault>) -> String {
    let new = match new {
        Ok(new) => new,
        Err(fault) => return format!("{fault}\n= {}", fault.hint),
    };
    let mut out = String::new();
    for change in lines_changed(old, &new) {
        out += &change;
        out.push('\n');
    }
    let config = |text: &str| {
        let reading = read_file(text.as_bytes(), DEFAULT_POLICY_GROUP, Profile::V1_5_1);
        reading.config.unwrap_or_else(|| panic!("{:?}\n{text}", reading.faults))
    };
    for line in diff(&config(old), &config(&new)).lines() {
        out += &format!("{}{} {}\n", if line.setting { "  " } else { "" }, line.symbol(), line.text);
    }
    out
}

/// `-3|gone` and `+3|new`, for a shortest difference.
fn lines_changed(old: &str, new: &str) -> Vec<String> {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split('\n').collect(), new.split('\n').collect());
    let mut longest = vec![vec![0; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            longest[i][j] =
                if old[i] == new[j] { longest[i + 1][j + 1] + 1 } else { longest[i + 1][j].max(longest[i][j + 1]) };
        }
    }
    let (mut i, mut j, mut out) = (0, 0, Vec::new());
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
        } else if i < old.len() && (j == new.len() || longest[i + 1][j] >= longest[i][j + 1]) {
            out.push(format!("-{}|{}", i + 1, old[i]));
            i += 1;
        } else {
            out.push(format!("+{}|{}", j + 1, new[j]));
            j += 1;
        }
    }
    out
}
