//! The kubeconfig: its contexts, and the client of one of them.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use kube::config::{Config, KubeConfigOptions, Kubeconfig, KubeconfigError};

use super::KubeFault;
use super::kubeconfig_field::{self, Field};

const IN_CLUSTER: &str = "in-cluster";
const POD_NAMESPACE: &str = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
pub(super) const CONNECT: Duration = Duration::from_secs(5);

/// Never prints its secrets.
#[derive(Clone)]
pub struct Known {
    /// `None`: in a pod without a kubeconfig.
    kubeconfig: Option<Kubeconfig>,
    files: Vec<PathBuf>,
}

impl fmt::Debug for Known {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Known").field("files", &self.files).finish_non_exhaustive()
    }
}

/// A context of a kubeconfig.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextInfo {
    /// The name of the context in the kubeconfig.
    pub name: String,
    /// Address of the API server.
    pub server: String,
    /// User name in the kubeconfig.
    pub user: String,
    /// Namespace, if set.
    pub namespace: Option<String>,
    /// It is the current context.
    pub current: bool,
    /// Its exec plugin for credentials, if any.
    pub plugin: Option<String>,
}

impl Known {
    /// Returns `None` without any cluster.
    ///
    /// # Errors
    /// A file is invalid, or a named file is missing.
    pub fn read_if_exists() -> Result<Option<Self>, KubeFault> {
        let named = std::env::var_os("KUBECONFIG").is_some_and(|value| !value.is_empty());
        let usual = std::env::var_os("HOME").is_some_and(|home| Path::new(&home).join(".kube/config").exists());
        if named || usual || Self::in_cluster() { Self::read().map(Some) } else { Ok(None) }
    }

    fn in_cluster() -> bool {
        let named = std::env::var_os("KUBECONFIG").is_some_and(|value| !value.is_empty());
        std::env::var_os("KUBERNETES_SERVICE_HOST").is_some() && !named
    }

    /// Reads `KUBECONFIG`, otherwise `~/.kube/config`, otherwise the service account of the pod.
    ///
    /// # Errors
    /// A file is invalid (file, line, and column), or nothing of these exists.
    pub fn read() -> Result<Self, KubeFault> {
        let named = std::env::var_os("KUBECONFIG").filter(|value| !value.is_empty());
        let files: Vec<PathBuf> = match &named {
            Some(value) => std::env::split_paths(value).filter(|path| !path.as_os_str().is_empty()).collect(),
            None => std::env::var_os("HOME").map(|home| Path::new(&home).join(".kube/config")).into_iter().collect(),
        };
        let there: Vec<PathBuf> = files.iter().filter(|file| file.exists()).cloned().collect();
        if there.is_empty() {
            if Self::in_cluster() {
                return Ok(Self { kubeconfig: None, files: Vec::new() });
            }
            let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
            let message = format!("kubeconfig {} not found; set KUBECONFIG", names.join(", "));
            return Err(KubeFault::new(message));
        }
        Self::of(&there)
    }

    /// Reads files; of equal names the first applies. Fails for an invalid file.
    pub fn of(files: &[PathBuf]) -> Result<Self, KubeFault> {
        let mut all: Option<Kubeconfig> = None;
        for file in files {
            let next = Kubeconfig::read_from(file).map_err(|error| unreadable(file, &error))?;
            all = Some(match all {
                None => next,
                Some(before) => before.merge(next).map_err(|error| unreadable(file, &error))?,
            });
        }
        Ok(Self { kubeconfig: all, files: files.to_vec() })
    }

    /// Returns the files.
    pub fn files(&self) -> &[PathBuf] {
        &self.files
    }

    /// Returns contexts in the order of the files.
    pub fn contexts(&self) -> Vec<ContextInfo> {
        let Some(kubeconfig) = &self.kubeconfig else { return vec![Self::of_this_pod()] };
        let info = |named: &kube::config::NamedContext| {
            let context = named.context.clone().unwrap_or_default();
            let cluster = kubeconfig.clusters.iter().find(|cluster| cluster.name == context.cluster);
            let user = kubeconfig.auth_infos.iter().find(|one| Some(&one.name) == context.user.as_ref());
            let plugin = user.and_then(|one| one.auth_info.as_ref()?.exec.as_ref()?.command.clone());
            ContextInfo {
                name: named.name.clone(),
                server: cluster.and_then(|one| one.cluster.as_ref()?.server.clone()).unwrap_or_default(),
                user: context.user.clone().unwrap_or_default(),
                namespace: context.namespace.clone(),
                current: kubeconfig.current_context.as_ref() == Some(&named.name),
                plugin,
            }
        };
        kubeconfig.contexts.iter().map(info).collect()
    }

    fn of_this_pod() -> ContextInfo {
        let (server, user) = ("the cluster of this pod".to_owned(), "its service account".to_owned());
        ContextInfo { name: IN_CLUSTER.to_owned(), server, user, namespace: None, current: true, plugin: None }
    }

