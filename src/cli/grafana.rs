//! `kornsole grafana`: a dashboard for `/metrics`, and Prometheus alerting rules.

use std::process::ExitCode;

use clap::Args;
use serde_json::{Value, json};

use super::settings::print;

/// The arguments of `kornsole grafana`.
#[derive(Args, Clone, Debug)]
pub struct GrafanaArgs {
    /// Print Prometheus alerting rules instead of the Grafana dashboard
    #[arg(long)]
    pub rules: bool,
}

/// Prints the dashboard or the rules.
pub fn run(args: &GrafanaArgs) -> ExitCode {
    if args.rules { print(RULES) } else { print(&format!("{:#}\n", dashboard())) }
}

/// Prometheus rules for the alerts that kornsole evaluates, and for a missing kornsole.
const RULES: &str = r#"groups:
  - name: kornsole
    rules:
      - alert: KornsoleAlert
        expr: kornsole_alert{state="firing",held="",severity!="info"} == 1
        labels:
          severity: '{{ $labels.severity }}'
        annotations:
          summary: 'kornsole: {{ $labels.alertname }}'
          description: '{{ $labels.alertname }} of {{ $labels.queue }}{{ $labels.node }}{{ $labels.user }}{{ $labels.group }}'
      - alert: KornsoleDoesNotSend
        expr: kornsole_alert_changes_waiting > 0
        for: 15m
        labels:
          severity: warning
        annotations:
          summary: 'kornsole: {{ $labels.receiver }} has not accepted alerts for 15 minutes'
      - alert: KornsoleDown
        expr: up{job="kornsole"} == 0
        for: 2m
        labels:
          severity: critical
        annotations:
          summary: 'kornsole at {{ $labels.instance }} cannot be scraped'
"#;

const PANELS: [(&str, &str, &str, &str); 8] = [
    ("Alerts", "none", "kornsole_alert", "{{alertname}} {{state}} {{queue}}{{node}}{{user}}"),
    ("Applications by state", "none", "yunikorn_scheduler_application_total", "{{state}}"),
    (
        "Queues: allocated cpu (thousandths)",
        "none",
        "yunikorn_queue_resource{state=\"allocated\",resource=\"vcore\"}",
        "{{queue}}",
    ),
    (
        "Queues: pending cpu (thousandths)",
        "none",
        "yunikorn_queue_resource{state=\"pending\",resource=\"vcore\"}",
        "{{queue}}",
    ),
    (
        "Queues: allocated memory",
        "bytes",
        "yunikorn_queue_resource{state=\"allocated\",resource=\"memory\"}",
        "{{queue}}",
    ),
    ("Nodes by state", "none", "yunikorn_scheduler_node", "{{state}}"),
    ("Allocations per second", "none", "rate(yunikorn_scheduler_container_allocation_attempt_total[5m])", "{{state}}"),
    (
        "Cycle, 95th percentile",
        "s",
        "histogram_quantile(0.95, rate(yunikorn_scheduler_scheduling_cycle_milliseconds_bucket[5m]))",
        "p95",
    ),
];

fn dashboard() -> Value {
    let source = json!({ "type": "prometheus", "uid": "${datasource}" });
    let panel = |(at, (title, unit, expression, legend)): (usize, &(&str, &str, &str, &str))| {
        json!({
            "id": at + 1,
            "title": title,
            "type": "timeseries",
            "datasource": source,
            "gridPos": { "h": 8, "w": 12, "x": (at % 2) * 12, "y": (at / 2) * 8 },
            "fieldConfig": { "defaults": { "unit": unit }, "overrides": [] },
            "targets": [{ "refId": "A", "datasource": source, "expr": expression, "legendFormat": legend }],
        })
    };
    let panels: Vec<Value> = PANELS.iter().enumerate().map(panel).collect();
    json!({
        "uid": "kornsole",
        "title": "kornsole",
        "tags": ["kornsole", "yunikorn"],
        "schemaVersion": 39,
        "version": 1,
        "refresh": "30s",
        "time": { "from": "now-6h", "to": "now" },
        "templating": { "list": [{ "name": "datasource", "type": "datasource", "query": "prometheus" }] },
        "panels": panels,
    })
}
