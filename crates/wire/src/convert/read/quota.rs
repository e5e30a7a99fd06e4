//! Planned quota preemption of a kornsole server (N-01).

use super::time;
use crate::dto::native as dto;
use model::QueuePath;
use view::{QuotaForecast, QuotaVictim};

/// The time and victims of a quota preemption; `None` without preemption.
pub fn quota_forecast(one: dto::ExceededQuota) -> Option<QuotaForecast> {
    let victim = |one: dto::QuotaVictim| QuotaVictim {
        app: one.application_id.as_str().into(),
        user: one.user,
        ask: one.allocation_key.as_str().into(),
        resource: one.resource.0,
    };
    let (queue, since, excess) = (QueuePath::new(&one.queue), one.since.map(time), one.excess.0);
    let victims = Some(one.victims.into_iter().map(victim).collect());
    Some(QuotaForecast { queue, since, at: time(one.preempts_at?), excess, victims })
}
