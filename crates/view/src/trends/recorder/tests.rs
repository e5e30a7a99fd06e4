use super::*;
use crate::trends::{Layout, Metric, Series, SubjectKind, Write};
use model::{QueuePath, VCORE};

const SECOND: u64 = 1_000_000;
const HOUR: u64 = 3600;

fn layout() -> Layout {
    Layout { resources: ["vcore".into()].into() }
}

fn cpu() -> Value {
    Value::amount(SubjectKind::Queue, Measure::Use, VCORE)
}

fn queue(name: &str) -> Subject {
    Subject::Queue(QueuePath::new(name))
}

fn moment(at: u64, queues: &[(&str, i64)]) -> Moment {
    let layout = layout();
    let row = |(name, used): &(&str, i64)| {
        let mut metrics = vec![None; layout.width()];
        metrics[layout.place(&cpu()).unwrap()] = Some(*used);
        metrics[layout.plain(Measure::Running)] = Some(*used);
        Row { subject: queue(name), metrics: metrics.into() }
    };
    let rows = queues.iter().map(row).collect();
    Moment { at: Time(at * SECOND), partition: "default".into(), layout: layout.clone(), rows }
}

fn add(recorder: &mut Recorder, at: u64, used: i64) -> Recorded {
    recorder.add(&moment(at, &[("root", used)]))
}

/// Records each second of a range; the usage grows by one per cell.
fn grow(recorder: &mut Recorder, from: u64, to: u64) {
    for at in (from..to).step_by(10) {
        assert_eq!(add(recorder, at, i64::try_from(at / 10).unwrap()), Recorded::New);
    }
}

fn series(rings: &Rings, name: &str, from: u64, to: u64, steps: usize) -> Series {
    rings.series(&queue(name), &cpu(), Time(from * SECOND), Time(to * SECOND), steps)
}

fn means(rings: &Rings, from: u64, to: u64, steps: usize) -> Vec<Option<i64>> {
    series(rings, "root", from, to, steps).metrics.iter().map(|step| step.map(|metric| metric.mean)).collect()
}

#[test]
fn each_span_is_read_from_the_ring_that_fits() {
    let mut recorder = Recorder::default();
    grow(&mut recorder, 0, 30 * HOUR);
    let rings = recorder.rings();
    assert_eq!(means(rings, 107_000, 107_040, 4), [10_700, 10_701, 10_702, 10_703].map(Some), "fine, sealed and open");
    let minutes = series(rings, "root", 20 * HOUR, 20 * HOUR + 120, 2).metrics;
    let minute = Metric { min: 7200, mean: 7203, max: 7205 };
    assert_eq!(minutes[0], Some(minute), "a minute has its smallest, mean and largest");
    let hours = series(rings, "root", 0, 30 * HOUR, 30).metrics;
    let nth = |hour: i64| Some((hour * 360, hour * 360 + 359));
    let found: Vec<_> = hours.iter().map(|step| step.map(|metric| (metric.min, metric.max))).collect();
    assert_eq!(
        found,
        (0..30).map(nth).collect::<Vec<_>>(),
        "no hour is missing where one ring takes over from another"
    );
    assert_eq!(rings.oldest(Ring::Fine), Some(Time((24 * HOUR - 1200) * SECOND)), "six hours in whole blocks");
    assert_eq!(
        means(rings, 10 * HOUR, 10 * HOUR + 20, 2),
        [Some(3603); 2],
        "where the fine ring is gone the minute holds"
    );
}

#[test]
fn gaps_stay_gaps() {
    let mut recorder = Recorder::default();
    grow(&mut recorder, 0, 3600);
    grow(&mut recorder, 7200, 9000);
    assert_eq!(means(recorder.rings(), 3590, 3630, 4), [Some(359), None, None, None]);
    let hour = means(recorder.rings(), 0, 9000, 15);
    let known: Vec<bool> = hour.iter().map(Option::is_some).collect();
    assert_eq!(known, [[true; 6].as_slice(), &[false; 6], &[true; 3]].concat());
    let mut slow = Recorder::default();
    for at in [0, 10, 50, 100] {
        add(&mut slow, at, 1);
    }
    assert_eq!(means(slow.rings(), 0, 110, 11), [Some(1); 11], "one that is late for less than a minute is no gap");
}

#[test]
fn a_removed_queue_no_longer_exists() {
    let mut recorder = Recorder::default();
    recorder.add(&moment(0, &[("root", 4), ("root.a", 4)]));
    recorder.add(&moment(10, &[("root", 0)]));
    let of = |recorder: &Recorder, name: &str| recorder.rings().newest_metric(&queue(name), &cpu());
    assert_eq!([of(&recorder, "root"), of(&recorder, "root.a")], [Some(0), None]);
    grow(&mut recorder, 600, 5 * HOUR);
    let metrics = series(recorder.rings(), "root.a", 0, 20, 2).metrics;
    assert_eq!(metrics.iter().map(Option::is_some).collect::<Vec<_>>(), [true, false], "sealed as it was");
}

