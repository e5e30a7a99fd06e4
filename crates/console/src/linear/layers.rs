//! The layers over the page in lines.

use crate::linear::plain;
use crate::present::metrics;
use crate::present::overlay;
use crate::state::State;
use crate::state::layer::{ColumnPicker, CommandLine, Confirm, Layer, Off};

const COMPLETIONS: usize = 10;

/// The lines of all layers, the topmost last.
pub fn lines(state: &State) -> Vec<String> {
    state.layers.iter().flat_map(|layer| of(state, layer)).collect()
}

/// The lines of a layer.
pub fn of(state: &State, layer: &Layer) -> Vec<String> {
    match layer {
        Layer::Confirm(question) => asked(question),
        Layer::Help(help) => {
            std::iter::once("Help".to_owned()).chain(plain::lines(&overlay::help_lines(state, help))).collect()
        }
        Layer::Messages { .. } => plain::lines(&overlay::message_lines(state)),
        Layer::Tour { .. } => plain::lines(&overlay::tour_lines(state)),
        Layer::Metrics(metrics) => {
            let one = |metric: &crate::state::layer::Metric| {
                let shown = if metric.shown.is_empty() { String::new() } else { format!(" {}", metric.shown) };
                plain::text(&format!("{}{shown}: {}", metric.title, metric.why))
            };
            let title = plain::text(&metrics::title(state, metrics));
            std::iter::once(title).chain(metrics.list.iter().map(one)).collect()
        }
        Layer::Columns(picker) => columns(picker),
        Layer::Command(line) => command(line),
        Layer::Filter { line } => vec![plain::text(&format!("Filter being edited: {}", line.text()))],
        Layer::Reason { line } => vec![plain::text(&format!("Reason being edited: {}", line.text()))],
        Layer::Form => vec!["The form is being edited.".to_owned()],
        Layer::Edit => vec!["The text is being edited.".to_owned()],
    }
}

/// A question with its effects and answers.
pub fn asked(question: &Confirm) -> Vec<String> {
    let mut lines = vec![format!("Question: {}", question.title)];
    lines.extend(question.lines.iter().filter(|line| !line.trim().is_empty()).cloned());
    match question.reason.as_deref() {
        Some("") => lines.push("Reason: none given; reason TEXT gives one".to_owned()),
        Some(reason) => lines.push(format!("Reason: {reason}")),
        None => {}
    }
    lines.push(match &question.typed {
        Some(typed) => format!("Write {} to confirm, no to cancel.", typed.want),
        None => format!("Answer yes or no; yes means: {}.", question.accept),
    });
    lines.iter().map(|line| plain::text(line)).collect()
}

fn columns(picker: &ColumnPicker) -> Vec<String> {
    let names = |shown: bool| {
        let rows = picker.rows.iter().filter(|row| row.shown == shown);
        rows.map(|row| row.choice.name.as_str()).collect::<Vec<_>>().join(", ")
    };
    vec![
        plain::text(&format!("Columns that are shown: {}", names(true))),
        plain::text(&format!("Columns that are not: {}", names(false))),
        "Write columns NAME NAME to choose, columns +NAME or -NAME, columns default.".to_owned(),
    ]
}

fn command(line: &CommandLine) -> Vec<String> {
    let mut lines = vec![plain::text(&format!("Incomplete: {}; write it in one line.", line.line.text().trim()))];
    lines.extend(line.candidates.iter().take(COMPLETIONS).map(|one| {
        let off = match &one.off {
            Some(Off::Off(why)) => format!("; off: {why}"),
            Some(Off::Refused(why)) => format!("; would be rejected: {why}"),
            None => String::new(),
        };
        let doc = if one.doc.is_empty() { String::new() } else { format!(": {}", one.doc) };
        plain::text(&format!("It can be {}{doc}{off}", one.word))
    }));
    lines
}
