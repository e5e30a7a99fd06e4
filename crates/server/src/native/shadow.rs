//! The results of a shadow: `GET /shadow`.

use super::{NativeRequest, Reply};
use view::act::{Code, Refusal};
use wire::convert::shadow_report;

pub(super) fn shadow(request: &NativeRequest) -> Result<Reply, Refusal> {
    let source = request.native.options.shadow.as_ref();
    let why = "this server does not shadow a scheduler; use kornsole kube shadow --listen";
    let source = source.ok_or_else(|| Refusal::new(Code::NotSupported, "no shadow", why))?;
    Ok(Reply::ok(&shadow_report(&(source.0)())))
}
