//! A step of the alerts: evaluate, advance time, inhibit and silence, report.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use super::condition::{Reading, Shared, readings};
use super::given::Given;
use super::rule::{Rule, Rules};
use super::state::{Alert, Alerts, Change, ChangeKind, Ended, LostNode, MOST, MOST_ENDED, MOST_LOST, Muted, Stage};
use super::subject::Subject;
use model::{NodeId, Time};
use view::PartitionView;

const REMEMBERED: Duration = Duration::from_secs(7 * 24 * 3600);

impl Alerts {
    /// Evaluates all rules. Returns the changes to report, in rule order.
    ///
    /// Clock setbacks and the time before the first step of a restored state count nothing: pending alerts keep their
    /// age.
    pub fn step(&mut self, given: &Given) -> Vec<Change> {
        let now = given.at;
        let before = self.at.replace(now);
        if let Some(before) = before.filter(|before| now < *before) {
            self.jumped_back(before.since(now));
        }
        self.end_silences(now);
        self.see_nodes(given);
        let rules = Arc::clone(&self.rules);
        let mut shared = Shared::default();
        for rule in &rules.rules {
            match readings(rule, given, &self.memory, &mut shared) {
                Some(found) => self.judge(rule, found, now),
                None => {
                    let unseen = before.map_or(Duration::ZERO, |before| now.since(before));
                    self.unseen(unseen, |alert| alert.rule == rule.name);
                }
            }
        }
        if given.connection.is_none() {
            (self.memory.at, self.memory.made) = (Some(now), Some(given.view.allocations_made));
        }
        self.hold_at(now);
        self.report(now)
    }

    /// Changes the rules. The next step reports the alerts of removed rules as resolved.
    pub fn set_rules(&mut self, rules: Arc<Rules>) {
        self.rules = rules;
    }

    /// The clock jumped back: alerts keep their age.
    fn jumped_back(&mut self, by: Duration) {
        for alert in self.alerts.values_mut() {
            alert.since = alert.since - by;
            alert.fired = alert.fired.map(|at| at - by);
            alert.clear = alert.clear.map(|at| at - by);
        }
    }

    fn unseen(&mut self, time: Duration, which: impl Fn(&Alert) -> bool) {
        for alert in self.alerts.values_mut().filter(|alert| which(alert)) {
            if alert.stage == Stage::Pending {
                alert.since = alert.since + time;
            }
            alert.clear = alert.clear.map(|at| at + time);
        }
    }

    /// After a restore: the time from the last step until `now` counts nothing.
    pub(super) fn skip(&mut self, from: Time, now: Time) {
        if now < from {
            self.jumped_back(from.since(now));
        } else {
            self.unseen(now.since(from), |_| true);
        }
        self.at = Some(now);
    }

    fn judge(&mut self, rule: &Rule, mut found: Vec<Reading>, now: Time) {
        let known: Vec<Subject> = self.of_rule(rule).map(|alert| alert.subject.clone()).collect();
        let subjects: BTreeSet<&Subject> = found.iter().map(|reading| &reading.subject).collect();
        let gone: Vec<Subject> = known.into_iter().filter(|subject| !subjects.contains(subject)).collect();
        for subject in gone {
            self.clear(rule, &subject, now);
        }
        // If there are too many, the worst are kept.
        found.sort_by(|one, other| other.value.total_cmp(&one.value));
        let mut there = self.of_rule(rule).count();
        let mut beyond = 0;
        for reading in found {
            let key = (rule.name.clone(), reading.subject.clone());
            if let Some(alert) = self.alerts.get_mut(&key) {
                if alert.take(rule, reading, now) {
                    continue;
                }
                self.clear(rule, &key.1, now);
            } else if reading.starts && there < MOST {
                there += 1;
                let mut alert = Alert::started(rule, reading, now);
                alert.age(rule, now);
                self.alerts.insert(key, alert);
            } else if reading.starts {
                beyond += 1;
            }
        }
        match beyond {
            0 => _ = self.beyond.remove(&rule.name),
            beyond => _ = self.beyond.insert(rule.name.clone(), beyond),
        }
    }

    fn of_rule<'a>(&'a self, rule: &'a Rule) -> impl Iterator<Item = &'a Alert> {
        self.alerts.values().filter(|alert| alert.rule == rule.name)
    }

    fn clear(&mut self, rule: &Rule, subject: &Subject, now: Time) {
        let key = (rule.name.clone(), subject.clone());
        let Some(alert) = self.alerts.get_mut(&key) else { return };
        if alert.stage == Stage::Pending {
            self.alerts.remove(&key);
            return;
        }
        let clear = *alert.clear.get_or_insert(now);
        if now.since(clear) >= rule.resolve_after {
            // `report` removes it.
            alert.stage = Stage::Pending;
        }
    }

