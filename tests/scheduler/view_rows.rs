use std::sync::Arc;

use model::{AppId, Identity, NodeId, Profile, Time};
use scheduler::{AskSpec, Command, NodeSpec, PartitionCommand, Scheduler, Submission};
use view::{AskState, PartitionView, ViewBuilder};

use crate::common::millicores;

const QUEUES: &str = "partitions: [{name: default, queues: [{name: root, submitacl: '*', queues: [{name: q}]}]}]";

struct Watched {
    scheduler: Scheduler,
    views: ViewBuilder,
    view: PartitionView,
}

impl Watched {
    fn new() -> Self {
        let config = config::read(QUEUES, Profile::Kornsole).config.expect("a valid configuration");
        let scheduler = Scheduler::new(Profile::Kornsole);
        let mut watched = Self { scheduler, views: ViewBuilder::default(), view: PartitionView::default() };
        watched.apply(Command::Configure(Arc::new(config)));
        for id in ["n0", "n1"] {
            let spec = NodeSpec { id: id.into(), capacity: millicores(10), ..NodeSpec::default() };
            watched.apply(PartitionCommand::AddNode(spec).into());
        }
        let submission = Submission {
            app: "app".into(),
            queue: "root.q".to_owned(),
            who: Identity::new("sue", ["dev"]),
            ..Submission::default()
        };
        watched.apply(PartitionCommand::Submit(submission).into());
        watched
    }

    fn apply(&mut self, command: Command) {
        self.scheduler.apply(Time::ZERO, &command);
        if let Some(view) = self.views.update(Time::ZERO, &mut self.scheduler) {
            self.view = view.partitions[0].clone();
        }
    }

    fn ask(&mut self, id: &str, wanted: i64, node: &str) {
        let required_node = Some(NodeId::from(node));
        let resource = millicores(wanted);
        let spec = AskSpec { app: "app".into(), id: id.into(), resource, required_node, ..AskSpec::default() };
        self.apply(PartitionCommand::Ask(spec).into());
        self.apply(Command::Cycle);
    }

    fn state(&self, ask: &str) -> AskState {
        let app = self.view.app_by_id(&AppId::from("app")).expect("the application is live");
        app.asks.values().find(|row| row.id.as_str() == ask).expect("the ask is there").state.clone()
    }

    fn retained_for(&self) -> Vec<String> {
        let node = &self.view.nodes[&NodeId::from("n0")];
        node.reservations.iter().map(|(app, ask)| format!("{app}/{ask}")).collect()
    }
}

#[test]
fn a_reservation_is_shown_on_the_request_and_on_the_node_until_it_is_used() {
    let mut watched = Watched::new();
    watched.ask("first", 8, "n0");
    assert_eq!(watched.retained_for(), [""; 0]);
    watched.ask("second", 5, "n0");
    let retained =
        |state: AskState| matches!(state, AskState::Pending { reserved: Some(node), .. } if node.as_str() == "n0");
    assert!(retained(watched.state("second")), "{:?}", watched.state("second"));
    assert_eq!(watched.retained_for(), ["app/second"]);
    watched.views = ViewBuilder::default();
    watched.apply(Command::Cycle);
    assert!(retained(watched.state("second")));
    assert_eq!(watched.retained_for(), ["app/second"]);

    watched.apply(PartitionCommand::Release { app: "app".into(), ask: "first".into() }.into());
    watched.apply(Command::Cycle);
    assert!(matches!(watched.state("second"), AskState::Allocated { .. }), "{:?}", watched.state("second"));
    assert_eq!(watched.retained_for(), [""; 0]);
}
