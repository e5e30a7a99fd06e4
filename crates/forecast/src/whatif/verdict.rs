use std::time::Duration;

use super::compare::{Comparison, Effect};
use super::tally::Metrics;

pub(super) fn sentence(comparison: &Comparison) -> String {
    if comparison.is_empty() {
        return "nothing differs".to_owned();
    }
    let named = |name: &str| comparison.apps.iter().filter(|app| app.effect.name() == name).count();
    let mut parts = Vec::new();
    let mut add = |name: &str, text: &str| match named(name) {
        0 => {}
        1 => parts.push(format!("1 application {text}")),
        count => parts.push(format!("{count} applications {}", plural(text))),
    };
    add(Effect::Started.name(), "starts (without the change: does not)");
    add(Effect::NotStarted.name(), "does not start");
    add("sooner", "starts sooner");
    add("later", "starts later");
    add(Effect::Preempted.name(), "is preempted more");
    add(Effect::Spared.name(), "is preempted less");
    add(Effect::Rejected.name(), "is rejected");
    add(Effect::Killed.name(), "is killed");
    add(Effect::EndsLater.name(), "ends later");
    add(Effect::EndsSooner.name(), "ends sooner");
    add(Effect::WaitsLonger.name(), "waits longer");
    add(Effect::WaitsLess.name(), "waits less");
    let [without, with] = comparison.total.each_ref().map(Metrics::mean_wait);
    if without != with {
        parts.push(format!("a request waits {} on average instead of {}", seconds(with), seconds(without)));
    }
    let [long_without, long_with] = comparison.total.each_ref().map(|metrics| metrics.long_waits);
    if long_without != long_with {
        let asks =
            |count: u64| if count == 1 { "1 request waits".to_owned() } else { format!("{count} requests wait") };
        parts.push(format!(
            "{} longer than {} instead of {long_without}",
            asks(long_with),
            seconds(comparison.long_wait)
        ));
    }
    parts.extend(below_guarantee(comparison));
    if parts.is_empty() {
        return "no application is affected; queues, users, or nodes differ".to_owned();
    }
    parts.join(", ")
}

fn below_guarantee(comparison: &Comparison) -> Option<String> {
    let time = |metrics: &Option<Metrics>| metrics.as_ref().map_or(Duration::ZERO, |one| one.below_guarantee);
    let longer = comparison
        .queues
        .iter()
        .map(|(queue, (without, with))| (time(with).saturating_sub(time(without)), std::cmp::Reverse(queue)));
    let (longer, std::cmp::Reverse(queue)) = longer.max().filter(|(longer, _)| !longer.is_zero())?;
    Some(format!("{queue} is below its guarantee for {} longer", seconds(longer)))
}

fn plural(text: &str) -> String {
    let words = [("starts ", "start "), ("does ", "do "), ("is ", "are "), ("ends ", "end "), ("waits ", "wait ")];
    let found = words.iter().find_map(|(one, many)| text.strip_prefix(one).map(|rest| format!("{many}{rest}")));
    found.unwrap_or_else(|| text.to_owned())
}

/// `12.3s`, `4m 5s`, `10m`, `2h 3m`, like the tables of a comparison.
fn seconds(time: Duration) -> String {
    if time < Duration::from_secs(60) { format!("{:.1}s", time.as_secs_f64()) } else { view::drain::span(time) }
}
