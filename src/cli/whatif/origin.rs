//! The initial state of both runs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::{load, manifests};
use super::WhatIfArgs;
use config::DEFAULT_POLICY_GROUP;
use config::properties::parse_duration;
use engine::journal::DirInspection;
use forecast::twin::Twin;
use forecast::whatif::{Arrivals, Fork, Pace};
use kubernetes::Recovered;
use model::{Identity, Profile, Time};
use scenario::{RunOutcome, Runner, Silent};
use scheduler::PartitionCommand;
use source::{Saved, Source};

/// A simulation copy of a dump's partition, by default the first one.
pub(in crate::cli) fn of_dump(file: &Path, partition: Option<&str>) -> Result<Arc<Twin>, String> {
    let bytes = load::unpacked(file, load::LARGE)?;
    let saved = Saved::read(&file.display().to_string(), &bytes, Identity::default())?;
    let first = saved.view().partitions.first().map(|part| Arc::clone(&part.name));
    let name = partition.map(Arc::from).or(first).ok_or_else(|| format!("{} has no partition", file.display()))?;
    saved.twin(&name).map_err(|refusal| refusal.to_string())
}

/// Also returns the parts that it ignores, and the commands that submit those of `submitted`.
pub(super) fn of_manifests(
    args: &WhatIfArgs,
    submitted: &[PathBuf],
) -> Result<(Fork, Vec<String>, Vec<PartitionCommand>), String> {
    let (Recovered { scheduler, now, unknown, later }, text) =
        manifests::recovered(&args.from_manifests, submitted, args.core.profile())?;
    let moment = (now, Pace::initial(now));
    let fork = Fork::of(&scheduler, args.partition.as_deref(), moment, Some(Arc::from(text)), usize::MAX);
    fork.map(|fork| (fork, unknown, later)).map_err(|why| why.to_string())
}

pub(super) fn fork(args: &WhatIfArgs) -> Result<(Fork, Arrivals), String> {
    match &args.state {
        Some(dir) => {
            let look = DirInspection::open(dir).map_err(|problem| problem.reported_of(dir))?;
            of_dir(args, &look).map_err(|why| format!("{}: {why}", dir.display()))
        }
        None => {
            let file = args.workload.as_deref().unwrap_or(Path::new(""));
            of_scenario(file, args.partition.as_deref(), args.core.profile()).map(|fork| (fork, Arrivals::default()))
        }
    }
}

fn of_dir(args: &WhatIfArgs, look: &DirInspection) -> Result<(Fork, Arrivals), String> {
    let partition = args.partition.as_deref();
    let at = args.at.as_deref().map(|text| earlier("--at", text, look.now())).transpose()?;
    let fork = match at {
        None => look.fork(partition).map_err(|why| why.to_string())?,
        Some(at) => look.fork_at(partition, at)?,
    };
    let Some(span) = &args.arrivals else { return Ok((fork, Arrivals::default())) };
    let time = parse_duration(span).ok_or_else(|| format!("--arrivals: invalid time {span:?}; use for example 30m"))?;
    let (to, first) = (fork.now(), fork.now().0.saturating_sub(u64::try_from(time.as_micros()).unwrap_or(u64::MAX)));
    let recorded = look.submissions(fork.partition_name(), Time(first), to)?;
    Ok((fork, Arrivals::recorded(recorded, Time(first), to)))
}

/// Parses `10m` before the last time, or `1:02:03` of scheduler time.
pub(in crate::cli) fn earlier(option: &str, text: &str, last: Time) -> Result<Time, String> {
    let wrong =
        || format!("{option}: {text:?} is invalid; use an age such as 10m, or a scheduler time such as 1:02:03");
    if let Some(ago) = parse_duration(text) {
        let ago = u64::try_from(ago.as_micros()).unwrap_or(u64::MAX);
        let at =
            last.0.checked_sub(ago).ok_or_else(|| format!("{option}: the scheduler had not started {text} ago"))?;
        return Ok(Time(at));
    }
    let parts: Vec<u64> = text.split(':').map(|part| part.parse().map_err(|_| wrong())).collect::<Result<_, _>>()?;
    let seconds = match parts.as_slice() {
        [minutes, seconds @ 0..60] => minutes.checked_mul(60).and_then(|all| all.checked_add(*seconds)),
        [hours, minutes @ 0..60, seconds @ 0..60] => {
            hours.checked_mul(3600).and_then(|all| all.checked_add(minutes * 60 + seconds))
        }
        _ => None,
    };
    let at = seconds.and_then(|seconds| seconds.checked_mul(1_000_000)).map(Time).ok_or_else(wrong)?;
    if at > last { Err(format!("{option}: the state ends at {last}")) } else { Ok(at) }
}

/// Fails for an unreadable scenario or a rejected configuration.
pub(in crate::cli) fn of_scenario(file: &Path, partition: Option<&str>, core: Profile) -> Result<Fork, String> {
    let load::ScenarioInput { scenario, config, report, file: own } =
        load::scenario(file, None, DEFAULT_POLICY_GROUP, core)?;
    let text: Option<Arc<str>> = match &own {
        None => scenario.config_text().map(Arc::from),
        Some(file) => Some(Arc::from(file.queues())),
    };
    let mut runner = Runner::new(core);
    match runner.run(&scenario, config, &mut Silent) {
        Ok(RunOutcome::Done) => {}
        Ok(RunOutcome::Refused) => return Err(report),
        Err(error) => return Err(error.to_string()),
    }
    let now = runner.now();
    let moment = (now, Pace::initial(now));
    Fork::of(runner.scheduler(), partition, moment, text, usize::MAX).map_err(|why| why.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_earlier_time_is_ago_or_the_scheduler_s() {
        let at = |text| earlier("--at", text, Time(7_200_000_000)).map(|at| at.0 / 1_000_000);
        assert_eq!(["10m", "1:30", "1:02:03", "2h"].map(at), [Ok(6600), Ok(90), Ok(3723), Ok(0)]);
        assert_eq!(at("3h").unwrap_err(), "--at: the scheduler had not started 3h ago");
        assert_eq!(at("2:00:01").unwrap_err(), "--at: the state ends at 7200.000s");
        for wrong in ["", "soon", "1:60", "1:2:3:4", "99999999999999999999:0", "9999999999999999:00:00"] {
            assert!(at(wrong).unwrap_err().contains("is invalid"), "{wrong}");
        }
    }
}
