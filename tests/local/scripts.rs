use std::fs;

use super::machine::{Machine, until};

fn submit(machine: &Machine, text: &str) -> String {
    fs::write(machine.dir.join("job.sh"), text).unwrap();
    let output = machine.call(&["submit", "job.sh"]);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn each_index_of_a_slurm_array_does_its_own_work() {
    let machine = Machine::up(&[]);
    let text = "#!/bin/sh
#SBATCH --array=2-6:2%2
#SBATCH --time=5 --mem=50
#SBATCH --output=out-%A_%a-%x-%n.txt
set -eu
echo job=$SLURM_JOB_ID of=$SLURM_ARRAY_JOB_ID task=$SLURM_ARRAY_TASK_ID
echo $SLURM_ARRAY_TASK_MIN $SLURM_ARRAY_TASK_MAX $SLURM_ARRAY_TASK_COUNT $SLURM_ARRAY_TASK_STEP $SLURM_MEM_PER_NODE
";
    assert_eq!(submit(&machine, text), "");
    for (job, task) in [(1, 2), (2, 4), (3, 6)] {
        assert_eq!(machine.wait(job), 0);
        let due = format!("job={job} of=1 task={task}\n2 6 3 2 50\n");
        assert_eq!(machine.logs(job), due);
        let file = machine.dir.join(format!("out-1_{task}-job.sh-0.txt"));
        until(|| fs::read_to_string(&file).is_ok_and(|text| text == due));
    }
    assert_eq!(
        (machine.job(1)["memory"].clone(), machine.job(1)["time_limit"].clone()),
        ((50 << 20).into(), 300.into())
    );
}

#[test]
fn a_script_that_stops_on_unset_variables_has_those_of_slurm() {
    let machine = Machine::up(&[]);
    let text = "#!/bin/sh
#SBATCH --job-name=eval --account=lab99
#SBATCH --nodes=1 --ntasks=2 --cpus-per-task=2 # cores
#SBATCH --mem-per-cpu=100M --error=%x-%j.err --mail-type=END
#SBATCH --export=NONE,SEED=7
set -eu
echo $SLURM_JOB_ID $SLURM_JOB_NAME $SLURM_CPUS_PER_TASK $SLURM_NTASKS $SLURM_CPUS_ON_NODE $SLURM_MEM_PER_CPU $SEED
test $SLURM_SUBMIT_DIR = $(pwd); test $SLURM_JOB_NODELIST = $SLURMD_NODENAME
echo ${KORNSOLE_LOCAL_SOCKET-not exported}
echo apart >&2
";
    let reported = submit(&machine, text);
    let due = "warning: job.sh: ignored options without an effect on this machine: --account=lab99 (line 2), --mail-type=END (line 4)\n";
    assert_eq!((reported.as_str(), machine.wait(1)), (due, 0), "{}", machine.logs(1));
    assert_eq!(machine.logs(1), "1 eval 2 2 4 100 7\nnot exported\n");
    assert_eq!(fs::read_to_string(machine.dir.join("eval-1.err")).unwrap(), "apart\n");
    let job = machine.job(1);
    assert_eq!((&job["vcore"], &job["memory"]), (&4000.into(), &(400 << 20).into()));
}

#[test]
fn an_option_that_is_not_understood_runs_nothing() {
    let machine = Machine::up(&[]);
    for (line, why) in [
        ("#SBATCH --constraint=rome", "job.sh:2: cannot apply --constraint=rome: not supported"),
        ("#SBATCH -w node1", "job.sh:2: cannot apply --nodelist=node1: this machine is "),
        ("#SBATCH -N 2", "job.sh:2: cannot apply --nodes=2: a local job has one node"),
        ("#PBS -S /bin/csh", "job.sh:2: cannot apply -S /bin/csh: not supported"),
    ] {
        fs::write(machine.dir.join("job.sh"), format!("#!/bin/sh\n{line}\ntouch ran\n")).unwrap();
        let (code, reported) = machine.reported(&["submit", "job.sh"]);
        assert!(code == 2 && reported.contains(why), "{code} {reported}");
    }
    assert!(machine.live() == 0 && !machine.dir.join("ran").exists());
    let (code, reported) = machine.reported(&["submit", "--mem", "50", "--", "true"]);
    assert!(code == 2 && reported.contains("unit"), "{code} {reported}");
}

#[test]
fn the_whole_machine_and_a_later_start_are_given() {
    let machine = Machine::up(&[]);
    submit(&machine, "#!/bin/sh\n#SBATCH --exclusive --mem=0\n  #SBATCH --array=1-3\necho $SLURM_CPUS_ON_NODE\n");
    assert_eq!((machine.wait(1), machine.logs(1).as_str()), (0, "4\n"));
    let job = machine.job(1);
    assert_eq!((&job["vcore"], &job["memory"]), (&4000.into(), &(4_u64 << 30).into()));
    submit(&machine, "#!/bin/sh\n#SBATCH --begin=now+1hour\ntrue\n");
    let reason = machine.job(2)["reason"].as_str().unwrap().to_owned();
    assert!(reason.starts_with("waits for its start time, in 1h"), "{reason}");
    assert!(machine.call(&["cancel", "2"]).status.success());
    submit(&machine, "#!/bin/sh\n#SBATCH --begin=2099-01-01T12:00\ntrue\n");
    let reason = machine.job(3)["reason"].as_str().unwrap().to_owned();
    assert!(reason.starts_with("waits for its start time, in "), "{reason}");
    assert!(machine.call(&["cancel", "3"]).status.success());
    submit(&machine, "#!/bin/sh\n#SBATCH --begin=now+2\necho later\n");
    assert_eq!((machine.wait(4), machine.logs(4).as_str()), (0, "later\n"));
    let job = machine.job(4);
    assert!(job["started"].as_u64().unwrap() >= job["submitted"].as_u64().unwrap() + 1900, "{job}");
}

#[test]
fn a_script_for_pbs_has_its_resources_and_variables() {
    let machine = Machine::up(&[]);
    let text = "#!/bin/sh
#PBS -N train -l nodes=1:ppn=2,mem=64mb,walltime=0:10:00
#PBS -J 3-4 -j oe -M ann@example.org
set -eu
echo $PBS_JOBID $PBS_JOBNAME $PBS_ARRAY_INDEX $PBS_NUM_PPN; cd $PBS_O_WORKDIR; echo error >&2
test $(uniq $PBS_NODEFILE) = $PBS_O_HOST; echo $(wc -l <$PBS_NODEFILE) slots, $PBS_WALLTIME s, task $PBS_TASKNUM on node $PBS_NODENUM
";
    let reported = submit(&machine, text);
    assert_eq!(
        reported,
        "warning: job.sh: ignored options without an effect on this machine: -M ann@example.org (line 3)\n"
    );
    assert_eq!((machine.wait(1), machine.wait(2)), (0, 0));
    assert_eq!(machine.logs(2), "1[4] train 4 2\nerror\n2 slots, 600 s, task 1 on node 0\n");
    let job = machine.job(2);
    assert_eq!((&job["vcore"], &job["memory"], &job["time_limit"]), (&2000.into(), &(64 << 20).into(), &600.into()));
}
