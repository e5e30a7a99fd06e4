//! Parses the arguments of words.

use std::time::Duration;

use regex::Regex;

use super::file::Pattern;
use super::line::{Line, Unclosed};
use config::Place;
use model::spelling::nearest;

const MOST_PRESSES: u32 = 10_000;
const LONGEST_WAIT: Duration = Duration::from_secs(24 * 3600);

pub(super) struct LineFault(pub &'static str, pub Place, pub String, pub String);

impl LineFault {
    pub fn new(code: &'static str, at: Place, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self(code, at, message.into(), hint.into())
    }
}

impl From<Unclosed> for LineFault {
    fn from(unclosed: Unclosed) -> Self {
        let Unclosed { at, glyph } = unclosed;
        let message = format!("{glyph} is not closed on this line");
        let hint = match glyph {
            '/' => "end it with a slash; a slash within it is written \\x2F".to_owned(),
            _ => format!("end it with {glyph}; a text with {glyph} in it goes between \", ' or ` signs"),
        };
        Self::new("TAPE-005", at, message, hint)
    }
}

pub(super) fn source_forms() -> String {
    "`Source demo seed N`, `Source scenario FILE`, `Source config FILE`, `Source default`, or `Source server`"
        .to_owned()
}

pub(super) fn did_you_mean<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> String {
    nearest(word, known).map_or_else(String::new, |near| format!("did you mean `{near}`? "))
}

pub(super) fn value(line: &mut Line<'_>, word: &str, wanted: &str) -> Result<String, LineFault> {
    if line.is_over() {
        return Err(LineFault::new("TAPE-003", line.at(), format!("`{word}` needs an argument"), wanted));
    }
    match line.quoted() {
        Some(text) => Ok(text?.to_owned()),
        None => Ok(line.word().to_owned()),
    }
}

pub(super) fn typed(line: &mut Line<'_>, word: &str) -> Result<String, LineFault> {
    let at = line.at();
    let hint = format!("{word} \"text\", with \", ' or ` around it");
    match line.quoted() {
        Some(text) => Ok(text?.to_owned()),
        None => Err(LineFault::new("TAPE-003", at, format!("`{word}` needs a text in quotation marks"), hint)),
    }
}

pub(super) fn pattern(line: &mut Line<'_>, word: &str) -> Result<Pattern, LineFault> {
    let at = line.at();
    if let Some(text) = line.quoted() {
        let text = text?;
        if text.is_empty() {
            return Err(LineFault::new("TAPE-003", at, "every line contains an empty text", "write what to look for"));
        }
        return Ok(Pattern::Text(text.to_owned()));
    }
    let Some(text) = line.slashed() else {
        let message = format!("`{word}` needs a text in quotation marks, or a regular expression between slashes");
        return Err(LineFault::new("TAPE-003", at, message, format!("{word} \"text\" or {word} /expression/")));
    };
    let text = text?;
    let regex = Regex::new(text).map_err(|error| {
        let report = error.to_string();
        let reason = report.lines().last().unwrap_or_default().trim_start_matches("error: ");
        LineFault::new("TAPE-006", at, format!("/{text}/ is not a regular expression: {reason}"), "")
    })?;
    Ok(Pattern::Regex(regex))
}

pub(super) fn wait(line: &mut Line<'_>, word: &str) -> Result<Duration, LineFault> {
    let at = line.at();
    let text = value(line, word, "a duration, for example 500ms, 2s, or 1m")?;
    duration(&text, at)
}

/// `500ms`, `2s`, `1.5s`, `1m`; a plain number counts seconds. Hours are an extension of VHS.
pub(super) fn duration(text: &str, at: Place) -> Result<Duration, LineFault> {
    let wrong =
        |message: String| LineFault::new("TAPE-004", at, message, "a number with ms, s, m or h, at most 24h: 500ms");
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let seconds = match unit {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong(format!("{text:?} is not a duration"))),
    };
    let number: f64 = number.parse().map_err(|_| wrong(format!("{text:?} is not a duration")))?;
    let millis = Duration::try_from_secs_f64((number * seconds * 1000.0).round() / 1000.0);
    match millis {
        Ok(duration) if duration <= LONGEST_WAIT => Ok(duration),
        _ => Err(wrong(format!("{text} is too long"))),
    }
}

pub(super) fn seed(line: &mut Line<'_>) -> Result<u64, LineFault> {
    let at = line.at();
    let form = "Source demo seed N, with a whole number";
    let word = value(line, "Source demo", form)?;
    if word != "seed" {
        return Err(LineFault::new("TAPE-003", at, format!("`seed` belongs here, not {word:?}"), form));
    }
    let at = line.at();
    let text = value(line, "Source demo seed", form)?;
    text.parse().map_err(|_| LineFault::new("TAPE-004", at, format!("{text:?} is not a seed"), form))
}

pub(super) fn count(line: &mut Line<'_>) -> Result<u32, LineFault> {
    if !line.peek().is_some_and(|c| c.is_ascii_digit() || c == '-') {
        return Ok(1);
    }
    let at = line.at();
    let text = line.word();
    text.parse().ok().filter(|count| (1..=MOST_PRESSES).contains(count)).ok_or_else(|| {
        let hint = format!("a whole number from 1 to {MOST_PRESSES}");
        LineFault::new("TAPE-004", at, format!("{text:?} is not a number of presses"), hint)
    })
}

pub(super) fn cell(line: &mut Line<'_>, what: &str) -> Result<u16, LineFault> {
    let form = "Click COLUMN LINE, both from 1";
    let at = line.at();
    let text = value(line, "Click", form)?;
    let wrong = || LineFault::new("TAPE-004", at, format!("{text:?} is not a {what} of the screen"), form);
    text.parse().ok().filter(|at| (1..=1000).contains(at)).ok_or_else(wrong)
}

pub(super) fn turns(line: &mut Line<'_>) -> Result<i16, LineFault> {
    let at = line.at();
    let turns = count(line)?;
    i16::try_from(turns).map_err(|_| LineFault::new("TAPE-004", at, format!("{turns} turns are too many"), ""))
}
