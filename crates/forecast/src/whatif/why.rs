//! Why the first different decision is not made in the other run: repeats both runs up to that time.

use super::pair::Unfinished;
use super::tally::Decision;
use super::world::{StopBefore, World};
use model::{AppId, AskId, Time};
use scheduler::Partition;
use view::waiting::AskWords;
use view::waiting::Sentence;

/// `again` repeats a side up to a place, with or without the changes.
pub(super) fn not_in_the_other<'a>(
    [without, with]: [Option<&Decision>; 2],
    again: impl Fn(bool, StopBefore) -> Result<World<'a>, Unfinished>,
) -> Result<[Option<String>; 2], Unfinished> {
    let why = |changed: bool, own: Option<&Decision>, other: Option<&Decision>| {
        let Some(decision) = other else { return Ok(None) };
        let Some(subject) = &decision.subject else { return Ok(None) };
        let stop = StopBefore { command: own.map_or(u64::MAX, |own| own.command), after: decision.at };
        let world = again(changed, stop)?;
        Ok(world.part().map(|part| explained(part, world.now, subject)))
    };
    Ok([why(false, without, with)?, why(true, with, without)?])
}

/// Explains why a request is not allocated at a time.
pub fn explained(part: &Partition, now: Time, (app, ask): &(AppId, AskId)) -> String {
    let Some(explanation) = part.explain(now, app, Some(ask)) else {
        return match part.app(app) {
            Some(_) => format!("{app} has no request {ask} in that run"),
            None => format!("no active application {app}"),
        };
    };
    let Some(asked) = explanation.asks.first() else { return explanation.sentence() };
    let turn = asked.turn().map(|turn| format!("; {turn}")).unwrap_or_default();
    format!("{app}/{}{turn}", asked.sentence())
}
