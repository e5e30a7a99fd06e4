//! One's identity and one's rights at the API server.

use std::sync::{Arc, PoisonError};

use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewSpec};
use k8s_openapi::api::authorization::v1::{ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec};
use kube::api::{Api, PostParams};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::{Asked, KubeFault, Who};

impl Cluster {
    /// Who one is: by SelfSubjectReview, or where the release has none, by a review of one's own token.
    ///
    /// # Errors
    /// It cannot be found out.
    pub async fn who(&self) -> Result<Arc<Who>, KubeFault> {
        if let Some(who) = self.who.load_full() {
            return Ok(who);
        }
        match self.look_up().await {
            Ok(who) => {
                let who = Arc::new(who);
                self.who.store(Some(Arc::clone(&who)));
                Ok(who)
            }
            Err(fault) => {
                self.unknown.store(Some(Arc::new(fault.clone())));
                Err(fault)
            }
        }
    }

    async fn look_up(&self) -> Result<Who, KubeFault> {
        match self.by_self_review().await? {
            Some(who) => Ok(who),
            None => self.by_token_review().await,
        }
    }

    async fn by_self_review(&self) -> Result<Option<Who>, KubeFault> {
        let client = self.client().await?;
        for version in ["v1", "v1beta1"] {
            let asked = Asked { group: "authentication.k8s.io", ..Asked::core("create", "selfsubjectreviews", None) };
            let body = json!({"apiVersion": format!("authentication.k8s.io/{version}"), "kind": "SelfSubjectReview"});
            let request = http::Request::post(format!("/apis/authentication.k8s.io/{version}/selfsubjectreviews"))
                .header("content-type", "application/json")
                .body(body.to_string().into_bytes())
                .map_err(|error| KubeFault::new(error.to_string()))?;
            match client.request::<Value>(request).await {
                Ok(answer) => return Ok(Some(read(&answer["status"]["userInfo"]))),
                Err(error) => {
                    let fault = KubeFault::of(error, &asked, None);
                    // A release without it answers 404; one may also not be allowed to see that (403).
                    if !fault.is_missing() && !fault.is_forbidden() {
                        return Err(fault);
                    }
                }
            }
        }
        Ok(None)
    }

    async fn by_token_review(&self) -> Result<Who, KubeFault> {
        let unknown = |why: String| KubeFault::new(format!("who you are is not known: {why}"));
        let old = "this API server has no SelfSubjectReview (1.28 has it)";
        let config = self.config().await?;
        let Some(token) = config.auth_info.token.as_ref().map(|token| token.expose_secret().to_owned()) else {
            return Err(unknown(format!("{old}, and this context has no token that could be reviewed")));
        };
        let spec = TokenReviewSpec { token, audiences: None };
        let review = TokenReview { spec, ..TokenReview::default() };
        let reviews = Api::<TokenReview>::all(self.client().await?);
        let asked = Asked { group: "authentication.k8s.io", ..Asked::core("create", "tokenreviews", None) };
        let done = reviews.create(&PostParams::default(), &review).await;
        let done = done.map_err(|error| unknown(format!("{old}; {}", KubeFault::of(error, &asked, None))))?;
        let user = done.status.and_then(|status| status.user).unwrap_or_default();
        let user = Who { user: user.username.unwrap_or_default(), groups: user.groups.unwrap_or_default() };
        if user.user.is_empty() { Err(unknown(format!("{old}, and the review names nobody"))) } else { Ok(user) }
    }

    /// Asks whether one may do this, and keeps the answer. It is a hint: what the API server answers to the thing itself counts.
    ///
    /// # Errors
    /// It cannot be asked.
    pub async fn may(&self, asked: &Asked) -> Result<bool, KubeFault> {
        let (resource, subresource) = match asked.resource.split_once('/') {
            Some((resource, subresource)) => (resource, Some(subresource.to_owned())),
            None => (asked.resource, None),
        };
        let attributes = ResourceAttributes {
            verb: Some(asked.verb.to_owned()),
            group: Some(asked.group.to_owned()),
            resource: Some(resource.to_owned()),
            subresource,
            namespace: asked.namespace.clone(),
            name: asked.name.clone(),
            ..ResourceAttributes::default()
        };
        let spec = SelfSubjectAccessReviewSpec { resource_attributes: Some(attributes), ..Default::default() };
        let review = SelfSubjectAccessReview { spec, ..SelfSubjectAccessReview::default() };
        let reviews = Api::<SelfSubjectAccessReview>::all(self.client().await?);
        let reviewing =
            Asked { group: "authorization.k8s.io", ..Asked::core("create", "selfsubjectaccessreviews", None) };
        let done = reviews.create(&PostParams::default(), &review).await;
        let done = done.map_err(|error| KubeFault::of(error, &reviewing, None))?;
        let allowed = done.status.is_some_and(|status| status.allowed);
        self.allowed.lock().unwrap_or_else(PoisonError::into_inner).insert(asked.clone(), allowed);
        Ok(allowed)
    }

    /// Asks for every right that a key of the console needs, once. What cannot be asked is not known.
    pub async fn review_all(&self) {
        // Who one is stands in refusals; without it they name nobody.
        let _ = self.who().await;
        let Ok(namespace) = self.namespace().await else { return };
        for asked in [Self::writing(&namespace), Self::cordoning(), Self::killing(None)] {
            let _ = self.may(&asked).await;
        }
    }

    /// Asks for the right to delete pods in these namespaces, each once, unless it is there for all. Gives whether anything was asked.
    pub async fn review_namespaces(&self, namespaces: &[String]) -> bool {
        if self.is_allowed(&Self::killing(None)) != Some(false) {
            return false;
        }
        let mut asked = false;
        for right in namespaces.iter().map(|namespace| Self::killing(Some(namespace))) {
            if self.is_allowed(&right).is_none() {
                asked = true;
                let _ = self.may(&right).await;
            }
        }
        asked
    }

    /// Whether pods of a namespace may be deleted, as far as it was reviewed.
    ///
    /// # Errors
    /// The right that is missing.
    pub fn may_kill(&self, namespace: &str) -> Result<(), Asked> {
        let here = Self::killing(Some(namespace));
        match (self.is_allowed(&Self::killing(None)), self.is_allowed(&here)) {
            (Some(false), Some(false)) => Err(here),
            _ => Ok(()),
        }
    }

    /// The right to delete pods, in a namespace or in all.
    pub fn killing(namespace: Option<&str>) -> Asked {
        Asked::core("delete", "pods", namespace)
    }

    /// The right to write the configuration.
    pub fn writing(namespace: &str) -> Asked {
        Asked::core("patch", "configmaps", Some(namespace)).named(super::config_map::CONFIGS)
    }

    /// The right to cordon nodes.
    pub fn cordoning() -> Asked {
        Asked::core("patch", "nodes", None)
    }
}

fn read(user: &Value) -> Who {
    let groups = user["groups"].as_array().map(Vec::as_slice).unwrap_or_default();
    Who {
        user: user["username"].as_str().unwrap_or_default().to_owned(),
        groups: groups.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
    }
}
