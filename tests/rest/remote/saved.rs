use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Arc;

use console::shell::personal::Personal;
use console::shell::settings::RemoteContext;
use console::state::contexts::{ContextEntry, ContextOrigin};
use console::{Driver, Opener, Options};
use model::Identity;
use scheduler::{AskSpec, Submission};
use source::{Saved, Source};
use view::act::PartitionAct;
use view::{AskState, View};

use crate::common::millicores;
use crate::remote::observer::{Observer, text};
use crate::remote::own::{Own, act};
use crate::remote::serve::Server;
use crate::remote::sets;

fn dump(release: &str) -> Vec<u8> {
    std::fs::read(format!("tests/conformance/rest/{release}/41.json")).unwrap()
}

fn saved(release: &str) -> Saved {
    Saved::read("state.json", &dump(release), Identity::new("sue", ["dev"])).unwrap()
}

/// A dump shows the same as its scheduler, except usage levels without usage.
#[test]
fn a_dump_gives_the_same_screens() {
    for release in ["1.8.0", "1.5.1"] {
        let server = Server::start(sets::of(release));
        let observer = Observer::at(&server.url());
        observer.all();
        let live =
            observer.wait("ended applications", |view, _| (view.partitions[0].ended.len() == 2).then(|| text(view)));
        let of_dump = text(&saved(release).view());
        let differing: Vec<String> = similar::TextDiff::from_lines(&live, &of_dump)
            .iter_all_changes()
            .filter(|change| change.tag() != similar::ChangeTag::Equal)
            .map(|change| format!("{}{}", change.tag(), change.value()))
            .collect();
        assert!(differing.is_empty(), "{release}\n{}", differing.concat());
    }
}

