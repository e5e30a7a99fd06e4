//! A scheduler that is written down and made anew decides as the one that was not, command by command.

use kornsole::model::Profile;
use kornsole::scheduler::{Scheduler, check, saved};
use proptest::prelude::*;

use super::commands::{gang_step, run, step};

fn bytes(scheduler: &Scheduler) -> Vec<u8> {
    rmp_serde::to_vec(&scheduler.saving()).unwrap()
}

fn again(profile: Profile, scheduler: &Scheduler) -> Scheduler {
    let bytes = bytes(scheduler);
    let saved: saved::Saved = rmp_serde::from_slice(&bytes).unwrap();
    Scheduler::restored(profile, saved).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn what_is_made_anew_goes_on_as_before(
        profile in prop::sample::select(&Profile::ALL),
        steps in prop::collection::vec(prop_oneof![step(), gang_step()], 1..100),
        every in 1..9usize,
    ) {
        let plain = run(profile, &steps, |_, _, _| {});
        let mut count = 0;
        let anew = run(profile, &steps, |scheduler, _, _| {
            count += 1;
            if count % every == 0 {
                let made = again(profile, scheduler);
                assert_eq!(bytes(scheduler), bytes(&made), "what is written down again is the same");
                let wrong = check::violations(&made);
                assert!(wrong.is_empty(), "{}", wrong.join("\n"));
                *scheduler = made;
            }
        });
        prop_assert_eq!(plain, anew);
    }
}
