//! Tables that commands print for people: they cut off or omit values, so an error names the command to use instead.

/// In bytes. The first line of another text can be the whole text.
const LONGEST_HEADING: usize = 2000;

/// A command that prints tables with columns of a fixed width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableCommand {
    /// `kubectl get`, in its default form or with `-o wide`.
    KubectlGet,
    /// `sacct` of Slurm, without `--parsable2`.
    Sacct,
    /// `squeue` of Slurm.
    Squeue,
    /// `sinfo` of Slurm.
    Sinfo,
}

impl TableCommand {
    /// Recognizes a table by its heading; `None` for another text.
    pub fn of(text: &str) -> Option<Self> {
        let mut lines = text.lines().filter(|line| !line.trim().is_empty());
        let heading = lines.next().filter(|line| line.len() <= LONGEST_HEADING && !line.contains('|'))?;
        let columns: Vec<String> = heading.split_whitespace().map(str::to_ascii_lowercase).collect();
        let has = |name: &str| columns.iter().any(|column| column == name);
        if has("jobid") && (has("st") || has("nodelist(reason)")) {
            return Some(Self::Squeue);
        }
        if has("jobid") || has("jobidraw") {
            let rule = lines.next()?;
            return rule.chars().all(|char| matches!(char, '-' | ' ')).then_some(Self::Sacct);
        }
        if has("partition") && has("avail") && has("nodelist") {
            return Some(Self::Sinfo);
        }
        // Its headings are the only ones in capital letters that end with the age, or continue with it in the wide form.
        let words: Vec<&str> = heading.split_whitespace().take(2).collect();
        (matches!(words[..], ["NAME", _] | ["NAMESPACE", "NAME"])
            && heading.split_whitespace().any(|word| word == "AGE"))
        .then_some(Self::KubectlGet)
    }

    /// The command, as typed.
    pub const fn name(self) -> &'static str {
        match self {
            Self::KubectlGet => "kubectl get",
            Self::Sacct => "sacct",
            Self::Squeue => "squeue",
            Self::Sinfo => "sinfo",
        }
    }

    /// What to do instead, as an instruction.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::KubectlGet => "use `kubectl get … -o yaml`: the table does not have the whole objects",
            Self::Sacct | Self::Squeue | Self::Sinfo => {
                "use `sacct --parsable2` with `kornsole simulate`, which reads the jobs of Slurm"
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_a_fixed_width_are_known_by_their_headings() {
        for (text, command) in [
            ("JobID           JobName  Partition\n------------ ---------- ----------\n1   a  b\n", Some("sacct")),
            ("\n  JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n", Some("squeue")),
            ("PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n", Some("sinfo")),
            (
                "NAMESPACE     NAME   READY   STATUS    RESTARTS   AGE\nkube-system   dns-1  1/1  Running  0  10d\n",
                Some("kubectl get"),
            ),
            ("NAME     STATUS   ROLES    AGE   VERSION   INTERNAL-IP\n", Some("kubectl get")),
            ("JobID|State|Start\n--|--|--\n", None),
            ("JobID is a word\nof a text\n", None),
            ("partitions:\n- name: default\n", None),
            ("", None),
        ] {
            assert_eq!(TableCommand::of(text).map(TableCommand::name), command, "{text}");
        }
    }
}
