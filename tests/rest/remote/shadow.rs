use std::sync::Arc;
use std::sync::mpsc::channel;

use client::Target;
use config::Settings;
use model::{Profile, Time};
use server::{Options, Server};
use source::Source;
use source::remote::RemoteOptions;
use view::shadowed::{ShadowDifference, ShadowRates, ShadowSheet, ShadowSource};

use crate::remote::observer::{Observer, PATIENCE};
use crate::remote::own::Own;

fn sheet() -> ShadowSheet {
    let total = ShadowRates { decisions: 3, agreement: Some(1.0), ..ShadowRates::default() };
    let difference =
        ShadowDifference { number: 1, at: Time(5_000_000), pod: "batch/p".to_owned(), ..Default::default() };
    ShadowSheet { total, differences: vec![Arc::new(difference)], ..ShadowSheet::default() }
}

fn asked(server: &Server) -> Result<ShadowSheet, String> {
    let target = Target::new(&server.address().to_string()).unwrap();
    let observer = Observer::patient(&target, RemoteOptions::default());
    observer.wait("a live connection", |view, link| (link.is_live() && !view.partitions.is_empty()).then_some(()));
    let (sender, answer) = channel();
    observer.remote.shadow(Box::new(move |sheet| sender.send(sheet).unwrap()));
    answer.recv_timeout(PATIENCE).unwrap()
}

#[test]
fn a_console_shows_what_a_shadow_found_and_other_sources_have_none() {
    let own = Own::new();
    let events = Settings::default().config().event.clone();
    let mut options = Options::plain("127.0.0.1:0".parse().unwrap(), Profile::Kornsole, events);
    options.shadow = Some(ShadowSource(Arc::new(sheet)));
    let server = Server::start(options, Arc::clone(&own.engine)).unwrap();
    // Like the queues, it needs no token.
    assert_eq!(asked(&server), Ok(sheet()));
    let why = asked(&own.server).unwrap_err();
    assert!(why.starts_with("the server does not shadow a scheduler"), "{why}");
}
