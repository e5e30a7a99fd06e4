//! Conditions and targets of job commands.

use crate::present::guard::bulk::{has_marks, marked};
use crate::present::guard::orders;
use crate::state::State;
use crate::state::command::{CommandId, JobCommand, OrderCommand};
use crate::state::page::Page;
use model::AppId;
use view::job::{JobPhase, JobSheet};

const NO_JOBS: &str = "these applications are not jobs of this machine; `kornsole local up` runs jobs";

/// The jobs: marked, of the command line, of the page, or under the cursor.
pub fn targets(state: &State) -> Vec<AppId> {
    if has_marks(state) {
        return marked(state).iter().map(|app| app.id.clone()).collect();
    }
    target(state).into_iter().collect()
}

/// The job of the page or under the cursor.
pub fn target(state: &State) -> Option<AppId> {
    match (&state.command_target, state.page()) {
        (Some(row), _) => Some(row.id.clone()),
        (None, Page::Job(page)) => Some(page.app.clone()),
        (None, Page::App(page)) => Some(page.id.clone()),
        (None, _) => orders::target(state).map(|app| app.id.clone()),
    }
}

/// The known data of the target job.
pub fn known(state: &State) -> Option<&JobSheet> {
    state.job.of(&target(state)?).map(|sheet| &**sheet)
}

/// Whether the page of a job can be opened.
///
/// # Errors
/// Why not.
pub fn can_open(state: &State) -> Result<(), String> {
    match state.cluster.has_jobs {
        true => Ok(()),
        false => Err(NO_JOBS.to_owned()),
    }
}

/// Whether a command is allowed as far as known; the daemon decides.
///
/// # Errors
/// Why not.
pub fn may(state: &State, id: CommandId) -> Result<(), String> {
    can_open(state)?;
    let actor = state.cluster.actor()?;
    if let Some(why) = &actor.read_only {
        return Err(why.to_string());
    }
    if has_marks(state) {
        return Ok(());
    }
    let app = target(state).ok_or("no job selected")?;
    let Some(job) = state.job.of(&app) else { return Ok(()) };
    let name = format!("job {}", job.number);
    let fits = match id {
        CommandId::Order(OrderCommand::Kill) if job.phase == JobPhase::Ended => Err("has already ended"),
        CommandId::Job(JobCommand::ReleaseJob) if job.phase != JobPhase::Held => Err("is not on hold"),
        CommandId::Job(JobCommand::HoldJob) if job.phase == JobPhase::Held => Err("is already on hold"),
        CommandId::Job(JobCommand::RequeueJob) if job.phase == JobPhase::Held => Err("is on hold; use release"),
        CommandId::Job(JobCommand::RequeueJob) if job.phase.is_pending() => Err("has not started"),
        CommandId::Job(JobCommand::HoldJob)
        | CommandId::Order(OrderCommand::Move)
        | CommandId::Job(JobCommand::JobPriority)
        | CommandId::Job(JobCommand::EditJob) => match job.phase {
            JobPhase::Running => Err("runs already"),
            JobPhase::Ended => Err("has already ended"),
            _ => Ok(()),
        },
        _ => Ok(()),
    };
    fits.map_err(|why| format!("{name} {why}"))?;
    if job.user == actor.identity.user || actor.scheduler_admin || administers(state, &app) {
        return Ok(());
    }
    Err(format!("{name} is {}'s, and you do not administer its queue", job.user))
}

fn administers(state: &State, app: &AppId) -> bool {
    let (Some(part), Ok(actor)) = (orders::part(state), state.cluster.actor()) else { return false };
    let Some(row) = part.app_by_id(app) else { return false };
    orders::within(state, orders::kill_of(row)).is_some_and(|act| part.may_administer(actor, &act, row).is_ok())
}

/// Whether the user is the resource manager.
///
/// # Errors
/// The daemon is.
pub fn by_hand(state: &State) -> Result<(), String> {
    match state.cluster.has_jobs {
        true => Err("not for local jobs: use `kornsole submit`, and K to cancel".to_owned()),
        false => Ok(()),
    }
}
