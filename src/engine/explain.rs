//! Why something waits, answered by the scheduler as it is now.

use super::state::State;
use crate::scheduler::Partition;
use crate::view::act::Refusal;
use crate::view::waiting::{ExplainAnswer, Explanation, Question};

/// How many names are offered instead of one that is not there.
const OFFERED: usize = 3;

/// Where an explanation goes. When the engine stops before there is one, that is the answer.
pub(super) struct ExplainReply(Option<ExplainAnswer>);

impl ExplainReply {
    pub fn new(answer: ExplainAnswer) -> Self {
        Self(Some(answer))
    }

    pub fn send(mut self, outcome: Result<Explanation, Refusal>) {
        if let Some(answer) = self.0.take() {
            answer(outcome);
        }
    }
}

impl Drop for ExplainReply {
    fn drop(&mut self) {
        if let Some(answer) = self.0.take() {
            answer(Err(Refusal::stopped()));
        }
    }
}

/// Why an application or an ask waits.
///
/// # Errors
/// There is no such partition, application or ask; with the names that are nearest.
pub(super) fn explain(state: &State, question: &Question) -> Result<Explanation, Refusal> {
    let Question { partition, app, ask } = question;
    let found = state.scheduler.partitions().iter().find(|part| part.name == *partition);
    let part = found.ok_or_else(|| Refusal::not_found("partition", partition))?;
    part.explain(state.now, app, ask.as_ref()).ok_or_else(|| match (part.app(app), ask) {
        (Some(application), Some(ask)) => {
            let names = application.asks.iter().map(|(_, ask)| ask.id.as_str());
            not_found("ask", ask.as_str(), names)
        }
        _ => not_found("application", app.as_str(), app_names(part)),
    })
}

fn app_names(part: &Partition) -> impl Iterator<Item = &str> {
    part.apps.iter().map(|(_, app)| app.id.as_str()).chain(part.ended.iter().map(|app| app.id.as_str()))
}

fn not_found<'a>(kind: &str, name: &str, names: impl Iterator<Item = &'a str>) -> Refusal {
    let refusal = Refusal::not_found(kind, name);
    let near = nearest(name, names);
    if near.is_empty() { refusal } else { Refusal { description: format!("nearest: {}", near.join(", ")), ..refusal } }
}

/// The names that share most with one, those that share nothing left out: what is the same at the beginning and at the end.
fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let same = |left: &mut dyn Iterator<Item = char>, right: &mut dyn Iterator<Item = char>| {
        left.zip(right).take_while(|(one, other)| one.eq_ignore_ascii_case(other)).count()
    };
    let score = |other: &str| {
        let start = same(&mut name.chars(), &mut other.chars());
        let end = same(&mut name.chars().rev(), &mut other.chars().rev());
        let longest = name.chars().count().max(other.chars().count());
        (start + end).min(longest) * 100 / longest.max(1)
    };
    let mut found: Vec<(usize, &str)> =
        names.map(|other| (score(other), other)).filter(|(score, _)| *score >= 50).collect();
    found.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(other.1)));
    found.dedup_by_key(|(_, name)| *name);
    found.into_iter().take(OFFERED).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_near_are_offered() {
        let names = ["etl-0005", "etl-0006", "nightly-0003", "etl-5"];
        assert_eq!(nearest("etl-0004", names.into_iter()), ["etl-0005", "etl-0006", "etl-5"]);
        assert_eq!(nearest("ETL-5", names.into_iter())[0], "etl-5");
        assert!(nearest("reports", names.into_iter()).is_empty());
    }
}
