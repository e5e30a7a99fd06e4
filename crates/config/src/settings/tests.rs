use proptest::prelude::*;

use super::*;
use crate::Source;

fn read(text: &str) -> (Settings, Vec<Fault>) {
    let mut settings = Settings::default();
    let mut faults = settings.read(Path::new("/etc/kornsole/scheduler.yaml"), text.as_bytes());
    faults.extend(settings.check());
    (settings, faults)
}

#[test]
fn the_defaults_are_the_cores() {
    let config = Settings::default().config().clone();
    assert_eq!(config.cleaner_interval, Duration::from_secs(10));
    assert_eq!(config.drain.stuck_after, Duration::from_secs(3600));
    assert_eq!(config.allocations_per_cycle, 1);
    assert_eq!((config.preemption_interval, config.preemption_min_load), (Duration::from_secs(15), 0));
    assert_eq!((config.event.ring_buffer_capacity, config.event.request_capacity), (100_000, 1000));
    assert_eq!(config.policy_group, "queues");
    assert!(config.drain.command.is_empty() && config.scheduler_acl.is_empty_list());
}

#[test]
fn a_file_is_taken_over_key_by_key() {
    let (settings, faults) = read(
        "bind.host: scheduler.example\nbind.port: 0\ntls.certificate: tls/cert.pem\ntls.key: /run/key.pem\n\
         scheduler.acl: sue,bob ops\nqueues.file: queues.yaml\ncleaner.interval: 1m30s\nevent.trackingEnabled: false\n\
         drain.stuckAfter: 0\ndrain.command: [/usr/bin/tell, --to, the admins]\ndrain.webhook: http://[::1]:8080/x?y=1\n\
         drain.retries: 0\npreemption.minLoad: 80\nstate.folder:\n",
    );
    assert!(faults.is_empty(), "{faults:?}");
    let config = settings.config();
    assert_eq!((config.bind_host.as_str(), config.bind_port), ("scheduler.example", 0));
    assert_eq!(config.tls_certificate.as_deref(), Some(Path::new("/etc/kornsole/tls/cert.pem")));
    assert_eq!(config.tls_key.as_deref(), Some(Path::new("/run/key.pem")));
    assert_eq!(config.queues_file.as_deref(), Some(Path::new("/etc/kornsole/queues.yaml")));
    assert_eq!(config.scheduler_acl.to_string(), "sue,bob ops");
    assert_eq!(config.cleaner_interval, Duration::from_secs(90));
    assert!(!config.event.tracking_enabled && config.drain.stuck_after.is_zero() && config.state_dir.is_none());
    assert_eq!(config.drain.command, ["/usr/bin/tell", "--to", "the admins"]);
    assert_eq!(config.drain.webhook.as_deref(), Some("http://[::1]:8080/x?y=1"));
    assert_eq!((config.drain.retries, config.preemption_min_load), (0, 80));
}

#[test]
fn every_fault_is_reported_at_its_place() {
    let text = "bind.port: 70000\nbnd.host: here\ncleaner.interval: soon\ntls.key: key.pem\nscheduler.acl: a b c\n\
                drain.webhook: ftp://hooks.example/x\nevent.maxStreams: {a: 1}\nqueues.policyGroup: [a]\n\
                drain.command: [[x]]\npreemption.minLoad: 101\nevent.trackingEnabled: yes\nbind.host: a\nbind.host: b\n";
    let (settings, faults) = read(text);
    let source = Source::new("scheduler.yaml", text);
    insta::assert_snapshot!(source.render_all(&faults));
    assert_eq!(settings.config().bind_port, 9080, "an invalid value changes nothing");
}

#[test]
fn what_is_no_map_is_a_fault_and_nothing_at_all_is_none() {
    assert!(read("").1.is_empty());
    assert!(read("# nothing\n").1.is_empty());
    for text in ["- a", "text", "\u{0}", "a: [", "\t- x"] {
        assert!(!read(text).1.is_empty(), "{text:?}");
    }
}

#[test]
fn flags_have_precedence_over_the_file_and_the_output_shows_it() {
    let (mut settings, faults) = read("bind.port: 9443\ncleaner.interval: 5s\nqueues.policyGroup: batch\n");
    assert!(faults.is_empty());
    settings.set("cleaner.interval", "2s", "--set cleaner.interval=2s").unwrap();
    settings.set("queues.file", "my queues.yaml", "--config").unwrap();
    assert_eq!(settings.config().cleaner_interval, Duration::from_secs(2));
    insta::assert_snapshot!(settings.print());
    let unknown = settings.set("cleaner.intervall", "2s", "--set").unwrap_err();
    assert!(unknown.contains("did you mean `cleaner.interval`?"), "{unknown}");
    let bad = settings.set("cleaner.interval", "2", "--set cleaner.interval=2").unwrap_err();
    assert!(bad.contains("duration"), "{bad}");
    assert_eq!(settings.config().cleaner_interval, Duration::from_secs(2));
}

#[test]
fn the_documentation_is_a_file_of_the_defaults() {
    let text = template();
    insta::assert_snapshot!(text);
    let (settings, faults) = read(&text);
    assert!(faults.is_empty(), "{faults:?}");
    assert_eq!(settings.config(), Settings::default().config());
}

#[test]
fn every_key_has_a_name_of_its_own_and_a_sentence() {
    for (at, key) in KEYS.iter().enumerate() {
        assert!(KEYS[..at].iter().all(|other| other.name != key.name), "{}", key.name);
        assert!(key.doc.ends_with('.') && !key.kind.is_empty(), "{}", key.name);
    }
}

proptest! {
    #[test]
    fn what_is_printed_reads_back_as_it_is(words in prop::collection::vec("\\PC{0,8}|[\"\\\\:#\n\t]{1,4}|null|~", 1..4)) {
        let mut settings = Settings::default();
        let at = KEYS.iter().position(|key| key.name == "drain.command").unwrap();
        prop_assume!(settings.take(at, SettingText::Many(words.clone()), Origin::Default).is_ok());
        let (again, faults) = read(&settings.print());
        prop_assert!(faults.is_empty(), "{faults:?}");
        prop_assert_eq!(&again.config().drain.command, &words);
    }

    #[test]
    fn any_text_gives_faults_and_no_panic(text in "[a-z.: \n\"\\[\\]{}0-9-]{0,60}") {
        let _read = read(&text);
    }
}
