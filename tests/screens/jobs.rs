use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::scenario::{self, ScenarioWorkload};
use console::{Driver, Options};
use engine::Core;
use model::{AppId, Profile};
use source::{About, JobAnswer, JobDone, JobNamesAnswer, Jobs, SourcePlace, Stepped};
use view::act::Actor;
use view::job::{
    JobAct, JobAsked, JobEdit, JobOrder, JobOutput, JobPhase, JobProcess, JobSheet, JobUsage, OutputWanted,
};

use crate::common::{shows, shows_not, user};

#[derive(Default)]
struct Machine {
    sheets: Mutex<BTreeMap<AppId, JobSheet>>,
    output: Mutex<Vec<u8>>,
    given: Mutex<Vec<JobOrder>>,
    refuses: Mutex<Option<AppId>>,
}

impl Machine {
    fn change(&self, app: &str, change: impl FnOnce(&mut JobSheet)) {
        change(self.sheets.lock().unwrap().get_mut(&AppId::from(app)).unwrap());
    }

    fn given(&self) -> Vec<JobOrder> {
        std::mem::take(&mut self.given.lock().unwrap())
    }
}

impl Jobs for Machine {
    fn look(&self, app: &AppId, wanted: OutputWanted, answer: JobAnswer) {
        let known = self.sheets.lock().unwrap().get(app).cloned();
        let all = self.output.lock().unwrap();
        let first = match wanted {
            OutputWanted::None => return answer(known.ok_or_else(|| format!("{app} is no job"))),
            OutputWanted::End => 0,
            OutputWanted::From(_, at) => usize::try_from(at).unwrap(),
        };
        let attempt = known.as_ref().map_or(0, |job| job.attempts);
        let output = JobOutput { attempt, first: first as u64, bytes: all[first..].to_vec(), more: false };
        answer(known.map(|job| JobSheet { output: Some(output), ..job }).ok_or_else(|| format!("{app} is no job")));
    }

    fn names(&self, apps: Vec<AppId>, answer: JobNamesAnswer) {
        let sheets = self.sheets.lock().unwrap();
        let name = |app: &AppId| sheets.get(app).map(|job| job.name.clone()).unwrap_or_default();
        answer(Some(apps.iter().map(|app| (app.clone(), name(app))).collect()));
    }

    fn act(&self, order: JobOrder, done: JobDone) {
        let refused = self.refuses.lock().unwrap().as_ref() == Some(&order.app);
        self.given.lock().unwrap().push(order.clone());
        done(if refused { Err("it is not yours".to_owned()) } else { Ok(format!("{}: done", order.app)) });
    }
}

fn sheet(number: u64, user: &str, phase: JobPhase) -> JobSheet {
    let started = phase == JobPhase::Running;
    JobSheet {
        app: AppId::from(format!("job-{number}")),
        number,
        name: "train".to_owned(),
        user: user.to_owned(),
        queue: format!("root.users.{user}"),
        phase,
        reason: String::new(),
        failed: false,
        command: ["python3", "train.py", "--name", "a b"].map(str::to_owned).to_vec(),
        dir: "/home/net".to_owned(),
        output_file: String::new(),
        error_file: String::new(),
        note: String::new(),
        lost_output: 0,
        asked: JobAsked { vcore: 8000, memory: 32 << 30, gpu: 0, time: None },
        gpus: Vec::new(),
        priority: 3,
        submitted: Duration::from_secs(300),
        ran: started.then(|| Duration::from_secs(120)),
        ended: None,
        attempts: u32::from(started),
        usage: started.then(|| JobUsage {
            vcore: Some(7_500),
            cpu: Duration::from_secs(900),
            memory: Some(1 << 30),
            most: Some(2 << 30),
            processes: vec![JobProcess {
                pid: 4711,
                depth: 0,
                name: "py\u{1b}thon".to_owned(),
                memory: 1 << 30,
                cpu: Duration::from_secs(890),
            }],
            ..JobUsage::default()
        }),
        output: None,
    }
}

fn machine(who: Actor, width: u16, height: u16) -> (Driver, Arc<Machine>, Arc<Stepped>) {
    let text = std::fs::read_to_string("recordings/jobs.yaml").unwrap();
    let scenario = scenario::read(&text).scenario.unwrap();
    let config = config::read(scenario.config_text().unwrap(), Profile::Kornsole).config.unwrap();
    let workload = ScenarioWorkload::new(scenario, Profile::Kornsole);
    let core = Core::new(Profile::Kornsole, Arc::new(config), Some(Box::new(workload))).unwrap();
    let jobs = Arc::new(Machine::default());
    let known = [(17, "ann", JobPhase::Running), (18, "bob", JobPhase::Running), (19, "ann", JobPhase::Queued)];
    for (number, user, phase) in known {
        let sheet = sheet(number, user, phase);
        jobs.sheets.lock().unwrap().insert(sheet.app.clone(), sheet);
    }
    let about = About { place: SourcePlace::Machine { enforced: false }, name: "box".to_owned(), notes: Vec::new() };
    let source = Arc::new(Stepped::new(core, about, who).with_jobs(Some(Arc::clone(&jobs) as _)));
    source.advance(Duration::from_secs(60));
    (Driver::new(Arc::clone(&source) as _, Options::default(), width, height), jobs, source)
}

