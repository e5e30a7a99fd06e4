//! Requests from a source to its worker.

use std::sync::Arc;

use crate::{
    Focus, ForecastAnswer, OwnersAnswer, QuotaAnswer, ShadowAnswer, StopFlag, SuspendAnswer, SuspendOrder, TextAnswer,
    UsageAnswer, WhatIfAnswer,
};
use model::{AppId, Identity};
use view::act::{Answer as Done, Order, Refusal};
use view::used::UsageQuestion;
use view::waiting::{Question, SheetAnswer};

/// A request to the worker.
pub enum Request {
    /// The content of the screen changed.
    SetFocus(Focus),
    /// Execute an order.
    Act(Box<Order>, Done),
    /// Notify when nothing is left to do, with a manual clock.
    Settle(std::sync::mpsc::Sender<()>),
    /// Fetch the text of a revision.
    Text(u64, TextAnswer),
    /// Look up the owners of an application's pods.
    Owners(Arc<str>, AppId, OwnersAnswer),
    /// Suspend or resume owners.
    Suspend(Box<SuspendOrder>, SuspendAnswer),
    /// Record an order that was rejected before it was sent.
    Refused(Box<(Order, Refusal)>),
    /// Explain a wait.
    Explain(Question, SheetAnswer),
    /// Forecast the quota preemption of a configuration.
    PreviewQuotas(Arc<str>, QuotaAnswer),
    /// Return usage over time.
    Usage(UsageQuestion, UsageAnswer),
    /// Return the results of a shadow.
    Shadow(ShadowAnswer),
    /// Create a what-if on a simulation copy, with the name of the source and the user.
    WhatIf(Arc<str>, Box<(String, Identity)>, WhatIfAnswer),
    /// Forecast a configuration on a simulation copy.
    Forecast(Arc<str>, Arc<str>, StopFlag, ForecastAnswer),
}
