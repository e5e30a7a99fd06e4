//! Why an application was rejected or placed in the recovery queue, rule by rule.

use super::types::{BlockLevel, Blocker, Place};
use crate::placement::{RECOVERY_QUEUE, RuleRef, RuleTrace};
use crate::state::app::Application;
use model::AppState;

pub(super) fn of(app: &Application) -> Vec<Blocker> {
    if app.state != AppState::Rejected && app.queue_path.as_str() != RECOVERY_QUEUE {
        return Vec::new();
    }
    let (rules, placement) = (&app.placement.rules, &app.placement.placement);
    let lines = rules.rule_lines();
    let one = |(number, rule): (usize, &RuleTrace)| {
        let asked = rule.asked.as_ref().map(|asked| asked.queue.clone());
        let place = asked.or_else(|| rule.path.clone()).map_or(Place::Partition, Place::Queue);
        let line = lines.iter().find(|line| line.rule == rule.rule && line.depth == 0).map(|line| line.at);
        let detail = format!("placement rule {}, {}: {}", number + 1, rule.name(), rule.message(placement));
        Blocker { line: line.filter(|at| at.line > 0), detail, ..Blocker::of(BlockLevel::Submission, place) }
    };
    // The recovery rule concerns only forced applications.
    let concerns = |rule: &&RuleTrace| rule.rule != RuleRef::Recovery || placement.trace.forced;
    placement.trace.rules.iter().filter(concerns).enumerate().map(one).collect()
}
