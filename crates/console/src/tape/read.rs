//! Reads a tape, with all errors in one pass.

use std::collections::BTreeMap;
use std::time::Duration;

use super::arguments::{
    LineFault, cell, count, did_you_mean, duration, pattern, seed, source_forms, turns, typed, value, wait,
};
use super::file::{Act, Against, Head, Reading, Step, Tape, Where};
use super::line::Line;
use super::settings::HeadSettings;
use super::words;
use crate::theme::{Depth, Themes};
use config::{Faults, Place};
use model::Identity;

/// The longest text that is read as a tape, in bytes.
pub(super) const LONGEST: usize = 1 << 20;
const LARGEST_SIDE: u16 = 1000;

const WAIT_LIMIT: Duration = Duration::from_secs(15);

/// The bytes may not be text.
pub fn read(bytes: &[u8]) -> Reading {
    Reader::default().read(bytes)
}

#[derive(Default)]
struct Reader {
    faults: Faults,
    head: Option<Head>,
    reported: BTreeMap<&'static str, Place>,
    settings: HeadSettings,
    steps: Vec<Step>,
    names: BTreeMap<String, u32>,
}

impl Reader {
    fn read(mut self, bytes: &[u8]) -> Reading {
        let nowhere = Place::default();
        match std::str::from_utf8(bytes) {
            _ if bytes.len() > LONGEST => {
                let message = format!("the tape has {} bytes, above the limit", bytes.len());
                self.faults.error("TAPE-009", nowhere, "", message, format!("at most {LONGEST} bytes"));
            }
            Err(error) => {
                let message = format!("not a text: the byte at {} is not UTF-8", error.valid_up_to());
                self.faults.error("TAPE-009", nowhere, "", message, "a tape is a text in UTF-8");
            }
            Ok(text) => self.text(text.strip_prefix('\u{feff}').unwrap_or(text)),
        }
        let has_errors = self.faults.has_errors();
        let tape = self.head.take().filter(|_| !has_errors).map(|head| Tape { head, steps: self.steps });
        Reading { tape, faults: self.faults.into_sorted() }
    }

    fn text(&mut self, text: &str) {
        for (number, line) in (1..).zip(text.lines()) {
            let mut line = Line::new(line, number);
            while !line.is_over() {
                if let Err(LineFault(code, at, message, hint)) = self.word(&mut line) {
                    self.faults.error(code, at, "", message, hint);
                    break;
                }
            }
        }
        let settings = std::mem::take(&mut self.settings);
        self.head = settings.into_head();
        if self.head.as_ref().is_some_and(|head| head.against == Against::Server) {
            for (word, at) in words::OF_OWN_SCHEDULER.iter().filter_map(|word| Some((word, self.reported.get(word)?))) {
                let message = format!("`{word}` is in a tape with `Source server`");
                self.faults.error("TAPE-012", *at, "", message, "remove it: the server has its own");
            }
        }
        // An invalid source has its own error.
        if self.head.is_none() && !self.reported.contains_key("Source") {
            let hint = format!("start it with {}", source_forms());
            self.faults.error("TAPE-007", Place { line: 1, column: 1 }, "", "the tape has no source", hint);
        }
    }

