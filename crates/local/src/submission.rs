//! Checks, stores, and submits a job; all or nothing.

use super::after::How;
use super::crowd;
use super::daemon::Daemon;
use super::job::{ArrayTask, Dependency, Job, JobSpec, JobState, Owner};
use super::requests::{by_scheduler, misused, refused};
use super::table::Table;
use super::wire::Reply;
use super::{after, machine, wall_ms};
use model::{MEMORY, Resource, VCORE};

/// Bytes, with the environment.
const LARGEST_JOB: usize = 1 << 20;
/// Bytes of the name, paths, and hooks of all indices: they share one copy, but a list of jobs has one for each.
const LARGEST_ARRAY_TEXT: usize = 64 << 20;
const MOST_WORDS: usize = 65_536;
const MOST_VARIABLES: usize = 16_384;
const MOST_AFTER: usize = 1000;
/// Each attempt is stored.
const MOST_RETRIES: u32 = 1000;
/// How many bytes the name of a job, a hook or a file may have.
const LONGEST: usize = 4096;
/// A century, in seconds.
const LONGEST_TIME: u64 = 100 * 365 * 24 * 60 * 60;
/// Maximum number of tasks of an array.
pub const LARGEST_ARRAY: usize = 100_000;
/// In total and per user.
const MOST: usize = 200_000;
const MOST_OF_ONE: usize = 150_000;
/// Above it, the user's oldest ended jobs are removed.
const MOST_BYTES_OF_ONE: u64 = 256 << 20;
/// Bytes of a job in addition to its text.
const RECORD: u64 = 1024;

impl Daemon {
    pub(super) fn submit(&self, who: &Owner, spec: JobSpec) -> Reply {
        match self.submitted(who, spec) {
            Ok(first) => self.with_job(who, first, |_, job| Reply::Job(Box::new(self.report(job)))),
            Err(reply) => reply,
        }
    }

    fn submitted(&self, who: &Owner, mut spec: JobSpec) -> Result<u64, Reply> {
        self.complete(&mut spec);
        check(&spec).map_err(misused)?;
        // Shared by the indices of an array, on disk only.
        let env = std::mem::take(&mut spec.env);
        let env_bytes = env.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>();
        let shared = (env_bytes + spec.command.bytes()) as u64;
        let jobs = self.numbered(who, spec, shared)?;
        let (first, count) = (jobs[0].number, jobs.len() as u64);
        let retained = self.retained(jobs, &env);
        if retained.is_err() {
            let mut table = self.table();
            (first..first + count).for_each(|number| table.uncount(number));
            table.awaited.remove(first);
        }
        if let Some(job) = retained? {
            self.first_time(&job)?;
        }
        Ok(first)
    }

    /// Stores all jobs or none. Returns the job to offer to the scheduler at once.
    fn retained(&self, mut jobs: Vec<Job>, env: &[(String, String)]) -> Result<Option<Job>, Reply> {
        let crowd = crowd::key(&jobs[0]).filter(|_| !waits(&jobs[0]));
        let most = crowd::most(&self.settings.machine.capacity(), &jobs[0]);
        let parked = crowd.filter(|key| {
            let mut table = self.table();
            table.crowds.is_behind(*key) || !table.crowds.enter(*key, most)
        });
        let at_once = crowd.is_some() && parked.is_none();
        // Tests a job that is not offered yet, to report a missing queue immediately; on a copy for the reason.
        let queue = match at_once {
            true => String::new(),
            false => self.would_place(&jobs[0]).map_or_else(|| self.would_take(&jobs[0]), Ok).map_err(refused)?,
        };
        if at_once {
            jobs[0].state = JobState::Queued;
        }
        // On disk first: if the daemon ends now, its next start continues.
        if let Err(why) = self.store.create(&jobs, env) {
            self.store.remove_all(&jobs);
            return Err(refused(format!("cannot save the job: {why}")));
        }
        let offered = at_once.then(|| jobs[0].clone());
        let mut table = self.table();
        for job in jobs {
            let number = job.number;
            table.insert(job);
            if let Some(key) = parked {
                table.park(key, number, queue.clone());
            }
        }
        table.look |= parked.is_none();
        drop(table);
        if offered.is_none() && parked.is_none() {
            self.wake();
        }
        Ok(offered)
    }

    /// A rejection is the reply, and the job is removed. If a busy scheduler rejects it later, the job ends.
    fn first_time(&self, job: &Job) -> Result<(), Reply> {
        let outcome = self.offer_soon(job);
        let mut table = self.table();
        let outcome = match outcome {
            Ok(Some(offered)) => {
                table.offered.push((job.clone(), offered));
                return Ok(());
            }
            Ok(None) => Ok(()),
            Err(why) => Err(why),
        };
        match (outcome, table.confirm(job)) {
            (Err(why), Some(JobState::Queued)) => {
                table.remove(job.number);
                self.store.remove(job.number);
                return Err(by_scheduler(&why));
            }
            (_, Some(_)) => {}
            (_, None) => self.cancel_request(job),
        }
        Ok(())
    }

