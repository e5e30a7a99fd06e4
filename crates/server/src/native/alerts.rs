//! Alerts and silences. The engine checks and records a silence, then the board applies it.

use std::sync::Arc;

use axum::http::StatusCode;

use super::{NativeRequest, Reply, body};
use alerts::alerting::{Board, BoardSnapshot};
use alerts::{Alert, Muted, SilenceOrder, Stage};
use config::properties::parse_duration;
use view::act::{Act, Code, Order, Refusal};
use wire::convert::Wall;
use wire::dto::native as dto;

pub(super) fn alerts(request: &NativeRequest) -> Result<Reply, Refusal> {
    Ok(Reply::ok(&wire(&board(request)?.snapshot(), &request.native.wall)))
}

fn board(request: &NativeRequest) -> Result<&Arc<Board>, Refusal> {
    let board = request.native.options.alerts.as_ref();
    board.ok_or_else(|| Refusal::new(Code::NotSupported, "no alerts", "this server does not evaluate rules"))
}

pub(super) async fn silence(request: &NativeRequest) -> Result<Reply, Refusal> {
    let asked: dto::SilenceOrder = body::json(&request.body.bytes)?;
    let board = board(request)?;
    let order = silence_order(request, board, &asked)?;
    board.can_silence(&order).map_err(|why| body::wrong("body", why))?;
    let (rule, subject, lasts) = (asked.rule, asked.subject, order.lasts);
    let act = Act::Silence { rule, subject, lasts };
    request.native.perform(&request.who, Order::new(act, order.reason.clone())).await?;
    let id = board.silence(order, request.native.engine.now()).map_err(|why| body::wrong("body", why))?;
    one_silence(request, board, id, StatusCode::CREATED)
}

fn silence_order(request: &NativeRequest, board: &Board, asked: &dto::SilenceOrder) -> Result<SilenceOrder, Refusal> {
    if asked.rule.is_empty() && asked.subject.is_empty() {
        return Err(body::wrong("body", "a silence needs a `rule`, a `subject`, or both".to_owned()));
    }
    let lasts = parse_duration(&asked.lasts);
    let lasts = lasts.ok_or_else(|| {
        body::wrong("body", format!("lasts: {:?} is not a duration; use for example `2h`", asked.lasts))
    })?;
    let subject = match asked.subject.as_str() {
        "" => None,
        wanted => {
            let snapshot = board.snapshot();
            let known = snapshot.alerts.iter().find(|alert| {
                (asked.rule.is_empty() || alert.rule == asked.rule) && alert.subject.to_string() == wanted
            });
            Some(known.ok_or_else(|| Refusal::not_found("alert about", wanted))?.subject.clone())
        }
    };
    let reason = asked.reason.clone().or_else(|| request.header("kornsole-reason").map(str::to_owned));
    Ok(SilenceOrder {
        rule: Some(asked.rule.clone()).filter(|rule| !rule.is_empty()),
        subject,
        lasts,
        by: request.who.actor.user().to_owned(),
        reason: reason.unwrap_or_default(),
    })
}

pub(super) async fn end_silence(request: &NativeRequest) -> Result<Reply, Refusal> {
    let board = board(request)?;
    let number = request.parameter(0);
    let not_found = || Refusal::not_found("active silence", number);
    let id: u64 = number.parse().map_err(|_| not_found())?;
    let snapshot = board.snapshot();
    let known = snapshot.silences.iter().find(|one| one.id == id && one.ended.is_none()).ok_or_else(not_found)?;
    let act = Act::EndSilence { silence: id, of: known.words() };
    let reason = request.header("kornsole-reason").unwrap_or_default();
    request.native.perform(&request.who, Order::new(act, reason)).await?;
    let (by, now) = (request.who.actor.user(), request.native.engine.now());
    board.end_silence(id, by, now).map_err(|_| not_found())?;
    one_silence(request, board, id, StatusCode::OK)
}

fn one_silence(request: &NativeRequest, board: &Board, id: u64, status: StatusCode) -> Result<Reply, Refusal> {
    let snapshot = board.snapshot();
    let found = snapshot.silences.iter().find(|silence| silence.id == id);
    let found = found.ok_or_else(|| Refusal::not_found("silence", &id.to_string()))?;
    Ok(Reply::with(status, &silence_on_wire(found, &request.native.wall)))
}

fn silence_on_wire(silence: &alerts::Silence, wall: &Wall) -> dto::Silence {
    dto::Silence {
        id: silence.id,
        of: silence.words(),
        from: wall.nanos(silence.from),
        until: wall.nanos(silence.until),
        by: silence.by.clone(),
        reason: silence.reason.clone(),
        active: silence.ended.is_none(),
    }
}

fn wire(snapshot: &BoardSnapshot, wall: &Wall) -> dto::Alerts {
    let receiver = |status: &alerts::alerting::ReceiverStatus| dto::AlertReceiver {
        name: status.name.clone(),
        taken: status.taken,
        waiting: status.waiting as u64,
        dropped: status.dropped,
        failure: status.failure.clone().unwrap_or_default(),
    };
    dto::Alerts {
        evaluated: snapshot.at.map(|at| wall.nanos(at)),
        alerts: snapshot.alerts.iter().map(|alert| one(alert, wall)).collect(),
        beyond: snapshot.beyond.clone(),
        silences: snapshot.silences.iter().map(|silence| silence_on_wire(silence, wall)).collect(),
        receivers: snapshot.receivers.iter().map(receiver).collect(),
        problem: snapshot.problem.clone(),
    }
}

fn one(alert: &Alert, wall: &Wall) -> dto::Alert {
    let labels = alert.subject.labels().into_iter();
    dto::Alert {
        rule: alert.rule.clone(),
        severity: alert.severity.word().to_owned(),
        state: state(alert).to_owned(),
        subject: alert.subject.to_string(),
        labels: labels.map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
        since: wall.nanos(alert.since),
        fired: alert.fired.map(|at| wall.nanos(at)),
        value: alert.value,
        text: alert.text.clone(),
        muted: match &alert.muted {
            None => String::new(),
            Some(Muted::Inhibited(rule)) => format!("inhibited by {rule}"),
            Some(Muted::Silenced(id)) => format!("silence {id}"),
        },
    }
}

fn state(alert: &Alert) -> &'static str {
    match alert.stage {
        Stage::Pending => "pending",
        Stage::Firing => "firing",
    }
}