    fn word(&mut self, line: &mut Line<'_>) -> Result<(), LineFault> {
        let at = line.at();
        let whole = line.word();
        let (word, speed) = whole.split_once('@').map_or((whole, None), |(word, speed)| (word, Some(speed)));
        let key = words::key(word);
        let accepts_speed = key.is_some() || matches!(word, "Type" | "Wait" | "Wait+Screen" | "Wait+Line");
        if speed.is_some() && !accepts_speed {
            return Err(match words::not_own(word) {
                Some(why) => not_own(word, why, at),
                None => LineFault::new("TAPE-003", at, format!("`{word}` takes no speed"), "write the word without @"),
            });
        }
        let speed = speed.map(|speed| duration(speed, at)).transpose()?;
        let pause = speed.unwrap_or_default();
        let act = match word {
            "Source" => return self.source(line, at),
            "Set" => return self.set(line, at),
            "Type" => Act::Type { text: typed(line, word)?, pause },
            "Copy" => Act::Copy(typed(line, word)?),
            "Paste" => Act::Paste,
            "Click" => Act::Click(cell(line, "column")?, cell(line, "line")?),
            "ScrollUp" => Act::Wheel(-turns(line)?),
            "ScrollDown" => Act::Wheel(turns(line)?),
            "Sleep" => Act::Pass { time: wait(line, word)?, fast: false },
            "Advance" => Act::Pass { time: wait(line, word)?, fast: true },
            "Settle" => Act::Settle,
            "Wait" | "Wait+Screen" | "Wait+Line" => {
                let place = if word == "Wait+Line" { Where::Line } else { Where::Screen };
                let limit = speed.or(self.settings.wait).unwrap_or(WAIT_LIMIT);
                Act::Wait(place, pattern(line, word)?, limit)
            }
            "Expect" | "Expect+Screen" => Act::Expect(pattern(line, word)?, word == "Expect+Screen"),
            "Refute" => Act::Refute(pattern(line, word)?),
            "Snapshot" => Act::Snapshot(self.snapshot_name(line)?),
            "Screenshot" => Act::Screenshot(self.image_name(line)?),
            "Say" => Act::Say(typed(line, word)?),
            "Hide" => Act::Shown(false),
            "Show" => Act::Shown(true),
            "Server" => self.server(line, at)?,
            "Ended" => Act::Ended,
            _ => match key {
                Some(key) => Act::Press { key, count: count(line)?, pause },
                None => return Err(unknown_word(word, at)),
            },
        };
        self.steps.push(Step { at, act });
        Ok(())
    }

    fn server(&mut self, line: &mut Line<'_>, at: Place) -> Result<Act, LineFault> {
        let value_at = line.at();
        let there = match value(line, "Server", "gone or back")?.as_str() {
            "gone" => false,
            "back" => true,
            other => {
                let message = format!("{other:?} is not an action of a server");
                return Err(LineFault::new("TAPE-003", value_at, message, "gone or back"));
            }
        };
        if !self.settings.served {
            let hint = "write `Set Served true` before the first step";
            return Err(LineFault::new("TAPE-011", at, "the tape does not serve its scheduler", hint));
        }
        Ok(Act::Server { there })
    }

    fn source(&mut self, line: &mut Line<'_>, at: Place) -> Result<(), LineFault> {
        self.once("Source", at)?;
        let kind_at = line.at();
        let kind = value(line, "Source", &source_forms())?;
        let against = match kind.as_str() {
            "demo" => Against::Demo { seed: seed(line)? },
            "scenario" => {
                let file = value(line, "Source scenario", "a scenario file, relative to the tape")?;
                let mut rest = line.clone();
                let config = if !rest.is_over() && rest.word() == "config" {
                    *line = rest;
                    Some(value(line, "config", "a queue configuration, relative to the tape")?)
                } else {
                    None
                };
                Against::Scenario(file, config)
            }
            "config" => Against::Config(value(line, "Source config", "a queue configuration, relative to the tape")?),
            "default" => Against::Default,
            "server" => Against::Server,
            other => {
                let meant = did_you_mean(other, words::SOURCES);
                let hint = format!("{meant}write {}", source_forms());
                return Err(LineFault::new("TAPE-001", kind_at, format!("{other:?} is not a source"), hint));
            }
        };
        self.settings.against = Some((against, at));
        Ok(())
    }

