//! A reload that skips unchanged queues equals one that applies every queue.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use model::{Identity, Profile, Time};
use proptest::prelude::*;
use scheduler::inspect::invariants;
use scheduler::{AskSpec, Command, Event, NodeSpec, PartitionCommand, Scheduler, Submission};

const TENANT: [&str; 8] = [
    "",
    "",
    "resources: {max: {vcore: 10}}",
    "resources: {guaranteed: {vcore: 9}, max: {vcore: 12}}",
    "properties: {priority.offset: '3'}",
    "properties: {application.sort.policy: fair, preemption.policy: disabled}",
    "submitacl: 'joe ops'",
    "limits: [{limit: some, users: [joe], maxresources: {vcore: 9}}, {limit: rest, users: ['*'], maxapplications: 5}]",
];

const LEAF: [&str; 9] = [
    "",
    "resources: {max: {vcore: 8}}",
    "resources: {guaranteed: {vcore: 2}, max: {vcore: 6}}",
    "resources: {guaranteed: {vcore: 1}}",
    "properties: {priority.offset: '-2', priority.policy: fence}",
    "properties: {application.sort.policy: fair}",
    "maxapplications: 2",
    "limits: [{limit: all, users: ['*'], maxapplications: 2, maxresources: {vcore: 5}}]",
    "limits: [{limit: some, users: [joe], maxresources: {vcore: 3}}, {limit: rest, groups: [ops], maxapplications: 1}]",
];

type Tenant = (usize, Vec<(usize, usize)>);

#[derive(Clone, Debug)]
enum Step {
    Configure(Vec<Tenant>, usize),
    Submit(usize, usize, usize),
    Cycles,
    Remove(usize),
    Clean,
}

fn text(tenants: &[Tenant], lines: usize) -> String {
    let mut text = "# more\n".repeat(lines);
    text += "partitions:\n- name: default\n  queues:\n  - name: root\n    submitacl: '*'\n    queues:\n";
    for (number, (shows, leaves)) in tenants.iter().enumerate() {
        let _ = writeln!(text, "    - name: t{number}\n      parent: true");
        if !TENANT[*shows].is_empty() {
            let _ = writeln!(text, "      {}", TENANT[*shows]);
        }
        let mut names: Vec<usize> = leaves.iter().map(|(name, _)| *name).collect();
        names.sort_unstable();
        names.dedup();
        if names.is_empty() {
            continue;
        }
        text += "      queues:\n";
        for name in names {
            let shows = leaves.iter().find(|(other, _)| *other == name).map_or("", |(_, shows)| LEAF[*shows]);
            let comma = if shows.is_empty() { "" } else { ", " };
            let _ = writeln!(text, "      - {{name: l{name}{comma}{shows}}}");
        }
    }
    text
}

fn step() -> impl Strategy<Value = Step> {
    let leaves = || proptest::collection::vec((0..4_usize, 0..LEAF.len()), 0..4);
    let tenants = proptest::collection::vec((0..TENANT.len(), leaves()), 1..4);
    prop_oneof![
        3 => (tenants, prop_oneof![3 => Just(0), 1 => Just(2_usize)]).prop_map(|(tenants, lines)| Step::Configure(tenants, lines)),
        4 => (0..8_usize, 0..3_usize, 0..4_usize).prop_map(|(app, tenant, leaf)| Step::Submit(app, tenant, leaf)),
        3 => Just(Step::Cycles),
        1 => (0..8_usize).prop_map(Step::Remove),
        1 => Just(Step::Clean),
    ]
}

/// Most configurations differ from another one in one tenant, so that the reload can skip the others.
fn steps() -> impl Strategy<Value = Vec<Step>> {
    proptest::collection::vec((step(), any::<prop::sample::Index>(), any::<bool>()), 4..24).prop_map(|steps| {
        let mut last: Vec<Tenant> = vec![(0, vec![(0, 0), (1, 3)]), (2, vec![(0, 7)])];
        let mut out = vec![Step::Configure(last.clone(), 0)];
        for (step, which, little) in steps {
            out.push(match step {
                Step::Configure(tenants, lines) if little => {
                    let at = which.index(last.len());
                    last[at].clone_from(&tenants[0]);
                    Step::Configure(last.clone(), lines)
                }
                Step::Configure(tenants, lines) => {
                    last.clone_from(&tenants);
                    Step::Configure(tenants, lines)
                }
                other => other,
            });
        }
        out
    })
}

struct Run {
    scheduler: Scheduler,
    now: Time,
    profile: Profile,
    forgets: bool,
}

impl Run {
    fn new(profile: Profile, forgets: bool) -> Self {
        Self { scheduler: Scheduler::new(profile), now: Time(0), profile, forgets }
    }

    fn apply(&mut self, command: &Command) -> Vec<Event> {
        self.now = self.now + Duration::from_millis(700);
        self.scheduler.apply(self.now, command)
    }

    fn give(&mut self, command: PartitionCommand) -> Vec<Event> {
        self.apply(&Command::In { partition: None, command })
    }

    fn step(&mut self, step: &Step) -> Vec<Event> {
        match step {
            Step::Configure(tenants, lines) => {
                if self.forgets {
                    self.scheduler.forget_shortcuts();
                }
                let text = text(tenants, *lines);
                let reading = config::read(&text, self.profile);
                let config = reading.config.unwrap_or_else(|| panic!("{:?}\n{text}", reading.faults));
                self.apply(&Command::Configure(Arc::new(config)))
            }
            Step::Submit(app, tenant, leaf) => {
                let id = format!("app-{app}");
                let who = Identity { user: ["joe", "sue"][app % 2].into(), groups: vec!["ops".into()] };
                let queue = format!("root.t{tenant}.l{leaf}");
                let submission = Submission { app: id.as_str().into(), queue, who, ..Submission::default() };
                let mut message = self.give(PartitionCommand::Submit(submission));
                let resource = [("vcore", 1)].into_iter().collect();
                let ask = AskSpec { app: id.as_str().into(), id: "t".into(), count: 3, resource, ..AskSpec::default() };
                message.extend(self.give(PartitionCommand::Ask(ask)));
                message
            }
            Step::Cycles => (0..6).flat_map(|_| self.apply(&Command::Cycle)).collect(),
            Step::Remove(app) => self.give(PartitionCommand::Remove { app: format!("app-{app}").as_str().into() }),
            Step::Clean => self.apply(&Command::Clean),
        }
    }

    fn retained(&self) -> Vec<u8> {
        rmp_serde::to_vec(&self.scheduler.saving()).unwrap()
    }
}

fn compare(profile: Profile, steps: &[Step]) -> Result<(), TestCaseError> {
    let (mut quick, mut forgetful) = (Run::new(profile, false), Run::new(profile, true));
    for run in [&mut quick, &mut forgetful] {
        let capacity = [("vcore", 20)].into_iter().collect();
        let node = NodeSpec { id: "n".into(), capacity, ..NodeSpec::default() };
        run.step(&steps[0]);
        run.give(PartitionCommand::AddNode(node));
    }
    for (at, step) in steps.iter().enumerate().skip(1) {
        let (message, rebuilt) = (quick.step(step), forgetful.step(step));
        prop_assert_eq!(message, rebuilt, "step {} of {:?}", at, steps);
        prop_assert_eq!(quick.retained() == forgetful.retained(), true, "step {} of {:?}", at, steps);
    }
    prop_assert_eq!(invariants::violations(&quick.scheduler), Vec::<String>::new());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]

    #[test]
    fn a_repeated_message_is_ignored(steps in steps()) {
        for profile in Profile::ALL {
            compare(profile, &steps)?;
        }
    }
}
