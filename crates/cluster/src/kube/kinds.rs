//! The kinds of objects that scheduling reads, with their paths.

use std::sync::Arc;

use serde_json::Value;

use super::{Followed, Texts};
use kubernetes::Pruned;
use kubernetes::live::{LiveObject, ObjectKey};

/// A parsed object, or the error.
#[derive(Debug)]
pub struct Read {
    /// By what it is found.
    pub key: ObjectKey,
    /// The object, or the invalid part.
    pub object: Result<LiveObject, String>,
}

impl Read {
    fn of(kind: &'static str, value: Value) -> Self {
        let text = |key: &str| value["metadata"][key].as_str().unwrap_or_default().to_owned();
        let key = ObjectKey { kind, namespace: text("namespace"), name: text("name") };
        Self { object: LiveObject::read(kind, value), key }
    }

    fn text(&self) -> Arc<str> {
        Arc::from(format!("{}/{}", self.key.namespace, self.key.name))
    }
}

/// Parses a key.
pub fn key_of(kind: &'static str, text: &str) -> ObjectKey {
    let (namespace, name) = text.split_once('/').unwrap_or(("", text));
    ObjectKey { kind, namespace: namespace.to_owned(), name: name.to_owned() }
}

/// An object of a followed kind.
pub trait Kind: Followed + Into<Read> {
    /// Name in manifests.
    const KIND: &'static str;
}

macro_rules! kinds {
    ($($name:ident: $kind:literal, $path:literal, ($group:literal, $resource:literal);)*) => {
        $(
            #[doc = concat!("Objects of the kind `", $kind, "`.")]
            #[derive(Debug)]
            pub struct $name(Read);

            impl Followed for $name {
                type Wire = Pruned;
                const PATH: &'static str = $path;
                const RESOURCE: (&'static str, &'static str) = ($group, $resource);

                fn version(wire: &Pruned) -> &str {
                    wire.0["metadata"]["resourceVersion"].as_str().unwrap_or_default()
                }

                fn read(wire: Pruned, _texts: &mut Texts) -> Self {
                    Self(Read::of($kind, wire.0))
                }

                fn key(&self) -> Arc<str> {
                    self.0.text()
                }
            }

            impl From<$name> for Read {
                fn from(one: $name) -> Self {
                    one.0
                }
            }

            impl Kind for $name {
                const KIND: &'static str = $kind;
            }
        )*
    };
}

kinds! {
    Pods: "Pod", "/api/v1/pods", ("", "pods");
    Nodes: "Node", "/api/v1/nodes", ("", "nodes");
    Namespaces: "Namespace", "/api/v1/namespaces", ("", "namespaces");
    Classes: "PriorityClass", "/apis/scheduling.k8s.io/v1/priorityclasses", ("scheduling.k8s.io", "priorityclasses");
    Volumes: "PersistentVolume", "/api/v1/persistentvolumes", ("", "persistentvolumes");
    Claims: "PersistentVolumeClaim", "/api/v1/persistentvolumeclaims", ("", "persistentvolumeclaims");
    StorageClasses: "StorageClass", "/apis/storage.k8s.io/v1/storageclasses", ("storage.k8s.io", "storageclasses");
    CsiNodes: "CSINode", "/apis/storage.k8s.io/v1/csinodes", ("storage.k8s.io", "csinodes");
    Attachments: "VolumeAttachment", "/apis/storage.k8s.io/v1/volumeattachments", ("storage.k8s.io", "volumeattachments");
    Maps: "ConfigMap", "/api/v1/configmaps", ("", "configmaps");
}
