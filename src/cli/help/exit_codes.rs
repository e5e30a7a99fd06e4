//! Exit codes of commands other than 0 (success), 1 (error), and 2 (invalid command line).

type Code = (&'static str, &'static str);

const SERVER: &[Code] = &[
    ("0", "success"),
    ("1", "the server rejected the request, or invalid input"),
    ("2", "invalid command line, or no confirmation without a terminal"),
    ("3", "cannot connect to the server"),
];

const DAEMON: &[Code] = &[
    ("0", "success"),
    ("1", "the daemon rejected the request, or invalid input"),
    ("2", "invalid command line"),
    ("3", "cannot connect to the job daemon"),
];

const SUBMIT: &[Code] = &[
    ("0", "success"),
    ("1", "the daemon rejected the request"),
    ("2", "invalid command line, script, or job file"),
    ("3", "cannot connect to the job daemon"),
    ("N", "exit status of the job, with --wait or --interactive"),
];

const JOB: &[Code] = &[
    ("0", "all jobs exited with 0"),
    ("N", "exit status of the first job that did not exit with 0"),
    ("1", "the daemon rejected the request, or invalid input"),
    ("2", "invalid command line"),
    ("3", "cannot connect to the job daemon"),
];

const EXPLAIN: &[Code] = &[
    ("0", "the application runs, or is scheduled next"),
    ("1", "the application is pending, or an error"),
    ("2", "invalid command line"),
    ("3", "cannot connect to the server"),
];

const ALERTS: &[Code] = &[
    ("0", "no alert fires"),
    ("1", "an alert fires"),
    ("2", "invalid command line, or an error"),
    ("3", "cannot connect to the server"),
];

const WATCH: &[Code] = &[
    ("0", "stopped by a signal"),
    ("1", "invalid input"),
    ("2", "invalid command line"),
    ("4", "an alert fired, with --exit-on alert"),
];

const WHATIF: &[Code] = &[
    ("0", "both runs finished"),
    ("1", "invalid input, or a rejected configuration"),
    ("2", "invalid command line or change"),
    ("3", "cannot connect to the server"),
];

const SIMULATE: &[Code] = &[
    ("0", "all runs finished, or the target of --find was met"),
    ("1", "invalid input, or the target cannot be met"),
    ("2", "invalid command line"),
    ("130", "interrupted"),
];

const DIFF: &[Code] =
    &[("0", "no differences"), ("1", "differences"), ("2", "invalid command line or configuration file")];

const COMPARE: &[Code] = &[
    ("0", "no differences; with --git: the new configurations are valid"),
    ("1", "differences; with --git: an error, or a warning of --deny"),
    ("2", "invalid command line or configuration file"),
];

const TEST: &[Code] =
    &[("0", "all tests pass"), ("1", "a test fails"), ("2", "invalid command line, file, or configuration")];

const PLACE: &[Code] = &[
    ("0", "placed; for a batch: each application is in its expected queue"),
    ("1", "rejected, not in the expected queue, or invalid input"),
    ("2", "invalid command line"),
];

/// The exit codes of a command, for example `config show`; empty for the default meanings of 0, 1, and 2.
pub fn of(path: &str) -> &'static [Code] {
    match path {
        "explain" => EXPLAIN,
        "alerts list" => ALERTS,
        "watch" => WATCH,
        "whatif" => WHATIF,
        "simulate" => SIMULATE,
        "diff" => COMPARE,
        "upgrade-check" => DIFF,
        "test" => TEST,
        "place" => PLACE,
        "submit" => SUBMIT,
        "wait" | "local attach" => JOB,
        "queues" | "apps" | "app" | "nodes" | "users" | "fairness" | "usage" | "events" | "kill" | "move" | "apply"
        | "audit" | "whoami" | "config history" | "config show" | "config diff" | "config rollback"
        | "alerts silence" | "alerts silences" | "alerts unsilence" => SERVER,
        "jobs" | "job" | "logs" | "cancel" | "hold" | "release" | "requeue" | "top" | "history" | "local console"
        | "local info" | "local move" | "local priority" | "local edit" => DAEMON,
        _ => &[],
    }
}
