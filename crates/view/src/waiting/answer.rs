//! Answers a question about one partition.

use super::{Asked, Finding};
use crate::act::Refusal;
use model::Time;
use scheduler::Partition;

const OFFERED: usize = 3;

/// Explains why an application, a request, or the requests of a queue wait.
///
/// # Errors
/// Returns an error with similar names if the object does not exist.
pub fn answer(part: &Partition, now: Time, of: &Asked) -> Result<Finding, Refusal> {
    let (app, ask) = match of {
        Asked::App(app, ask) => (app, ask),
        Asked::Waiting(below) => {
            let found = part.explain_all(now, below.as_ref()).map(|found| Finding::Waiting(Box::new(found)));
            let path = below.as_ref().map(ToString::to_string).unwrap_or_default();
            return found.ok_or_else(|| not_found("queue", &path, part.queues.iter().map(|queue| queue.path.as_str())));
        }
    };
    let found = part.explain(now, app, ask.as_ref()).map(|found| Finding::App(Box::new(found)));
    found.ok_or_else(|| match (part.app(app), ask) {
        (Some(application), Some(ask)) => {
            let names = application.asks.iter().map(|(_, ask)| ask.id.as_str());
            not_found("request", ask.as_str(), names)
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