    pub(super) fn label_of_this_pod(&self) -> Option<String> {
        if self.kubeconfig.is_some() {
            return None;
        }
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
        let namespace = std::fs::read_to_string(POD_NAMESPACE).unwrap_or_default();
        Some(pod_label(variable("KUBERNETES_SERVICE_HOST"), variable("KUBERNETES_SERVICE_PORT"), namespace.trim()))
    }

    /// Returns the names of the contexts.
    pub fn names(&self) -> Vec<String> {
        self.contexts().into_iter().map(|context| context.name).collect()
    }

    /// Returns a context, by default the current one.
    ///
    /// # Errors
    /// The name is unknown, or no context is current.
    pub fn context(&self, name: Option<&str>) -> Result<ContextInfo, KubeFault> {
        let wanted = |context: &ContextInfo| name.map_or(context.current, |name| context.name == name);
        let none = || match name {
            Some(name) => format!("context {name:?} not found"),
            None => {
                let files: Vec<String> = self.files.iter().map(|file| file.display().to_string()).collect();
                let (files, names) = (files.join(", "), self.names());
                if names.is_empty() {
                    format!(
                        "cannot choose a context: the kubeconfig {files} has no contexts; add one, or set KUBECONFIG to another file"
                    )
                } else {
                    let names = names.join(", ");
                    format!(
                        "cannot choose a context: the kubeconfig {files} has no current context; use k8s://CONTEXT with one of {names}"
                    )
                }
            }
        };
        self.contexts().into_iter().find(wanted).ok_or_else(|| KubeFault::new(none()))
    }

    fn words_of(&self, context: &str, error: &KubeconfigError) -> String {
        let named = self.kubeconfig.iter().flat_map(|all| &all.contexts).find(|one| one.name == context);
        let named = named.and_then(|one| one.context.clone()).unwrap_or_default();
        let user = named.user.unwrap_or_default();
        let (list, entry, keys): (_, _, &[&str]) = match error {
            KubeconfigError::LoadClusterOfContext(_) => ("contexts", context, &["context", "cluster"]),
            KubeconfigError::MissingClusterUrl | KubeconfigError::ParseClusterUrl(_) => {
                ("clusters", &named.cluster, &["cluster", "server"])
            }
            KubeconfigError::ParseProxyUrl(_) => ("clusters", &named.cluster, &["cluster", "proxy-url"]),
            KubeconfigError::LoadCertificateAuthority(_) => {
                ("clusters", &named.cluster, &["cluster", "certificate-authority"])
            }
            KubeconfigError::LoadClientCertificate(_) => ("users", &user, &["user", "client-certificate"]),
            KubeconfigError::LoadClientKey(_) => ("users", &user, &["user", "client-key"]),
            _ => ("contexts", context, &["context"]),
        };
        let place = kubeconfig_field::named(&self.files, Field { list, entry, keys });
        let place = place.map(|place| format!("{place}: ")).unwrap_or_default();
        format!("{place}context {context}: {}", words(error))
    }

    /// A context with a missing user would be anonymous.
    fn check_user(&self, kubeconfig: &Kubeconfig, context: &str) -> Result<(), KubeFault> {
        let named = kubeconfig.contexts.iter().find(|one| one.name == context).and_then(|one| one.context.as_ref());
        let user = named.and_then(|one| one.user.as_deref()).unwrap_or_default();
        if user.is_empty() || kubeconfig.auth_infos.iter().any(|one| one.name == user) {
            return Ok(());
        }
        let field = Field { list: "contexts", entry: context, keys: &["context", "user"] };
        let place = kubeconfig_field::named(&self.files, field).map(|place| format!("{place}: ")).unwrap_or_default();
        Err(KubeFault::new(format!("{place}context {context}: its user {user:?} is not in the kubeconfig")))
    }

    /// Returns the client configuration of a context.
    ///
    /// # Errors
    /// A part of the context is missing or invalid.
    pub(super) async fn config(&self, context: &str) -> Result<Config, KubeFault> {
        let mut config = match &self.kubeconfig {
            None => Config::incluster().map_err(|error| KubeFault::new(error.to_string()))?,
            Some(kubeconfig) => {
                self.check_user(kubeconfig, context)?;
                let options = KubeConfigOptions { context: Some(context.to_owned()), ..KubeConfigOptions::default() };
                let made = Config::from_custom_kubeconfig(kubeconfig.clone(), &options).await;
                made.map_err(|error| KubeFault::new(self.words_of(context, &error)))?
            }
        };
        config.connect_timeout = Some(CONNECT);
        // Streams have no timeout here; their readers have their own.
        config.read_timeout = None;
        // Callers retry and show the reason.
        config.default_retry = false;
        Ok(config)
    }
}

