use std::sync::Arc;
use std::time::Duration;

use forecast::shadow::free::Free;
use forecast::shadow::{Decision, Input, Settings, Shadow, Source};
use model::{Identity, Profile, Time};
use scheduler::{AskSpec, NodeSpec, PartitionCommand, Scheduler, Submission};

use super::play::CONFIG;

struct Both {
    shadow: Shadow,
    free: Free,
    at: Time,
}

impl Both {
    fn new() -> Self {
        let (at, profile) = (Time::from_millis(1_000), Profile::V1_8_0);
        let shadow = Shadow::new(Scheduler::new(profile), at, Settings::default());
        let mut free = Free::new(Scheduler::new(profile), at);
        free.start();
        let mut both = Self { shadow, free, at };
        both.see(Input::Configure(Arc::new(config::read(CONFIG, profile).config.unwrap())));
        let capacity = [("vcore", 2_000)].into_iter().collect();
        both.give(PartitionCommand::AddNode(NodeSpec { id: "n1".into(), capacity, ..Default::default() }));
        let who = Identity::new("ann", Vec::<String>::new());
        let app = Submission { app: "one".into(), queue: "root.a".into(), who, ..Default::default() };
        both.give(PartitionCommand::Submit(app));
        both
    }

    fn see(&mut self, input: Input) {
        self.free.see(self.at, &input);
        self.shadow.see(self.at, input);
    }

    fn give(&mut self, command: PartitionCommand) {
        self.see(Input::Command(command));
    }

    /// The other scheduler decides after `late`, and the pod runs for a minute.
    fn run(&mut self, ask: &str, late: Duration) {
        let (app, id) = ("one".into(), ask.into());
        let resource = [("vcore", 2_000)].into_iter().collect();
        self.give(PartitionCommand::Ask(AskSpec { app, id, count: 1, resource, ..Default::default() }));
        self.free.sample(self.shadow.partition().unwrap());
        self.at = self.at + late;
        let (app, node, source) = ("one".into(), "n1".into(), Source::RestEvent);
        let decision = Decision { at: self.at, app, ask: ask.into(), node, source };
        self.free.decided(self.at, &("one".into(), ask.into()));
        assert!(self.shadow.decided(&decision).verdict.agrees());
        self.free.sample(self.shadow.partition().unwrap());
        self.at = self.at + Duration::from_secs(60);
        self.give(PartitionCommand::Release { app: "one".into(), ask: ask.into() });
    }
}

#[test]
fn a_scheduler_without_delay_waits_as_long_as_kornsole() {
    let mut both = Both::new();
    for ask in ["p", "q", "r"] {
        both.run(ask, Duration::ZERO);
    }
    let metrics = &both.free.metrics()["root.a"];
    assert_eq!(metrics.waits.each_ref().map(|waits| waits.count()), [3, 3]);
    assert_eq!(metrics.waits[0].within(0.95), metrics.waits[1].within(0.95));
    assert_eq!(metrics.preempted, [0, 0]);
    // The shadow uses the node before each other decision; afterward both do.
    assert_eq!(metrics.share_difference(), Some((50.0, 6)));
}

#[test]
fn a_slow_scheduler_waits_longer_and_pods_run_as_long_in_kornsole() {
    let mut both = Both::new();
    for ask in ["p", "q", "r"] {
        both.run(ask, Duration::from_secs(30));
    }
    let metrics = &both.free.metrics()["root.a"];
    let [remote, local] = metrics.waits.each_ref().map(|waits| waits.within(0.5).unwrap().as_secs());
    assert!((30..40).contains(&remote) && local <= 2, "{remote} {local}");
    assert!(both.free.span() == Duration::from_secs(270));
    let running = both.free.scheduler().partitions()[0].nodes.iter().next().unwrap().allocations.len();
    assert_eq!(running, 0, "it ran for a minute in ours, too");
}
