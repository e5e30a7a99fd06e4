//! Silences: alerts that are not reported for a time, with a user and a reason.

use std::time::Duration;

use super::state::{Alert, Alerts};
use super::subject::Subject;
use model::Time;
use view::act::LONGEST_REASON;
use view::drain::span;

/// The longest silence.
pub const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);
/// The maximum number of active silences.
pub const MOST: usize = 200;
/// The maximum number of stored silences, including ended ones.
pub const MOST_RETAINED: usize = 1_000;

/// A silence. It is stored after its end.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Silence {
    /// The number; counts up by one.
    pub id: u64,
    /// Only alerts of this rule; `None` for all.
    pub rule: Option<String>,
    /// Only alerts about this subject; `None` for all.
    pub subject: Option<Subject>,
    /// When it started.
    pub from: Time,
    /// When it ends, or ended.
    pub until: Time,
    /// The user who silenced.
    pub by: String,
    /// The reason; never empty.
    pub reason: String,
    /// `None` while active.
    pub ended: Option<SilenceEnd>,
}

/// The end of a silence.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SilenceEnd {
    /// Its time was over.
    Over,
    /// A user ended it.
    By(String),
}

/// A requested silence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SilenceOrder {
    /// Only alerts of this rule.
    pub rule: Option<String>,
    /// Only alerts about this subject.
    pub subject: Option<Subject>,
    /// For how long.
    pub lasts: Duration,
    /// Who says so.
    pub by: String,
    /// The reason; must not be empty.
    pub reason: String,
}

impl Silence {
    /// Whether it matches an alert.
    pub fn matches(&self, alert: &Alert) -> bool {
        let is = |wanted: &Option<String>, name: &str| wanted.as_deref().is_none_or(|wanted| wanted == name);
        self.ended.is_none()
            && is(&self.rule, &alert.rule)
            && self.subject.as_ref().is_none_or(|subject| *subject == alert.subject)
    }

    /// The silenced alerts, in words.
    pub fn words(&self) -> String {
        match (&self.rule, &self.subject) {
            (Some(rule), Some(subject)) => format!("{rule} of {subject}"),
            (Some(rule), None) => format!("{rule}, for all subjects"),
            (None, Some(subject)) => format!("all alerts for {subject}"),
            (None, None) => "everything".to_owned(),
        }
    }
}

impl Alerts {
    /// Whether a silence is possible now.
    ///
    /// # Errors
    /// Returns the reason if not: no reason, too long, unknown rule, too many.
    pub fn can_silence(&self, order: &SilenceOrder) -> Result<(), String> {
        let SilenceOrder { rule, lasts, reason, .. } = order;
        if reason.trim().is_empty() {
            return Err("a silence needs a reason".to_owned());
        }
        if reason.chars().count() > LONGEST_REASON {
            return Err(format!("the reason is longer than {LONGEST_REASON} characters"));
        }
        if lasts.is_zero() || *lasts > LONGEST {
            return Err(format!("a silence lasts from 1s to {}", span(LONGEST)));
        }
        if let Some(rule) = rule
            && self.rules.get(rule).is_none()
        {
            return Err(format!("rule {rule:?} not found"));
        }
        if self.silences.iter().filter(|silence| silence.ended.is_none()).count() >= MOST {
            return Err(format!("{MOST} silences are active already"));
        }
        Ok(())
    }

    /// Returns its number.
    ///
    /// # Errors
    /// As [`Alerts::can_silence`].
    pub fn silence(&mut self, order: SilenceOrder, now: Time) -> Result<u64, String> {
        self.can_silence(&order)?;
        let SilenceOrder { rule, subject, lasts, by, reason } = order;
        let reason = reason.trim().to_owned();
        let id = self.next_silence;
        self.next_silence += 1;
        self.silences.push(Silence { id, rule, subject, from: now, until: now + lasts, by, reason, ended: None });
        // Drops the oldest ended one.
        if self.silences.len() > MOST_RETAINED
            && let Some(oldest) = self.silences.iter().position(|silence| silence.ended.is_some())
        {
            self.silences.remove(oldest);
        }
        self.hold();
        Ok(id)
    }

    /// Ends a silence early. The next step reports alerts that still fire.
    ///
    /// # Errors
    /// Returns an error if no active silence has this number.
    pub fn end_silence(&mut self, id: u64, by: &str, now: Time) -> Result<(), String> {
        let silence = self.silences.iter_mut().find(|silence| silence.id == id && silence.ended.is_none());
        let silence = silence.ok_or_else(|| format!("silence {id} is not active"))?;
        (silence.until, silence.ended) = (now, Some(SilenceEnd::By(by.to_owned())));
        Ok(())
    }

    /// The silences, the newest first, including ended ones.
    pub fn silences(&self) -> impl Iterator<Item = &Silence> {
        self.silences.iter().rev()
    }

    pub(super) fn end_silences(&mut self, now: Time) {
        for silence in self.silences.iter_mut().filter(|silence| silence.ended.is_none() && silence.until <= now) {
            silence.ended = Some(SilenceEnd::Over);
        }
    }
}
