//! Moves flags before a command behind it: `kornsole --server URL queues` is `kornsole queues --server URL`. Everything
//! else is unchanged, so that `clap` reports the errors.

use std::collections::BTreeMap;
use std::ffi::OsString;

use clap::Command;

/// Flags are not moved across these words.
const ENDS: [&str; 3] = ["--", "--version", "-V"];

/// The arguments with the flags of a command after the command.
pub fn sorted(cli: &Command, arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let all: Vec<OsString> = arguments.into_iter().collect();
    let Some((program, rest)) = all.split_first() else { return all };
    // Building the other commands would be slow.
    let in_order = |word: &OsString| {
        ENDS.iter().any(|end| word == end) || cli.find_subcommand(word).is_some_and(|first| !first.has_subcommands())
    };
    if rest.first().is_none_or(in_order) {
        return all;
    }
    let mut root = cli.clone();
    root.build();
    let values = flags_with_values(&root);
    let (mut at, mut path, mut moved) = (&root, Vec::new(), Vec::new());
    let mut words = rest.iter();
    while at.has_subcommands() {
        let Some(word) = words.next() else { break };
        let text = word.to_str().unwrap_or_default();
        if ENDS.contains(&text) {
            return all;
        }
        if text.starts_with('-') && text.len() > 1 {
            moved.push(word.clone());
            let accepts = !text.contains('=') && values.get(text).copied().unwrap_or(false);
            moved.extend(accepts.then(|| words.next().cloned()).flatten());
            continue;
        }
        let Some(below) = at.find_subcommand(text) else { return all };
        path.push(word.clone());
        at = below;
    }
    if path.is_empty() {
        return all;
    }
    [std::slice::from_ref(program), &path, &moved, words.as_slice()].concat()
}

/// All flags of all commands, and whether the next word is the value.
fn flags_with_values(root: &Command) -> BTreeMap<String, bool> {
    let mut found = BTreeMap::new();
    let mut below = vec![root];
    while let Some(command) = below.pop() {
        for flag in command.get_arguments().filter(|argument| !argument.is_positional()) {
            let accepts = flag.get_num_args().is_some_and(|count| count.min_values() > 0);
            let accepts = accepts && !flag.is_require_equals_set();
            let names = flag.get_long().map(|name| format!("--{name}"));
            let short = flag.get_short().map(|name| format!("-{name}"));
            for name in names.into_iter().chain(short) {
                let known = found.entry(name).or_insert(accepts);
                *known |= accepts;
            }
        }
        below.extend(command.get_subcommands());
    }
    found
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::Cli;

    fn moved(line: &str) -> String {
        let words = line.split(' ').map(OsString::from);
        let sorted = sorted(&Cli::command(), std::iter::once("kornsole".into()).chain(words));
        sorted.iter().skip(1).map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn flags_before_a_command_are_moved_after_it() {
        for (before, after) in [
            ("--server http://x queues --json", "queues --server http://x --json"),
            ("--json --server=http://x app etl-1", "app --json --server=http://x etl-1"),
            ("config --server demo history --last 3", "config history --server demo --last 3"),
            ("--server demo config rollback 2", "config rollback --server demo 2"),
            ("--core 1.8.0 check a.yaml", "check --core 1.8.0 a.yaml"),
            ("--theme dark demo --seed 4", "demo --theme dark --seed 4"),
        ] {
            assert_eq!(moved(before), after);
            assert_eq!(moved(after), after, "and stay there");
        }
    }

    #[test]
    fn what_is_no_flag_before_a_command_stays() {
        for line in
            ["--config q.yaml --workload w.yaml", "--version", "check -", "help apply", "nonsense --json", "-- demo"]
        {
            assert_eq!(moved(line), line);
        }
        assert_eq!(moved("--config demo"), "--config demo", "a value is no command");
        assert_eq!(moved("--help apply"), "apply --help");
    }

    #[test]
    fn a_flag_has_a_value_in_every_command_or_in_none() {
        let mut root = Cli::command();
        root.build();
        let mut seen: BTreeMap<String, bool> = BTreeMap::new();
        let mut below = vec![&root];
        while let Some(command) = below.pop() {
            for flag in command.get_arguments().filter(|argument| !argument.is_positional()) {
                let Some(name) = flag.get_long() else { continue };
                let accepts = flag.get_num_args().is_some_and(|count| count.min_values() > 0);
                assert_eq!(
                    *seen.entry(name.to_owned()).or_insert(accepts),
                    accepts,
                    "--{name} in {}",
                    command.get_name()
                );
            }
            below.extend(command.get_subcommands());
        }
    }
}
