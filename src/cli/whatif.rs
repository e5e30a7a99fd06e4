//! `kornsole whatif`: changes tried on a copy of a state, and what differs.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use clap::Args;

use super::{fail, load};
use crate::api::convert::{Wall, whatif as convert};
use crate::api::dto::json::to_bytes;
use crate::api::dto::native as dto;
use crate::config::{DEFAULT_POLICY_GROUP, manifest};
use crate::engine::journal::FolderInspection;
use crate::model::Profile;
use crate::scenario::{RunOutcome, Runner, Silent};
use crate::whatif::{self, Bounds, Fork, Pace, Unfinished};

/// What the runs may take.
const BOUNDS: Bounds = Bounds { cycles: 10_000_000, trace_lines: 100_000 };
/// The most applications that the table lists.
const MOST_LISTED: usize = 40;

/// The arguments of `kornsole whatif`.
#[derive(Args, Clone, Debug)]
pub struct WhatIfArgs {
    /// A scenario: what it leads to is the moment that both runs begin from
    #[arg(long, value_name = "FILE", required_unless_present = "state")]
    pub workload: Option<PathBuf>,
    /// The folder of a scheduler that does not run: it is read, and stays as it is
    #[arg(long, value_name = "DIR", conflicts_with = "workload")]
    pub state: Option<PathBuf>,
    /// Which core to decide like: kornsole, 1.5.1 or 1.8.0. A state folder has its own
    #[arg(long, value_name = "PROFILE", default_value_t = Profile::Kornsole)]
    pub core: Profile,
    /// The partition. Without it the first
    #[arg(long, value_name = "NAME")]
    pub partition: Option<String>,
    /// Another queue configuration
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// A key of a queue, as root.a.max.vcore=+8, root.a.priority=5 or root.a.limit.user.sue.memory=4Gi
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub sets: Vec<String>,
    /// Any other change: 'node drain n1', 'kill app', 'move app root.b', 'submit app 3', 'demand root.a x2'
    #[arg(long = "change", value_name = "CHANGE")]
    pub changes: Vec<String>,
    /// When what runs ends: 10m, never, user:NAME=5m, queue:PATH=5m, app:NAME*=5m, history:user, history:queue, history:name
    #[arg(long = "runtime", value_name = "RULE")]
    pub runtimes: Vec<String>,
    /// How long both runs go on. Without it, until nothing changes any more
    #[arg(long = "for", value_name = "TIME")]
    pub time: Option<String>,
    /// Draw times of the history by this seed, instead of their median
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// Exit code 0: both runs came to their end; 1: something cannot be read; 2: a change is not one.
#[expect(clippy::print_stdout, reason = "this is what standard output is for")]
pub fn run(args: &WhatIfArgs) -> ExitCode {
    let asked = match asked(args) {
        Ok(asked) => asked,
        Err(message) => return fail(&message, 1),
    };
    let plan = match convert::plan(&asked) {
        Ok(plan) => plan,
        Err(message) => return fail(&message, 2),
    };
    let fork = match fork(args) {
        Ok(fork) => fork,
        Err(message) => return fail(&message, 1),
    };
    match whatif::run(&fork, &plan, BOUNDS, &|| true) {
        Err(Unfinished::Stopped) => fail("it was stopped", 1),
        Err(Unfinished::Cycles(most)) => fail(&format!("it takes more than {most} cycles: give a shorter --for"), 1),
        Ok(pair) => {
            let result = convert::result(&pair, &Wall::new(UNIX_EPOCH, 1.0), &[]);
            if args.json {
                println!("{}", String::from_utf8_lossy(&to_bytes(&result)));
            } else {
                print!("{}", text(&result));
            }
            ExitCode::SUCCESS
        }
    }
}

fn asked(args: &WhatIfArgs) -> Result<dto::WhatIf, String> {
    let config = args.config.as_deref().map(load::bytes).transpose()?;
    let config = config.map(|bytes| {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        manifest::queues_of(&text, DEFAULT_POLICY_GROUP).unwrap_or(text)
    });
    let sets = args.sets.iter().map(|set| format!("set {set}"));
    Ok(dto::WhatIf {
        partition: args.partition.clone(),
        config,
        changes: sets.chain(args.changes.iter().cloned()).collect(),
        run: dto::WhatIfRun { advance: args.time.clone(), cycles: None },
        runtimes: args.runtimes.clone(),
        seed: args.seed,
        ..dto::WhatIf::default()
    })
}

fn fork(args: &WhatIfArgs) -> Result<Fork, String> {
    let partition = args.partition.as_deref();
    if let Some(folder) = &args.state {
        let look = FolderInspection::open(folder).map_err(|trouble| format!("{}: {trouble}", folder.display()))?;
        return look.fork(partition).map_err(|why| why.to_string());
    }
    let file = args.workload.clone().unwrap_or_default();
    let load::ScenarioInput { scenario, config, report, file: own } =
        load::scenario(&file, None, DEFAULT_POLICY_GROUP, args.core)?;
    let text: Option<Arc<str>> = match &own {
        None => scenario.config_text().map(Arc::from),
        Some((_, bytes)) => Some(Arc::from(String::from_utf8_lossy(bytes))),
    };
    let text = text.map(|text| manifest::queues_of(&text, DEFAULT_POLICY_GROUP).map_or(text, Arc::from));
    let mut runner = Runner::new(args.core);
    match runner.run(&scenario, config, &mut Silent) {
        Ok(RunOutcome::Done) => {}
        Ok(RunOutcome::Refused) => return Err(report),
        Err(error) => return Err(error.to_string()),
    }
    let now = runner.now();
    let moment = (now, Pace::beginning(now));
    Fork::of(runner.scheduler(), partition, moment, text, usize::MAX).map_err(|why| why.to_string())
}

/// What differs, for people.
fn text(result: &dto::WhatIfResult) -> String {
    let mut lines = vec![result.verdict.clone(), result.runtimes.clone()];
    let refused = result.refused.iter().map(|step| format!("refused: {}: {}", step.what, step.why));
    lines.extend(refused);
    if let Some(first) = &result.first {
        let words = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing any more".to_owned());
        lines.push(format!("first difference: {}, instead of: {}", words(&first.with), words(&first.without)));
    }
    lines.push(String::new());
    let applications = &result.diff.applications;
    for app in applications.iter().take(MOST_LISTED) {
        let by = app.by.and_then(|by| u64::try_from(by).ok()).map(Duration::from_nanos);
        let by = by.map(|by| format!(" by {:.1} s", by.as_secs_f64())).unwrap_or_default();
        let course = app.with.as_ref().or(app.without.as_ref());
        let (queue, user) = course.map(|course| (course.queue.as_str(), course.user.as_str())).unwrap_or_default();
        lines.push(format!("{:<12} {:<40} {:<30} {user}{by}", app.effect, app.application_id, queue));
    }
    if applications.len() > MOST_LISTED {
        lines.push(format!("and {} applications more; --json has them", applications.len() - MOST_LISTED));
    }
    let waiting = |figures: &Option<dto::WhatIfFigures>| figures.as_ref().map_or(0, |figures| figures.waiting);
    for queue in &result.diff.queues {
        let (without, with) = (waiting(&queue.without), waiting(&queue.with));
        lines.push(format!("{:<40} waiting asks {without} -> {with}", queue.name));
    }
    let text = lines.join("\n");
    text.lines().map(|line| format!("{}\n", crate::console::present::text::escape(line))).collect()
}
