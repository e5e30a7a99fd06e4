//! Recorded traces of real cores: the same lines, except `message`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ::scenario::{self, Runner, Trace};
use model::Profile;
use scheduler::Switches;
use serde_json::Value;

fn dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance/scenarios")
}

struct Case {
    name: String,
    scenario: String,
    old: Vec<Value>,
    /// `None` if it depended on the order of a hash map.
    new: Option<Vec<Value>>,
    /// The trace of 1.9.0; `None` as for 1.8.0.
    newest: Option<Vec<Value>>,
}

fn cases() -> Vec<Case> {
    let mut names: Vec<String> = std::fs::read_dir(dir())
        .expect("the recordings are there")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".yaml").map(str::to_owned))
        .collect();
    names.sort();
    names.into_iter().map(case).collect()
}

fn case(name: String) -> Case {
    let read = |ending: &str| std::fs::read_to_string(dir().join(format!("{name}.{ending}"))).ok();
    let old = lines(&read("jsonl").expect("every scenario has a trace"));
    let varies = dir().join(format!("{name}.1.8.varies")).exists();
    let new = match read("1.8.jsonl") {
        Some(text) => Some(lines(&text)),
        None => (!varies).then(|| old.clone()),
    };
    let varies = dir().join(format!("{name}.1.9.varies")).exists();
    let newest = match read("1.9.jsonl") {
        Some(text) => Some(lines(&text)),
        None => new.clone().filter(|_| !varies),
    };
    Case { scenario: read("yaml").expect("it was listed"), name, old, new, newest }
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| comparable(serde_json::from_str(line).expect("a trace line is JSON"))).collect()
}

fn comparable(mut line: Value) -> Value {
    if let Some(line) = line.as_object_mut() {
        line.remove("message");
    }
    line
}

fn trace(case: &Case, profile: Profile) -> Vec<Value> {
    lines(&text(case, Switches::of(profile), profile))
}

/// The trace of a scheduler with these switches that reads configurations like `profile`.
fn text(case: &Case, switches: Switches, profile: Profile) -> String {
    let reading = scenario::read(&case.scenario);
    assert_eq!(reading.faults, [], "{}", case.name);
    let scenario = reading.scenario.expect("a scenario without faults");
    let config = scenario.embedded_config(profile).expect("recorded scenarios bring their configuration");
    let mut trace = Trace::new(Vec::new());
    Runner::switched(switches, profile).run(&scenario, config, &mut trace).expect("writing to memory");
    String::from_utf8(trace.finish().expect("writing to memory")).expect("JSON is UTF-8")
}

fn difference(local: &[Value], remote: &[Value]) -> Option<String> {
    let at = (0..local.len().max(remote.len())).find(|at| local.get(*at) != remote.get(*at))?;
    let show = |line: Option<&Value>| line.map_or("nothing".to_owned(), Value::to_string);
    let (local, remote) = (local.get(at), remote.get(at));
    if let (Some(local), Some(remote)) = (local, remote)
        && local["event"] == "snapshot"
        && remote["event"] == "snapshot"
    {
        return Some(format!("line {}, step {}: {}", at + 1, local["step"], snapshot_difference(local, remote)));
    }
    Some(format!("line {}:\n  ours   {}\n  theirs {}", at + 1, show(local), show(remote)))
}

fn snapshot_difference(local: &Value, remote: &Value) -> String {
    let mut out = String::new();
    for list in ["queues", "apps", "nodes", "users", "groups"] {
        let rows = |snapshot: &Value| snapshot[list].as_array().cloned().unwrap_or_default();
        let (local, remote) = (rows(local), rows(remote));
        for at in 0..local.len().max(remote.len()) {
            let (local, remote) = (local.get(at), remote.get(at));
            if local == remote {
                continue;
            }
            let (Some(Value::Object(local)), Some(Value::Object(remote))) = (local, remote) else {
                out += &format!("\n  {list}: ours {local:?}, theirs {remote:?}");
                continue;
            };
            let name = ["queue", "app", "node", "name"].iter().find_map(|key| remote.get(*key)).unwrap_or(&Value::Null);
            for (key, value) in remote.iter().filter(|(key, value)| local.get(*key) != Some(value)) {
                out += &format!("\n  {list} {name}: {key} is {}, theirs {value}", local[key]);
            }
        }
    }
    out
}

