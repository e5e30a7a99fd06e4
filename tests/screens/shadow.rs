use std::sync::Arc;
use std::time::Duration;

use console::{Driver, Options};
use engine::Setup;
use kornsole::cli::demo;
use model::{Identity, Profile, Time};
use source::{Source as _, Stepped};
use view::shadowed::{ShadowDifference, ShadowRates, ShadowSheet, ShadowSpan};

use crate::common::{about, shows};

fn rates(decisions: u64, agreement: f64) -> ShadowRates {
    ShadowRates {
        decisions,
        unsettled: 2,
        agreement: Some(agreement),
        legality: Some(0.99),
        missed: 1,
        preemptions: (3, 1),
    }
}

fn on_shadow(width: u16, height: u16) -> Driver {
    let core = demo::core(42, &Setup::of(Profile::default())).unwrap();
    let source = Stepped::new(core, about("demo, seed 42"), Identity::parse("you").unwrap());
    source.advance(Duration::from_secs(60));
    let view = source.view();
    let app = view.partitions[0].apps.iter().flatten().find(|app| !app.asks.is_empty()).unwrap();
    let ask = app.asks.iter().next().unwrap().1.id.clone();
    let one = |number: u64, verdict: &str, cause: &str| {
        Arc::new(ShadowDifference {
            number,
            at: Time::ZERO + Duration::from_secs(10 * number),
            verdict: verdict.to_owned(),
            queue: app.queue.clone(),
            app: app.id.clone(),
            ask: ask.clone(),
            pod: format!("batch/load-{number}"),
            node: Some("node-2".into()),
            local: Some((app.id.clone(), ask.clone(), "node-1".into())),
            rule: if verdict == "illegal" { "queue-maximum".to_owned() } else { String::new() },
            cause: cause.to_owned(),
        })
    };
    let span = |minutes: u64, agreement: f64| ShadowSpan {
        from: Time::ZERO + Duration::from_secs(60 * minutes),
        rates: rates(20, agreement),
    };
    let sheet = ShadowSheet {
        since: Time::ZERO,
        total: rates(412, 0.9975),
        queues: vec![(app.queue.clone(), rates(40, 0.95))],
        spans: vec![span(0, 1.0), span(10, 0.5), span(20, 0.99)],
        differences: vec![
            one(1, "node", "node-1 has a better score: it has more of what is left"),
            one(2, "illegal", "it would wait for cpu in root.tenants: 1 missing"),
        ],
    };
    let mut driver = Driver::new(Arc::new(source.with_shadow(sheet)) as Arc<_>, Options::default(), width, height);
    driver.refresh();
    driver
}

#[test]
fn rates_and_differences_are_on_the_page_and_enter_opens_the_application() {
    let mut driver = on_shadow(160, 40);
    driver.keys(":shadow<ret>").unwrap();
    driver.refresh();
    for text in [
        "agreement 99.75 % of 410",
        "legality 99.00 %",
        "missed 1",
        "same victims 3 of 4",
        "batch/load-2",
        "it would wait for cpu",
    ] {
        shows(&driver, text);
    }
    insta::assert_snapshot!("shadow", driver.screen_text());
    driver.keys("/better<ret>").unwrap();
    assert!(driver.find_row("batch/load-2").is_none(), "{}", driver.screen_text());
    driver.keys("<esc>W").unwrap();
    shows(&driver, "agreement 95.00 %");
    driver.keys("<esc>").unwrap();
    driver.keys("<ret>").unwrap();
    shows(&driver, "REQUEST");
}

#[test]
fn a_narrow_screen_has_the_verdict_and_the_cause() {
    let mut driver = on_shadow(80, 24);
    driver.keys(":shadow<ret>").unwrap();
    driver.refresh();
    for text in ["VERDICT", "illegal", "CAUSE", "it would wait"] {
        shows(&driver, text);
    }
}

#[test]
fn a_source_without_a_shadow_reports_it() {
    let (mut driver, _) = crate::space::on_demo(120, 30, 10);
    driver.keys(":shadow<ret>").unwrap();
    driver.refresh();
    shows(&driver, "does not shadow a scheduler");
}
