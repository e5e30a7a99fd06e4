//! Shell completions with jobs and queues from the daemon.
//!
//! They extend the scripts of clap and call `kornsole local names`.

use std::process::ExitCode;

use clap::{Args, ValueEnum};
use clap_complete::Shell;

use super::{SocketArgs, ask};
use crate::cli::printed::safe;
use crate::cli::settings::print_bytes;
use local::wire::{Reply, Request};

/// The kind of names to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// IDs and names of active jobs
    Jobs,
    /// Queues that you can submit to
    Queues,
}

/// The arguments of `kornsole local names`.
#[derive(Args, Clone, Debug)]
pub struct NamesArgs {
    /// Names to print
    kind: Kind,
    /// The socket of the daemon
    #[command(flatten)]
    daemon: SocketArgs,
}

/// Prints names, one per line, with a tab and a description. Prints nothing on errors, because a shell completes.
pub fn names(args: &NamesArgs) -> ExitCode {
    let request = match args.kind {
        Kind::Jobs => Request::Jobs { ended: false },
        Kind::Queues => Request::Queues,
    };
    let reply = args.daemon.connect().and_then(|mut client| ask(&mut client, &request));
    let lines: Vec<String> = match reply {
        Ok((Reply::Jobs(jobs), _)) => {
            jobs.into_iter().map(|job| format!("{}\t{}", job.number, job.name.replace(char::is_control, " "))).collect()
        }
        Ok((Reply::Queues(queues), _)) => queues,
        _ => Vec::new(),
    };
    // A tab separates a value and its description.
    let shown = |line: String| line.split('\t').map(safe).collect::<Vec<_>>().join("\t") + "\n";
    print_bytes(&lines.into_iter().map(shown).collect::<String>())
}

/// Adds the calls to the daemon to a script.
pub fn extend(shell: Shell, script: String) -> String {
    match shell {
        Shell::Bash => script + BASH,
        Shell::Zsh => zsh(script),
        Shell::Fish => script + FISH,
        _ => script,
    }
}

const BASH: &str = r#"
# Jobs and queues of this machine, from its daemon.
_kornsole_local() {
    local word="${COMP_WORDS[COMP_CWORD]}" before="${COMP_WORDS[COMP_CWORD-1]}" first=2 kind=""
    case "${COMP_WORDS[1]}" in
        job|logs|wait|cancel|hold|release|requeue) kind=jobs ;;
        submit) kind=submit ;;
        local)
            first=3
            case "${COMP_WORDS[2]}" in
                attach|priority|edit) kind=jobs ;;
                move) kind=jobs; [[ $before == --to ]] && kind=queues ;;
            esac
            ;;
    esac
    if [[ $kind == submit ]]; then
        case "$before" in
            --queue|-q) kind=queues ;;
            --after) kind=jobs ;;
            *) kind="" ;;
        esac
    elif [[ $kind == jobs ]]; then
        # After an option with a value, no job follows.
        case "$before" in
            --yes|-y|--follow|-f|--json) ;;
            -*) kind="" ;;
        esac
    fi
    if [[ -n $kind && $word != -* ]] && (( COMP_CWORD >= first )); then
        COMPREPLY=( $(compgen -W "$("$1" local names "$kind" 2>/dev/null | cut -f 1)" -- "$word") )
        return 0
    fi
    _kornsole "$@"
}
complete -F _kornsole_local -o bashdefault -o default kornsole
"#;

const FISH: &str = r#"
# Jobs and queues of this machine, from its daemon.
for command in job logs wait cancel hold release requeue
    complete -c kornsole -n "__fish_kornsole_using_subcommand $command" -f -a "(kornsole local names jobs 2>/dev/null)"
end
for command in attach move priority edit
    complete -c kornsole -n "__fish_kornsole_using_subcommand local; and __fish_seen_subcommand_from $command" -f -a "(kornsole local names jobs 2>/dev/null)"
end
complete -c kornsole -n "__fish_kornsole_using_subcommand submit" -s q -l queue -x -a "(kornsole local names queues 2>/dev/null)"
complete -c kornsole -n "__fish_kornsole_using_subcommand submit" -l after -x -a "(kornsole local names jobs 2>/dev/null)"
complete -c kornsole -n "__fish_kornsole_using_subcommand local; and __fish_seen_subcommand_from move" -l to -x -a "(kornsole local names queues 2>/dev/null)"
"#;

const ZSH: &str = r#"
# Jobs and queues of this machine, from its daemon.
(( $+functions[_kornsole_jobs] )) ||
_kornsole_jobs() {
    local -a jobs
    jobs=(${${(f)"$(_call_program jobs kornsole local names jobs 2>/dev/null)"}/$'\t'/:})
    _describe -V -t jobs job jobs
}
(( $+functions[_kornsole_queues] )) ||
_kornsole_queues() {
    local -a queues
    queues=(${(f)"$(_call_program queues kornsole local names queues 2>/dev/null)"})
    compadd -a queues
}
"#;

/// The zsh specifications with values from the daemon, by their start or text, and their completion.
const ZSH_VALUES: [(&str, &str); 6] = [
    ("'*::numbers -- Job ID", "_kornsole_jobs"),
    ("':number -- ID of the job", "_kornsole_jobs"),
    ("'-q+[Queue \\[default", "_kornsole_queues"),
    ("'--queue=[Queue \\[default", "_kornsole_queues"),
    ("'--to=[Target queue of the jobs]", "_kornsole_queues"),
    ("'*--after=[", "_kornsole_jobs"),
];

fn zsh(script: String) -> String {
    let mut text = String::with_capacity(script.len() + ZSH.len());
    for line in script.lines() {
        // The functions must precede the final call.
        if line.starts_with("if [ \"$funcstack[1]\"") {
            text.push_str(ZSH);
            text.push('\n');
        }
        let known = ZSH_VALUES.iter().find(|(starts, _)| line.starts_with(starts));
        match known {
            Some((_, function)) => text.push_str(&line.replace(":_default'", &format!(":{function}'"))),
            None => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    fn script(shell: Shell) -> String {
        let mut text = Vec::new();
        clap_complete::generate(shell, &mut crate::cli::Cli::command(), "kornsole", &mut text);
        extend(shell, String::from_utf8(text).unwrap())
    }

    #[test]
    fn every_value_from_the_daemon_is_requested_from_it() {
        let zsh = script(Shell::Zsh);
        for (starts, function) in ZSH_VALUES {
            let lines: Vec<&str> = zsh.lines().filter(|line| line.starts_with(starts)).collect();
            assert!(!lines.is_empty(), "nothing begins with {starts}");
            assert!(lines.iter().all(|line| line.contains(function)), "{lines:?}");
        }
        assert!(zsh.find("_kornsole_jobs() {").unwrap() < zsh.find("if [ \"$funcstack[1]\"").unwrap());
        assert!(script(Shell::Fish).contains("local names jobs"));
        assert!(!script(Shell::Elvish).contains("local names"));
    }
}
