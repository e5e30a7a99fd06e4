//! An ingress with a base path, proxies, a different clock, a slow connection, and an unavailable server.

use std::collections::BTreeMap;
use std::process::Output;
use std::time::Duration;

use client::Target;
use source::remote::RemoteOptions;
use source::{Focus, FocusKind, Link, Remote, Source};

use crate::common::kornsole_command;
use crate::remote::observer::{Observer, text};
use crate::remote::serve::{Mischief, Server, Set};
use crate::remote::sets;

fn below(prefix: &str, set: Set) -> Set {
    set.into_iter().map(|((method, path), answer)| ((method, format!("{prefix}{path}")), answer)).collect()
}

#[test]
fn with_a_base_path_the_screens_are_the_same() {
    let plain = Server::start(sets::of("1.8.0"));
    let wanted = Observer::at(&plain.url()).all();
    let ingress = Server::start(below("/tools/yunikorn", sets::of("1.8.0")));
    let observer = Observer::at(&format!("{}/tools/yunikorn/", ingress.url()));
    assert_eq!(observer.all(), wanted);
    let arrived = ingress.arrived();
    assert!(arrived.iter().all(|arrived| arrived.line.contains(" /tools/yunikorn/")), "{:?}", arrived.first());
}

fn kornsole(arguments: &[&str], environment: &[(&str, &str)]) -> Output {
    kornsole_command(arguments).envs(environment.iter().copied()).output().unwrap()
}

#[test]
fn proxies_are_read_from_the_environment() {
    let proxy = Server::start(below("http://yk.invalid:9080", sets::of("1.8.0")));
    let through = [("http_proxy", proxy.url()), ("https_proxy", proxy.url())];
    let through: Vec<(&str, &str)> = through.iter().map(|(name, url)| (*name, url.as_str())).collect();
    let output = kornsole(&["nodes", "--server", "http://yk.invalid:9080"], &through);
    let message = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success() && message.contains("node-c"),
        "{message}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(proxy.arrived().iter().all(|arrived| arrived.line.contains(" http://yk.invalid:9080/")));

    // A proxy forwards encrypted data and sees only the destination.
    let token = ("KORNSOLE_TOKEN", "secret-4");
    let output = kornsole(&["whoami", "--server", "https://yk.invalid"], &[&through[..], &[token]].concat());
    assert_eq!(output.status.code(), Some(3), "this proxy connects to nobody");
    let last = proxy.arrived().pop().unwrap();
    assert!(last.line.starts_with("CONNECT yk.invalid:443"), "{}", last.line);
    assert!(!format!("{:?}", last.headers).contains("secret-4"), "{:?}", last.headers);

    // No proxy for this machine or for hosts in the list of exceptions.
    let here = Server::start(sets::of("1.8.0"));
    let before = proxy.arrived().len();
    let output = kornsole(&["nodes", "--server", &here.url()], &through);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let except = [&through[..], &[("no_proxy", "yk.invalid")]].concat();
    assert_eq!(kornsole(&["nodes", "--server", "http://yk.invalid:9080"], &except).status.code(), Some(3));
    assert_eq!(proxy.arrived().len(), before);
}

#[test]
fn another_clock_is_recognized_by_its_answers() {
    for (date, year) in [("Sun, 06 Nov 2095 08:49:37 GMT", 2095), ("Tue, 06 Nov 2001 08:49:37 GMT", 2001)] {
        let mut set = sets::of("1.8.0");
        set.values_mut().for_each(|answer| answer.headers.push(("Date".to_owned(), date.to_owned())));
        let server = Server::start(set);
        let observer = Observer::at(&server.url());
        observer.wait("the time of the cluster", |view, link| {
            let shown = 1970 + view.at.as_millis() / 1000 / 31_556_952;
            (link.is_live() && shown == year).then_some(())
        });
    }
}

#[test]
fn a_slow_line_is_no_fault() {
    let server = Server::start(sets::of("1.8.0"));
    let wanted = Observer::at(&server.url()).all();
    server.mischief(Mischief::Trickle);
    let observer = Observer::patient(&Target::new(&server.url()).unwrap(), RemoteOptions::default());
    assert_eq!(observer.all(), wanted);
}

#[test]
fn a_remote_that_is_unreachable_for_an_hour_reconnects() {
    let server = Server::start(sets::of("1.8.0"));
    let target = Target::new(&server.url()).unwrap();
    let remote = Remote::stepped(&target, RemoteOptions::default(), Duration::from_secs(1_790_000_000)).unwrap();
    remote.set_focus(&Focus { partition: "default".into(), kind: FocusKind::Apps(None) });
    for _ in 0..20 {
        remote.pass(Duration::from_secs(2));
    }
    assert!(remote.link().is_live(), "{:?}", remote.link());
    let before = text(&remote.view());
    assert!(before.contains("app etl-1") && before.contains("node node-c"), "{before}");
    let away = server.stop();
    let mut pauses = BTreeMap::new();
    for second in 0..3600 {
        remote.pass(Duration::from_secs(1));
        if let Link::Stale { retry_in: Some(pause), .. } = remote.link() {
            pauses.insert(second, pause);
        }
    }
    let Link::Stale { age, cause, .. } = remote.link() else { panic!("{:?}", remote.link()) };
    assert!(age >= Duration::from_secs(3590) && cause.contains("refuses the connection"), "{age:?} {cause}");
    assert!(pauses.values().all(|pause| *pause <= Duration::from_secs(30)), "it is tried at least twice a minute");
    assert!(pauses.values().any(|pause| *pause >= Duration::from_secs(15)), "and not much oftener in the end");
    assert_eq!(text(&remote.view()), before, "the last data stays");
    let _server = Server::again(away, sets::of("1.8.0"));
    for _ in 0..20 {
        remote.pass(Duration::from_secs(2));
    }
    assert!(remote.link().is_live(), "{:?}", remote.link());
    assert_eq!(text(&remote.view()), before);
}
