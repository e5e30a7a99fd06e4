//! Local jobs: page, refresh, and operations.

use std::sync::Arc;
use std::time::Duration;

use crate::input::command;
use crate::input::command::{CommandId, JobCommand, OrderCommand};
use crate::present::format;
use crate::present::guard::job::{known, target, targets};
use crate::present::job as shown;
use crate::state::effect::Effect;
use crate::state::job::{Acting, JobPage, JobWatch};
use crate::state::layer::{Confirm, Question};
use crate::state::page::Page;
use crate::state::past::span;
use crate::state::{Grade, State};
use crate::update::command_line::open_command_line_with;
use crate::update::stack::push;
use model::{AppId, MEMORY, VCORE, parse_quantity};
use view::job::{JobAct, JobEdit, JobOrder, JobPhase, JobSheet, OutputWanted};

const AGAIN: Duration = Duration::from_secs(1);
/// More jobs than this require typing a name.
const PLAIN: usize = 10;

/// Opens a job by number or application, otherwise the selected one.
pub fn open(state: &mut State, named: Option<&str>) {
    let app = match named.map(str::trim).filter(|text| !text.is_empty()) {
        Some(number) if number.bytes().all(|byte| byte.is_ascii_digit()) => AppId::from(format!("job-{number}")),
        Some(app) => AppId::from(app),
        None => match target(state) {
            Some(app) => app,
            None => return state.report(Grade::Refusal, "no job selected"),
        },
    };
    if !matches!(state.page(), Page::Job(page) if page.app == app) {
        push(state, Page::Job(JobPage::new(app)));
    }
}

/// Toggles following the output.
pub fn toggle_follow(state: &mut State) {
    if let Page::Job(page) = state.page_mut() {
        page.follow = !page.follow;
    }
}

fn examined(state: &State) -> Option<AppId> {
    if !state.cluster.has_jobs {
        return None;
    }
    match state.page() {
        Page::Apps(_) | Page::App(_) | Page::Job(_) => target(state),
        Page::Details(_) => crate::present::guard::orders::target(state).map(|app| app.id.clone()),
        _ => None,
    }
}

/// Requests missing or old data.
pub fn want(state: &mut State) {
    let Some(app) = examined(state) else { return };
    let now = state.now;
    if state.job.app.as_ref() != Some(&app) {
        let acting = state.job.acting;
        state.job = JobWatch { app: Some(app.clone()), acting, ..JobWatch::default() };
    }
    let is_stopped = state.cluster.frozen.is_some() || state.cluster.past.shown.is_some();
    let unread = matches!(state.page(), Page::Job(_)) && (state.job.more || !state.job.with_output);
    let due = state.job.asked.is_none_or(|asked| (now >= asked + AGAIN || unread) && !is_stopped);
    if state.job.awaited || !due {
        return;
    }
    let output = match state.page() {
        Page::Job(_) if state.job.output.attempt == 0 => OutputWanted::End,
        Page::Job(_) => OutputWanted::From(state.job.output.attempt, state.job.output.next),
        _ => OutputWanted::None,
    };
    (state.job.asked, state.job.awaited, state.job.more) = (Some(now), true, false);
    state.job.with_output = output != OutputWanted::None;
    state.emit(Effect::LookAtJob(app, output));
}

/// The next refresh, on the console's clock.
pub fn next_due(state: &State) -> Option<Duration> {
    examined(state)?;
    let is_stopped = state.cluster.frozen.is_some() || state.cluster.past.shown.is_some();
    state.job.asked.filter(|_| !state.job.awaited && !is_stopped).map(|asked| asked + AGAIN)
}

/// Takes job data if the job is still watched.
pub fn take(state: &mut State, app: &AppId, seen: Result<JobSheet, String>) {
    let watch = &mut state.job;
    if watch.app.as_ref() != Some(app) {
        return;
    }
    watch.awaited = false;
    if let Some(output) = seen.as_ref().ok().and_then(|sheet| sheet.output.as_ref()) {
        watch.output.take(output);
        watch.more = output.more;
    }
    watch.seen = Some(seen.map(|sheet| Arc::new(JobSheet { output: None, ..sheet })));
}