    fn set(&mut self, line: &mut Line<'_>, at: Place) -> Result<(), LineFault> {
        let name_at = line.at();
        let name = value(line, "Set", &format!("one of {}", words::SETTINGS.join(", ")))?;
        let value_at = line.at();
        match name.as_str() {
            "Width" => self.side(line, at, true),
            "Height" => self.side(line, at, false),
            "Theme" => {
                self.once("Set Theme", at)?;
                let themes = Themes::shipped();
                let name = value(line, "Set Theme", &format!("one of {}", themes.names()))?;
                self.settings.theme = themes.get(&name).map(|theme| theme.name.clone()).ok_or_else(|| {
                    let known = themes.iter().map(|theme| theme.name.as_str());
                    let hint = format!("{}valid: {}", did_you_mean(&name, known), themes.names());
                    LineFault::new("TAPE-003", value_at, format!("{name:?} is not a theme"), hint)
                })?;
                Ok(())
            }
            "As" => {
                let text = self.reported_once("Set As", line, at, "USER or USER:GROUP,GROUP")?;
                let identity =
                    Identity::parse(&text).map_err(|report| LineFault::new("TAPE-003", value_at, report, ""))?;
                self.settings.identity = Some(identity);
                Ok(())
            }
            "Core" => {
                let text = self.reported_once("Set Core", line, at, "kornsole, 1.5.1, 1.8.0 or 1.9.0")?;
                self.settings.core =
                    text.parse().map_err(|report: String| LineFault::new("TAPE-003", value_at, report, ""))?;
                Ok(())
            }
            "Color" => {
                let known = Depth::NAMES.map(|(name, _)| name).join(", ");
                let text = self.reported_once("Set Color", line, at, &format!("one of {known}"))?;
                let wrong = || {
                    LineFault::new(
                        "TAPE-003",
                        value_at,
                        format!("{text:?} is not a number of colors"),
                        format!("one of {known}"),
                    )
                };
                self.settings.depth = Depth::parse(&text).ok_or_else(wrong)?;
                Ok(())
            }
            "Ascii" => self.flag("Set Ascii", line, at).map(|on| self.settings.ascii = on),
            "SchedulerAdmin" => self.flag("Set SchedulerAdmin", line, at).map(|on| self.settings.scheduler_admin = on),
            "Served" => self.flag("Set Served", line, at).map(|on| self.settings.served = on),
            "Jobs" | "Alerts" => self.set_file(&name, line, at),
            "Dashboard" => self.flag("Set Dashboard", line, at).map(|on| self.settings.dashboard = on),
            "ReadOnly" => self.flag("Set ReadOnly", line, at).map(|on| self.settings.read_only = on),
            "TypingSpeed" | "PlaybackSpeed" | "WaitTimeout" => self.set_pace(&name, line, at),
            other => Err(unknown_setting(other, name_at)),
        }
    }

    fn set_file(&mut self, name: &str, line: &mut Line<'_>, at: Place) -> Result<(), LineFault> {
        let jobs = "a file of recorded jobs, relative to the tape";
        let rules = "`default`, or a file of rules, relative to the tape";
        match name {
            "Jobs" => self.settings.jobs = Some(self.reported_once("Set Jobs", line, at, jobs)?),
            _ => self.settings.alerts = Some(self.reported_once("Set Alerts", line, at, rules)?),
        }
        Ok(())
    }

    fn set_pace(&mut self, name: &str, line: &mut Line<'_>, at: Place) -> Result<(), LineFault> {
        let value_at = line.at();
        match name {
            "TypingSpeed" => {
                let text = self.reported_once("Set TypingSpeed", line, at, "a duration, for example 50ms")?;
                self.settings.pace.typing = duration(&text, value_at)?;
                Ok(())
            }
            "PlaybackSpeed" => {
                let text = self.reported_once("Set PlaybackSpeed", line, at, "a number, for example 0.5 or 2")?;
                let factor = text.parse().ok().filter(|factor| (0.01..=100.0).contains(factor));
                self.settings.pace.playback = factor.ok_or_else(|| {
                    LineFault::new(
                        "TAPE-004",
                        value_at,
                        format!("{text:?} is not a speed"),
                        "a number from 0.01 to 100",
                    )
                })?;
                Ok(())
            }
            _ => {
                let text = value(line, "Set WaitTimeout", "a duration, for example 5s")?;
                self.settings.wait = Some(duration(&text, value_at)?);
                Ok(())
            }
        }
    }

    fn side(&mut self, line: &mut Line<'_>, at: Place, width: bool) -> Result<(), LineFault> {
        let (name, unit) = if width { ("Set Width", "columns") } else { ("Set Height", "lines") };
        let value_at = line.at();
        let text = value(line, name, &format!("a number of {unit}"))?;
        let Some(side) = text.parse().ok().filter(|side| (1..=LARGEST_SIDE).contains(side)) else {
            let hint =
                format!("a number of {unit} from 1 to {LARGEST_SIDE}; a tape counts cells, not the pixels of VHS");
            return Err(LineFault::new("TAPE-004", value_at, format!("{text:?} is not a number of {unit}"), hint));
        };
        match (self.steps.is_empty(), width) {
            (true, true) => self.settings.width = Some(side),
            (true, false) => self.settings.height = Some(side),
            (false, true) => self.steps.push(Step { at, act: Act::Width(side) }),
            (false, false) => self.steps.push(Step { at, act: Act::Height(side) }),
        }
        Ok(())
    }