fn job(who: &str, number: u64) -> (Driver, Arc<Machine>) {
    let (mut driver, jobs, _) = machine(user(who), 130, 36);
    driver.keys(&format!(":job {number}<ret>")).unwrap();
    (driver, jobs)
}

#[test]
fn a_job_shows_what_it_is_what_it_uses_and_its_processes() {
    for (width, height) in [(130, 36), (80, 24), (40, 12)] {
        let (mut driver, jobs, _) = machine(user("ann"), width, height);
        jobs.output.lock().unwrap().extend(b"one\n\x1b[31mtwo\x1b[0m\n");
        driver.keys(":job 17<ret>").unwrap();
        if width == 130 {
            shows(&driver, " THIS MACHINE ");
        }
        shows(&driver, "running for 2m");
        if height > 12 {
            shows(&driver, "python3 train.py --name 'a b'");
            shows(&driver, "7.5 of 8, 15m in all");
            shows(&driver, "1Gi of 32Gi, at most 2Gi");
            shows(&driver, "requested 32Gi, at most 2Gi in 2m");
            shows(&driver, "4711 py\\x1bthon  1Gi  14m 50s");
        }
        shows(&driver, "two");
        assert!(!driver.screen_text().contains('\u{1b}'), "nothing of it reaches the terminal");
    }
}

#[test]
fn the_header_shows_what_is_not_enforced_in_every_width() {
    for (width, height) in [(80, 24), (100, 30), (120, 40), (200, 60)] {
        let (mut driver, ..) = machine(user("ann"), width, height);
        for page in ["1", "2", ":job 17<ret>"] {
            driver.keys(page).unwrap();
            shows(&driver, " THIS MACHINE   CPU, MEM NOT ENFORCED   box ");
        }
    }
}

#[test]
fn the_list_of_applications_shows_the_name_of_each_job() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let (mut driver, jobs, source) = machine(user("ann"), width, height);
        driver.keys("2").unwrap();
        shows(&driver, "job-17  train ");
        shows(&driver, "job-19  train ");
        jobs.change("job-17", |job| job.name = "other\u{1b}".to_owned());
        source.advance(Duration::from_secs(11));
        driver.advance(Duration::from_secs(11));
        shows(&driver, "job-17  other\\x1b ");
    }
}

#[test]
fn the_end_of_the_output_is_followed_until_another_page_is_opened() {
    let (mut driver, jobs) = job("ann", 17);
    let write = |from: u32, to: u32| {
        (from..to).for_each(|at| jobs.output.lock().unwrap().extend(format!("line {at}.\n").as_bytes()));
    };
    write(0, 100);
    driver.advance(Duration::from_secs(2));
    shows(&driver, "line 99.");
    shows(&driver, ", followed");
    driver.keys("k").unwrap();
    shows_not(&driver, ", followed");
    shows_not(&driver, "line 99.");
    write(100, 200);
    driver.advance(Duration::from_secs(2));
    shows(&driver, "line 98.");
    shows_not(&driver, "line 199.");
    driver.keys("G").unwrap();
    shows(&driver, "line 199.");
    driver.keys("g").unwrap();
    shows(&driver, "line 0.");
    driver.keys("f").unwrap();
    shows(&driver, "line 199.");
    shows(&driver, ", followed");
}

#[test]
fn what_runs_is_canceled_and_requeued_after_a_question_and_nothing_else_fits_it() {
    let (mut driver, jobs) = job("ann", 17);
    driver.keys("K").unwrap();
    shows(&driver, "End job 17, train?");
    shows(&driver, "8 cpu, 32Gi, running for 2m, of ann in root.users.ann.");
    shows(&driver, "Its unsaved data is lost.");
    driver.keys("<ret>").unwrap();
    assert_eq!(jobs.given(), [], "it opens on doing nothing");
    driver.keys("Ky").unwrap();
    shows(&driver, "job-17: done");
    driver.keys("R").unwrap();
    shows(&driver, "It is stopped and then restarts.");
    driver.keys("y").unwrap();
    let given: Vec<JobAct> = jobs.given().into_iter().map(|order| order.act).collect();
    assert_eq!(given, [JobAct::Cancel, JobAct::Requeue]);
    for (keys, why) in [("h", "runs already"), ("P", "runs already"), ("E", "runs already"), ("m", "runs already")] {
        driver.keys(keys).unwrap();
        shows(&driver, &format!("job 17 {why}"));
    }
    driver.keys("u").unwrap();
    shows(&driver, "job 17 is not on hold");
    jobs.change("job-17", |job| job.phase = JobPhase::Ended);
    driver.advance(Duration::from_secs(2));
    driver.keys("K").unwrap();
    shows(&driver, "job 17 has already ended");
    assert_eq!(jobs.given(), []);
}