/// `10.96.0.1:443/yunikorn`, as far as known.
fn pod_label(host: Option<String>, port: Option<String>, namespace: &str) -> String {
    let Some(host) = host else { return IN_CLUSTER.to_owned() };
    // IPv6 addresses contain colons.
    let host = if host.contains(':') { format!("[{host}]") } else { host };
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    let namespace = if namespace.is_empty() { String::new() } else { format!("/{namespace}") };
    format!("{host}{port}{namespace}")
}

fn unreadable(file: &Path, error: &KubeconfigError) -> KubeFault {
    KubeFault::new(match error {
        KubeconfigError::Parse(error) => {
            let number = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
            let place = match error.location() {
                Some(at) => kubeconfig_field::at(file, number(at.line()), number(at.column())),
                None => file.display().to_string(),
            };
            // The library quotes the surrounding lines, which may be secrets.
            let what = error.without_snippet().to_string();
            let what = what.lines().next().unwrap_or("it is not YAML").to_owned();
            format!("{place}: no kubeconfig: {what}")
        }
        KubeconfigError::ReadConfig(error, _) => format!("cannot read {}: {error}", file.display()),
        other => format!("{}: {}", file.display(), words(other)),
    })
}

fn words(error: &KubeconfigError) -> String {
    match error {
        KubeconfigError::LoadContext(name) => format!("context {name:?} not found"),
        KubeconfigError::LoadClusterOfContext(name) => format!("its cluster {name:?} is not in the kubeconfig"),
        KubeconfigError::MissingClusterUrl => "its cluster has no server".to_owned(),
        KubeconfigError::ParseClusterUrl(_) => "the server of its cluster is not an address".to_owned(),
        KubeconfigError::LoadCertificateAuthority(_) => "certificate-authority cannot be read".to_owned(),
        KubeconfigError::LoadClientCertificate(_) => "client-certificate cannot be read".to_owned(),
        KubeconfigError::LoadClientKey(_) => "client-key cannot be read".to_owned(),
        KubeconfigError::ParseCertificates(_) => "a certificate is not PEM".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(name: &str, text: &str) -> PathBuf {
        let file = std::env::temp_dir().join(format!("kornsole-kubeconfig-{name}-{}", std::process::id()));
        std::fs::write(&file, text).unwrap();
        file
    }

    #[test]
    fn the_cluster_of_a_pod_has_a_distinct_name() {
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(pod_label(text("10.96.0.1"), text("443"), "yunikorn"), "10.96.0.1:443/yunikorn");
        assert_eq!(pod_label(text("fd00::1"), None, ""), "[fd00::1]");
        assert_eq!(pod_label(None, None, "x"), "in-cluster");
    }

    #[test]
    fn several_files_are_one_and_the_first_counts() {
        let one = written(
            "one",
            "current-context: b\ncontexts: [{name: a, context: {cluster: c, user: u, namespace: n}}]\nclusters: [{name: c, cluster: \
             {server: 'https://a:6443'}}]\n",
        );
        let two = written("two", "contexts: [{name: a, context: {cluster: x}}, {name: b, context: {cluster: c}}]\n");
        let known = Known::of(&[one.clone(), two.clone()]).unwrap();
        assert_eq!(known.names(), ["a", "b"]);
        let a = known.context(Some("a")).unwrap();
        assert_eq!((a.server.as_str(), a.user.as_str(), a.namespace.as_deref()), ("https://a:6443", "u", Some("n")));
        assert_eq!(known.context(None).unwrap().name, "b");
        assert!(known.context(Some("c")).is_err());
        [one, two].iter().for_each(|file| std::fs::remove_file(file).unwrap());
    }

    #[tokio::test]
    async fn a_context_without_its_user_and_a_file_without_contexts_show_the_remedy() {
        let file = written(
            "nouser",
            "contexts:\n- name: c\n  context: {cluster: k, user: gone}\nclusters: [{name: k, cluster: {server: \
             'https://a:6443'}}]\n",
        );
        let why = Known::of(std::slice::from_ref(&file)).unwrap().config("c").await.unwrap_err().to_string();
        let place = format!("{}:3:25: contexts[0].context.user: ", file.display());
        assert_eq!(why, format!("{place}context c: its user \"gone\" is not in the kubeconfig"));
        std::fs::write(&file, "contexts: []\nclusters: []\nusers: []\ncurrent-context: ''\n").unwrap();
        let why = Known::of(std::slice::from_ref(&file)).unwrap().context(None).unwrap_err().to_string();
        let starts = format!("cannot choose a context: the kubeconfig {} has no contexts; ", file.display());
        assert!(why.starts_with(&starts), "{why}");
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn a_file_that_does_not_read_is_named_with_its_line_and_without_its_secrets() {
        let text = "users:\n- name: u\n  user: {token: hunter2}\ncontexts: [{name: 3, context: [}]\n";
        let file = written("bad", text);
        let why = Known::of(std::slice::from_ref(&file)).unwrap_err().to_string();
        assert!(why.starts_with(&format!("{}:4:", file.display())), "{why}");
        assert!(!why.contains("hunter2"), "{why}");
        std::fs::remove_file(file).unwrap();
    }
}
