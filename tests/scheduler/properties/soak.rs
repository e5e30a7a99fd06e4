use model::Profile;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{RngAlgorithm, TestRng, TestRunner};
use scheduler::Tuning;
use scheduler::inspect::invariants;

use super::commands::reference::Model;
use super::commands::{self, gang_step, step};

fn soak(commands: u64) {
    for profile in Profile::ALL {
        let mut runner =
            TestRunner::new_with_rng(ProptestConfig::default(), TestRng::deterministic_rng(RngAlgorithm::ChaCha));
        let strategy = prop_oneof![4 => step(), 1 => gang_step()];
        let steps = std::iter::repeat_with(move || strategy.new_tree(&mut runner).unwrap().current());
        let (mut model, mut done, mut last) = (Model::default(), 0, 0);
        commands::run_on(0, profile, Tuning::default(), steps, |scheduler, _, _| {
            let wrong = invariants::violations(scheduler);
            assert!(wrong.is_empty(), "{profile}, command {done}: {}", wrong.join("\n"));
            // A release's cached values can be followed only without a gap.
            if profile != Profile::Kornsole || done % 100 == 0 {
                model.compare(profile, scheduler);
            }
            done += 1;
            last = scheduler.partitions()[0].allocations_made;
            done < commands / 3
        });
        assert!(last > commands / 100, "{profile}: only {last} allocations were made");
    }
}

#[test]
fn a_short_soak() {
    soak(6_000);
}

/// `cargo test --release --test scheduler a_long_soak -- --ignored`; `SOAK` commands.
#[test]
#[ignore = "takes many minutes; the short one runs always"]
fn a_long_soak() {
    soak(std::env::var("SOAK").map_or(10_000_000, |count| count.parse().unwrap()));
}
