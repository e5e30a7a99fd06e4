//! Simulations: start, result, and stop.

use std::sync::Arc;

use crate::present::column_filter::ColumnFilter;
use crate::present::lists::simulate::{unit, value};
use crate::present::value::Value;
use crate::state::page::{DetailsPage, Page, Subject};
use crate::state::simulate::{PastSpan, SimulateJob, SimulatePage};
use crate::state::work::Work;
use crate::state::{Grade, State};
use crate::update::lists;
use crate::update::stack::{home, push};
use view::simulation::{SimulatedRun, Simulation};

/// A workload with options of `kornsole simulate`, or a file of completed runs. Otherwise the page in its last state.
pub fn open(state: &mut State, words: Option<&str>) {
    let Some(words) = words.map(str::trim).filter(|words| !words.is_empty()) else {
        let Some(page) = state.parked.simulate.take() else {
            return state.report(
                Grade::Refusal,
                "missing workload: use :simulate FILE, for example :simulate mix.toml --node-count 8,10, or :simulate past 24h",
            );
        };
        home(state);
        return push(state, Page::Simulate(page));
    };
    let Some(simulator) = state.simulator.clone() else {
        return state.report(Grade::Refusal, "this console cannot simulate; `kornsole simulate` can");
    };
    let (options, past) = match of_the_past(words).map(|options| past_of(state).map(|past| (options, past))) {
        None => (words, None),
        Some(Ok((options, past))) => (options, Some(past)),
        Some(Err(why)) => return state.report(Grade::Refusal, why),
    };
    let config = state.cluster.configuration().map(|running| Arc::clone(&running.queues));
    let nodes = state
        .cluster
        .part()
        .map(|part| part.nodes.values().map(|node| (node.id.clone(), node.capacity.clone())).collect());
    home(state);
    let page = SimulatePage { asked: Arc::from(words), number: state.turn, ..SimulatePage::default() };
    state.emit(Work::Simulate(Box::new(SimulateJob {
        number: page.number,
        words: Arc::from(options),
        config,
        nodes: nodes.unwrap_or_default(),
        past,
        stop: page.stop.clone(),
        simulator,
    })));
    push(state, Page::Simulate(Box::new(page)));
}

fn of_the_past(words: &str) -> Option<&str> {
    let rest = words.strip_prefix("past")?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

/// The past up to the time on the screen.
///
/// # Errors
/// Why not.
fn past_of(state: &State) -> Result<PastSpan, &'static str> {
    let cluster = &state.cluster;
    if cluster.trial.is_some() {
        return Err("a what-if has no past; leave it first with q");
    }
    if !cluster.past.retained {
        return Err("no past data: it needs a scheduler in this process with --state DIR");
    }
    if cluster.view.partitions.first().is_some_and(|first| first.name != cluster.partition) {
        return Err("only the past of the first partition can be simulated");
    }
    let until = cluster.past.shown.as_ref().map_or(cluster.past.live, |shown| shown.at);
    Ok(PastSpan { until, journal: None })
}

fn awaits(state: &mut State, number: u64) -> Option<&mut SimulatePage> {
    state.pages.iter_mut().find_map(|page| match page {
        Page::Simulate(page) if page.number == number && page.answer.is_none() => Some(&mut **page),
        _ => None,
    })
}

/// Takes the progress.
pub fn progress(state: &mut State, number: u64, progress: String) {
    if let Some(page) = awaits(state, number) {
        page.progress = progress;
    }
}

/// Takes the result.
pub fn take(state: &mut State, number: u64, answer: Result<Simulation, String>) {
    let Some(page) = awaits(state, number) else { return };
    let words = match &answer {
        Ok(simulation) => simulation.sentences.first().cloned(),
        Err(_) => None,
    };
    page.answer = Some(answer.map(Arc::new));
    page.list.built = None;
    lists::rebuild(state, true);
    if let Some(words) = words {
        state.report(Grade::Info, words);
    }
}

/// Makes the rows.
pub fn rebuild(page: &mut SimulatePage) {
    let mut shown: Vec<Arc<SimulatedRun>> = match &page.answer {
        Some(Ok(simulation)) => simulation.runs.clone(),
        _ => Vec::new(),
    };
    page.list.total = shown.len();
    page.list.widest = lists::widest(shown.iter().map(|run| [run.name.as_str().into(), "".into(), "".into()]));
    if let Some(filter) = ColumnFilter::parse(&page.list.filter, unit) {
        filter.retain(&mut shown, |run| [run.name.as_str()], |run, column| value(run, column));
    }
    let column = page.list.sort.column;
    let mut keyed: Vec<_> = shown
        .iter()
        .enumerate()
        // Equal runs keep the order of the request.
        .map(|(at, run)| (value(run, column).into_owned(), Value::count(at), Arc::clone(run)))
        .collect();
    lists::order(page.list.sort, &mut keyed);
    page.list.rows = Arc::new(keyed.into_iter().map(|(_, _, run)| run).collect());
    let (rows, filtered) = (&page.list.rows, !page.list.filter.is_empty());
    page.list.cursor.find(rows.len(), |index| rows.get(index).map(|run| run.name.clone()), None, filtered);
}

/// Moves the cursor to a run.
pub fn select(page: &mut SimulatePage, index: usize) {
    let rows = &page.list.rows;
    page.list.cursor.go(index, rows.len(), |index| rows.get(index).map(|run| run.name.clone()));
}

/// Shows the charts and tables of the selected run.
pub fn show(state: &mut State) {
    let Page::Simulate(page) = state.page() else { return };
    if let Some(run) = page.list.rows.get(page.list.cursor.index).cloned() {
        push(state, Page::Details(DetailsPage { subject: Subject::Simulated(run), top: 0 }));
    }
}

/// Stores a completed simulation; stops a running one.
pub fn park(mut page: SimulatePage, state: &mut State) {
    if page.answer.is_none() {
        page.stop.stop();
        page.answer = Some(Err("it was canceled; the same :simulate restarts it".to_owned()));
        state.report(Grade::Info, "the simulation was canceled");
    }
    state.parked.simulate = Some(Box::new(page));
}
