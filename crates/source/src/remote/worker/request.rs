//! What the worker is requested by the source that a console looks through.

use std::sync::Arc;

use crate::{
    Focus, ForecastAnswer, OwnersAnswer, QuotaAnswer, ShadowAnswer, StopSign, SuspendAnswer, SuspendOrder, TextAnswer,
    UsageAnswer, WhatIfAnswer,
};
use model::{AppId, Identity};
use view::act::{Answer as Done, Order, Refusal};
use view::used::UsageQuestion;
use view::waiting::{Question, SheetAnswer};

/// What the console needs.
pub enum Request {
    /// Something else is on the screen.
    SetFocus(Focus),
    /// An order is to be carried out.
    Act(Box<Order>, Done),
    /// Notified when nothing is left to do, by a clock that is moved by hand.
    Settle(std::sync::mpsc::Sender<()>),
    /// The text of a revision is to be fetched.
    Text(u64, TextAnswer),
    /// Who owns the pods of an application is to be looked up.
    Owners(Arc<str>, AppId, OwnersAnswer),
    /// Owners are to be suspended, or to run again.
    Suspend(Box<SuspendOrder>, SuspendAnswer),
    /// An order was refused before it was given: it is to be noted.
    Refused(Box<(Order, Refusal)>),
    /// It is to be explained why something waits.
    Explain(Question, SheetAnswer),
    /// It is to be reported what a text would have preempted.
    PreviewQuotas(Arc<str>, QuotaAnswer),
    /// It is to be reported what was used over time.
    Usage(UsageQuestion, UsageAnswer),
    /// It is to be reported what a shadow found.
    Shadow(ShadowAnswer),
    /// A twin of a partition is to be made to try things in, for the one who looks, under the name of the source.
    WhatIf(Arc<str>, Box<(String, Identity)>, WhatIfAnswer),
    /// What a configuration would lead to is to be tried on a twin of a partition.
    Forecast(Arc<str>, Arc<str>, StopSign, ForecastAnswer),
}
