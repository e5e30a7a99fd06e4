//! Forecasts of quota preemption are correct in every recorded quota scenario (N-01).

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;

use ::scenario::{self, Runner, Sink, StepKind};
use model::{Profile, Time};
use scheduler::{Event, EventKind, Scheduler};
use view::{PartitionView, QuotaForecast, View, ViewBuilder};

use super::{Case, cases};

#[derive(Default)]
struct Gone {
    victims: BTreeSet<String>,
    loaded: bool,
}

impl Sink for Gone {
    fn events(&mut self, _step: i64, events: &[Event]) -> io::Result<()> {
        for event in events {
            match &event.kind {
                EventKind::QuotaPreempted { app, ask, queue, .. } => {
                    self.victims.insert(format!("{} {queue} {app} {ask}", event.at.0));
                }
                EventKind::ConfigAccepted => self.loaded = true,
                _ => {}
            }
        }
        Ok(())
    }

    fn snapshot(&mut self, _step: i64, _label: &str, _scheduler: &Scheduler) -> io::Result<()> {
        Ok(())
    }
}

fn forecast_victims(forecasts: &[QuotaForecast], until: Time) -> BTreeSet<String> {
    let mut victims = BTreeSet::new();
    for one in forecasts.iter().filter(|one| one.at <= until) {
        for victim in one.victims.as_ref().expect("the view is of a scheduler here") {
            victims.insert(format!("{} {} {} {}", one.at.0, one.queue, victim.app, victim.ask));
        }
    }
    victims
}

fn view(runner: &Runner) -> Arc<View> {
    ViewBuilder::default().update(runner.now(), &mut runner.scheduler().clone()).expect("a first view")
}

fn part(view: &View) -> &PartitionView {
    &view.partitions[0]
}

fn compare(case: &Case, profile: Profile) -> (usize, usize) {
    let scenario = scenario::read(&case.scenario).scenario.expect("a recorded scenario reads");
    let config = scenario.embedded_config(profile).expect("recorded scenarios bring their configuration");
    let mut runner = Runner::new(profile);
    runner.load(config, &mut Gone::default()).expect("nothing is written");
    let (mut victims, mut reloads) = (0, 0);
    for step in &scenario.steps {
        let (before, mut gone) = (view(&runner), Gone::default());
        let started_at = runner.now();
        runner.step(step, &mut gone).expect("nothing is written");
        let (now, place) = (runner.now(), format!("{} under {profile}, line {}", case.name, step.at.line));
        match &step.kind {
            StepKind::Advance(_) => {
                assert_eq!(forecast_victims(&part(&before).quota_forecasts(started_at), now), gone.victims, "{place}");
                victims += gone.victims.len();
            }
            StepKind::Config(text) if gone.loaded && gone.victims.is_empty() => {
                let config = text.read(profile).config.expect("it was loaded");
                let loaded = View::of_config(Arc::new(config), profile).expect("it was loaded");
                let (then, after) = (part(&before).quota_forecasts_with(now, part(&loaded)), view(&runner));
                assert_eq!(then, part(&after).quota_forecasts(now), "{place}");
                reloads += then.len();
            }
            _ => {}
        }
    }
    (victims, reloads)
}

#[test]
fn n_01_what_is_forecast_is_what_then_happens() {
    for profile in [Profile::V1_9_0, Profile::Kornsole] {
        let about = cases().into_iter().filter(|case| case.name.starts_with("quotapre"));
        let found = about.map(|case| compare(&case, profile));
        let (victims, reloads) = found.fold((0, 0), |(v, r), (victims, reloads)| (v + victims, r + reloads));
        assert!(victims > 50 && reloads > 20, "{profile}: {victims} victims and {reloads} forecasts compared");
    }
}