/// Family, number, and deviation of a case in which the default profile differs from every release.
type Listed = (&'static str, &'static str, &'static str);

const DIFFERING: &[Listed] = &[
    ("late", "a1", "P-16: who has nothing left frees its place"),
    ("late", "mixb-016 mixb-140", "D-02, P-02"),
    ("late3", "again-priority again-priority2", "D-23: an ask that is made again replaces the first"),
    ("late3", "gangfailed-leak gangtimeout-hard", "P-22"),
    ("late3", "resize-nodeorder", "D-23a: an id that is allocated is not taken again"),
    ("late3", "priority-stale4", "D-02, P-02"),
    ("late3", "priority-stale2 priority-stale5", "P-02"),
    ("late3", "rootmax-zero rootmax-zero2", "D-22, P-04"),
    ("mix", "005 028", "D-02"),
    ("mix", "007", "P-02"),
    ("mix", "021", "D-02, D-04"),
    ("mix", "026", "D-04"),
    ("placement", "000 004 013 020 024 025", "CFG-090: a rule name counts in any case"),
    ("placement", "001 008", "PLC-051"),
    ("placement", "017", "PLC-072"),
    ("reload", "000", "D-03, D-04"),
    ("reload", "003 008 009 021", "D-04"),
    ("reload", "013", "D-03"),
    ("reload", "019", "D-02, D-04"),
    ("reload", "004 010 011 012 014 015 017 018 020", "D-03, D-04"),
    ("reload", "006", "D-02, D-03, D-04"),
    ("reload", "007", "D-02, D-03, D-04, P-02"),
];

const DIFFERING_FROM_1_9: &[Listed] = &[
    ("fence19", "015 062", "starting_state, ask_queue_room, final_cut"),
    ("fence19", "044 093", "starting_state"),
    ("fence19", "080", "starting_state, victim_age"),
    ("groups19", "002", "starting_state, group_cache"),
    ("groups19", "006 016", "starting_state"),
    ("inherit19", "000 004 010", "starting_state, priority_cache, reload_properties"),
    ("inherit19", "006", "starting_state, priority_cache"),
    ("inherit19", "009 013 018", "starting_state, fair_share, priority_cache, reload_properties"),
    ("quotapre", "001", "starting_state, fair_share, quota_opted_in_last, quota_counts_below"),
    ("quotapre", "002 012", "fair_share, quota_opted_in_last"),
    ("quotapre", "004 005 006 008 010 027 028 029 030 031 032 034 036", "quota_opted_in_last"),
    ("quotapre", "011", "starting_state, fair_share"),
    ("quotapre", "026", "quota_opted_in_last, quota_largest_guard"),
    ("quotapre", "033", "ask_again_allocated"),
    ("quotapre", "035", "starting_state, fair_share, quota_opted_in_last"),
    ("reserve19", "003 005 009 012 015", "starting_state"),
    ("verdict19", "001 003", "starting_state"),
];

fn listed(profile: Profile) -> BTreeMap<String, &'static str> {
    let all = [DIFFERING, DIFFERING_FROM_1_9].concat();
    let all = if profile == Profile::Kornsole { all } else { Vec::new() };
    all.iter()
        .flat_map(|(family, numbers, why)| numbers.split(' ').map(move |n| (format!("{family}-{n}"), *why)))
        .collect()
}

/// The default profile may agree with either recording.
fn disagreement(case: &Case, profile: Profile) -> Option<String> {
    let local = trace(case, profile);
    let old = || difference(&local, &case.old);
    let new = || case.new.as_ref().and_then(|new| difference(&local, new));
    let newest = || case.newest.as_ref().and_then(|newest| difference(&local, newest));
    match profile {
        Profile::V1_5_1 => old(),
        Profile::V1_8_0 => new(),
        Profile::V1_9_0 => newest(),
        Profile::Kornsole => {
            let by_other = |other: &Option<_>, differs: Option<String>| other.is_none() || differs.is_some();
            old().filter(|_| by_other(&case.new, new()) && by_other(&case.newest, newest()))
        }
    }
}

