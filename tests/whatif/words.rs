//! Explanations: every sentence has a place, a resource, and values.

use std::collections::BTreeMap;
use std::path::Path;

use ::scenario::{self, RunOutcome, Runner, Silent};
use model::Profile;
use scheduler::Partition;
use view::units::show_amount;
use view::waiting::{BlockLevel, Blocker, Place, Resolution, WaitingGroup};

use crate::common::share;
use view::waiting::RemedyWords;
use view::waiting::Sentence;
use view::waiting::Sentences;

/// Words with a different glossary term, and wire names.
const NOT_OWN: [&str; 11] =
    ["vcore", "quota", "sleep", "pod", "starv", "lineage", "told", "tell", "whoever", "anew", "hand"];

fn check_parts(sentence: &str, parts: &[String]) {
    for part in parts {
        assert!(sentence.contains(part.as_str()), "{part:?} is not in: {sentence}");
    }
}

/// IDs, which have a dot or a dash, are not checked.
fn in_our_words(sentence: &str) {
    let own = sentence.split_whitespace().filter(|word| !word.contains('.') && !word.contains('-'));
    for word in own {
        let lower = word.to_lowercase();
        assert!(!NOT_OWN.iter().any(|not| lower.starts_with(not)), "{word:?} is no word of the glossary: {sentence}");
    }
}

fn place(blocker: &Blocker) -> Vec<String> {
    match &blocker.place {
        Place::Queue(queue) => vec![queue.to_string()],
        Place::User(user, queue) => vec![user.to_string(), queue.to_string()],
        Place::Group(group, queue) => vec![group.to_string(), queue.to_string()],
        Place::Node(node) => vec![node.to_string()],
        Place::App(app, _) => vec![app.to_string()],
        Place::TaskGroup(group) => vec![group.to_string()],
        Place::Partition => Vec::new(),
    }
}

fn name(resource: &str) -> String {
    if resource == "vcore" { "cpu".to_owned() } else { resource.to_owned() }
}

fn blocker(one: &Blocker) {
    let sentence = one.sentence();
    assert!(!sentence.is_empty(), "{one:?}");
    if !matches!(one.level, BlockLevel::Node | BlockLevel::Submission | BlockLevel::Ended | BlockLevel::Backoff) {
        check_parts(&sentence, &place(one));
    }
    if let Some(resource) = &one.resource {
        // Usage does not matter if a request can never fit.
        let amounts = match one.resolution() {
            Resolution::Never => vec![one.wanted, one.limit],
            _ => vec![one.missing, one.used, one.limit],
        };
        check_parts(&sentence, &amounts.into_iter().map(|amount| show_amount(resource, amount)).collect::<Vec<_>>());
        check_parts(&sentence, &[name(resource)]);
    } else if matches!(one.level, BlockLevel::QueueApps | BlockLevel::UserApps | BlockLevel::GroupApps) {
        check_parts(&sentence, &[one.used.to_string(), one.limit.to_string(), "applications".to_owned()]);
    }
    in_our_words(&sentence);
}

fn group(one: &WaitingGroup) {
    let sentence = one.sentence();
    check_parts(&sentence, &[one.apps.to_string(), one.asks.to_string()]);
    let Some(first) = &one.blocker else { return in_our_words(&sentence) };
    if let Some(resource) = &first.resource {
        check_parts(&sentence, &[name(resource), show_amount(resource, one.wanted.amount(resource))]);
        if first.level != BlockLevel::Node {
            check_parts(&sentence, &[first.used, first.limit].map(|amount| show_amount(resource, amount)));
            check_parts(&sentence, &place(first));
        }
    }
    in_our_words(&sentence);
}

fn look(part: &Partition, runner: &Runner, seen: &mut BTreeMap<BlockLevel, u64>) {
    for (_, app) in part.apps.iter().filter(|(_, app)| !app.pending_order.is_empty()).take(200) {
        let found = part.explain(runner.now(), &app.id, None).unwrap();
        let sentence = found.sentence();
        check_parts(&sentence, &[app.id.to_string(), app.queue_path.to_string()]);
        assert!(sentence.contains(" waits for ") || sentence.contains(" is next: "), "{sentence}");
        in_our_words(&sentence);
        for ask in &found.asks {
            check_parts(&ask.sentence(), &[ask.id.to_string()]);
            for one in &ask.blockers {
                *seen.entry(one.level).or_default() += 1;
                blocker(one);
            }
            for remedy in &ask.remedies {
                in_our_words(&remedy.sentence(found.at));
            }
            in_our_words(&ask.preemption.sentence());
            ask.preemption.retained.sentences().iter().for_each(|one| in_our_words(one));
        }
    }
    let overview = part.explain_all(runner.now(), None).unwrap();
    in_our_words(&overview.sentence());
    overview.groups.iter().for_each(group);
}

#[test]
fn every_sentence_of_the_recorded_scenarios_has_a_place_a_resource_and_numbers() {
    let mut files = share::part_of(share::recorded_scenarios(), 4);
    files.push(Path::new(env!("CARGO_MANIFEST_DIR")).join("recordings/waiting.yaml"));
    let mut seen = BTreeMap::new();
    for file in files {
        let scenario = scenario::read(&std::fs::read_to_string(&file).unwrap()).scenario.unwrap();
        for profile in Profile::ALL {
            let mut runner = Runner::new(profile);
            let done = runner.run(&scenario, scenario.embedded_config(profile).unwrap(), &mut Silent);
            if matches!(done, Ok(RunOutcome::Done))
                && let Some(part) = runner.scheduler().partitions().first()
            {
                println!("{} under {profile}", file.display());
                look(part, &runner, &mut seen);
            }
        }
    }
    for level in [BlockLevel::Queue, BlockLevel::User, BlockLevel::Group, BlockLevel::Node, BlockLevel::QueueApps] {
        assert!(seen.get(&level).is_some_and(|count| *count > 3), "{level:?} was seldom said: {seen:?}");
    }
}
