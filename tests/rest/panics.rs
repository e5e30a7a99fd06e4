//! A panic in a handler affects one answer.

use std::sync::Arc;
use std::sync::mpsc::Receiver;
use std::time::SystemTime;

use config::Settings;
use engine::{AuditLog, Counters, Engine, EventLog, Host, Published};
use forecast::whatif::{Fork, NoFork};
use ledger::Ledger;
use model::{Profile, Time};
use server::{Options, Server};
use view::act::{Actor, Answer, Order, Refusal};
use view::waiting::{ExplainAnswer, Question};

use super::stage::{Stage, ask};
use crate::common::TestDir;

struct Broken(Arc<Engine>);

impl Host for Broken {
    fn published(&self) -> &Published {
        self.0.published()
    }

    fn events(&self) -> &Arc<EventLog> {
        panic!("on purpose")
    }

    fn counters(&self) -> &Arc<Counters> {
        panic!("on purpose")
    }

    fn audit_log(&self) -> &Arc<AuditLog> {
        panic!("on purpose")
    }

    fn ledger(&self) -> Ledger {
        panic!("on purpose")
    }

    fn now(&self) -> Time {
        panic!("on purpose")
    }

    fn started_at(&self) -> SystemTime {
        self.0.clock().wall(Time::ZERO)
    }

    fn speed(&self) -> f64 {
        1.0
    }

    fn perform(&self, _: Actor, _: Order, _: Answer) {
        panic!("on purpose")
    }

    fn refuse(&self, _: Actor, _: Order, _: Refusal, _: Answer) {
        panic!("on purpose")
    }

    fn explain(&self, _: Question, _: ExplainAnswer) {
        panic!("on purpose")
    }

    fn fork(&self, _: Option<String>, _: usize) -> Receiver<Result<Fork, NoFork>> {
        panic!("on purpose")
    }
}

#[test]
fn a_handler_that_panics_is_one_answer_and_no_more() {
    let stage = Stage::recorded(Profile::Kornsole);
    let dir = TestDir::new();
    let token = format!("Bearer {}", dir.token("sue", "dev"));
    let events = Settings::default().config().event.clone();
    let mut options = Options::plain("127.0.0.1:0".parse().unwrap(), Profile::Kornsole, events);
    options.access.tokens = Some(dir.tokens());
    let server = Server::start(options, Arc::new(Broken(Arc::clone(&stage.engine)))).unwrap();
    // More often than the number of parallel requests, so no slot is lost.
    for _ in 0..10 {
        for (method, path) in [
            ("GET", "/ws/v1/metrics"),
            ("GET", "/ws/v1/events/batch"),
            ("GET", "/ws/v1/events/stream"),
            ("GET", "/debug/fullstatedump"),
            ("GET", "/kornsole/v1/config/history"),
            ("POST", "/kornsole/v1/partition/default/application/etl-1/kill"),
        ] {
            let answer = ask(server.address(), method, path, &[("Authorization", &token)], b"");
            assert_eq!((answer.status, &answer.json()["status_code"]), (500, &500.into()), "{path}: {}", answer.text());
            assert!(!answer.text().contains("on purpose"), "what went wrong is for the log: {}", answer.text());
        }
        for path in ["/ws/v1/partition/default/queues", "/kornsole/v1/whoami", "/readyz"] {
            assert_eq!(ask(server.address(), "GET", path, &[], b"").status, 200, "{path}");
        }
    }
}
