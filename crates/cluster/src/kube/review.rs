//! The user's identity and rights at the API server.

use std::sync::{Arc, PoisonError};

use k8s_openapi::api::authentication::v1::{TokenReview, TokenReviewSpec};
use k8s_openapi::api::authorization::v1::{ResourceAttributes, SelfSubjectAccessReview, SelfSubjectAccessReviewSpec};
use kube::api::{Api, PostParams};
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};

use super::cluster::Cluster;
use super::{Asked, KubeFault, Who};
use crate::Answer;
use view::act::{ClusterRights, EnforceAcl, Right};

/// Maximum number of namespace rights that are reviewed again each time.
const AGAIN: usize = 100;

impl Cluster {
    /// Asks SelfSubjectReview, or in older releases reviews the token.
    ///
    /// # Errors
    /// It is unavailable.
    pub fn who(&self) -> Answer<'_, Result<Arc<Who>, KubeFault>> {
        Box::pin(async move {
            if let Some(who) = self.who.load_full() {
                return Ok(who);
            }
            match self.look_up().await {
                Ok(who) => {
                    let who = Arc::new(who);
                    self.who.store(Some(Arc::clone(&who)));
                    self.publish_rights();
                    Ok(who)
                }
                Err(fault) => {
                    self.unknown.store(Some(Arc::new(fault.clone())));
                    self.publish_rights();
                    Err(fault)
                }
            }
        })
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
                    // An older release answers 404; it may also be denied (403).
                    if !fault.is_missing() && !fault.is_forbidden() {
                        return Err(fault);
                    }
                }
            }
        }
        Ok(None)
    }

    async fn by_token_review(&self) -> Result<Who, KubeFault> {
        let unknown = |why: String| KubeFault::new(format!("your identity is unknown: {why}"));
        let old = "this API server does not support SelfSubjectReview (available since 1.28)";
        let config = self.config().await?;
        let written = config.auth_info.token.as_ref().map(|token| token.expose_secret().to_owned());
        let Some(token) = written.or_else(|| in_file(config.auth_info.token_file.as_deref())) else {
            return Err(unknown(format!("{old}, and this context has no token to review")));
        };
        let spec = TokenReviewSpec { token, audiences: None };
        let review = TokenReview { spec, ..TokenReview::default() };
        let reviews = Api::<TokenReview>::all(self.client().await?);
        let asked = Asked { group: "authentication.k8s.io", ..Asked::core("create", "tokenreviews", None) };
        let done = reviews.create(&PostParams::default(), &review).await;
        let done = done.map_err(|error| unknown(format!("{old}; {}", KubeFault::of(error, &asked, None))))?;
        let user = done.status.and_then(|status| status.user).unwrap_or_default();
        let user = Who { user: user.username.unwrap_or_default(), groups: user.groups.unwrap_or_default() };
        if user.user.is_empty() { Err(unknown(format!("{old}, and the review has no user"))) } else { Ok(user) }
    }

    /// Reviews a right, and caches it. A hint: the answer to the request itself counts.
    ///
    /// # Errors
    /// The review failed.
    pub fn may<'a>(&'a self, asked: &'a Asked) -> Answer<'a, Result<bool, KubeFault>> {
        Box::pin(async move { self.review(asked).await.map(|(allowed, _)| allowed) })
    }

    /// Like `may`, with the reason of the API server, which may be empty.
    ///
    /// # Errors
    /// The review failed.
    pub(super) async fn review(&self, asked: &Asked) -> Result<(bool, String), KubeFault> {
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
        let status = done.status.unwrap_or_default();
        let allowed = status.allowed;
        self.allowed.lock().unwrap_or_else(PoisonError::into_inner).insert(asked.clone(), allowed);
        self.publish_rights();
        Ok((allowed, status.reason.unwrap_or_default()))
    }

    /// Failed reviews stay unknown.
    pub fn review_all(&self) -> Answer<'_, ()> {
        Box::pin(async move {
            // Rejections name the user, if known.
            let _ = self.who().await;
            let (cordoning, killing) = (Self::cordoning(), Self::killing(None));
            let Ok(namespace) = self.namespace().await else {
                let _ = tokio::join!(self.may(&cordoning), self.may(&killing));
                return;
            };
            let writing = Self::writing(&namespace);
            let known: Vec<Asked> =
                self.allowed.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect();
            let _ = tokio::join!(self.may(&writing), self.may(&cordoning), self.may(&killing));
            let again = known.into_iter().filter(|asked| ![&writing, &cordoning, &killing].contains(&asked));
            for asked in again.take(AGAIN) {
                let _ = self.may(&asked).await;
            }
        })
    }

    /// Returns the reviewed rights, to predict rejections.
    pub fn rights(&self) -> Arc<ClusterRights> {
        if self.rights.load().is_none() {
            self.publish_rights();
        }
        self.rights.load_full().unwrap_or_default()
    }

    pub(super) fn publish_rights(&self) {
        let shown = |asked: &Asked| Right {
            verb: asked.verb,
            resource: asked.resource,
            namespace: asked.namespace.as_deref().map(Arc::from),
        };
        let reviewed = self.allowed.lock().unwrap_or_else(PoisonError::into_inner);
        let reviewed = reviewed.iter().map(|(asked, allowed)| (shown(asked), *allowed)).collect();
        let unknown = match (self.enforce_acl() != EnforceAcl::Never, self.user(), self.unknown()) {
            (true, None, Some(fault)) => {
                Some(Arc::from(format!("{fault}; adminacl allows nothing; use --enforce-acl never to let RBAC decide")))
            }
            (true, None, None) => Some(Arc::from("your identity is not loaded yet")),
            _ => None,
        };
        let found = self.found().filter(|found| !found.namespace.is_empty());
        let namespace = found.map(|found| Arc::from(found.namespace.as_str()));
        let rights = ClusterRights { namespace, reviewed, unknown, waived: None };
        if self.rights.load().as_deref() != Some(&rights) {
            self.rights.store(Some(Arc::new(rights)));
        }
    }

    /// Reviews the deletion of pods once, unless the right applies to all. Returns true if a review was sent.
    pub fn review_namespaces<'a>(&'a self, namespaces: &'a [String]) -> Answer<'a, bool> {
        Box::pin(async move {
            if self.is_allowed(&Self::killing(None)) != Some(false) {
                return false;
            }
            let rights = namespaces.iter().map(|namespace| Self::killing(Some(namespace)));
            let new: Vec<Asked> = rights.filter(|right| self.is_allowed(right).is_none()).collect();
            for right in &new {
                let _ = self.may(right).await;
            }
            !new.is_empty()
        })
    }

    /// Returns a cached right; `None` if unknown.
    pub fn is_allowed(&self, asked: &Asked) -> Option<bool> {
        self.allowed.lock().unwrap_or_else(PoisonError::into_inner).get(asked).copied()
    }

    /// Describes the right to delete pods, in a namespace or in all.
    pub fn killing(namespace: Option<&str>) -> Asked {
        Asked::core("delete", "pods", namespace)
    }

    /// Describes the right to write the configuration.
    pub fn writing(namespace: &str) -> Asked {
        Asked::core("patch", "configmaps", Some(namespace)).named(super::config_map::CONFIGS)
    }

    /// Describes the right to cordon nodes.
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
/// Reads a token file, which is replaced before the token expires.
fn in_file(file: Option<&str>) -> Option<String> {
    let token = std::fs::read_to_string(file?).ok()?;
    Some(token.trim().to_owned()).filter(|token| !token.is_empty())
}