    /// Tracks nodes, and those that were removed without a drain.
    fn see_nodes(&mut self, given: &Given) {
        if given.connection.is_some() {
            return;
        }
        for part in &given.view.partitions {
            // Capacity without nodes: they are not loaded.
            if part.nodes.is_empty() && !part.capacity.is_zero() {
                continue;
            }
            let before = self.memory.nodes.insert(Arc::clone(&part.name), part.nodes.clone());
            let Some(before) = before.filter(|before| !before.ptr_eq(&part.nodes)) else { continue };
            for (id, node) in before.iter().filter(|(id, node)| node.is_open() && !part.nodes.contains_key(*id)) {
                let (partition, node_id) = (part.name.to_string(), id.to_string());
                self.memory.lost.push(LostNode { partition, node: node_id, at: given.at, had: node.allocated.clone() });
            }
        }
        let parts: BTreeMap<&str, &PartitionView> =
            given.view.partitions.iter().map(|part| (&*part.name, part)).collect();
        self.memory.nodes.retain(|name, _| parts.contains_key(&**name));
        self.memory.lost.retain_mut(|lost| {
            // After a clock setback, an age must not be negative.
            lost.at = lost.at.min(given.at);
            let back = parts
                .get(&*lost.partition)
                .is_none_or(|part| part.nodes.contains_key(&NodeId::from(lost.node.as_str())));
            !back && given.at.since(lost.at) < REMEMBERED
        });
        let more = self.memory.lost.len().saturating_sub(MOST_LOST);
        self.memory.lost.drain(..more);
    }

    pub(super) fn hold(&mut self) {
        let now = self.at.unwrap_or_default();
        self.hold_at(now);
    }

    fn hold_at(&mut self, now: Time) {
        // The partitions in which a rule is true, pending or firing; a subject without a partition counts in all.
        let holding: BTreeSet<(String, String)> = self
            .alerts
            .values()
            .filter(|alert| !alert.is_over())
            .map(|alert| (alert.rule.clone(), alert.subject.partition.clone()))
            .collect();
        let rules = Arc::clone(&self.rules);
        for alert in self.alerts.values_mut() {
            let Some(rule) = rules.get(&alert.rule) else { continue };
            let is_true = |other: &&String| {
                let own = alert.subject.partition.as_str();
                let of = |partition: &str| partition == own || partition.is_empty() || own.is_empty();
                holding.iter().any(|(name, partition)| name == *other && of(partition))
            };
            let inhibited = rule.inhibited_by.iter().find(is_true).map(|name| Muted::Inhibited(name.clone()));
            let silenced = || {
                let silence = self.silences.iter().find(|silence| silence.matches(alert));
                silence.map(|silence| Muted::Silenced(silence.id))
            };
            let muted = inhibited.or_else(silenced);
            let released = muted.is_none() && matches!(alert.muted, Some(Muted::Inhibited(_)));
            if released && !alert.reported && alert.stage == Stage::Firing && alert.clear.is_none() {
                // The inhibition ended; the duration of its rule starts again.
                (alert.stage, alert.since, alert.fired) = (Stage::Pending, now, None);
                alert.age(rule, now);
            }
            alert.muted = muted;
        }
    }

    /// Returns each change once; removes resolved alerts.
    fn report(&mut self, now: Time) -> Vec<Change> {
        let mut changes = Vec::new();
        let mut over = Vec::new();
        for (key, alert) in &mut self.alerts {
            let kind = if alert.is_over() || self.rules.get(&alert.rule).is_none() {
                over.push(key.clone());
                ChangeKind::Resolved
            } else {
                ChangeKind::Firing
            };
            let due = match kind {
                ChangeKind::Firing => alert.is_on() && alert.clear.is_none() && !alert.reported,
                ChangeKind::Resolved => alert.reported,
            };
            if due {
                alert.reported = true;
                changes.push(Change { number: self.next_change, kind, at: now, alert: alert.clone() });
                self.next_change += 1;
            }
        }
        for key in over {
            let Some(alert) = self.alerts.remove(&key) else { continue };
            if alert.fired.is_some() {
                self.ended.push_back(Ended { alert, at: now });
            }
        }
        let more = self.ended.len().saturating_sub(MOST_ENDED);
        self.ended.drain(..more);
        changes
    }
}

impl Alert {
    fn started(rule: &Rule, reading: Reading, now: Time) -> Self {
        let text = alert_text(rule, &reading);
        let Reading { subject, value, which, .. } = reading;
        Self {
            rule: rule.name.clone(),
            severity: rule.severity,
            subject,
            stage: Stage::Pending,
            since: now,
            fired: None,
            clear: None,
            value,
            text,
            reported: false,
            muted: None,
            which,
        }
    }

    fn is_over(&self) -> bool {
        self.stage == Stage::Pending && self.fired.is_some()
    }

    /// Applies a reading. Returns whether its condition is true.
    fn take(&mut self, rule: &Rule, reading: Reading, now: Time) -> bool {
        let firing = self.stage == Stage::Firing;
        let another = reading.which != self.which;
        self.which.clone_from(&reading.which);
        let is_true = if firing { !another } else { reading.starts };
        if !is_true {
            return false;
        }
        if another {
            self.since = now;
        }
        (self.severity, self.clear) = (rule.severity, None);
        (self.value, self.text) = (reading.value, alert_text(rule, &reading));
        self.age(rule, now);
        true
    }

    fn age(&mut self, rule: &Rule, now: Time) {
        if self.stage == Stage::Pending && now.since(self.since) >= rule.lasts {
            (self.stage, self.fired) = (Stage::Firing, Some(now));
        }
    }
}

fn alert_text(rule: &Rule, reading: &Reading) -> String {
    let Some(text) = &rule.text else { return reading.metrics.clone() };
    let value = match rule.kind.unit() {
        super::rule::Unit::Nothing => {
            format!("{:.2}", reading.value).trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        unit => unit.show(reading.value),
    };
    text.replace("{subject}", &reading.subject.to_string())
        .replace("{metrics}", &reading.metrics)
        .replace("{value}", &value)
        .replace("{rule}", &rule.name)
}
