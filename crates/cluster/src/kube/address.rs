//! `k8s://[CONTEXT][/NAMESPACE]`.

/// Prefix of an address.
pub const SCHEME: &str = "k8s://";

/// A parsed address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Address {
    /// Context; `None`: the current one.
    pub context: Option<String>,
    /// Namespace of the scheduler; `None`: it is searched.
    pub namespace: Option<String>,
}

impl Address {
    /// Returns true for such an address.
    pub fn is(text: &str) -> bool {
        text.starts_with(SCHEME)
    }

    /// Parses an address. Context names may contain `/`, `:`, and `@`: a text that is a context is one; otherwise the
    /// part after the last `/` is the namespace.
    ///
    /// # Errors
    /// The context is unknown; the message lists the known ones.
    pub fn read(text: &str, contexts: &[String]) -> Result<Self, String> {
        let rest = text.strip_prefix(SCHEME).unwrap_or(text);
        let known = |name: &str| contexts.iter().any(|context| context == name);
        if rest.is_empty() {
            return Ok(Self::default());
        }
        if known(rest) {
            return Ok(Self { context: Some(rest.to_owned()), namespace: None });
        }
        if let Some((context, namespace)) = rest.rsplit_once('/')
            && (context.is_empty() || known(context))
        {
            let some = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            return Ok(Self { context: some(context), namespace: some(namespace) });
        }
        let there = if contexts.is_empty() {
            "the kubeconfig has no contexts".to_owned()
        } else {
            format!("available: {}", contexts.join(", "))
        };
        Err(format!("context {:?} not found; {there}", rest.split('/').next().unwrap_or(rest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<(Option<String>, Option<String>), String> {
        let contexts = ["prod", "arn:aws:eks:eu/prod", "me@x"].map(str::to_owned);
        Address::read(text, &contexts).map(|address| (address.context, address.namespace))
    }

    #[test]
    fn a_context_may_have_slashes_and_the_namespace_follows_the_last() {
        let some = |context: &str, namespace: &str| {
            let text = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
            Ok((text(context), text(namespace)))
        };
        assert_eq!(read("k8s://"), some("", ""));
        assert_eq!(read("k8s://prod"), some("prod", ""));
        assert_eq!(read("k8s://prod/batch"), some("prod", "batch"));
        assert_eq!(read("k8s:///batch"), some("", "batch"));
        assert_eq!(read("k8s://arn:aws:eks:eu/prod"), some("arn:aws:eks:eu/prod", ""));
        assert_eq!(read("k8s://arn:aws:eks:eu/prod/yk"), some("arn:aws:eks:eu/prod", "yk"));
        assert_eq!(read("k8s://me@x"), some("me@x", ""));
    }

    #[test]
    fn a_context_that_is_not_there_is_refused_with_those_that_are() {
        let why = read("k8s://prd/yunikorn").unwrap_err();
        assert_eq!(why, "context \"prd\" not found; available: prod, arn:aws:eks:eu/prod, me@x");
    }
}
