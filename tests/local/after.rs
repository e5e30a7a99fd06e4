use super::machine::{Machine, until};

fn after(machine: &Machine, flags: &[&str], script: &str) -> u64 {
    let words = [&["submit"], flags, &["--", "sh", "-c", script]].concat();
    let (code, reported) = machine.reported(&words);
    assert_eq!(code, 0, "{reported}");
    reported.trim().split('-').next().unwrap().parse().unwrap()
}

fn reason(machine: &Machine, job: u64) -> String {
    machine.job(job)["reason"].as_str().unwrap().to_owned()
}

#[test]
fn a_whole_array_or_one_index_is_waited_for() {
    let machine = Machine::up(&[]);
    let array = after(&machine, &["--array", "3-7:2", "--hold"], "test $KORNSOLE_ARRAY_INDEX != 5");
    let wait = |what: &str| after(&machine, &["--dependency", what], "echo ran");
    let (one, all) = (wait("afterok:1_7"), wait("afterok:1"));
    let (any, failed) = (wait("afterany:1"), wait("afternotok:1_*"));
    let (index_failed, not_failed) = (wait("afternotok:1_5"), wait("afternotok:1_3"));
    let range = after(&machine, &["--after", "1-3:any"], "echo ran");
    assert_eq!((reason(&machine, one), reason(&machine, all)), ("after 3".to_owned(), "after 1-3".to_owned()));
    assert_eq!(reason(&machine, failed), "after 1-3 fails");
    machine.call(&["release", "3"]);
    assert_eq!(machine.wait(one), 0, "{}", machine.job(one));
    assert_eq!(machine.job(any)["state"], "waiting", "two indices are held");
    machine.call(&["release", "1-2"]);
    assert_eq!((machine.wait(array + 1), machine.wait(any), machine.wait(range)), (1, 0, 0));
    assert_eq!((machine.wait(failed), machine.wait(index_failed)), (0, 0));
    assert_eq!((machine.wait(all), machine.wait(not_failed)), (125, 125));
    assert!(reason(&machine, all).contains("job 2 did not end with status 0: exit 1"), "{}", reason(&machine, all));
    assert!(reason(&machine, not_failed).contains("job 1 did not fail"), "{}", reason(&machine, not_failed));
}

#[test]
fn each_index_waits_for_its_own() {
    let machine = Machine::up(&[]);
    after(&machine, &["--array", "1-3", "--hold"], "test $KORNSOLE_ARRAY_INDEX != 2");
    let (code, reported) = machine.reported(&["submit", "--array", "1-3", "--dependency", "aftercorr:1", "--", "true"]);
    assert_eq!((code, reported.as_str()), (0, "4-6\n"));
    machine.call(&["release", "2-3"]);
    assert_eq!((machine.wait(6), machine.wait(5)), (0, 125), "the second index of the array failed");
    assert_eq!((machine.job(4)["state"].clone(), reason(&machine, 4)), ("waiting".into(), "after 1".to_owned()));
    for (flags, why) in [
        (&["--dependency", "aftercorr:1"][..], "this job is not an array"),
        (&["--array", "1-4", "--dependency", "aftercorr:1"], "that array has no index 4"),
        (&["--array", "1-3", "--dependency", "afterok:1_9"], "job not found"),
        (&["--dependency", "afterok:99"], "job not found"),
        (&["--dependency", "after:1"], "valid values: afterok"),
    ] {
        let (code, reported) = machine.reported(&[&["submit"], flags, &["--", "true"]].concat());
        assert!(code == 2 && reported.contains(why), "{flags:?}: {code} {reported}");
    }
}

#[test]
fn jobs_of_one_name_run_one_after_the_other() {
    let machine = Machine::up(&[]);
    let first = machine.submit(&["--name", "nightly"], "sleep 300");
    machine.until(first, "running");
    std::fs::write(
        machine.dir.join("job.sh"),
        "#!/bin/sh\n#SBATCH --job-name=nightly --dependency=singleton\necho ran\n",
    )
    .unwrap();
    let submit = || machine.reported(&["submit", "job.sh"]).1.trim().parse::<u64>().unwrap();
    let (second, third) = (submit(), submit());
    let other = after(&machine, &["--name", "weekly", "--dependency", "singleton"], "true");
    assert_eq!(machine.wait(other), 0, "another name");
    for job in [second, third] {
        assert!(reason(&machine, job).contains("(singleton)"), "{}", reason(&machine, job));
    }
    machine.call(&["hold", &second.to_string()]);
    machine.call(&["cancel", &first.to_string()]);
    machine.wait(first);
    assert_eq!(machine.job(third)["state"], "waiting", "the one before it is held");
    machine.call(&["release", &second.to_string()]);
    assert_eq!((machine.wait(second), machine.wait(third)), (0, 0));
    let ended = |job| machine.job(job)["ended"].as_u64().unwrap();
    until(|| machine.job(third)["started"].as_u64() >= Some(ended(second)));
}
