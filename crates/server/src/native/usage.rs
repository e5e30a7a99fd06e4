//! Usage over time: `GET /usage?by=queue,user&from=&to=&queue=&user=`.

use super::read::in_background;
use super::{NativeRequest, Reply};
use ledger::Question;
use model::{QueuePath, Time};
use view::ClockRuns;
use view::act::{Code, Refusal};
use wire::convert::usage_report;

const BY: &str = "queue,user";

pub(super) async fn usage(request: &NativeRequest) -> Result<Reply, Refusal> {
    let runs = request.native.engine.clock_runs();
    let by = Question::by(request.query("by").unwrap_or(BY)).map_err(|why| bad("by", &why))?;
    let text = |name| request.query(name).filter(|text| !text.is_empty());
    let question = Question {
        by,
        from: time(request, &runs, "from")?,
        to: time(request, &runs, "to")?,
        queue: text("queue").map(QueuePath::new),
        user: text("user").map(str::to_owned),
    };
    let (ledger, view) = (request.native.engine.ledger(), request.view());
    // The clock of a paused scheduler is stopped.
    let now = if view.paused { view.at } else { request.native.engine.now() };
    in_background(request, move || Ok(Reply::ok(&usage_report(&ledger.report(now, &question), &runs)))).await?
}

fn bad(name: &str, why: &str) -> Refusal {
    Refusal::new(Code::BadRequest, format!("invalid parameter {name}"), why)
}

/// Parses a time of the query in ns since 1970.
fn time(request: &NativeRequest, runs: &ClockRuns, name: &str) -> Result<Option<Time>, Refusal> {
    let Some(text) = request.query(name).filter(|text| !text.is_empty()) else { return Ok(None) };
    let nanos = text.parse().map_err(|_| bad(name, &format!("{text:?} is not a number of nanoseconds since 1970")))?;
    Ok(Some(runs.time(nanos)))
}
