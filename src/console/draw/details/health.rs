//! Whether the cluster's numbers agree, check by check.

use super::super::super::text;
use super::super::super::theme::{Role, Signs};
use super::super::pen::{dim, piece, plain};
use super::Sheet;
use crate::view::Health;

/// The sheet of the checks.
pub fn sheet(health: &Health, width: usize, signs: &Signs) -> Sheet {
    let failed = health.checks.iter().filter(|check| !check.succeeded).count();
    let what = if failed == 0 {
        piece(Role::Good, format!("all {} checks passed", health.checks.len()))
    } else {
        piece(Role::Error, format!("{failed} of {} checks failed", health.checks.len()))
    };
    let mut sheet = Sheet { title: vec![piece(Role::Title, "Health")], what: vec![what], ..Sheet::default() };
    sheet.left.push(Vec::new());
    for check in &health.checks {
        let sign =
            if check.succeeded { piece(Role::StateActive, signs.active) } else { piece(Role::Error, signs.fault) };
        sheet.left.push(vec![sign, plain(" "), piece(Role::Strong, check.name)]);
        // Nothing is in the list of what was found.
        let found = check.diagnosis.strip_suffix(": []").unwrap_or(&check.diagnosis);
        for told in [check.description, found] {
            let lines = text::wrap(&text::escape(told), width.saturating_sub(2));
            sheet.left.extend(lines.into_iter().map(|line| vec![plain("  "), dim(line)]));
        }
    }
    sheet
}