#[test]
fn pending_jobs_are_held_moved_and_changed() {
    let (mut driver, jobs) = job("ann", 19);
    shows(&driver, "queued for 5m");
    shows(&driver, "no output: it has not started");
    driver.keys("hy").unwrap();
    jobs.change("job-19", |job| job.phase = JobPhase::Held);
    driver.advance(Duration::from_secs(2));
    driver.keys("u").unwrap();
    driver.keys("m").unwrap();
    driver.keys("root.users.bob<ret>").unwrap();
    shows(&driver, "To root.users.bob. It loses its position");
    driver.keys("y").unwrap();
    driver.keys("P").unwrap();
    shows(&driver, ":priority");
    driver.keys("9<ret>").unwrap();
    shows(&driver, "To 9; a higher priority is scheduled first. It is 3 now.");
    driver.keys("y").unwrap();
    driver.keys("E").unwrap();
    shows(&driver, "edit-job cpu=8 mem=32Gi gpu=0 time=none");
    driver.keys("<C-u>edit-job cpu=0.5 mem=4Gi time=2h<ret>").unwrap();
    shows(&driver, "0.5 cpu, 4Gi, at most 2h.");
    driver.keys("y").unwrap();
    let edit = JobEdit { vcore: Some(500), memory: Some(4 << 30), time: Some(7200), ..JobEdit::default() };
    let acts = [
        JobAct::Hold,
        JobAct::Release,
        JobAct::Move("root.users.bob".to_owned()),
        JobAct::Priority(9),
        JobAct::Edit(edit),
    ];
    assert_eq!(jobs.given().into_iter().map(|order| order.act).collect::<Vec<_>>(), acts);
    for (line, why) in [
        (":priority high", "is not a priority"),
        (":edit-job speed=9", "cannot be changed"),
        (":edit-job cpu", "is not KEY=VALUE"),
        (":edit-job mem=much", "mem=much: "),
        (":edit-job time=soon", "write a time, for example 90s"),
    ] {
        driver.keys(&format!("{line}<ret>")).unwrap();
        shows(&driver, why);
    }
    assert_eq!(jobs.given(), []);
}

#[test]
fn several_are_marked_and_each_has_its_outcome() {
    let (mut driver, jobs, _) = machine(user("ann"), 130, 36);
    *jobs.refuses.lock().unwrap() = Some(AppId::from("job-18"));
    driver.keys("2AK").unwrap();
    shows(&driver, "End 3 jobs?");
    driver.keys("y").unwrap();
    shows(&driver, "2 done, 1 rejected");
    assert_eq!(jobs.given().len(), 3);
    driver.keys(":messages<ret>").unwrap();
    shows(&driver, "cannot cancel job-18: it is not yours");
}

#[test]
fn another_ones_job_is_left_alone_and_so_is_what_the_daemon_does() {
    let (mut driver, jobs) = job("ann", 18);
    for keys in ["K", "R"] {
        driver.keys(keys).unwrap();
        shows(&driver, "job 18 is bob's, and you do not administer its queue");
    }
    driver.keys(":submit x root.users.ann<ret>").unwrap();
    shows(&driver, "use `kornsole submit`");
    driver.keys(":job 99<ret>").unwrap();
    shows(&driver, "job-99 is no job");
    let (mut admin, _) = job("root", 18);
    admin.keys("K").unwrap();
    shows(&admin, "job 18 is bob's");
    let (mut driver, _, _) = machine(user("root").scheduler_admin(true), 130, 36);
    driver.keys(":job 18<ret>K").unwrap();
    shows(&driver, "End job 18, train?");
    assert_eq!(jobs.given(), []);
}

#[test]
fn the_list_and_the_details_of_an_application_show_its_job() {
    let (mut driver, _, _) = machine(user("ann"), 130, 36);
    driver.keys("2/17<ret>").unwrap();
    shows(&driver, "python3 train.py --name 'a b'");
    shows(&driver, "o output");
    driver.keys("i").unwrap();
    shows(&driver, "requested 32Gi, at most 2Gi in 2m");
    driver.keys("<esc><ret>o").unwrap();
    shows(&driver, "running for 2m");
    driver.keys("x").unwrap();
    shows(&driver, "what it uses");
    shows(&driver, "Starting since 0:00 (59s ago); no request waits");
}

#[test]
fn for_other_sources_an_application_is_not_a_job() {
    let (mut driver, _) = crate::console(130, 36);
    driver.keys("2").unwrap();
    shows_not(&driver, "o output");
    for keys in ["o", "h", "R", ":job 1<ret>"] {
        driver.keys(keys).unwrap();
        shows(&driver, "are not jobs of this machine");
    }
}
