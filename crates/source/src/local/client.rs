//! The thread that queries the daemon for jobs, one request at a time.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;

use super::super::{JobAnswer, JobDone, JobNamesAnswer};
use super::sheet::{self, Sample};
use local::client::Client;
use local::job::{JobState, number_of};
use local::wall_ms;
use local::wire::{Edit, JobReport, JobUse, Reply, Request};
use model::{AppId, MEMORY};
use view::job::{JobAct, JobOrder, JobOutput, JobSheet, OutputWanted};
use view::units::show_amount;

const TAIL: u64 = 128 << 10;

pub(super) enum Asked {
    Look(AppId, OutputWanted, JobAnswer),
    Names(Vec<AppId>, JobNamesAnswer),
    Act(JobOrder, JobDone),
}

pub(super) struct Worker {
    socket: PathBuf,
    sample: Option<Sample>,
}

impl Worker {
    pub fn new(socket: PathBuf) -> Self {
        Self { socket, sample: None }
    }

    pub fn run(mut self, inbox: Receiver<Asked>) {
        for asked in inbox {
            match asked {
                Asked::Look(app, output, answer) => answer(self.look(&app, output)),
                Asked::Names(apps, answer) => answer(self.names(apps).ok()),
                Asked::Act(order, done) => done(self.act(&order)),
            }
        }
    }

    /// A new connection per request: the daemon closes idle ones.
    fn connect(&self) -> Result<Client, String> {
        Client::connect(&self.socket).map_err(|why| format!("the daemon does not answer: {why}"))
    }

    fn look(&mut self, app: &AppId, output: OutputWanted) -> Result<JobSheet, String> {
        let number = number(app)?;
        let mut client = self.connect()?;
        let job = job(&mut client, &Request::Job(number))?;
        let used = match job.state {
            JobState::Running => used(&mut client, number)?,
            _ => None,
        };
        let output = read(&mut client, number, output)?;
        let (sheet, sample) = sheet::of(&job, used.as_ref(), output, self.sample.take(), wall_ms());
        self.sample = sample;
        Ok(sheet)
    }

    fn names(&self, apps: Vec<AppId>) -> Result<Vec<(AppId, String)>, String> {
        let numbers: Vec<Option<u64>> = apps.iter().map(|app| number(app).ok()).collect();
        let wanted = Request::Names(numbers.iter().flatten().copied().collect());
        let (Reply::Names(names), _) = ask(&mut self.connect()?, &wanted)? else { return Err(unexpected()) };
        let names: HashMap<u64, String> = names.into_iter().collect();
        let name = |number: Option<u64>| number.and_then(|number| names.get(&number)).cloned().unwrap_or_default();
        Ok(apps.into_iter().zip(numbers).map(|(app, number)| (app, name(number))).collect())
    }

    fn act(&self, order: &JobOrder) -> Result<String, String> {
        let number = number(&order.app)?;
        let mut client = self.connect()?;
        let request = match &order.act {
            JobAct::Cancel => Request::Cancel(number),
            JobAct::Hold => Request::Hold(number),
            JobAct::Release => Request::Release(number),
            JobAct::Requeue => Request::Requeue(number),
            JobAct::Move(queue) => Request::Move { job: number, queue: queue.clone() },
            JobAct::Priority(priority) => Request::Priority { job: number, priority: *priority },
            JobAct::Edit(edit) => {
                let (vcore, memory, gpu, time) = (edit.vcore, edit.memory, edit.gpu, edit.time);
                let edit = Edit { vcore, memory, gpu, time, name: edit.name.clone() };
                Request::Edit { job: number, edit: Box::new(edit) }
            }
        };
        let job = job(&mut client, &request)?;
        Ok(format!("job {number}: {}", done(&order.act, &job)))
    }
}

fn done(act: &JobAct, job: &JobReport) -> String {
    let running = job.state == JobState::Running;
    match act {
        JobAct::Cancel if job.state == JobState::Ended => "canceled".to_owned(),
        JobAct::Cancel => "is ending".to_owned(),
        JobAct::Hold => "held".to_owned(),
        JobAct::Release => "released".to_owned(),
        JobAct::Requeue if running => "is ending and will be requeued".to_owned(),
        JobAct::Requeue => "requeued".to_owned(),
        JobAct::Move(queue) => format!("moves to {queue}"),
        JobAct::Priority(_) => format!("has priority {}", job.priority),
        JobAct::Edit(_) => format!("{} requests {}", job.name, asked(job)),
    }
}

fn asked(job: &JobReport) -> String {
    let gpus = if job.gpu > 0 { format!(", {} gpu", job.gpu) } else { String::new() };
    format!("{} cpu, {}{gpus}", model::quantity::show_vcore(job.vcore), show_amount(MEMORY, job.memory))
}

fn number(app: &AppId) -> Result<u64, String> {
    number_of(app.as_str()).map(|(number, _)| number).ok_or_else(|| format!("{app} is not a job of this machine"))
}

fn ask(client: &mut Client, request: &Request) -> Result<(Reply, Vec<u8>), String> {
    match client.ask(request) {
        Err(why) => Err(format!("the daemon does not answer: {why}")),
        Ok((Reply::Refused { message, .. }, _)) => Err(message),
        Ok(answered) => Ok(answered),
    }
}

fn unexpected() -> String {
    "unexpected response of the daemon: it may be another release; restart it".to_owned()
}

fn job(client: &mut Client, request: &Request) -> Result<JobReport, String> {
    match ask(client, request)? {
        (Reply::Job(job), _) => Ok(*job),
        _ => Err(unexpected()),
    }
}

fn used(client: &mut Client, number: u64) -> Result<Option<JobUse>, String> {
    match ask(client, &Request::UseOf(number))? {
        (Reply::Use(uses), _) => Ok(uses.into_iter().next()),
        _ => Err(unexpected()),
    }
}

fn read(client: &mut Client, job: u64, wanted: OutputWanted) -> Result<Option<JobOutput>, String> {
    let mut from = |from, last| {
        let (Reply::Output { first, attempt, ended, .. }, bytes) =
            ask(client, &Request::Logs { job, attempt: None, from, last })?
        else {
            return Err(unexpected());
        };
        Ok(JobOutput { attempt, first, more: !ended && !bytes.is_empty(), bytes })
    };
    match wanted {
        OutputWanted::None => Ok(None),
        OutputWanted::End => from(0, Some(TAIL)).map(Some),
        OutputWanted::From(attempt, at) => match from(at, None)? {
            output if output.attempt == attempt => Ok(Some(output)),
            _ => from(0, Some(TAIL)).map(Some),
        },
    }
}
