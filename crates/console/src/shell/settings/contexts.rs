//! `[contexts.NAME]`: remote schedulers.

use std::collections::BTreeMap;

use config::Fault;
use config::toml_table::Entry;
use config::toml_table::Table;
use model::Identity;
use view::act::EnforceAcl;

/// A remote scheduler and its connection options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteContext {
    /// URL of the server.
    pub url: String,
    /// The token file.
    pub token_file: Option<String>,
    /// A file of trusted CA certificates (PEM).
    pub ca: Option<String>,
    /// A file with the client certificate and key (PEM).
    pub client_cert: Option<String>,
    /// HTTP headers, `NAME: VALUE`.
    pub headers: Vec<String>,
    /// Nothing is changed through it.
    pub read_only: bool,
    /// The impersonated identity.
    pub acting_as: Option<Identity>,
    /// Whether `adminacl` is checked before the API server decides.
    pub enforce_acl: EnforceAcl,
}

impl Default for RemoteContext {
    fn default() -> Self {
        Self {
            url: String::new(),
            token_file: None,
            ca: None,
            client_cert: None,
            headers: Vec::new(),
            read_only: false,
            acting_as: None,
            enforce_acl: EnforceAcl::Auto,
        }
    }
}

/// Reads all contexts, ignoring those without a URL.
pub fn read(table: &Table<'_, '_>, faults: &mut Vec<Fault>) -> BTreeMap<String, RemoteContext> {
    let mut contexts = BTreeMap::new();
    for entry in table.entries() {
        let Some(table) = entry.table(faults) else { continue };
        let context = context(&table, faults);
        if context.url.is_empty() {
            let hint = "url = \"https://HOST/PATH\"";
            faults.push(entry.fault("OWN-020", format!("the context {:?} has no address", entry.name), hint));
        } else {
            contexts.insert(entry.name.to_owned(), context);
        }
    }
    contexts
}

/// Earlier releases wrote a boolean.
fn enforce_acl(entry: &Entry<'_, '_>, faults: &mut Vec<Fault>) -> EnforceAcl {
    if !entry.is_text() {
        return match entry.bool(faults) {
            Some(false) => EnforceAcl::Never,
            Some(true) => EnforceAcl::Always,
            None => EnforceAcl::Auto,
        };
    }
    let read = EnforceAcl::parse(entry.text(faults).unwrap_or_default());
    read.unwrap_or_else(|why| {
        faults.push(entry.wrong("OWN-003", why, "write \"auto\", \"always\", or \"never\""));
        EnforceAcl::Auto
    })
}

fn context(table: &Table<'_, '_>, faults: &mut Vec<Fault>) -> RemoteContext {
    const KNOWN: [&str; 8] = ["url", "token-file", "ca", "client-cert", "headers", "read-only", "as", "enforce-acl"];
    let mut context = RemoteContext::default();
    for entry in table.entries() {
        match entry.name {
            "url" => context.url = entry.text(faults).unwrap_or_default().to_owned(),
            "token-file" => context.token_file = entry.text(faults).map(str::to_owned),
            "ca" => context.ca = entry.text(faults).map(str::to_owned),
            "client-cert" => context.client_cert = entry.text(faults).map(str::to_owned),
            "headers" => context.headers = entry.texts(faults).unwrap_or_default(),
            "read-only" => context.read_only = entry.bool(faults).unwrap_or_default(),
            "enforce-acl" => context.enforce_acl = enforce_acl(&entry, faults),
            "as" => match entry.text(faults).map(Identity::parse) {
                Some(Ok(who)) => context.acting_as = Some(who),
                Some(Err(why)) => faults.push(entry.wrong("OWN-003", why, "write USER:GROUP,GROUP")),
                None => {}
            },
            // The token would be readable and shown with the file.
            "token" => {
                let hint = "token-file = \"FILE\" names a file with the token";
                faults.push(entry.fault("OWN-021", "a token must not be in the settings".to_owned(), hint));
            }
            _ => faults.push(entry.unknown("OWN-002", "setting", &KNOWN)),
        }
    }
    context
}

#[cfg(test)]
mod tests {
    use crate::shell::settings;
    use crate::theme::Themes;
    use view::act::EnforceAcl;

    #[test]
    fn whether_adminacl_is_checked_is_a_word_or_as_before_a_boolean() {
        let read = |value: &str| {
            let text = format!("[contexts.prod]\nurl = \"k8s://prod\"\n{value}\n");
            let read = settings::read(&text, &Themes::shipped());
            (read.settings.contexts["prod"].enforce_acl, read.faults.len())
        };
        assert_eq!(read(""), (EnforceAcl::Auto, 0));
        assert_eq!(read("enforce-acl = \"auto\""), (EnforceAcl::Auto, 0));
        assert_eq!(read("enforce-acl = \"always\""), (EnforceAcl::Always, 0));
        assert_eq!(read("enforce-acl = \"never\""), (EnforceAcl::Never, 0));
        assert_eq!(read("enforce-acl = true"), (EnforceAcl::Always, 0));
        assert_eq!(read("enforce-acl = false"), (EnforceAcl::Never, 0));
        assert_eq!(read("enforce-acl = \"sometimes\""), (EnforceAcl::Auto, 1));
        assert_eq!(read("enforce-acl = 3"), (EnforceAcl::Auto, 1));
    }
}
