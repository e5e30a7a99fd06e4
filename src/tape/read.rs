//! Reading a tape: word by word, all faults in one pass.

use std::collections::BTreeMap;
use std::time::Duration;

use super::arguments::{Wrong, count, did_you_mean, duration, pattern, seed, source_forms, typed, value, wait};
use super::file::{Act, Against, Head, Reading, Step, Tape};
use super::line::Line;
use super::words;
use crate::config::{Faults, Place};
use crate::console::theme::{ThemeName, Themes};
use crate::model::{Identity, Profile};

/// The longest text that is read as a tape, in bytes.
pub(super) const LONGEST: usize = 1 << 20;
/// The largest screen, in columns and lines each.
const LARGEST_SIDE: u16 = 1000;

/// Reads one text.
#[derive(Default)]
pub(super) struct Reader {
    faults: Faults,
    head: Option<Head>,
    said: BTreeMap<&'static str, Place>,
    settings: Settings,
    steps: Vec<Step>,
    names: BTreeMap<String, u32>,
}

#[derive(Default)]
struct Settings {
    against: Option<(Against, Place)>,
    identity: Option<Identity>,
    read_only: bool,
    core: Profile,
    theme: ThemeName,
    width: Option<u16>,
    height: Option<u16>,
}

/// Who sits before the console when a tape does not say.
const SOMEBODY: &str = "you";

impl Reader {
    /// Reads a tape from bytes, which may be no text at all.
    pub fn read(mut self, bytes: &[u8]) -> Reading {
        let nowhere = Place::default();
        match std::str::from_utf8(bytes) {
            _ if bytes.len() > LONGEST => {
                let message = format!("a tape of {} bytes, too long to be one", bytes.len());
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
                if let Err(Wrong(code, at, message, hint)) = self.word(&mut line) {
                    self.faults.error(code, at, "", message, hint);
                    break;
                }
            }
        }
        let settings = std::mem::take(&mut self.settings);
        let Some((against, at)) = settings.against else {
            // A source that was said wrongly has been told already.
            if !self.said.contains_key("Source") {
                let hint = format!("begin it with {}", source_forms());
                self.faults.error("TAPE-007", Place { line: 1, column: 1 }, "", "the tape has no source", hint);
            }
            return;
        };
        self.head = Some(Head {
            against,
            at,
            owner: settings.identity.is_none(),
            read_only: settings.read_only,
            identity: settings.identity.unwrap_or_else(|| Identity::new(SOMEBODY, [SOMEBODY])),
            core: settings.core,
            theme: settings.theme,
            width: settings.width.unwrap_or(80),
            height: settings.height.unwrap_or(24),
        });
    }

    fn word(&mut self, line: &mut Line<'_>) -> Result<(), Wrong> {
        let at = line.at();
        let whole = line.word();
        let (word, speed) = whole.split_once('@').map_or((whole, None), |(word, speed)| (word, Some(speed)));
        let key = words::key(word);
        if speed.is_some() && key.is_none() && word != "Type" {
            return Err(match words::is_not_yet(word) {
                true => not_yet(word, at),
                false => Wrong::new("TAPE-003", at, format!("`{word}` takes no speed"), "write the word without @"),
            });
        }
        let pause = speed.map_or(Ok(Duration::ZERO), |speed| duration(speed, at))?;
        let act = match word {
            "Source" => return self.source(line, at),
            "Set" => return self.set(line, at),
            "Type" => Act::Type { text: typed(line)?, pause },
            "Sleep" | "Advance" => Act::Pass(wait(line, word)?),
            "Settle" => Act::Settle,
            "Expect" => Act::Expect(pattern(line, word)?),
            "Refute" => Act::Refute(pattern(line, word)?),
            "Snapshot" => Act::Snapshot(self.snapshot_name(line)?),
            "Ended" => Act::Ended,
            _ => match key {
                Some(key) => Act::Press { key, count: count(line)?, pause },
                None => return Err(unknown_word(word, at)),
            },
        };
        self.steps.push(Step { at, act });
        Ok(())
    }

    fn source(&mut self, line: &mut Line<'_>, at: Place) -> Result<(), Wrong> {
        self.once("Source", at)?;
        let kind_at = line.at();
        let kind = value(line, "Source", &source_forms())?;
        let against = match kind.as_str() {
            "demo" => Against::Demo { seed: seed(line)? },
            "scenario" => Against::Scenario(value(line, "Source scenario", "a scenario file, relative to the tape")?),
            "config" => Against::Config(value(line, "Source config", "a queue configuration, relative to the tape")?),
            "default" => Against::Default,
            other => {
                let meant = did_you_mean(other, words::SOURCES);
                let hint = format!("{meant}write {}", source_forms());
                return Err(Wrong::new("TAPE-001", kind_at, format!("{other:?} is no source"), hint));
            }
        };
        self.settings.against = Some((against, at));
        Ok(())
    }

