//! State from an earlier run, for a scheduler whose applications and nodes come from elsewhere.

use std::sync::Arc;

use super::active_config::{ActiveConfig, ConfigText};
use super::audit_log::NewEntries;
use super::clock::ClockRun;
use super::journal::record::WallTime;
use super::ledger_book::LedgerBook;
use super::setup::Setup;
use super::state::State;
use ledger::Ledger;
use model::Time;

const NOT_RUNNING: &str = "the scheduler did not run here, or did not save its counts";
const SET_BACK: &str = "the clock was set back while the scheduler was stopped: usage is counted again when the clock passes its last time";

/// State from an earlier run.
#[derive(Clone, Debug, Default)]
pub struct Earlier {
    /// The newest audit entries and revisions, the oldest first.
    pub records: NewEntries,
    /// What was used.
    pub ledger: Option<Ledger>,
}

/// The scheduler time must be the time of day.
pub(super) fn take(state: &mut State, setup: &Setup, earlier: Earlier) {
    let Earlier { records, ledger } = earlier;
    if let Some(ledger) = ledger {
        let moved_back = ledger.counted_until() > state.now;
        let ledger = ledger.continued(state.now, if moved_back { SET_BACK } else { NOT_RUNNING });
        state.ledger = Arc::new(LedgerBook::new(ledger));
        // Times before this run are also times of day.
        state.clock_history.push(ClockRun { at: Time::ZERO, wall: WallTime(0), speed: 1.0 });
    }
    if let Some(newest) = records.revisions.last() {
        // The configuration that is loaded now gets this number if it is the same, otherwise the next one.
        state.active_config.revision = newest.number;
        let text = newest.text.as_ref().map(|text| ConfigText::new(text, &state.policy_group));
        if let Some(config) = text.and_then(|text| config::read(&text.queues, setup.profile).config) {
            state.active_config.config = Arc::new(config);
        }
    }
    state.audit_log.restore(records);
}

/// Whether an earlier run recorded the active configuration with its text.
pub(super) fn knows(state: &State) -> bool {
    let ActiveConfig { config, revision, .. } = &state.active_config;
    let known = state.audit_log.revision(*revision);
    known.is_some_and(|known| known.checksum == config.checksum && known.text.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Core;
    use crate::audit_log::AuditLog;
    use ledger::Question;
    use model::{Identity, Profile, Resource, VCORE};
    use scheduler::{AskSpec, Command, PartitionCommand, Submission};
    use view::act::{Act, Actor, Order, PartitionAct};
    use view::audit::{AuditQuery, RevisionSource};

    const QUEUES: &str = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: a}]}]}]\n";

    fn at(seconds: u64) -> Time {
        Time::from_millis((1_700_000_000 + seconds) * 1_000)
    }

    /// A run from a time with these queues, and an application that waits for a core.
    fn run(starts: Time, queues: &str, earlier: Earlier) -> Core {
        let setup = Setup { starts, ..Setup::of(Profile::Kornsole) };
        let config = Arc::new(config::read(queues, setup.profile).config.unwrap());
        let core = Core::set_up_after(&setup, config, earlier).unwrap();
        let mut core = core.with_config_text(queues.as_bytes(), None);
        let who = Identity { user: "sue".into(), ..Identity::default() };
        let submission = Submission { app: "app".into(), queue: "root.a".into(), who, ..Submission::default() };
        let resource: Resource = [(VCORE, 1_000)].into_iter().collect();
        let ask = AskSpec { app: "app".into(), id: "one".into(), count: 1, resource, ..AskSpec::default() };
        for command in [PartitionCommand::Submit(submission), PartitionCommand::Ask(ask)] {
            core.apply(&Command::from(command));
        }
        core
    }

    fn refused(core: &mut Core) {
        let who = Actor::from(Identity { user: "ann".into(), ..Identity::default() });
        let act = PartitionAct::Kill { app: "none".into(), expect_queue: None };
        core.perform(&who, &Order::from(Act::within(&"default".into(), act))).unwrap_err();
    }

    fn left_by(core: &Core, now: Time) -> Earlier {
        let (entries, revisions) = (all(core.audit_log()), core.audit_log().revisions(None, 9));
        let records = NewEntries {
            entries: entries.into_iter().rev().collect(),
            revisions: revisions.into_iter().rev().collect(),
        };
        let ledger = Some(Ledger::restored(core.ledger().ledger().moment(now)));
        Earlier { records, ledger }
    }

    fn all(log: &AuditLog) -> Vec<Arc<view::audit::AuditEntry>> {
        log.entries(&AuditQuery { limit: 9, ..AuditQuery::default() })
    }

    fn waited(core: &Core, now: Time) -> u64 {
        core.ledger().ledger().report(now, &Question::default()).total.waited.seconds(VCORE) / 1_000
    }

    #[test]
    fn numbers_continue_and_the_same_queues_are_the_same_revision() {
        let mut first = run(at(0), QUEUES, Earlier::default());
        refused(&mut first);
        let mut same = run(at(100), QUEUES, left_by(&first, at(10)));
        refused(&mut same);
        assert_eq!(all(same.audit_log()).iter().map(|entry| entry.id).collect::<Vec<_>>(), [2, 1]);
        let known = same.audit_log().revisions(None, 9);
        assert_eq!((known.len(), known[0].number, known[0].at), (1, 1, at(0)), "it is active since then");
        assert_eq!(same.configuration().map(|written| written.revision), Some(1));

        let more = QUEUES.replace("{name: a}", "{name: a}, {name: b}");
        let other = run(at(200), &more, left_by(&same, at(110)));
        let known = other.audit_log().revisions(None, 9);
        let known: Vec<_> = known.iter().map(|one| (one.number, one.source, one.changes, one.text.is_some())).collect();
        assert_eq!(known, [(2, RevisionSource::Start, 1, true), (1, RevisionSource::Start, 0, true)]);
    }

    #[test]
    fn what_a_crash_did_not_write_is_a_gap_and_counts_never_twice() {
        let first = run(at(0), QUEUES, Earlier::default());
        // Saved at 40 s, killed after 45 s, restarted at 60 s.
        let second = run(at(60), QUEUES, left_by(&first, at(40)));
        assert_eq!(waited(&second, at(90)), 40 + 30);
        let report = second.ledger().ledger().report(at(90), &Question::default());
        let gaps: Vec<_> = report.gaps.iter().map(|gap| (gap.from, gap.to)).collect();
        assert_eq!((report.from, gaps), (at(0), vec![(at(40), Some(at(60)))]));
        let runs = second.clock_runs();
        assert_eq!(runs.time(runs.wall(at(10))), at(10), "times before it are times of day");
    }

    #[test]
    fn a_clock_that_was_set_back_counts_nothing_until_it_catches_up() {
        let first = run(at(0), QUEUES, Earlier::default());
        let second = run(at(20), QUEUES, left_by(&first, at(40)));
        assert_eq!([waited(&second, at(30)), waited(&second, at(50))], [40, 50]);
        let report = second.ledger().ledger().report(at(50), &Question::default());
        assert!(report.gaps[0].why.contains("set back"), "{:?}", report.gaps);
    }
}