/// Scrolls to the end of a followed output.
pub fn settle(state: &mut State) {
    let (lines, space) = (state.job.output.len(), shown::output_space(state));
    let end = lines.saturating_sub(space);
    if let Page::Job(page) = state.page_mut() {
        page.space = space;
        page.top = if page.follow { end } else { page.top.min(end) };
    }
}

/// Asks about the job or the marked ones.
pub fn ask(state: &mut State, id: CommandId, argument: Option<&str>) {
    let argument = argument.map(str::trim).filter(|text| !text.is_empty());
    let act = match (id, argument) {
        (CommandId::Order(OrderCommand::Kill), _) => JobAct::Cancel,
        (CommandId::Job(JobCommand::HoldJob), _) => JobAct::Hold,
        (CommandId::Job(JobCommand::ReleaseJob), _) => JobAct::Release,
        (CommandId::Job(JobCommand::RequeueJob), _) => JobAct::Requeue,
        (CommandId::Order(OrderCommand::Move), Some(queue)) => JobAct::Move(queue.to_owned()),
        (CommandId::Job(JobCommand::JobPriority), Some(text)) => match text.parse() {
            Ok(priority) => JobAct::Priority(priority),
            Err(_) => return state.report(Grade::Refusal, format!("{text:?} is not a priority; write a whole number")),
        },
        (CommandId::Job(JobCommand::EditJob), Some(words)) => match edit_of(words) {
            Ok(edit) => JobAct::Edit(edit),
            Err(why) => return state.report(Grade::Refusal, why),
        },
        (id, _) => return start_line(state, id),
    };
    let apps = targets(state);
    if apps.is_empty() {
        return state.report(Grade::Refusal, "no job selected");
    }
    let orders: Vec<JobOrder> = apps.into_iter().map(|app| JobOrder { app, act: act.clone() }).collect();
    if act == JobAct::Release {
        return yes(state, orders);
    }
    let lines = lines(state, &act, &orders);
    let (title, word) = title(state, &act, &orders);
    let want = (orders.len() > PLAIN).then(|| orders.len().to_string());
    state.ask(Confirm::new(title, lines, word, Question::Jobs(orders)).typing(want));
}

fn start_line(state: &mut State, id: CommandId) {
    let now = match (id, known(state)) {
        (CommandId::Job(JobCommand::EditJob), Some(job)) => shown::edit_words(job),
        _ => String::new(),
    };
    open_command_line_with(state, &format!("{} {now}", command::by_id(id).name));
}

fn title(state: &State, act: &JobAct, orders: &[JobOrder]) -> (String, &'static str) {
    let word = match act {
        JobAct::Cancel => "End it",
        JobAct::Hold => "Hold",
        JobAct::Release => "Release",
        JobAct::Requeue => "Requeue",
        JobAct::Move(_) => "Move",
        JobAct::Priority(_) => "Set it",
        JobAct::Edit(_) => "Change it",
    };
    let what = match orders {
        [one] => known(state).map_or_else(|| one.app.to_string(), |job| format!("job {}, {}", job.number, job.name)),
        all => format::count(all.len() as u64, "job"),
    };
    // Cancel is the button that changes nothing.
    let mut verb = if *act == JobAct::Cancel { "end" } else { act.verb() }.to_owned();
    if let Some(first) = verb.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    (format!("{verb} {what}?"), word)
}

