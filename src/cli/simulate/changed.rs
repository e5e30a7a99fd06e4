//! Configurations changed with `--set`.

use super::Ended;
use super::read::Inputs;
use forecast::whatif::{Change, Meaning, meaning};
use model::{Profile, Time};
use scheduler::{Command, Scheduler};

/// Every release validates it before any run. Fails for an invalid key or result, or an unknown queue.
pub(super) fn add(inputs: &mut Inputs, sets: &[String]) -> Result<(), Ended> {
    if sets.is_empty() {
        return Ok(());
    }
    let changes: Vec<Change> = sets
        .iter()
        .map(|set| format!("set {set}").parse().map_err(|why| Ended::usage(format!("--set: {why}"))))
        .collect::<Result<_, _>>()?;
    let core = inputs.cores[0];
    for number in 0..inputs.configs.len() {
        let base = &inputs.configs[number];
        let name =
            if inputs.configs.len() > 1 { format!("{}, {}", base.name, sets.join(", ")) } else { sets.join(", ") };
        let text = changed(&base.text, &changes, core)
            .map_err(|why| Ended::input(format!("--set {}: {}: {why}", sets.join(", "), base.name)))?;
        let added = inputs.add_config(&name, text);
        inputs.changed.insert(number, added);
        for core in inputs.cores.clone() {
            inputs.config(added, core).map_err(Ended::input)?;
        }
    }
    Ok(())
}

fn changed(text: &str, changes: &[Change], core: Profile) -> Result<String, String> {
    let mut text = text.to_owned();
    for change in changes {
        let config = config::read(&text, core).config.ok_or("it is invalid")?;
        let mut scheduler = Scheduler::new(core);
        scheduler.apply(Time::ZERO, &Command::Configure(config.into()));
        let part = scheduler.partitions().first().ok_or("it has no partition")?;
        match meaning(part, Some(&text), change)? {
            Meaning::Config(with) => text = with,
            Meaning::Commands(..) => return Err("only keys of queues can be set".to_owned()),
        }
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUEUES: &str = "partitions:\n- name: default\n  queues:\n  - name: root\n    queues:\n    - name: a\n      resources: {max: {vcore: 4}}\n";

    #[test]
    fn keys_are_set_one_after_the_other() {
        let set = |sets: &[&str]| {
            let changes: Vec<Change> = sets.iter().map(|set| format!("set {set}").parse().unwrap()).collect();
            changed(QUEUES, &changes, Profile::Kornsole)
        };
        assert!(set(&["root.a.max.vcore=200"]).unwrap().contains("vcore: 200"));
        assert!(set(&["root.a.max.vcore=+4", "root.a.max.vcore=x2"]).unwrap().contains("vcore: 16"));
        assert!(set(&["root.b.max.vcore=1"]).unwrap_err().contains("queue root.b not found"));
    }
}
