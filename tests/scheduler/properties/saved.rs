//! A saved and restored scheduler decides like the original, command by command.

use model::{Profile, Time};
use proptest::prelude::*;
use scenario::StepKind;
use scheduler::inspect::invariants;
use scheduler::state::ask::Ask;
use scheduler::{Command, Scheduler, saved};

use super::commands::{gang_step, run, step};

fn bytes(scheduler: &Scheduler) -> Vec<u8> {
    rmp_serde::to_vec(&scheduler.saving()).unwrap()
}

pub fn again(profile: Profile, scheduler: &Scheduler) -> Scheduler {
    let bytes = bytes(scheduler);
    let saved: saved::Saved = rmp_serde::from_slice(&bytes).unwrap();
    Scheduler::restored(profile, saved).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_new_fork_continues_as_before(
        profile in prop::sample::select(&Profile::ALL),
        steps in prop::collection::vec(prop_oneof![step(), gang_step()], 1..100),
        every in 1..9usize,
    ) {
        let plain = run(profile, &steps, |_, _, _| {});
        let mut count = 0;
        let rebuilt = run(profile, &steps, |scheduler, _, _| {
            count += 1;
            if count % every == 0 {
                let made = again(profile, scheduler);
                assert_eq!(bytes(scheduler), bytes(&made), "what is written down again is the same");
                let wrong = invariants::violations(&made);
                assert!(wrong.is_empty(), "{}", wrong.join("\n"));
                *scheduler = made;
            }
        });
        prop_assert_eq!(plain, rebuilt);
    }
}

/// The field is the last one and optional.
#[test]
fn asks_without_tags_are_read_too() {
    let played = |text: &str| {
        let scenario = scenario::read(text).scenario.unwrap();
        let mut core = Scheduler::new(Profile::Kornsole);
        let config = config::read(config::DEFAULT_CONFIG, Profile::Kornsole).config.unwrap();
        core.apply(Time::ZERO, &Command::Configure(config.into()));
        for step in scenario.steps {
            let StepKind::Command(command) = step.kind else { panic!("only commands") };
            core.apply(Time::ZERO, &command.into());
        }
        core
    };
    let text = "version: 1
config: ''
steps:
- submit: {app: one, user: sue, queue: root.a, tags: {namespace: a}}
- ask: {app: one, id: t, resource: {vcore: 1}, tags: {pod: one-t}}
- ask: {app: one, id: u, resource: {vcore: 1}}
";
    let scheduler = played(text);
    let (_, app) = scheduler.partitions()[0].apps.iter().next().unwrap();
    let tags = |ask: &Ask| ask.rare.tags.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>();
    let mut seen = Vec::new();
    for (_, ask) in app.asks.iter() {
        let mut bytes = rmp_serde::to_vec(ask).unwrap();
        seen.push(tags(&rmp_serde::from_slice(&bytes).unwrap()));
        if ask.rare.tags.is_empty() {
            // A 16-bit array without its last seven elements: an empty map, two nulls, two false, and two nulls.
            let last: Vec<u8> = (0..7).filter_map(|_| bytes.pop()).collect();
            assert_eq!((bytes[0], last), (0xdc, vec![0xc0, 0xc0, 0xc2, 0xc2, 0xc0, 0xc0, 0x80]));
            bytes[2] -= 7;
            let old: Ask = rmp_serde::from_slice(&bytes).unwrap();
            assert_eq!((&old.id, tags(&old)), (&ask.id, Vec::new()));
        }
    }
    assert_eq!(seen, [vec!["pod=one-t".to_owned()], vec![]]);
}
