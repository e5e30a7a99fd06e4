//! Saves the state of alerts as text, so that a restart reports nothing twice.

use super::silence::Silence;
use super::state::{Alert, Alerts, Ended, LostNode};
use model::Time;

/// The format version. Newer ones are rejected.
const VERSION: u32 = 1;

#[derive(serde::Serialize, serde::Deserialize)]
struct Saved {
    version: u32,
    at: Time,
    alerts: Vec<Alert>,
    ended: Vec<Ended>,
    silences: Vec<Silence>,
    next_silence: u64,
    next_change: u64,
    lost: Vec<LostNode>,
}

impl Alerts {
    /// Saves the state as JSON.
    ///
    /// # Errors
    /// Returns an error for a number that JSON does not support; none is known.
    pub fn save(&self) -> Result<String, String> {
        let saved = Saved {
            version: VERSION,
            at: self.at.unwrap_or_default(),
            alerts: self.alerts.values().cloned().collect(),
            ended: self.ended.iter().cloned().collect(),
            silences: self.silences.clone(),
            next_silence: self.next_silence,
            next_change: self.next_change,
            lost: self.memory.lost.clone(),
        };
        serde_json::to_string(&saved).map_err(|error| error.to_string())
    }

    /// Restores a saved state at the cluster time `now`: reported alerts stay reported, and the time in between counts
    /// nothing.
    ///
    /// # Errors
    /// Returns an error for an invalid text; the state is then unchanged.
    pub fn restore(&mut self, text: &str, now: Time) -> Result<(), String> {
        let saved: Saved =
            serde_json::from_str(text).map_err(|error| format!("the state of the alerts cannot be parsed: {error}"))?;
        if saved.version != VERSION {
            return Err(format!(
                "the state of the alerts has version {}, this program supports version {VERSION}",
                saved.version
            ));
        }
        self.alerts =
            saved.alerts.into_iter().map(|alert| ((alert.rule.clone(), alert.subject.clone()), alert)).collect();
        self.ended = saved.ended.into();
        self.silences = saved.silences;
        (self.next_silence, self.next_change) = (saved.next_silence.max(1), saved.next_change.max(1));
        self.memory.lost = saved.lost;
        self.skip(saved.at, now);
        Ok(())
    }
}
