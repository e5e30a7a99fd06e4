//! The alerts of this scheduler: `GET /alerts`.

use super::{NativeRequest, Reply};
use crate::alerting::Picture;
use crate::alerts::{Alert, Held, Stage};
use crate::api::convert::Wall;
use crate::api::dto::native as dto;
use crate::view::act::{Code, Refusal};

pub(super) fn alerts(request: &NativeRequest) -> Result<Reply, Refusal> {
    let Some(board) = &request.native.options.alerts else {
        return Err(Refusal::new(Code::NotSupported, "no alerts", "this server does not evaluate rules"));
    };
    Ok(Reply::ok(&wire(&board.picture(), &request.native.wall)))
}

fn wire(picture: &Picture, wall: &Wall) -> dto::Alerts {
    let silence = |silence: &crate::alerts::Silence| dto::Silence {
        id: silence.id,
        of: silence.words(),
        from: wall.nanos(silence.from),
        until: wall.nanos(silence.until),
        by: silence.by.clone(),
        reason: silence.reason.clone(),
        active: silence.ended.is_none(),
    };
    let receiver = |status: &crate::alerting::ReceiverStatus| dto::AlertReceiver {
        name: status.name.clone(),
        taken: status.taken,
        waiting: status.waiting as u64,
        dropped: status.dropped,
        failure: status.failure.clone().unwrap_or_default(),
    };
    dto::Alerts {
        evaluated: picture.at.map(|at| wall.nanos(at)),
        alerts: picture.alerts.iter().map(|alert| one(alert, wall)).collect(),
        beyond: picture.beyond.clone(),
        silences: picture.silences.iter().map(silence).collect(),
        receivers: picture.receivers.iter().map(receiver).collect(),
        trouble: picture.trouble.clone(),
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
        held: match &alert.held {
            None => String::new(),
            Some(Held::Inhibited(rule)) => format!("inhibited by {rule}"),
            Some(Held::Silenced(id)) => format!("silence {id}"),
        },
    }
}

/// How far an alert is, as the wire says it.
fn state(alert: &Alert) -> &'static str {
    match alert.stage {
        Stage::Pending => "pending",
        Stage::Firing => "firing",
    }
}