#[test]
fn nothing_is_counted_twice_when_the_clock_jumps_back() {
    let mut recorder = Recorder::default();
    grow(&mut recorder, 0, 1200);
    assert_eq!(
        [add(&mut recorder, 1195, 9), add(&mut recorder, 900, 9), add(&mut recorder, 910, 9)],
        [Recorded::Known; 3]
    );
    assert_eq!(add(&mut recorder, 1200, 120), Recorded::New);
    assert_eq!(means(recorder.rings(), 0, 1210, 121), (0..121).map(Some).collect::<Vec<_>>());
    let marks: Vec<String> = recorder.rings().marks().map(|mark| mark.words()).collect();
    assert_eq!(marks, ["the clock jumped back by 4m 50s"], "one mark for one jump");
}

#[test]
fn a_clock_that_was_far_ahead_is_forgotten() {
    let mut recorder = Recorder::default();
    grow(&mut recorder, 0, 1200);
    add(&mut recorder, 900 * HOUR, 7);
    assert_eq!(add(&mut recorder, 1200, 120), Recorded::New);
    assert_eq!(recorder.rings().newest(), Some(Time(1200 * SECOND)));
    assert_eq!(means(recorder.rings(), 900 * HOUR, 900 * HOUR + 10, 1), [None]);
    assert_eq!(means(recorder.rings(), 600, 610, 1), [Some(60)]);
}

#[derive(Default)]
struct File(BTreeMap<Vec<u8>, Vec<u8>>);

impl File {
    fn write(&mut self, changes: Vec<Change>) {
        for change in changes {
            match change.write() {
                Write::Put(key, value) => drop(self.0.insert(key, value)),
                Write::Remove(key) => drop(self.0.remove(&key)),
                Write::RemoveAll(start) => self.0.retain(|key, _| !key.starts_with(&start)),
            }
        }
    }

    fn read(&self) -> Rings {
        let mut rings = Rings::default();
        self.0.iter().for_each(|(key, value)| assert!(rings.take_pair(key, value), "{key:?}"));
        rings
    }
}

#[test]
fn stored_data_is_the_same_after_a_start() {
    let (mut recorder, mut file) = (Recorder::default(), File::default());
    for at in (0..10 * HOUR).step_by(10) {
        let used = i64::try_from(at % 970).unwrap();
        recorder.add(&moment(at, &[("root", used), (if at % 7000 < 3000 { "root.a" } else { "root.b" }, 3)]));
        file.write(recorder.take_changes());
        if at % 5000 == 0 {
            recorder.mark(Mark { at: Time(at * SECOND), kind: MarkKind::Node, text: "n-1".into(), count: 1 });
        }
    }
    file.write(recorder.take_changes());
    let read = file.read();
    for name in ["root", "root.a", "root.b"] {
        for (from, to, steps) in [(0, 10 * HOUR, 100), (9 * HOUR, 10 * HOUR, 360), (35_900, 36_000, 10)] {
            let (one, other) = (series(&read, name, from, to, steps), series(recorder.rings(), name, from, to, steps));
            assert_eq!(one, other, "{name} from {from}");
        }
    }
    assert!(read.marks().eq(recorder.rings().marks()));
    let mut again = Recorder::open_retained(read);
    grow(&mut again, 10 * HOUR, 10 * HOUR + 60);
    file.write(again.take_changes());
    assert_eq!(means(&file.read(), 10 * HOUR, 10 * HOUR + 60, 6), (3600..3606).map(Some).collect::<Vec<_>>());
    let mut fresh = File::default();
    fresh.write(again.rings().all_changes());
    assert_eq!(fresh.0, file.0, "all of it at once is the same");
}

#[test]
fn everything_is_bounded() {
    let mut recorder = Recorder::default();
    for hour in 0..120 * 24 {
        let name = format!("root.{hour}");
        recorder.add(&moment(hour * HOUR, &[(name.as_str(), 1)]));
        let kind = MarkKind::Configuration;
        recorder.mark(Mark { at: Time(hour * HOUR * SECOND), kind, text: "loaded".into(), count: 1 });
    }
    let rings = recorder.rings();
    let days = rings.newest().unwrap().since(rings.oldest(Ring::Hour).unwrap()).as_secs() / 86_400;
    assert!((90..=91).contains(&days), "{days} days");
    assert_eq!(rings.marks().count(), MOST_MARKS);
    assert!(rings.subjects().count() <= 92 * 24, "names go with what was kept of them");
    let queues: Vec<String> = (0..MOST_ROWS + 10).map(|nth| format!("root.q{nth}")).collect();
    let rows: Vec<(&str, i64)> = queues.iter().map(|name| (name.as_str(), 0)).collect();
    let mut many = moment(121 * 24 * HOUR, &rows);
    let share = many.layout.plain(Measure::Share);
    many.rows.last_mut().unwrap().metrics[share] = Some(1);
    recorder.add(&many);
    assert_eq!(recorder.rings().left_out(), 10);
    let last = queue(queues.last().unwrap());
    assert_eq!(recorder.rings().newest_metric(&last, &cpu()), Some(0), "one that is busy is not left out");
}
