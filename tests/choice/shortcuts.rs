//! A scheduler that remembers what failed, beside one that forgets it before every cycle: both tell the same.

use kornsole::model::Profile;
use kornsole::scenario::{Sink, Trace};
use kornsole::scheduler::{Command, Scheduler};
use proptest::prelude::*;

use super::stream::{self, Asks};

/// The state, as far as a trace shows it.
fn state(scheduler: &Scheduler) -> String {
    let mut trace = Trace::new(Vec::new());
    trace.snapshot(0, "end", scheduler).unwrap();
    String::from_utf8(trace.finish().unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn what_is_remembered_changes_nothing(
        profile in prop::sample::select(&Profile::ALL),
        policy in prop::sample::select(&["fair", "binpacking"]),
        setups in prop::collection::vec((0..6usize, 0..5usize, 0..3usize), 1..12),
        steps in stream::steps(Asks::Any, 150),
    ) {
        let config = stream::config(profile, policy, &setups);
        let (mut quick, mut forgetful) = (Scheduler::new(profile), Scheduler::new(profile));
        let told = stream::run(&mut quick, &config, &steps, |scheduler, now| scheduler.apply(now, &Command::Cycle));
        let anew = stream::run(&mut forgetful, &config, &steps, |scheduler, now| {
            scheduler.forget_shortcuts();
            scheduler.apply(now, &Command::Cycle)
        });
        for (at, (told, anew)) in told.iter().zip(&anew).enumerate() {
            prop_assert_eq!(told, anew, "event {}", at);
        }
        prop_assert_eq!(told.len(), anew.len());
        prop_assert_eq!(state(&quick), state(&forgetful));
    }
}
