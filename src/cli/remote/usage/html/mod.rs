//! A report as one HTML page: tables and SVG charts without external content.

mod over_time;

use std::collections::BTreeMap;

use super::formats::{amounts, gaps, in_hours, metric, resources, shown, unit, value};
use super::price::Prices;
use crate::cli::html::escaped;
use wire::dto::native::{UsageReport, UsageReportRow};

const BARS: usize = 20;
const ROWS: usize = 10_000;
/// Widths of chart and labels, and height of a bar, in pixels.
const WIDE: usize = 900;
const LABEL: usize = 300;
const BAR: usize = 22;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#1c2126;background:#fff}\
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}table{border-collapse:collapse;font-variant-numeric:tabular-nums}\
th,td{padding:.25rem .75rem;text-align:left;border-bottom:1px solid #d9dee3}td.n,th.n{text-align:right}tr.total td{font-weight:600}\
svg{max-width:100%;height:auto}.bar,.s0{fill:#0072b2}.s1{fill:#d55e00}.s2{fill:#009e73}.s3{fill:#cc79a7}.s4{fill:#e69f00}.s5{fill:#56b4e9}.s6{fill:#808080}.gap{fill:#80808030}.grid{stroke:#d9dee3}.label{fill:#1c2126;font-size:13px}p.note{color:#57606a}\
@media(prefers-color-scheme:dark){body{background:#14181c;color:#e3e8ed}th,td{border-color:#333b43}.grid{stroke:#333b43}.bar{fill:#56b4e9}.label{fill:#e3e8ed}}";

#[derive(Default)]
pub(super) struct PageOptions<'r> {
    /// The month of the report, for example `2026-11`.
    pub month: Option<&'r str>,
    /// The same time by hour and by the report's first dimension.
    pub by_hour: Option<&'r UsageReport>,
    pub prices: Option<&'r Prices>,
}

pub(super) fn page(report: &UsageReport, options: &PageOptions<'_>) -> String {
    let by = if report.by.is_empty() { "all".to_owned() } else { report.by.join(", ") };
    let by = options.month.map_or(format!("by {by}"), |month| format!("in {month} by {by}"));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>Usage {by}</title><style>{STYLE}</style></head><body>\n<h1>Usage {by}</h1>\n<p>{} to {}</p>\n",
        shown(report.from),
        shown(report.to),
        by = escaped(&by),
    );
    if let Some(prices) = options.prices {
        page.push_str(&costs(report, prices));
    }
    for name in resources(report) {
        page.extend(options.by_hour.map(|by_hour| over_time::chart(by_hour, &name)));
        page.push_str(&allocated(report, &name));
    }
    page.push_str(&table(report, options.prices));
    if let Some(from) = report.applications_from {
        page.push_str(&format!("<p class=\"note\">Applications are listed one by one since {}.</p>\n", shown(from)));
    }
    for line in gaps(report) {
        page.push_str(&format!("<p class=\"note\">{}.</p>\n", escaped(&line)));
    }
    page.push_str("</body></html>\n");
    page
}

fn label(report: &UsageReport, row: &UsageReportRow) -> String {
    let parts: Vec<String> = report
        .by
        .iter()
        .map(|by| value(row, by))
        .map(|text| if text.is_empty() { "-".to_owned() } else { text })
        .collect();
    parts.join(" ")
}

fn allocated(report: &UsageReport, name: &str) -> String {
    let of = |row: &UsageReportRow| in_hours(name, row.allocated.get(name).copied().unwrap_or(0));
    bars(report, &format!("Allocated, {}", unit(name)), of)
}

fn costs(report: &UsageReport, prices: &Prices) -> String {
    let (money, of) = (prices.currency.trim(), |row: &UsageReportRow| prices.cost(&row.allocated));
    let title = if money.is_empty() { "Cost".to_owned() } else { format!("Cost, {money}") };
    let each = prices.each();
    let total = format!(
        "<p>Total {:.2} {}: {}. Waiting and borrowed resources have no extra cost.</p>\n",
        of(&report.total),
        escaped(money),
        escaped(&each)
    );
    total + &bars(report, &title, of)
}

/// Bars of a value, largest first; hours in their order.
fn bars(report: &UsageReport, title: &str, of: impl Fn(&UsageReportRow) -> f64) -> String {
    let mut bars: Vec<(String, f64)> = report.rows.iter().map(|row| (label(report, row), of(row))).collect();
    bars.retain(|(_, amount)| *amount > 0.0);
    if bars.is_empty() {
        return String::new();
    }
    // Each queue of a tree includes its children.
    let tree = report.by.iter().any(|by| by == "tree");
    if report.by.first().is_none_or(|first| first != "hour") {
        bars.sort_by(|one, other| other.1.total_cmp(&one.1).then_with(|| one.0.cmp(&other.0)));
    }
    let rest: f64 = bars.iter().skip(BARS).map(|(_, amount)| amount).sum();
    let hidden = bars.len().saturating_sub(BARS);
    bars.truncate(BARS);
    if hidden > 0 && !tree {
        bars.push((format!("{hidden} more"), rest));
    }
    let most = bars.iter().map(|(_, amount)| *amount).fold(0.0, f64::max);
    let height = bars.len() * BAR;
    let mut svg = format!(
        "<h2>{title}</h2>\n<svg viewBox=\"0 0 {WIDE} {height}\" width=\"{WIDE}\" height=\"{height}\" role=\"img\" aria-label=\"{title}\">\n",
        title = escaped(title),
    );
    for (at, (label, amount)) in bars.iter().enumerate() {
        let wide = *amount / most * (WIDE - LABEL - 100) as f64;
        let (y, text) = (at * BAR, at * BAR + 15);
        let (label, shown) = (escaped(label), format!("{amount:.2}"));
        svg.push_str(&format!(
            "<text class=\"label\" x=\"{}\" y=\"{text}\" text-anchor=\"end\">{label}</text>\
             <rect class=\"bar\" x=\"{LABEL}\" y=\"{}\" width=\"{wide:.1}\" height=\"{}\"/>\
             <text class=\"label\" x=\"{:.1}\" y=\"{text}\">{shown}</text>\n",
            LABEL - 8,
            y + 3,
            BAR - 6,
            LABEL as f64 + wide + 6.0,
        ));
    }
    svg + "</svg>\n"
}

fn table(report: &UsageReport, prices: Option<&Prices>) -> String {
    let (amounts, resources) = (amounts(report), resources(report));
    let mut out = "<h2>Total</h2>\n<table><thead><tr>".to_owned();
    report.by.iter().for_each(|by| out.push_str(&format!("<th>{}</th>", escaped(by))));
    for (what, _) in &amounts {
        let heads = resources.iter().map(|name| format!("<th class=\"n\">{what} {}</th>", escaped(&unit(name))));
        out.extend(heads);
    }
    out.extend(prices.map(|prices| format!("<th class=\"n\">cost {}</th>", escaped(&prices.currency))));
    out.push_str("</tr></thead><tbody>\n");
    let mut add = |class: &str, heads: Vec<String>, row: &UsageReportRow| {
        out.push_str(&format!("<tr{class}>"));
        heads.iter().for_each(|head| out.push_str(&format!("<td>{}</td>", escaped(head))));
        for (_, of) in &amounts {
            let of: &BTreeMap<String, u64> = of(row);
            for name in &resources {
                out.push_str(&format!("<td class=\"n\">{}</td>", metric(name, of.get(name).copied().unwrap_or(0))));
            }
        }
        out.extend(prices.map(|prices| format!("<td class=\"n\">{:.2}</td>", prices.cost(&row.allocated))));
        out.push_str("</tr>\n");
    };
    for row in report.rows.iter().take(ROWS) {
        add("", report.by.iter().map(|by| value(row, by)).collect(), row);
    }
    let sum = (0..report.by.len()).map(|at| if at == 0 { "total".to_owned() } else { String::new() });
    add(" class=\"total\"", sum.collect(), &report.total);
    out.push_str("</tbody></table>\n");
    if report.rows.len() > ROWS {
        let left = report.rows.len() - ROWS;
        out.push_str(&format!("<p class=\"note\">{left} more rows; the format csv has all.</p>\n"));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_from_outside_cannot_become_markup() {
        let row = UsageReportRow {
            user: Some("<script>alert('&')</script>".to_owned()),
            allocated: BTreeMap::from([("vcore".to_owned(), 3_600_000)]),
            ..UsageReportRow::default()
        };
        let report = UsageReport { by: vec!["user".to_owned()], rows: vec![row], ..UsageReport::default() };
        let page = page(&report, &PageOptions::default());
        assert!(page.contains("&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;"), "{page}");
        assert_eq!(page.matches("<script").count(), 0);
        assert_eq!(page.matches("http").count(), 0, "nothing comes from elsewhere");
        assert!(page.contains("<rect class=\"bar\""), "{page}");
    }
}
