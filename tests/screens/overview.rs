use std::time::Duration;

use console::Driver;
use console::state::explain::Explained;
use console::state::page::Page;
use model::Identity;

use crate::common::{shows, shows_not, user};
use crate::space::{on_demo, on_text};

fn labels(driver: &Driver) -> Vec<String> {
    match driver.state().page() {
        Page::Explain(page) if matches!(page.of, Explained::Overview(_)) => {
            page.lines().iter().map(|line| line.label.clone()).filter(|label| !label.is_empty()).collect()
        }
        _ => panic!("another page is shown:\n{}", driver.screen_text()),
    }
}

#[test]
fn the_overview_fits_the_smallest_screen() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let (mut driver, _) = on_demo(width, height, 90);
        driver.keys("o").unwrap();
        for words in ["Overview", ", at 1:", " limit  ", "  use  ", "  demand ", "  free  ", "  rate  ", "  changed "] {
            shows(&driver, words);
        }
    }
}

#[test]
fn a_line_opens_its_object_and_back() {
    let (mut driver, _) = on_demo(120, 40, 90);
    driver.keys("o").unwrap();
    let at = labels(&driver).iter().position(|label| label == "waits").unwrap();
    driver.keys("g").unwrap();
    for _ in 0..at {
        driver.keys("j").unwrap();
    }
    driver.keys("<ret>").unwrap();
    shows(&driver, "why it waits");
    driver.keys("<esc>").unwrap();
    shows(&driver, "Overview");
}

#[test]
fn it_shows_the_changes_since_the_last_visit() {
    let (mut driver, source) = on_demo(120, 40, 90);
    driver.keys("o").unwrap();
    shows(&driver, "  changed ");
    driver.keys("<esc>").unwrap();
    source.advance(Duration::from_secs(300));
    driver.refresh();
    driver.advance(Duration::from_secs(1));
    driver.keys("o").unwrap();
    shows(&driver, "(5m");
}

#[test]
fn it_is_rebuilt_only_with_a_new_screen() {
    let (mut driver, source) = on_demo(120, 40, 90);
    driver.keys("o").unwrap();
    let at = |driver: &Driver| match driver.state().page() {
        Page::Explain(page) => page.sheet.as_ref().unwrap().as_ref().unwrap().at,
        _ => panic!("another page is shown"),
    };
    let before = at(&driver);
    let wait = |driver: &mut Driver| {
        source.advance(Duration::from_secs(20));
        driver.refresh();
        driver.advance(Duration::from_secs(20));
    };
    wait(&mut driver);
    let after = at(&driver);
    assert!(after > before);
    driver.keys("p").unwrap();
    wait(&mut driver);
    assert_eq!(at(&driver), after);
}

#[test]
fn an_empty_cluster_has_an_overview_too() {
    let text = "partitions:\n  - name: default\n    queues:\n      - name: root\n        adminacl: '*'\n";
    let (mut driver, _) = on_text(text, Identity::parse("you").unwrap().into(), 80, 24);
    driver.keys("o").unwrap();
    shows(&driver, "No issues");
    shows(&driver, "no nodes");
    shows(&driver, "nothing is pending");
    shows_not(&driver, "NaN");
}

#[test]
fn faults_of_the_configuration_are_named_and_led_to() {
    let text = "partitions:\n- name: default\n  queues:\n  - name: root\n    queues:\n    - name: a\n      properties:\n        application.sort.policy: best\n";
    let (mut driver, _) = on_text(text, user("sue"), 120, 40);
    driver.keys("o").unwrap();
    shows(&driver, "2 faults in the active configuration, the first on line 4");
    let at = labels(&driver).iter().position(|label| label == "config").unwrap();
    driver.keys("g").unwrap();
    for _ in 0..at {
        driver.keys("j").unwrap();
    }
    driver.keys("<ret>").unwrap();
    shows(&driver, "Configuration");
}
