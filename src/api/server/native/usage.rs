//! What was used over time: `GET /usage?by=queue,user&from=&to=`.

use super::read::beside;
use super::{NativeRequest, Reply};
use crate::api::convert::{Wall, usage_report};
use crate::ledger::Question;
use crate::model::Time;
use crate::view::act::{Code, Refusal};

/// What the rows are split by when nothing is said.
const BY: &str = "queue,user";

pub(super) async fn usage(request: &NativeRequest) -> Result<Reply, Refusal> {
    let wall = request.native.wall;
    let by = Question::by(request.query("by").unwrap_or(BY)).map_err(|why| bad("by", &why))?;
    let question = Question { by, from: time(request, &wall, "from")?, to: time(request, &wall, "to")? };
    let (ledger, view) = (request.native.engine.ledger(), request.view());
    // While the scheduler is paused its time stands.
    let now = if view.paused { view.at } else { request.native.engine.now() };
    beside(request, move || Ok(Reply::ok(&usage_report(&ledger.report(now, &question), &wall)))).await?
}

fn bad(name: &str, why: &str) -> Refusal {
    Refusal::new(Code::BadRequest, format!("the parameter {name} cannot be read"), why)
}

/// A point in time of the query, in nanoseconds since 1970.
fn time(request: &NativeRequest, wall: &Wall, name: &str) -> Result<Option<Time>, Refusal> {
    let Some(text) = request.query(name).filter(|text| !text.is_empty()) else { return Ok(None) };
    let nanos = text.parse().map_err(|_| bad(name, &format!("{text:?} is no number of nanoseconds since 1970")))?;
    Ok(Some(wall.time(nanos)))
}