#[test]
fn a_dump_of_kornsole_gives_the_same_screens() {
    let own = Own::new();
    let sue = own.console("sue");
    let submission = Submission { app: "one".into(), queue: "root.a.x".into(), ..Submission::default() };
    act(&sue, PartitionAct::Submit(submission)).unwrap();
    sue.wait("the application", |view, _| view.partitions[0].app_by_id(&"one".into()).map(|_| ()));
    let tags = BTreeMap::from([("pod".to_owned(), "one-t".to_owned())]).into();
    let ask = AskSpec { id: "t".into(), resource: millicores(500), tags, ..AskSpec::default() };
    act(&sue, PartitionAct::Ask { app: "one".into(), asks: vec![ask] }).unwrap();
    let runs = |view: &View| {
        let row = view.partitions[0].app_by_id(&"one".into())?;
        let message = row.asks.values().next().filter(|ask| matches!(ask.state, AskState::Allocated { .. }))?;
        Some((row.who.clone(), row.state, row.queue.clone(), message.tags.clone(), message.resource.clone()))
    };
    let live = sue.wait("running jobs", |view, _| runs(view));
    let mut stream = TcpStream::connect(own.server.address()).unwrap();
    stream.write_all(b"GET /debug/fullstatedump HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (_, dump) = answer.split_once("\r\n\r\n").unwrap();
    let saved = Saved::read("state.json", dump.as_bytes(), Identity::new("sue", ["dev"])).unwrap();
    let view = saved.view();
    assert_eq!(runs(&view), Some(live));
    assert_eq!(view.partitions[0].nodes.len(), 1);
    assert!(view.partitions[0].queue_at(&"root.b.z".into()).is_some());
}

#[test]
fn what_is_no_dump_is_reported_with_its_place() {
    let read = |text: &str| Saved::read("x.json", text.as_bytes(), Identity::default()).err().unwrap();
    assert!(read("{\"timestamp\": \n nonsense}").starts_with("x.json:2:"), "{}", read("{\"timestamp\": \n nonsense}"));
    assert!(read("{}").contains("not a state dump"));
}

#[test]
fn a_context_is_opened_from_inside() {
    let contexts: BTreeMap<String, RemoteContext> =
        ["old", "new", "lost"].map(|name| (name.to_owned(), RemoteContext::default())).into();
    let opener = Opener::new(|name| match name {
        "old" => Ok(Arc::new(saved("1.5.1")) as Arc<dyn Source>),
        "new" => Ok(Arc::new(saved("1.8.0")) as Arc<dyn Source>),
        _ => Err("no such file".to_owned()),
    });
    let mut driver = Driver::new(Arc::new(saved("1.8.0")), Options::default(), 120, 40);
    driver.personalize(Personal { contexts, opener: Some(opener), ..Personal::default() });
    assert!(driver.lines()[0].contains("SAVED"), "{}", driver.lines()[0]);
    driver.keys(":app gang-1<ret>").unwrap();
    assert!(driver.find_row("Running").is_some(), "{}", driver.lines().join("\n"));
    driver.keys(":context old<ret>").unwrap();
    driver.keys(":app gang-1<ret>").unwrap();
    assert!(driver.find_row("Starting").is_some(), "1.5.1 has that state\n{}", driver.lines().join("\n"));
    driver.keys(":context lost<ret>").unwrap();
    assert!(driver.find_row("cannot open lost: no such file").is_some(), "{}", driver.lines().join("\n"));
    driver.keys(":context nowhere<ret>").unwrap();
    assert!(
        driver.find_row("no context nowhere; available: lost, new, old").is_some(),
        "{}",
        driver.lines().join("\n")
    );
}

#[test]
fn missing_data_of_a_saved_state_is_reported_as_unknown() {
    let mut driver = Driver::new(Arc::new(saved("1.8.0")), Options::default(), 120, 40);
    for keys in ["L", "H"] {
        driver.keys(keys).unwrap().refresh();
        let screen = driver.screen_text();
        assert!(screen.contains("a saved state has no audit and no configuration history"), "{screen}");
    }
    driver.keys("9").unwrap().refresh();
    let screen = driver.screen_text();
    assert!(screen.contains("unknown: not available in a saved state"), "{screen}");
    assert!(!screen.contains("0 scheduling errors"), "{screen}");
}

#[test]
fn all_clusters_are_on_one_page() {
    let contexts: BTreeMap<String, RemoteContext> =
        ["old", "new", "lost"].map(|name| (name.to_owned(), RemoteContext::default())).into();
    let (name, origin) = ("k8s://prod".to_owned(), ContextOrigin::Kubeconfig);
    let kubeconfig = Ok(vec![ContextEntry { name, origin, ..ContextEntry::default() }]);
    let opener = Opener::new(|name| match name {
        "old" => Ok(Arc::new(saved("1.5.1")) as Arc<dyn Source>),
        "new" => Ok(Arc::new(saved("1.8.0")) as Arc<dyn Source>),
        "lost" => Err("no such file".to_owned()),
        // A context of the kubeconfig is not opened before the user selects it.
        name => panic!("{name} was opened"),
    });
    let here = Some("new".to_owned());
    let mut driver = Driver::new(Arc::new(saved("1.8.0")), Options::default(), 120, 40);
    driver.personalize(Personal { contexts, opener: Some(opener), kubeconfig, here, ..Personal::default() });
    driver.keys(":clusters<ret>").unwrap();
    let row = |driver: &Driver, name: &str| {
        let lines = driver.lines();
        lines.iter().find(|line| line.contains(&format!(" {name} "))).cloned().unwrap_or_else(|| panic!("{lines:#?}"))
    };
    assert!(row(&driver, "k8s://prod").contains("not connected yet"));
    assert!(row(&driver, "lost").contains("not reached: no such file"));
    assert!(row(&driver, "new").contains("* new") && row(&driver, "new").contains("live"), "{}", row(&driver, "new"));
    let old = row(&driver, "old");
    let metrics: Vec<&str> = old.split_whitespace().collect();
    assert!(metrics.contains(&"live") && metrics.iter().any(|metric| metric.ends_with('%')), "{old}");
    driver.keys("/old<ret><ret>").unwrap();
    driver.keys(":clusters<ret>").unwrap();
    assert!(row(&driver, "old").contains("* old"), "{}", row(&driver, "old"));
}
