//! The refresh interval of the screen.

use std::time::Duration;

use crate::present::format;
use crate::state::{Grade, State};

const MOST: Duration = Duration::from_secs(600);

/// `5s`, `500ms`, `1m`, `0` for immediately.
///
/// # Errors
/// The valid forms.
pub fn read(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let (digits, unit) = text.split_at(text.bytes().take_while(u8::is_ascii_digit).count());
    let number = digits.parse::<u64>().ok();
    let interval = match (number, unit) {
        (Some(0), _) => Some(Duration::ZERO),
        (Some(number), "ms") => Some(Duration::from_millis(number)),
        (Some(number), "" | "s") => Some(Duration::from_secs(number)),
        (Some(number), "m") => number.checked_mul(60).map(Duration::from_secs),
        _ => None,
    };
    interval
        .filter(|interval| *interval <= MOST)
        .ok_or_else(|| format!("{text} is not an interval: write 0, 500ms, 5s, 1m, at most 10m"))
}

/// Sets or reports the interval.
pub fn set(state: &mut State, argument: Option<&str>) {
    match argument.map(read) {
        None => {}
        Some(Ok(interval)) => state.options.refresh = interval,
        Some(Err(why)) => return state.report(Grade::Refusal, why),
    }
    let words = match state.options.refresh {
        Duration::ZERO => "the screen refreshes immediately".to_owned(),
        every if every < Duration::from_secs(1) => format!("the screen refreshes every {} ms", every.as_millis()),
        every => format!("the screen refreshes every {}", format::duration(every)),
    };
    state.report(Grade::Info, words);
}

/// Whether updates must wait.
pub fn waits(state: &State) -> bool {
    state.options.refresh > Duration::ZERO && state.now < due(state)
}

/// When the screen refreshes again.
pub fn due(state: &State) -> Duration {
    state.refreshed.saturating_add(state.options.refresh)
}
