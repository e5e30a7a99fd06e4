//! The examples in the help of each command.

/// By command path; the empty path is kornsole.
pub const EXAMPLES: &[(&str, &[&str])] = &[
    (
        "",
        &[
            "kornsole demo",
            "kornsole attach localhost:9080",
            "kornsole explain etl-1 --server k8s://prod",
            "kornsole --config queues.yaml --workload scenario.yaml",
        ],
    ),
    ("demo", &["kornsole demo", "kornsole demo --seed 7 --speed 10", "kornsole demo --print-config > queues.yaml"]),
    (
        "attach",
        &[
            "kornsole attach",
            "kornsole attach localhost:9080",
            "kornsole attach k8s://prod/batch --read-only",
            "kornsole attach https://yunikorn.example --ca ca.pem --token-file token",
        ],
    ),
    ("open", &["kornsole open state.json", "kornsole open - < state.json"]),
    ("queues", &["kornsole queues --server localhost:9080", "kornsole queues --server k8s://prod --watch"]),
    ("apps", &["kornsole apps root.etl --server prod", "kornsole apps --server prod --state running --json"]),
    ("app", &["kornsole app etl-1 --server prod"]),
    ("nodes", &["kornsole nodes --server prod", "kornsole nodes --server prod --json"]),
    ("users", &["kornsole users --server prod"]),
    (
        "explain",
        &[
            "kornsole explain etl-1 --server prod",
            "kornsole explain --all --queue root.etl --server prod",
            "kornsole explain etl-1 --workload scenario.yaml",
            "kornsole explain etl-1 --state DIR --json",
        ],
    ),
    ("fairness", &["kornsole fairness --server prod"]),
    (
        "usage",
        &[
            "kornsole usage --server prod --by user --from 30d",
            "kornsole usage --state DIR --by hour,queue --format csv > usage.csv",
            "kornsole usage --state DIR --month 2026-11 --price prices.toml --format html > usage.html",
        ],
    ),
    (
        "watch",
        &["kornsole watch --server k8s://prod", "kornsole watch --server prod --exit-on alert --severity critical"],
    ),
    ("alerts", &["kornsole alerts list --server prod", "kornsole alerts defaults > alerts.toml"]),
    ("alerts check", &["kornsole alerts check alerts.toml", "kornsole alerts check - < alerts.toml"]),
    ("alerts defaults", &["kornsole alerts defaults > alerts.toml"]),
    ("alerts kinds", &["kornsole alerts kinds"]),
    (
        "alerts replay",
        &["kornsole alerts replay --state DIR --from 24h", "kornsole alerts replay alerts.toml --state DIR --json"],
    ),
    ("alerts list", &["kornsole alerts list --server prod", "kornsole alerts list --server prod --json"]),
    (
        "alerts silence",
        &["kornsole alerts silence node-lost --label node=n2 --for 2h --reason 'new disk' --server prod"],
    ),
    ("alerts silences", &["kornsole alerts silences --server prod", "kornsole alerts silences --all --server prod"]),
    ("alerts unsilence", &["kornsole alerts unsilence 3 --server prod"]),
    ("grafana", &["kornsole grafana > dashboard.json", "kornsole grafana --rules > rules.yaml"]),
    ("events", &["kornsole events --server prod --last 20", "kornsole events --server prod --object etl-1 --watch"]),
    (
        "kill",
        &["kornsole kill etl-1 --server prod", "kornsole kill etl-1 etl-2 --yes --reason 'wrong input' --server prod"],
    ),
    (
        "move",
        &[
            "kornsole move etl-1 --to root.batch --server prod",
            "kornsole move etl-1 --to root.b --dry-run --server prod",
        ],
    ),
    (
        "apply",
        &[
            "kornsole apply queues.yaml --server prod",
            "kornsole apply queues.yaml --dry-run --server prod",
            "kornsole apply queues.yaml --yes --allow-removal 12 --server prod",
        ],
    ),
    ("audit", &["kornsole audit --server prod --user sue", "kornsole audit --state DIR --action kill --json"]),
    ("config", &["kornsole config history --server prod", "kornsole config rollback 2 --server prod"]),
    ("config history", &["kornsole config history --server prod --last 5", "kornsole config history --state DIR"]),
    ("config show", &["kornsole config show --server prod", "kornsole config show 2 --server prod > queues.yaml"]),
    ("config diff", &["kornsole config diff 2 --server prod", "kornsole config diff 2 3 --server prod"]),
    (
        "config rollback",
        &["kornsole config rollback 2 --server prod --dry-run", "kornsole config rollback 2 --server prod"],
    ),
    ("whoami", &["kornsole whoami --server prod", "kornsole whoami --server prod --as sue:dev"]),
    (
        "check",
        &[
            "kornsole check queues.yaml",
            "kornsole check values.yaml --deny W-001 --format github",
            "kornsole check queues.yaml --pods jobs --core 1.8.0",
            "kubectl get configmap yunikorn-configs -o yaml | kornsole check -",
        ],
    ),
    (
        "place",
        &[
            "kornsole place queues.yaml --user sue --group dev --queue root.etl",
            "kornsole place queues.yaml --user sue --tag namespace=etl --json",
            "kornsole place queues.yaml --batch submissions.csv",
        ],
    ),
    ("play", &["kornsole play my.tape --live", "kornsole play my.tape --check", "kornsole play my.tape --svg my.svg"]),
    (
        "whatif",
        &[
            "kornsole whatif --server prod --set root.a.max.vcore=+8 --for 30m",
            "kornsole whatif --state DIR --at 2h --change 'node drain n1' --arrivals 1h",
            "kornsole whatif --dump state.json --config queues.yaml --runtime 10m",
            "kornsole whatif --workload scenario.yaml --change 'submit etl 20' --runs 20",
        ],
    ),
    (
        "simulate",
        &[
            "kornsole simulate mix.toml --config now.yaml --config new.yaml",
            "kornsole simulate mix.toml --node-count 8,10,12 --seeds 5 --html report.html",
            "kornsole simulate --state DIR --from 168h --config new.yaml",
            "kornsole simulate mix.toml --find nodes --until 'p95(wait, root.prod) < 10m'",
        ],
    ),
    (
        "diff",
        &[
            "kornsole diff old.yaml new.yaml",
            "kornsole diff old.yaml - --json < new.yaml",
            "kornsole diff --git main..HEAD deploy",
            "kornsole diff --git main...HEAD --format markdown --workload scenario.yaml",
        ],
    ),
    ("test", &["kornsole test policy.yaml", "kornsole test policy.yaml --config values.yaml --junit report.xml"]),
    ("explain-rule", &["kornsole explain-rule W-001"]),
    ("profiles", &["kornsole profiles", "kornsole profiles --diff 1.8.0 1.9.0"]),
    (
        "upgrade-check",
        &[
            "kornsole upgrade-check --from 1.8.0 --to 1.9.0 queues.yaml",
            "kornsole upgrade-check --from 1.8.0 --to 1.9.0 queues.yaml --workload scenario.yaml",
        ],
    ),
    ("schema", &["kornsole schema > queues.schema.json", "kornsole schema --core 1.8.0 > queues.schema.json"]),
    (
        "serve",
        &[
            "kornsole serve --config queues.yaml",
            "kornsole serve --config queues.yaml --state DIR --tokens tokens.yaml",
            "kornsole serve --workload scenario.yaml --paused --listen 127.0.0.1:9080",
        ],
    ),
    ("token", &["kornsole token new --user ann --group dev > ann.token", "kornsole token list"]),
    (
        "token new",
        &[
            "kornsole token new --user ann --group dev > ann.token",
            "kornsole token new --user ci --read-only --expires 720h",
        ],
    ),
    ("token list", &["kornsole token list", "kornsole token list --file tokens.yaml"]),
    ("token revoke", &["kornsole token revoke 3f9a"]),
    (
        "run",
        &[
            "kornsole run scenario.yaml > trace.jsonl",
            "kornsole run scenario.yaml --config queues.yaml --summary",
            "kornsole run --from-manifests cluster --core 1.9.0",
        ],
    ),
    ("kube", &["kornsole kube contexts", "kornsole kube shadow prod"]),
    (
        "kube manifests",
        &[
            "kornsole kube manifests --role viewer --group sre > viewer.yaml",
            "kornsole kube manifests --role scheduler --namespace yunikorn > scheduler.yaml",
        ],
    ),
    ("kube contexts", &["kornsole kube contexts"]),
    (
        "kube schedule",
        &[
            "kornsole kube schedule --context test --namespace yunikorn",
            "kornsole kube schedule --config queues.yaml --scheduler-name kornsole",
        ],
    ),
    (
        "kube shadow",
        &[
            "kornsole kube shadow prod --core 1.8.0",
            "kornsole kube shadow prod --json > comparisons.jsonl",
            "kornsole kube shadow prod --metrics 127.0.0.1:9100",
        ],
    ),
    ("local", &["kornsole local up", "kornsole local info"]),
    ("local up", &["kornsole local up", "kornsole local up --config queues.yaml --cpu 8 --mem 60G"]),
    ("local console", &["kornsole local console", "kornsole local console --read-only"]),
    ("local drain", &["kornsole local drain --reason 'new memory'"]),
    ("local info", &["kornsole local info", "kornsole local info --json"]),
    ("local resume", &["kornsole local resume"]),
    ("local attach", &["kornsole local attach 17"]),
    ("local move", &["kornsole local move 17 18 --to root.batch"]),
    ("local priority", &["kornsole local priority 17 --to 10", "kornsole local priority 17-116 --to -5"]),
    ("local edit", &["kornsole local edit 17 --mem 8G --time 2h"]),
    (
        "local unit",
        &[
            "kornsole local unit > /etc/systemd/system/kornsole.service",
            "kornsole local unit --per-user > ~/.config/systemd/user/kornsole.service",
        ],
    ),
    (
        "local install",
        &["kornsole local install", "kornsole local install -- --config /etc/kornsole/queues.yaml --mem 60G"],
    ),
    ("local uninstall", &["kornsole local uninstall", "kornsole local uninstall --per-user --yes"]),
    (
        "submit",
        &[
            "kornsole submit --cpu 4 --mem 8G --time 2h -- make test",
            "kornsole submit train.sh -- --epochs 10",
            "kornsole submit --array 1-100%8 --queue root.batch -- ./task.sh",
            "kornsole submit --where --gpu 1 -- ./train",
        ],
    ),
    ("jobs", &["kornsole jobs", "kornsole jobs --state failed --since 1d", "kornsole jobs 17 --watch"]),
    ("job", &["kornsole job 17"]),
    ("logs", &["kornsole logs 17 --follow", "kornsole logs 17 --attempt 1 > out.txt"]),
    ("wait", &["kornsole wait 17", "kornsole wait 17-116"]),
    ("cancel", &["kornsole cancel 17", "kornsole cancel 17-116 --yes"]),
    ("hold", &["kornsole hold 17"]),
    ("release", &["kornsole release 17"]),
    ("requeue", &["kornsole requeue 17"]),
    ("top", &["kornsole top", "kornsole top --once --json"]),
    ("history", &["kornsole history", "kornsole history --limit 20 --json"]),
    (
        "completions",
        &[
            "kornsole completions bash > ~/.local/share/bash-completion/completions/kornsole",
            "kornsole completions zsh",
        ],
    ),
    ("man", &["kornsole man | man -l -"]),
];

/// The examples of a command; empty if it has none.
pub fn of(path: &str) -> &'static [&'static str] {
    EXAMPLES.iter().find(|(command, _)| *command == path).map_or(&[], |(_, lines)| lines)
}
