use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ::source::Source;
use console::present::export;
use console::shell::settings::RemoteContext;
use console::{Driver, Opener, Options, Personal};

use super::situations::{NODES, pass, source};

fn text(driver: &Driver) -> String {
    driver.screen_text()
}

#[test]
fn an_alert_is_on_every_page_and_can_be_silenced() {
    let (source, board) = source("", &(NODES.to_owned() + &pass(1) + "- removeNode: n2\n"));
    let source = Arc::new(source);
    let mut driver = Driver::new(Arc::clone(&source) as Arc<dyn Source>, Options::default(), 100, 24);
    let pass = |driver: &mut Driver, seconds: u64| {
        source.advance(Duration::from_secs(seconds));
        driver.advance(Duration::from_secs(seconds));
    };
    pass(&mut driver, 5);
    assert!(!text(&driver).contains("! alerts"), "{}", text(&driver));
    (0..20).for_each(|_| pass(&mut driver, 5));
    for keys in ["1", "3", "o"] {
        driver.keys(keys).unwrap();
        let shown = text(&driver);
        assert!(shown.contains(" 1 alert: node-lost: node n2 missing for"), "{keys}: {shown}");
    }
    assert!(text(&driver).contains("1 thing needs attention"), "{}", text(&driver));
    driver.keys("!").unwrap();
    let shown = text(&driver);
    assert!(shown.contains("firing") && shown.contains("critical") && shown.contains("node n2"), "{shown}");
    driver.keys("s").unwrap();
    driver.type_text("it is being replaced");
    driver.keys("<ret>").unwrap();
    let shown = text(&driver);
    assert!(shown.contains("silence 1 is active for 2h"), "{shown}");
    assert!(shown.contains("silenced") && shown.contains("2h left: it is being replaced"), "{shown}");
    assert!(!shown.contains("! alerts"), "{shown}");
    assert_eq!(board.snapshot().silences[0].by, "ann");
    driver.keys("D").unwrap();
    pass(&mut driver, 10);
    assert!(text(&driver).contains(" 1 alert: node-lost"), "{}", text(&driver));
    let endings: Vec<bool> = board.snapshot().silences.iter().map(|one| one.ended.is_some()).collect();
    assert_eq!(endings, [true]);
}

#[test]
fn what_is_no_silence_is_refused_with_what_would_be_right() {
    let (source, board) = source("", &(NODES.to_owned() + &pass(1) + "- removeNode: n2\n"));
    let source = Arc::new(source);
    let mut driver = Driver::new(Arc::clone(&source) as Arc<dyn Source>, Options::default(), 120, 24);
    driver.keys(":silence 2h x<ret>").unwrap();
    assert!(text(&driver).contains("only on the alerts page"), "{}", text(&driver));
    driver.keys("!:silence 2h x<ret>").unwrap();
    assert!(text(&driver).contains("the rules have not been evaluated yet"), "{}", text(&driver));
    (0..20).for_each(|_| _ = source.advance(Duration::from_secs(5)));
    driver.refresh();
    driver.keys("!").unwrap();
    for (line, why) in [
        (":silence 2h<ret>", "write :silence 2h REASON"),
        (":silence tomorrow x<ret>", "write :silence 2h REASON"),
        (":silence 9000h x<ret>", "a silence lasts from 1s to 30d"),
    ] {
        driver.keys(line).unwrap();
        assert!(text(&driver).contains(why), "{line}: {}", text(&driver));
    }
    assert!(board.snapshot().silences.is_empty());
}

#[test]
fn the_page_of_all_clusters_counts_the_alerts_of_each() {
    let (here, _) = source("", &(NODES.to_owned() + &pass(1)));
    let (lost, _) = source("", &(NODES.to_owned() + &pass(1) + "- removeNode: n2\n"));
    let (here, lost) = (Arc::new(here), Arc::new(lost));
    let other = Arc::clone(&lost);
    let opener = Opener::new(move |name| match name {
        "lost" => Ok(Arc::clone(&other) as Arc<dyn Source>),
        name => Err(format!("there is no {name}")),
    });
    let contexts = BTreeMap::from([("lost".to_owned(), RemoteContext::default())]);
    let mut driver = Driver::new(Arc::clone(&here) as Arc<dyn Source>, Options::default(), 120, 24);
    driver.personalize(Personal { contexts, opener: Some(opener), ..Personal::default() });
    driver.keys(":clusters<ret>").unwrap();
    let alerts = |driver: &Driver, name: &str| {
        let table = export::table(driver.state());
        let column = table.titles.iter().position(|title| title == "alerts").unwrap();
        let row = table.rows.iter().find(|row| row[0] == name).unwrap_or_else(|| panic!("{table:?}"));
        row[column].clone()
    };
    let pass = |driver: &mut Driver, seconds: u64| {
        for source in [&here, &lost] {
            source.advance(Duration::from_secs(seconds));
        }
        driver.advance(Duration::from_secs(seconds));
    };
    pass(&mut driver, 5);
    assert_eq!(alerts(&driver, "lost"), "·", "{}", text(&driver));
    (0..20).for_each(|_| pass(&mut driver, 5));
    assert_eq!(alerts(&driver, "lost"), "1", "{}", text(&driver));
    assert_eq!(alerts(&driver, "test"), "·", "{}", text(&driver));
}