/// Returns agreeing cases per family, and the differences.
fn agreeing(profile: Profile) -> (BTreeMap<String, usize>, String) {
    let mut listed = listed(profile);
    let mut agreeing: BTreeMap<String, usize> = BTreeMap::new();
    let mut wrong = String::new();
    for case in cases() {
        let family = case.name.split('-').next().unwrap_or_default().to_owned();
        let row = agreeing.entry(family).or_default();
        match (disagreement(&case, profile), listed.remove(&case.name)) {
            (None, None) => *row += 1,
            (None, Some(why)) => wrong += &format!("{} agrees, but is listed as differing by {why}\n", case.name),
            (Some(_), Some(_)) => {}
            (Some(difference), None) => wrong += &format!("{}: {difference}\n", case.name),
        }
    }
    let unknown: BTreeSet<String> = listed.into_keys().collect();
    if !unknown.is_empty() {
        wrong += &format!("listed, but not there: {unknown:?}\n");
    }
    let wrong = if wrong.is_empty() { wrong } else { format!("{profile}:\n{wrong}") };
    (agreeing, wrong)
}

#[test]
fn recordings_agree_but_for_those_listed() {
    let mut table = "           1.5.1  1.8.0  1.9.0  kornsole\n".to_owned();
    let all = Profile::ALL.map(agreeing);
    let wrong: String = all.iter().map(|(_, wrong)| wrong.as_str()).collect();
    assert!(wrong.is_empty(), "{wrong}");
    let [own, old, new, newest] = all.map(|(agreeing, _)| agreeing);
    for (family, count) in &old {
        table += &format!("{family:10} {count:5}  {:5}  {:5}  {:8}\n", new[family], newest[family], own[family]);
    }
    insta::assert_snapshot!(table, @r"
               1.5.1  1.8.0  1.9.0  kornsole
    appsort       22     22     22        22
    fence19        8      8      8         3
    gang          22     22     22        22
    groups19       5      5      5         2
    inherit19      7      7      7         0
    late           8      8      8         5
    late3         20     20     20        10
    limits        22     22     22        22
    mix           30     30     30        25
    nodes         22     22     22        22
    placement     22     22     22        13
    preempt       22     22     22        22
    priority      22     22     22        22
    quota         22     22     22        22
    quotapre      24     24     24         4
    reload        22     22     22         4
    reserve19      7      7      7         2
    verdict19      2      2      2         0
    zero19         5      5      5         5
    ");
}

/// The default profile agrees with 1.5.1, except for these deviations (`profiles.md` section 9).
#[test]
fn the_default_profile_matches_1_8_0_where_documented() {
    let sides = |case: &Case| {
        let local = trace(case, Profile::Kornsole);
        difference(&local, &case.old).is_some()
            && case.new.as_ref().is_some_and(|new| difference(&local, new).is_none())
    };
    // The cases recorded for 1.9.0 are listed with the switches of the difference.
    let older = |case: &Case| !case.name.contains("19-") && !case.name.starts_with("quotapre");
    let found: Vec<String> = cases().into_iter().filter(older).filter(sides).map(|case| case.name).collect();
    let draining = ["mix-012", "reload-001", "reload-002", "reload-016"];
    let without_guarantee = ["preempt-003", "preempt-008", "preempt-013", "preempt-018", "preempt-020"];
    let mut listed = [draining.as_slice(), &without_guarantee, &["late-nodes-049", "late3-rootmax-zero3"]].concat();
    listed.sort_unstable();
    assert_eq!(found, listed, "D-04, D-05, D-09 for a busy required node, and D-22");
}

mod deviations;

#[test]
fn the_same_scenario_gives_the_same_bytes() {
    let case = case("mix-001".to_owned());
    let run = || {
        let scenario = scenario::read(&case.scenario).scenario.expect("a recorded scenario reads");
        let config = scenario.embedded_config(Profile::Kornsole).expect("recorded scenarios bring their configuration");
        let mut trace = Trace::new(Vec::new());
        scenario::run(&scenario, config, Profile::Kornsole, &mut trace).expect("writing to memory");
        trace.finish().expect("writing to memory")
    };
    let first = run();
    assert!(first.len() > 10_000);
    assert_eq!(first, run());
}

mod events;

mod quota_forecast;

mod silence;