    fn set(&mut self, line: &mut Line<'_>, at: Place) -> Result<(), Wrong> {
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
                    let hint = format!("{}there are {}", did_you_mean(&name, known), themes.names());
                    Wrong::new("TAPE-003", value_at, format!("{name:?} is no theme"), hint)
                })?;
                Ok(())
            }
            "As" => {
                self.once("Set As", at)?;
                let text = value(line, "Set As", "USER or USER:GROUP,GROUP")?;
                let identity = Identity::parse(&text).map_err(|told| Wrong::new("TAPE-003", value_at, told, ""))?;
                self.settings.identity = Some(identity);
                Ok(())
            }
            "ReadOnly" => {
                self.once("Set ReadOnly", at)?;
                self.settings.read_only = match value(line, "Set ReadOnly", "true or false")?.as_str() {
                    "true" => true,
                    "false" => false,
                    other => {
                        let told = format!("{other:?} is neither");
                        return Err(Wrong::new("TAPE-003", value_at, told, "true or false"));
                    }
                };
                Ok(())
            }
            "Core" => {
                self.once("Set Core", at)?;
                let text = value(line, "Set Core", "kornsole, 1.5.1 or 1.8.0")?;
                self.settings.core = text.parse().map_err(|told: String| Wrong::new("TAPE-003", value_at, told, ""))?;
                Ok(())
            }
            other => Err(unknown_setting(other, name_at)),
        }
    }

    /// The size at the start while no step was written, else a step of its own.
    fn side(&mut self, line: &mut Line<'_>, at: Place, width: bool) -> Result<(), Wrong> {
        let (name, unit) = if width { ("Set Width", "columns") } else { ("Set Height", "lines") };
        let value_at = line.at();
        let text = value(line, name, &format!("a number of {unit}"))?;
        let Some(side) = text.parse().ok().filter(|side| (1..=LARGEST_SIDE).contains(side)) else {
            let hint =
                format!("a number of {unit} from 1 to {LARGEST_SIDE}; a tape counts cells, not the pixels of VHS");
            return Err(Wrong::new("TAPE-004", value_at, format!("{text:?} is no number of {unit}"), hint));
        };
        match (self.steps.is_empty(), width) {
            (true, true) => self.settings.width = Some(side),
            (true, false) => self.settings.height = Some(side),
            (false, true) => self.steps.push(Step { at, act: Act::Width(side) }),
            (false, false) => self.steps.push(Step { at, act: Act::Height(side) }),
        }
        Ok(())
    }

    /// Holds a word of the head to be said once, and before the first step.
    fn once(&mut self, word: &'static str, at: Place) -> Result<(), Wrong> {
        if let Some(first) = self.said.insert(word, at) {
            let message = format!("`{word}` stands in line {} already", first.line);
            return Err(Wrong::new("TAPE-007", at, message, "a tape says it once"));
        }
        match self.steps.first() {
            None => Ok(()),
            Some(step) => {
                let hint = format!("put it before line {}", step.at.line);
                Err(Wrong::new("TAPE-007", at, format!("`{word}` stands after the first step"), hint))
            }
        }
    }

    fn snapshot_name(&mut self, line: &mut Line<'_>) -> Result<String, Wrong> {
        let at = line.at();
        let allowed = "a name of letters, digits, `.`, `-` and `_`";
        let name = value(line, "Snapshot", allowed)?;
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')) {
            return Err(Wrong::new("TAPE-008", at, format!("{name:?} cannot name a snapshot"), allowed));
        }
        if let Some(line) = self.names.insert(name.clone(), at.line) {
            let message = format!("there is a snapshot `{name}` in line {line} already");
            return Err(Wrong::new("TAPE-008", at, message, "give each its own name"));
        }
        Ok(name)
    }
}

fn not_yet(word: &str, at: Place) -> Wrong {
    let hint = "leave it out; the words there are stand in recordings/README.md";
    Wrong::new("TAPE-002", at, format!("`{word}` is a word of VHS that kornsole does not play yet"), hint)
}

fn unknown_word(word: &str, at: Place) -> Wrong {
    if words::is_not_yet(word) {
        return not_yet(word, at);
    }
    let keys = words::KEYS.iter().map(|(name, _)| *name);
    let meant = did_you_mean(word, words::WORDS.into_iter().chain(keys));
    let hint = match word.chars().count() {
        1 => format!("a character is typed: Type \"{word}\""),
        _ => format!("{meant}there are {}, and keys by their names, as Enter and Ctrl+c", words::WORDS.join(", ")),
    };
    Wrong::new("TAPE-001", at, format!("`{word}` is no word of a tape"), hint)
}

fn unknown_setting(name: &str, at: Place) -> Wrong {
    let known = words::SETTINGS.join(", ");
    if words::is_setting_not_yet(name) {
        let message = format!("`{name}` is a setting of VHS that kornsole does not have yet");
        return Wrong::new("TAPE-002", at, message, format!("leave it out; there are {known}"));
    }
    let hint = format!("{}there are {known}", did_you_mean(name, words::SETTINGS));
    Wrong::new("TAPE-001", at, format!("`{name}` cannot be set"), hint)
}