    fn once(&mut self, word: &'static str, at: Place) -> Result<(), LineFault> {
        if let Some(first) = self.reported.insert(word, at) {
            let message = format!("duplicate `{word}`; first on line {}", first.line);
            return Err(LineFault::new("TAPE-007", at, message, "use it once in a tape"));
        }
        match self.steps.first() {
            None => Ok(()),
            Some(step) => {
                let hint = format!("put it before line {}", step.at.line);
                Err(LineFault::new("TAPE-007", at, format!("`{word}` is after the first step"), hint))
            }
        }
    }

    fn reported_once(
        &mut self,
        word: &'static str,
        line: &mut Line<'_>,
        at: Place,
        wanted: &str,
    ) -> Result<String, LineFault> {
        self.once(word, at)?;
        value(line, word, wanted)
    }

    fn flag(&mut self, word: &'static str, line: &mut Line<'_>, at: Place) -> Result<bool, LineFault> {
        let value_at = line.at();
        let text = self.reported_once(word, line, at, "true or false")?;
        let wrong = |_| LineFault::new("TAPE-003", value_at, format!("{text:?} is not true or false"), "true or false");
        text.parse().map_err(wrong)
    }

    fn image_name(&mut self, line: &mut Line<'_>) -> Result<String, LineFault> {
        let at = line.at();
        let allowed = "use a file name that ends in .svg or .text, with letters, digits, `.`, `-`, and `_`";
        let name = value(line, "Screenshot", allowed)?;
        let is_file = name.ends_with(".svg") || name.ends_with(".text");
        if !is_file || name.starts_with('.') || !is_name(&name) {
            return Err(LineFault::new("TAPE-008", at, format!("{name:?} is not a valid image name"), allowed));
        }
        self.only_once("picture", name, at)
    }

    fn only_once(&mut self, what: &str, name: String, at: Place) -> Result<String, LineFault> {
        if let Some(line) = self.names.insert(format!("{what} {name}"), at.line) {
            let message = format!("duplicate {what} `{name}`; first on line {line}");
            return Err(LineFault::new("TAPE-008", at, message, "give each its own name"));
        }
        Ok(name)
    }

    fn snapshot_name(&mut self, line: &mut Line<'_>) -> Result<String, LineFault> {
        let at = line.at();
        let allowed = "use a name with letters, digits, `.`, `-`, and `_`";
        let name = value(line, "Snapshot", allowed)?;
        if !is_name(&name) {
            return Err(LineFault::new("TAPE-008", at, format!("{name:?} is not a valid snapshot name"), allowed));
        }
        self.only_once("snapshot", name, at)
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_'))
}

fn not_own(word: &str, why: &str, at: Place) -> LineFault {
    LineFault::new("TAPE-002", at, format!("the VHS command `{word}` is not supported"), format!("remove it; {why}"))
}

fn unknown_word(word: &str, at: Place) -> LineFault {
    if let Some(why) = words::not_own(word) {
        return not_own(word, why, at);
    }
    let keys = words::KEYS.iter().map(|(name, _)| *name);
    let meant = did_you_mean(word, words::WORDS.into_iter().chain(keys));
    let hint = match word.chars().count() {
        1 => format!("a character is typed: Type \"{word}\""),
        _ => format!("{meant}valid: {}, and key names such as Enter and Ctrl+c", words::WORDS.join(", ")),
    };
    LineFault::new("TAPE-001", at, format!("unknown word `{word}`"), hint)
}

fn unknown_setting(name: &str, at: Place) -> LineFault {
    let known = words::SETTINGS.join(", ");
    if words::is_foreign_setting(name) {
        let message = format!("the VHS setting `{name}` is not supported");
        return LineFault::new("TAPE-002", at, message, format!("remove it; valid: {known}"));
    }
    let hint = format!("{}valid: {known}", did_you_mean(name, words::SETTINGS));
    LineFault::new("TAPE-001", at, format!("`{name}` cannot be set"), hint)
}
