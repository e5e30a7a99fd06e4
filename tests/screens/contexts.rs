use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ::console::state::contexts::{ContextEntry, ContextFacts, ContextOrigin};
use ::console::{Driver, Opener, Personal};
use source::Source;

use super::console;
use crate::common::{shows, shows_not};

fn facts(scheduler: Result<&str, &str>) -> ContextFacts {
    ContextFacts {
        took: Duration::from_millis(12),
        version: "Kubernetes v1.34.2".to_owned(),
        user: Ok("ann (dev, ops)".to_owned()),
        scheduler: Some(scheduler.map(str::to_owned).map_err(str::to_owned)),
    }
}

fn with_contexts(width: u16) -> (Driver, Arc<AtomicUsize>) {
    let (mut driver, source) = console(width, 24);
    let programs = Arc::new(AtomicUsize::new(0));
    let ran = Arc::clone(&programs);
    let opener = Opener::new(move |_| Ok(Arc::clone(&source) as Arc<dyn Source>)).asking(move |name| match name {
        "k8s://prod" => Ok(facts(Ok("yunikorn/yunikorn-service"))),
        "k8s://empty" => Ok(facts(Err("there is no Service yunikorn-service in any namespace"))),
        "k8s://aws" => {
            ran.fetch_add(1, Ordering::Relaxed);
            Err("the exec plugin aws ended with 1: no session".to_owned())
        }
        _ => Err("connection refused".to_owned()),
    });
    let entry = |name: &str, plugin: Option<&str>| ContextEntry {
        name: format!("k8s://{name}"),
        address: format!("https://{name}.example:6443"),
        user: "ann".to_owned(),
        namespace: String::new(),
        origin: ContextOrigin::Kubeconfig,
        current: name == "prod",
        plugin: plugin.map(str::to_owned),
    };
    let kubeconfig =
        Ok(vec![entry("prod", None), entry("empty", None), entry("aws", Some("aws")), entry("gone", None)]);
    let here = Some("k8s://prod".to_owned());
    let contexts = BTreeMap::new();
    driver.personalize(Personal { contexts, kubeconfig, here, opener: Some(opener), ..Personal::default() });
    (driver, programs)
}

#[test]
fn each_context_shows_what_is_known_about_it() {
    let (mut driver, programs) = with_contexts(120);
    driver.keys(":context<ret>").unwrap();
    shows(&driver, "Kubernetes v1.34.2 in 12ms, as ann, yunikorn/yunikorn-service");
    shows(&driver, "no scheduler: there is no Service");
    shows(&driver, "unreachable: connection refused");
    shows(&driver, "https://prod.example:6443");
    shows(&driver, "of the kubeconfig (current)");
    shows(&driver, "ann (dev, ops)");
    shows(&driver, "not connected, because that runs aws; space connects");
    assert_eq!(programs.load(Ordering::Relaxed), 0, "no program runs by itself");
    driver.keys("jj<space>").unwrap();
    shows(&driver, "unreachable: the exec plugin aws ended with 1: no session");
    assert_eq!(programs.load(Ordering::Relaxed), 1);
    // A context with a program is not retried.
    driver.keys("q:contexts<ret>").unwrap();
    shows(&driver, "not connected, because that runs aws");
    driver.keys("G").unwrap();
    shows(&driver, "https://gone.example:6443");
    driver.keys("k<ret>").unwrap();
    assert_eq!(driver.state().contexts.here.as_deref(), Some("k8s://aws"));
}

#[test]
fn in_eighty_columns_the_address_is_below() {
    let (mut driver, _) = with_contexts(80);
    driver.keys(":context<ret>").unwrap();
    shows(&driver, "address      https://prod.example:6443");
    shows(&driver, "Kubernetes v1.34.2 in 12ms, as ann");
}

#[test]
fn an_invalid_kubeconfig_is_reported_in_the_list_of_contexts() {
    let (mut driver, source) = console(120, 24);
    let opener = Opener::new(move |_| Ok(Arc::clone(&source) as Arc<dyn Source>));
    let kubeconfig = Err("/home/ann/.kube/config:4:3: no kubeconfig".to_owned());
    driver.personalize(Personal { kubeconfig, opener: Some(opener), ..Personal::default() });
    driver.keys(":context<ret>").unwrap();
    shows(&driver, "/home/ann/.kube/config:4:3: no kubeconfig");
    shows(&driver, "no contexts");
    shows_not(&driver, "k8s://");
}
