//! Runs the tasks of worker threads ([`crate::state::work`]). Not in the draw loop.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::present::edit_check;
use crate::present::export;
use crate::present::queue_form;
use crate::shell::own_command;
use crate::shell::settings::edit;
use crate::state::effect::SilenceStep;
use crate::state::placement::WantedFile;
use crate::state::records::Compared;
use crate::state::reply::{OverviewMade, Reply};
use crate::state::work::{MomentPage, SourceHandle, Work};
use crate::update::{long, names, navigate, past};
use ::config::{self, Reading, Source};
use ::source::{self, SourcePlace};
use model::Profile;
use view::act::{Act, Order};
use view::drain::span;
use view::{EventPage, View};

const ANSWER: Duration = Duration::from_secs(10);

/// Returns its reply, if any.
pub fn perform(work: Work) -> Option<Reply> {
    match work {
        Work::ReadConfig(wanted) => {
            let read = read(&wanted);
            Some(Reply::ConfigRead(wanted.name, read))
        }
        Work::Draft(job) => Some(Reply::FormDrafted(Box::new(queue_form::draft(&job)))),
        Work::List(job) => Some(Reply::ListMade(Box::new(long::perform(*job)))),
        Work::Names(job) => Some(Reply::NamesFound(names::perform(*job))),
        Work::Discard(_) => None,
        Work::Silence(source, step) => Some(Reply::SilenceChanged(silence(&*source.0, step))),
        Work::Overview(given) => Some(Reply::OverviewMade(OverviewMade::of(*given))),
        Work::OpenCluster(opener, name) => {
            let opened = opener.open(&name).map(SourceHandle);
            Some(Reply::ClusterOpened(name, opened))
        }
        Work::Simulate(job) => {
            let answer = job.run(&|_| ());
            Some(Reply::Simulated(job.number, Box::new(answer)))
        }
        Work::ReadEvents(source, since, most) => Some(Reply::EventsRead(source.0.events(since, most))),
        Work::Check(job) => Some(Reply::EditChecked(Box::new(edit_check::check(&job)))),
        Work::KeepSetting { file, table, key, value } => {
            let retained = edit::set_in_file(&file, table, &key, value.as_deref());
            retained.err().map(|why| Reply::FileWritten(Err(why)))
        }
        Work::RunOwn(run) => Some(Reply::OwnEnded(own_command::in_background(&run))),
        Work::Write { file, text, what } => Some(Reply::FileWritten(write(&file, &text, &what))),
        Work::Export { state, file, what } => {
            let text = match file.extension().and_then(|extension| extension.to_str()) {
                Some("csv") => export::data(&state).csv(),
                Some("json") => export::data(&state).json(),
                _ => export::text(&state),
            };
            Some(Reply::FileWritten(write(&file, &text, &what)))
        }
        Work::Compare { of, texts, profile, policy_group } => {
            Some(Reply::RevisionsCompared(Compared { of, lines: compare(&texts, &policy_group, profile) }))
        }
        Work::CheckUp(view, at, own) => Some(Reply::CheckedUp(navigate::checkup(&view, at, &own))),
        Work::FindMoments(source, since) => {
            let page = source.0.events(since, usize::MAX);
            let moments = past::moments(page.records.iter().map(|(number, record)| (*number, &**record)));
            let first = page.records.first().map(|(_, record)| record.at);
            let EventPage { instance, lowest, next, .. } = page;
            Some(Reply::MomentsFound(MomentPage { instance, lowest, next, first, moments }))
        }
    }
}

fn silence(source: &dyn source::Source, step: SilenceStep) -> Result<String, String> {
    let board = source.alerts().ok_or("rules are not evaluated here")?;
    match step {
        SilenceStep::Start(order, at) => {
            board.can_silence(&order)?;
            let (rule, lasts) = (order.rule.clone().unwrap_or_default(), order.lasts);
            let subject = order.subject.as_ref().map(ToString::to_string).unwrap_or_default();
            let act = Act::Silence { rule, subject, lasts };
            audited(source, Order::new(act, order.reason.clone()))?;
            let id = board.silence(order, at)?;
            Ok(format!("silence {id} is active for {}", span(lasts)))
        }
        SilenceStep::End(id, by, at) => {
            let snapshot = board.snapshot();
            let known = snapshot.silences.iter().find(|one| one.id == id && one.ended.is_none());
            let of = known.ok_or_else(|| format!("silence {id} is not active"))?.words();
            audited(source, Act::EndSilence { silence: id, of }.into())?;
            board.end_silence(id, &by, at)?;
            Ok(format!("silence {id} ended"))
        }
    }
}

/// The embedded scheduler checks and records it. A remote's silences are local: this machine evaluates its rules, and
/// their list records who made them and why.
fn audited(source: &dyn source::Source, order: Order) -> Result<(), String> {
    if source.about().place != SourcePlace::Embedded {
        return Ok(());
    }
    let (send, answer) = channel();
    // The receiver may have given up.
    source.act(order, Box::new(move |outcome| _ = send.send(outcome)));
    let outcome = answer.recv_timeout(ANSWER).map_err(|_| "the scheduler does not answer".to_owned())?;
    outcome.map(drop).map_err(|refusal| refusal.to_string())
}

fn compare(
    (old, new): &(Arc<str>, Arc<str>),
    policy_group: &str,
    profile: Profile,
) -> Result<Vec<config::diff::Line>, String> {
    let read = |text: &str| {
        let Reading { config, faults } = config::read_file(text.as_bytes(), policy_group, profile);
        config.ok_or_else(|| faults.first().map(ToString::to_string).unwrap_or_default())
    };
    Ok(config::diff(&read(old)?, &read(new)?).lines())
}

/// Fails with all errors of the file.
fn read(wanted: &WantedFile) -> Result<Arc<View>, String> {
    if let Some(config) = &wanted.config {
        return View::of_config(Arc::clone(config), wanted.profile);
    }
    let limit = config::yaml::LARGEST as u64 + 1;
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(Path::new(&wanted.name));
    opened
        .and_then(|file| file.take(limit).read_to_end(&mut bytes))
        .map_err(|error| format!("cannot read the file: {error}"))?;
    let Reading { config, faults } = config::read_file(&bytes, config::DEFAULT_POLICY_GROUP, wanted.profile);
    let report = || {
        let text = config::input::text_of(&bytes).unwrap_or_else(|_| String::from_utf8_lossy(&bytes));
        Source::new(&wanted.name, &text).render_all(&faults)
    };
    View::of_config(Arc::new(config.ok_or_else(report)?), wanted.profile)
}

fn write(file: &Path, text: &str, what: &str) -> Result<String, String> {
    let name = file.display();
    let opened = std::fs::File::create_new(file);
    let mut opened = opened.map_err(|error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => format!("{name} already exists and is unchanged"),
        _ => format!("cannot write {name}: {error}"),
    })?;
    opened.write_all(text.as_bytes()).map_err(|error| format!("cannot write {name}: {error}"))?;
    Ok(format!("{what} in {name}"))
}
