//! The followed ledger of 100,000 applications.

use std::sync::Arc;
use std::time::Duration;

use divan::Bencher;
use ledger::followed::{Change, Followed};
use model::{AppId, NodeId, Priority, Time};
use source::book::{Before, Dialect, Rows, look};
use view::{AskRow, AskState};

use super::{APPS, amount, large};

struct Ledger {
    followed: Followed,
    rows: Vec<Rows>,
    before: Before,
    number: u64,
    at: Time,
}

const DIALECT: Dialect = Dialect { numbers_allocations: false, counts_ended: true };

impl Ledger {
    fn new() -> Self {
        let mut part = large().partitions.remove(0);
        for row in part.apps.iter_mut().flatten() {
            let state = AskState::Allocated { node: NodeId::from("node-00001"), since: None, number: 0 };
            let ask = AskRow {
                id: format!("{}-1", row.id).as_str().into(),
                resource: amount(1, 2),
                priority: Priority(0),
                created: Time::ZERO,
                state,
                placeholder: false,
                task_group: None,
                required_node: None,
                tags: Default::default(),
                reported: None,
            };
            Arc::make_mut(row).asks.insert(1, Arc::new(ask));
        }
        let rows = Rows { name: "default".into(), apps: part.apps, queues: part.queues, ended: part.ended };
        let (rows, before) = (vec![rows], Before::new());
        let mut ledger = Self { followed: Followed::default(), rows, before, number: 0, at: Time(3_600_000_000) };
        let first = look(&ledger.rows, (0, ledger.at), &ledger.before, &ledger.followed, DIALECT);
        ledger.followed.start(&first, []);
        ledger.compare();
        ledger
    }

    fn compare(&mut self) {
        self.at = self.at + Duration::from_secs(2);
        let seen = look(&self.rows, (self.number, self.at), &self.before, &self.followed, DIALECT);
        self.followed.compare(&seen);
        self.before = self.rows.iter().map(|rows| (Arc::clone(&rows.name), rows.apps.clone())).collect();
    }

    /// Half of the events are new allocations, half are their releases.
    fn handle(&mut self, events: u64) {
        for _ in 0..events / 2 {
            let app: AppId = format!("app-{:06}", self.number * 7_919 % u64::from(APPS)).into();
            let changes =
                [Change::Allocated(app.clone(), "two".into(), amount(1, 2)), Change::Released(app, "two".into())];
            for change in changes {
                self.at = self.at + Duration::from_millis(1);
                self.followed.happened(self.number, self.at, change);
                self.number += 1;
            }
        }
    }
}

#[divan::bench(sample_count = 30, sample_size = 1)]
fn handle(bencher: Bencher<'_, '_>) {
    let mut ledger = Ledger::new();
    bencher.bench_local(|| ledger.handle(1_000));
}

/// 100 changed applications, after 1,000 events.
#[divan::bench(sample_count = 30, sample_size = 1)]
fn compare(bencher: Bencher<'_, '_>) {
    let mut ledger = Ledger::new();
    bencher.bench_local(|| {
        for row in ledger.rows[0].apps.iter_mut().flatten().take(100) {
            Arc::make_mut(row).max_allocated.add_assign(&amount(1, 1));
        }
        ledger.compare();
    });
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn moment(bencher: Bencher<'_, '_>) {
    let mut ledger = Ledger::new();
    let before = ledger.followed.moment();
    ledger.handle(1_000);
    bencher.bench_local(|| {
        ledger.followed.settle();
        ledger.followed.moment().changes(&before)
    });
}