fn lines(state: &State, act: &JobAct, orders: &[JobOrder]) -> Vec<String> {
    let one = known(state).filter(|_| orders.len() == 1);
    let mut lines: Vec<String> = one.map(shown::status_line).into_iter().collect();
    let runs = one.is_none_or(|job| job.phase == JobPhase::Running);
    let place = "It loses its position and is last in the queue.";
    lines.push(match act {
        JobAct::Cancel if runs => "Its processes get a stop signal, and are killed if they do not end.".to_owned(),
        JobAct::Cancel => "It is removed from the queue and does not run.".to_owned(),
        JobAct::Hold => "It does not start before it is released. It loses its position in the queue.".to_owned(),
        JobAct::Release => "It can start.".to_owned(),
        JobAct::Requeue if runs => "It is stopped and then restarts.".to_owned(),
        JobAct::Requeue => "It is requeued and restarts.".to_owned(),
        JobAct::Move(queue) => format!("To {queue}. {place}"),
        JobAct::Priority(priority) => {
            let now = one.map(|job| format!(" It is {} now.", job.priority)).unwrap_or_default();
            format!("To {priority}; a higher priority is scheduled first.{now}")
        }
        JobAct::Edit(edit) => {
            format!("{}. With changed resources it is last in its queue.", shown::edited(edit))
        }
    });
    if runs && matches!(act, JobAct::Cancel | JobAct::Requeue) {
        lines.push("Its unsaved data is lost.".to_owned());
    }
    if *act == JobAct::Cancel {
        lines.push("It can be requeued.".to_owned());
    }
    lines
}

/// `cpu=2 mem=4G gpu=1 time=2h name=TEXT`, all optional.
fn edit_of(words: &str) -> Result<JobEdit, String> {
    let mut edit = JobEdit::default();
    for word in words.split_whitespace() {
        let (key, value) = word.split_once('=').ok_or_else(|| format!("{word:?} is not KEY=VALUE: {KEYS}"))?;
        let amount = |name| parse_quantity(name, value).map_err(|fault| format!("{word}: {fault}"));
        match key {
            "cpu" => edit.vcore = Some(part_of_cores(value).map_or_else(|| amount(VCORE), Ok)?),
            "mem" => edit.memory = Some(amount(MEMORY)?),
            "gpu" => edit.gpu = Some(value.parse().map_err(|_| format!("{word}: expected a whole number of GPUs"))?),
            "time" if value == "none" => edit.time = Some(0),
            "time" => match span(value) {
                Some(time) if time.as_secs() > 0 => edit.time = Some(time.as_secs()),
                _ => return Err(format!("{word}: write a time, for example 90s, 30m or 2h, or none")),
            },
            "name" => edit.name = Some(value.to_owned()),
            _ => return Err(format!("{key:?} cannot be changed: {KEYS}")),
        }
    }
    if edit == JobEdit::default() { Err(format!("write what to change: {KEYS}")) } else { Ok(edit) }
}

fn part_of_cores(text: &str) -> Option<i64> {
    let (whole, part) = text.split_once('.')?;
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let fits = digits(whole) && whole.len() < 10 && digits(part) && part.len() <= 3;
    fits.then(|| format!("{whole}{part:0<3}").parse().ok()).flatten()
}

const KEYS: &str = "cpu=2 mem=4G gpu=1 time=2h name=TEXT";

/// Sends the confirmed operations.
pub fn yes(state: &mut State, orders: Vec<JobOrder>) {
    state.job.acting = Acting { left: orders.len(), ..Acting::default() };
    for order in orders {
        state.emit(Effect::ChangeJob(order));
    }
    if let Page::Apps(page) = state.page_mut() {
        page.unmark();
    }
}

/// The last result reports all.
pub fn changed(state: &mut State, order: &JobOrder, outcome: Result<String, String>) {
    let (grade, text) = match outcome {
        Ok(text) => (Grade::Info, text),
        Err(why) => (Grade::Refusal, format!("cannot {} {}: {why}", order.act.verb(), order.app)),
    };
    let acting = &mut state.job.acting;
    acting.left = acting.left.saturating_sub(1);
    match grade {
        Grade::Info => acting.done += 1,
        _ => acting.refused += 1,
    }
    let Acting { left, done, refused } = *acting;
    (state.job.asked, state.job_names.asked) = (None, None);
    if done + refused == 1 && left == 0 {
        return state.report(grade, text);
    }
    state.keep(Some(state.now), grade, text, String::new());
    match (left, refused) {
        (0, 0) => state.report(Grade::Info, format!("all {done} done; see :messages")),
        (0, _) => {
            state.report(Grade::Refusal, format!("{done} done, {refused} rejected; see :messages for the reasons"))
        }
        _ => {}
    }
}
