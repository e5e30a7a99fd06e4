//! Silences: alerts that are not reported for a while, because someone said so, with a reason.

use std::time::Duration;

use super::state::{Alert, Alerts};
use super::subject::Subject;
use model::Time;
use view::act::LONGEST_REASON;
use view::drain::span;

/// The longest silence.
pub const LONGEST: Duration = Duration::from_secs(30 * 24 * 3600);
/// How many silences may be active at the same time.
pub const MOST: usize = 200;
/// How many silences are kept, those that are over among them.
pub const MOST_RETAINED: usize = 1_000;

/// One silence. It is kept after its end: who silenced what, and why.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Silence {
    /// Its number; counts up by one.
    pub id: u64,
    /// Only alerts of this rule; `None` for all rules.
    pub rule: Option<String>,
    /// Only alerts about this; `None` for everything.
    pub subject: Option<Subject>,
    /// When it started.
    pub from: Time,
    /// When it ends, or ended.
    pub until: Time,
    /// The user who silenced.
    pub by: String,
    /// Why, in words; never empty.
    pub reason: String,
    /// How it ended; `None` while it is active.
    pub ended: Option<SilenceEnd>,
}

/// How a silence ended.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SilenceEnd {
    /// Its time was over.
    Over,
    /// Someone ended it before.
    By(String),
}

/// What someone needs silenced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SilenceOrder {
    /// Only alerts of this rule.
    pub rule: Option<String>,
    /// Only alerts about this.
    pub subject: Option<Subject>,
    /// For how long.
    pub lasts: Duration,
    /// Who says so.
    pub by: String,
    /// Why, in words; must not be empty.
    pub reason: String,
}

impl Silence {
    /// Whether it keeps an alert from being reported.
    pub fn matches(&self, alert: &Alert) -> bool {
        let is = |wanted: &Option<String>, name: &str| wanted.as_deref().is_none_or(|wanted| wanted == name);
        self.ended.is_none()
            && is(&self.rule, &alert.rule)
            && self.subject.as_ref().is_none_or(|subject| *subject == alert.subject)
    }

    /// What it silences, in words.
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
    /// Whether there can be such a silence now.
    ///
    /// # Errors
    /// Why not: no reason, too long, no such rule, too many.
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

    /// Silences from now on. Returns the number of the silence.
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
        // The oldest that is over goes.
        if self.silences.len() > MOST_RETAINED
            && let Some(oldest) = self.silences.iter().position(|silence| silence.ended.is_some())
        {
            self.silences.remove(oldest);
        }
        self.hold();
        Ok(id)
    }

    /// Ends a silence before its time. What still fires under it is reported by the next step.
    ///
    /// # Errors
    /// There is none of this number active.
    pub fn end_silence(&mut self, id: u64, by: &str, now: Time) -> Result<(), String> {
        let silence = self.silences.iter_mut().find(|silence| silence.id == id && silence.ended.is_none());
        let silence = silence.ok_or_else(|| format!("silence {id} is not active"))?;
        (silence.until, silence.ended) = (now, Some(SilenceEnd::By(by.to_owned())));
        Ok(())
    }

    /// The silences, the newest first, those that are over among them.
    pub fn silences(&self) -> impl Iterator<Item = &Silence> {
        self.silences.iter().rev()
    }

    /// Ends the silences whose time has ended.
    pub(super) fn end_silences(&mut self, now: Time) {
        for silence in self.silences.iter_mut().filter(|silence| silence.ended.is_none() && silence.until <= now) {
            silence.ended = Some(SilenceEnd::Over);
        }
    }
}