    pub(super) fn complete(&self, spec: &mut JobSpec) {
        let machine = &self.settings.machine;
        if spec.memory == 0 && machine.vcore > 0 {
            let share = i128::from(machine.memory) * i128::from(spec.vcore) / i128::from(machine.vcore);
            spec.memory = i64::try_from(share).unwrap_or(i64::MAX);
        }
    }

    fn numbered(&self, who: &Owner, mut spec: JobSpec, shared: u64) -> Result<Vec<Job>, Reply> {
        let array = spec.array.take();
        let count = array.as_ref().map_or(1, |array| array.indices.len());
        let mut table = self.table();
        let knows = |number| self.knows(&table, who, number);
        let after = after::resolved(&table, &spec, array.as_ref(), knows).map_err(misused)?;
        let (own_after, shared_after) = after.into_iter().partition(|after| after.how == How::Corresponding);
        spec.after = shared_after;
        let own =
            || table.live.iter().filter(|number| table.jobs.get(number).is_some_and(|job| job.owner.uid == who.uid));
        if table.live.len() + count > MOST
            || (table.live.len() + count > MOST_OF_ONE && own().count() + count > MOST_OF_ONE)
        {
            return Err(refused(format!("too many jobs: the limit is {MOST}, and {MOST_OF_ONE} for each user")));
        }
        let first = table.last + 1;
        let one = Job { own_after, ..Job::new(first, spec, who.clone(), wall_ms()) };
        if too_large(&self.settings.machine.capacity(), &one) {
            return Err(refused(format!("the job requests more than this machine's capacity: {}", self.has())));
        }
        let (tasks, share) = (count as u64, shared.div_ceil(count as u64));
        let bytes = text_of(&one) + share;
        let others = after::Others::of(&table, &one.own_after);
        let awaited = one.spec.after.iter().map(Dependency::jobs).chain(others.all());
        // From now on: the records of these jobs make no room.
        table.awaited.add(first, awaited.collect());
        let space = self.make_space(&mut table, who.uid, bytes.saturating_mul(tasks));
        space.inspect_err(|_| table.awaited.remove(first))?;
        (first..first + tasks).for_each(|number| table.count(number, who.uid, bytes));
        table.last += tasks;
        let Some(array) = array else { return Ok(vec![one]) };
        let task = ArrayTask::first_of(&array, first);
        let tasks = (first..).zip(&array.indices);
        let job = |(number, index): (u64, &u32)| Job {
            number,
            array: Some(ArrayTask { index: *index, ..task }),
            own_after: others.corresponding(*index),
            ..one.clone()
        };
        Ok(tasks.map(job).collect())
    }

    /// Removes ended jobs of the user if that is enough for `bytes` new ones.
    fn make_space(&self, table: &mut Table, uid: u32, bytes: u64) -> Result<(), Reply> {
        // Only this removes jobs that ended without a start.
        self.forget_old(table);
        let forgotten = table.make_space(uid, bytes, MOST_BYTES_OF_ONE).map_err(|with_it| {
            let most = format!("the limit is {MOST_BYTES_OF_ONE}; wait until some jobs have ended");
            refused(format!("bytes of all jobs of a user: {with_it} with this request, the limit is {most}"))
        })?;
        forgotten.into_iter().for_each(|number| self.store.remove(number));
        Ok(())
    }

    pub(super) fn count_all(&self) {
        let mut table = self.table();
        let found: Vec<_> = table.jobs.values().map(|job| (job.number, job.owner.uid, text_of(job))).collect();
        for (number, uid, text) in found {
            table.count(number, uid, text + self.store.record_bytes(number));
            self.count_output(&mut table, number, 0);
        }
    }

    pub(super) fn due(&self, table: &mut Table, number: u64) -> Option<Job> {
        let job = table.jobs.get_mut(&number)?;
        if waits(job) || !self.queue(job) {
            table.look = true;
            return None;
        }
        Some(job.clone())
    }

    pub(super) fn has(&self) -> String {
        let machine = &self.settings.machine;
        machine::in_words(machine.vcore, machine.memory, machine.gpu)
    }
}

