//! Differences as a self-contained HTML page without scripts; external text is escaped.

use std::fmt::Write as _;

use crate::cli::html::escaped;
use wire::dto::ResourceMap;
use wire::dto::native as dto;

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#1c1f24;background:#fff}\
h1{font-size:1.4rem}h2{font-size:1.05rem;margin-top:2rem}table{border-collapse:collapse;width:100%}\
th,td{text-align:left;padding:.25rem .6rem;border-bottom:1px solid #d8dce2;vertical-align:top}th{font-weight:600}\
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}.quiet{color:#5a6270}code{font-family:ui-monospace,monospace}\
@media(prefers-color-scheme:dark){body{color:#e4e7ec;background:#14171c}th,td{border-color:#333a45}.quiet{color:#9aa4b2}}";

pub(super) fn page(asked: &dto::WhatIf, result: &dto::WhatIfResult) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>What if</title><style>{STYLE}</style></head><body>\n<h1>{}</h1>\n",
        escaped(&capital(&result.verdict))
    );
    changes(&mut page, asked, result);
    if !result.core.is_empty() {
        let _written = writeln!(page, "<p class=\"quiet\">core {}</p>", escaped(&result.core));
    }
    first(&mut page, result);
    totals(&mut page, result);
    applications(&mut page, result);
    shares(&mut page, "Queues", "Queue", &result.diff.queues);
    shares(&mut page, "Users", "User", &result.diff.users);
    nodes(&mut page, result);
    if let Some(all) = &result.several {
        several(&mut page, all);
    }
    page.push_str("</body></html>\n");
    page
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

fn cell(text: &str, number: bool) -> String {
    format!("<td{}>{}</td>", if number { " class=\"n\"" } else { "" }, escaped(text))
}

fn table(page: &mut String, title: &str, head: &[(&str, bool)], rows: Vec<Vec<String>>) {
    if rows.is_empty() {
        return;
    }
    let head: String =
        head.iter().map(|(name, number)| cell(name, *number).replace("<td", "<th").replace("</td", "</th")).collect();
    let _written = write!(page, "<h2>{}</h2>\n<table><tr>{head}</tr>\n", escaped(title));
    for row in rows {
        let _written = writeln!(page, "<tr>{}</tr>", row.concat());
    }
    page.push_str("</table>\n");
}

fn changes(page: &mut String, asked: &dto::WhatIf, result: &dto::WhatIfResult) {
    let seconds = (result.ended - result.started_at).max(0) / 1_000_000_000;
    let _written = writeln!(
        page,
        "<p class=\"quiet\">Two runs from the same state, with and without the changes; {seconds} s of scheduler \
            time. {}. {}.</p>",
        escaped(&capital(&result.runtimes)),
        escaped(&capital(&result.arrivals))
    );
    let config = asked.config.iter().map(|_| "another queue configuration".to_owned());
    let steps = (!asked.steps.is_empty()).then(|| format!("{} steps", asked.steps.len()));
    let all = config.chain(asked.changes.iter().cloned()).chain(steps);
    let items: String = all.map(|change| format!("<li><code>{}</code></li>", escaped(&change))).collect();
    let _written = writeln!(page, "<h2>Changes</h2>\n<ul>{items}</ul>");
    let refused = result.refused.iter().map(|step| vec![cell(&step.what, false), cell(&step.why, false)]);
    table(page, "Rejected", &[("Change", false), ("Why", false)], refused.collect());
}

fn first(page: &mut String, result: &dto::WhatIfResult) {
    let Some(first) = &result.first else { return };
    let side = |decision: &Option<String>, why: &Option<String>, other: &str| {
        let decision = decision.as_deref().unwrap_or("nothing");
        let why = why.as_ref().map(|why| format!("<br><span class=\"quiet\">{other}: {}</span>", escaped(why)));
        format!("{}{}", escaped(decision), why.unwrap_or_default())
    };
    let _written = writeln!(
        page,
        "<h2>First decision that differs</h2>\n<p>With the changes: {}</p>\n<p>Without: {}</p>",
        side(&first.with, &first.why_not_without, "why not without"),
        side(&first.without, &first.why_not_with, "why not with")
    );
}

fn metrics_row(name: &str, metrics: &dto::WhatIfMetrics) -> Vec<String> {
    let seconds = metrics.mean_wait as f64 / 1e9;
    let amounts = [&metrics.used, &metrics.allocated, &metrics.pending].map(|map| cell(&amounts(map), false));
    let counts = [metrics.started, metrics.ended, metrics.preempted, metrics.waiting];
    let mut row = vec![cell(name, false)];
    row.extend(counts.iter().map(|count| cell(&count.to_string(), true)));
    row.push(cell(&format!("{seconds:.1}"), true));
    row.push(cell(&metrics.long_waits.to_string(), true));
    row.push(cell(&format!("{:.1}", metrics.below_guarantee as f64 / 1e9), true));
    row.extend(amounts);
    row
}

const METRICS: [(&str, bool); 10] = [
    ("Started", true),
    ("Ended", true),
    ("Preempted", true),
    ("Waiting", true),
    ("Mean wait, s", true),
    ("Long waits", true),
    ("Below its guarantee, s", true),
    ("In use on average", false),
    ("In use at the end", false),
    ("Requested at the end", false),
];

fn amounts(map: &ResourceMap) -> String {
    let value = serde_json::to_value(map).unwrap_or_default();
    let all = value.as_object().into_iter().flatten().map(|(name, amount)| format!("{name} {amount}"));
    all.collect::<Vec<_>>().join(", ")
}

fn totals(page: &mut String, result: &dto::WhatIfResult) {
    let rows = vec![metrics_row("Without", &result.without), metrics_row("With", &result.after)];
    let head: Vec<(&str, bool)> = std::iter::once(("", false)).chain(METRICS).collect();
    table(page, "The whole partition", &head, rows);
}

fn shares(page: &mut String, title: &str, what: &str, shares: &[dto::WhatIfShare]) {
    let mut rows = Vec::new();
    for share in shares {
        for (side, metrics) in [("without", &share.without), ("with", &share.with)] {
            rows.extend(metrics.as_ref().map(|metrics| metrics_row(&format!("{}, {side}", share.name), metrics)));
        }
    }
    let head: Vec<(&str, bool)> = std::iter::once((what, false)).chain(METRICS).collect();
    table(page, title, &head, rows);
}

fn applications(page: &mut String, result: &dto::WhatIfResult) {
    let rows = result.diff.applications.iter().map(|app| {
        let course = app.with.as_ref().or(app.without.as_ref());
        let (queue, user) = course.map(|course| (course.queue.as_str(), course.user.as_str())).unwrap_or_default();
        let by = app.by.map(|by| format!("{:.1} s", by as f64 / 1e9)).unwrap_or_default();
        let preempted = |course: &Option<dto::WhatIfCourse>| course.as_ref().map_or(0, |course| course.preempted);
        let taken = format!("{} → {}", preempted(&app.without), preempted(&app.with));
        vec![
            cell(&app.application_id, false),
            cell(&app.effect, false),
            cell(&by, true),
            cell(queue, false),
            cell(user, false),
            cell(&taken, true),
        ]
    });
    let head = [
        ("Application", false),
        ("Effect", false),
        ("By", true),
        ("Queue", false),
        ("User", false),
        ("Preempted", true),
    ];
    table(page, "Applications", &head, rows.collect());
}

fn nodes(page: &mut String, result: &dto::WhatIfResult) {
    let side = |map: &Option<ResourceMap>| map.as_ref().map_or("missing".to_owned(), amounts);
    let rows =
        result.diff.nodes.iter().map(|node| {
            vec![cell(&node.node, false), cell(&side(&node.without), false), cell(&side(&node.with), false)]
        });
    table(page, "Nodes", &[("Node", false), ("In use without", false), ("In use with", false)], rows.collect());
}

fn several(page: &mut String, all: &dto::WhatIfSeveral) {
    let spread = |spread: dto::WhatIfSpread| {
        cell(&format!("{:+.1} ({:+.1} to {:+.1})", spread.median, spread.p10, spread.p90), true)
    };
    let rows = std::iter::once(&all.total).chain(&all.queues).map(|by| {
        let name = by.queue.as_deref().unwrap_or("the whole partition");
        let counts = [by.started, by.ended, by.preempted, by.waiting];
        let metrics = counts.into_iter().chain([by.mean_wait_seconds, by.long_waits, by.below_guarantee_seconds]);
        std::iter::once(cell(name, false)).chain(metrics.map(spread)).collect()
    });
    let title =
        format!("{} pairs of runs, something differs in {}: median (10th to 90th percentile)", all.runs, all.differing);
    let head: Vec<(&str, bool)> = std::iter::once(("Queue", false)).chain(METRICS.into_iter().take(7)).collect();
    table(page, &title, &head, rows.collect());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_from_outside_is_escaped_and_nothing_is_fetched() {
        let asked = dto::WhatIf { changes: vec!["kill <script>".to_owned()], ..dto::WhatIf::default() };
        let refused =
            vec![dto::WhatIfRefused { step: 0, what: "<script>".to_owned(), why: "\"no\" & 'never'".to_owned() }];
        let result =
            dto::WhatIfResult { verdict: "nothing differs".to_owned(), refused, ..dto::WhatIfResult::default() };
        let page = page(&asked, &result);
        assert!(page.contains("<h1>Nothing differs</h1>") && page.contains("kill &lt;script&gt;"), "{page}");
        assert!(page.contains("&quot;no&quot; &amp; &#39;never&#39;"), "{page}");
        assert!(!page.contains("<script") && !page.contains("http"), "{page}");
    }
}