/// Bytes without environment and command. Each dependency counts: the daemon looks it up.
fn text_of(job: &Job) -> u64 {
    let spec = &job.spec;
    let texts = [&spec.dir, &spec.output, &spec.error, &spec.checkpoint, &spec.at_end, &spec.queue, &spec.limits];
    let after = job.after().map(Dependency::count).sum::<u64>() * size_of::<Dependency>() as u64;
    RECORD + texts.into_iter().map(String::len).sum::<usize>() as u64 + after
}

fn waits(job: &Job) -> bool {
    let later = job.spec.begin.is_some_and(|begin| begin > wall_ms());
    job.state != JobState::Waiting || job.after().next().is_some() || job.spec.singleton || job.array.is_some() || later
}

pub(super) fn too_large(machine: &Resource, job: &Job) -> bool {
    !machine.fit_in(&job.resource())
}

pub(super) fn check(spec: &JobSpec) -> Result<(), String> {
    let size: usize = spec.command.iter().map(String::len).sum::<usize>()
        + spec.env.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>();
    let text = || spec.command.iter().chain(spec.env.iter().flat_map(|(name, value)| [name, value]));
    let tasks = spec.array.as_ref().map_or(1, |array| array.indices.len());
    within_limits(spec)?;
    match spec {
        _ if spec.command.first().is_none_or(String::is_empty) => Err("missing command".to_owned()),
        _ if size > LARGEST_JOB => Err(format!("command and environment have {size} bytes, at most {LARGEST_JOB}")),
        _ if text().chain(short_texts(spec).map(|(_, text)| text)).any(|text| text.contains('\0')) => {
            Err("it has a NUL byte".to_owned())
        }
        _ if spec.env.iter().any(|(name, _)| name.is_empty() || name.contains('=')) => {
            Err("a variable of the environment needs a name without =".to_owned())
        }
        _ if !spec.dir.starts_with('/') => Err(format!("the directory {:?} is not absolute", spec.dir)),
        _ if [&spec.output, &spec.error].into_iter().any(|file| !file.is_empty() && !file.starts_with('/')) => {
            Err(format!("the output file {:?} or {:?} is not absolute", spec.output, spec.error))
        }
        _ if spec.vcore <= 0 || spec.memory <= 0 || spec.gpu < 0 => {
            Err(format!("it must request more than 0 {VCORE} and {MEMORY}"))
        }
        _ if spec.interactive && spec.array.is_some() => Err("an array has no terminal: submit one job".to_owned()),
        _ if spec.time_limit.is_some_and(|seconds| seconds == 0 || seconds > LONGEST_TIME) => {
            Err("a time limit must be from 1 second to 100 years".to_owned())
        }
        _ if tasks == 0 || tasks > LARGEST_ARRAY => {
            Err(format!("an array has 1 to {LARGEST_ARRAY} tasks, found {tasks}"))
        }
        _ if spec.signal.is_some_and(|signal| !(1..=31).contains(&signal) || signal == 9 || signal == 19) => {
            Err("this signal cannot end a job".to_owned())
        }
        _ => Ok(()),
    }
}

fn short_texts(spec: &JobSpec) -> [(&'static str, &String); 7] {
    [
        ("name", &spec.name),
        ("directory", &spec.dir),
        ("output file", &spec.output),
        ("error file", &spec.error),
        ("checkpoint command", &spec.checkpoint),
        ("command at the end", &spec.at_end),
        ("queue", &spec.queue),
    ]
}

/// Checks the sizes of the lists, and the text that the indices of an array share.
fn within_limits(spec: &JobSpec) -> Result<(), String> {
    let tasks = spec.array.as_ref().map_or(1, |array| array.indices.len());
    let texts = short_texts(spec);
    if let Some((name, text)) = texts.into_iter().find(|(_, text)| text.len() > LONGEST) {
        return Err(format!("bytes of the {name}: the request has {}, the limit is {LONGEST}", text.len()));
    }
    let text: usize = texts.into_iter().map(|(_, text)| text.len()).sum();
    let longest = texts.into_iter().max_by_key(|(_, text)| text.len()).map_or("name", |(name, _)| name);
    let all = format!("name, path, and hook bytes of all array indices (the longest is the {longest})");
    let limits = [
        ("command words", spec.command.len(), MOST_WORDS),
        ("environment variables", spec.env.len(), MOST_VARIABLES),
        ("--after jobs", spec.after.len(), MOST_AFTER),
        ("task slots", spec.slots as usize, usize::try_from(spec.vcore / 1000).unwrap_or_default().max(1)),
        ("--retry", spec.retry as usize, MOST_RETRIES as usize),
        (&*all, text.saturating_mul(tasks), LARGEST_ARRAY_TEXT),
    ];
    match limits.into_iter().find(|(_, found, most)| found > most) {
        Some((name, found, most)) => Err(format!("{name}: the request has {found}, the limit is {most}")),
        None => Ok(()),
    }
}
