use std::time::Duration;

use console::Driver;
use console::state::explain::ExplainPage;
use console::state::page::Page;
use view::waiting::Target;

use crate::common::{shows, shows_not};
use crate::space::on_demo;

fn shown(driver: &Driver) -> &ExplainPage {
    match driver.state().page() {
        Page::Explain(page) => page,
        _ => panic!("another page is shown:\n{}", driver.screen_text()),
    }
}

fn go_to(driver: &mut Driver, wanted: impl Fn(&Target) -> bool) {
    let lines = shown(driver).lines().to_vec();
    let at =
        lines.iter().position(|line| line.to.as_ref().is_some_and(&wanted)).unwrap_or_else(|| panic!("{lines:#?}"));
    driver.keys("g").unwrap();
    for _ in 0..at {
        driver.keys("j").unwrap();
    }
    assert_eq!(shown(driver).index, at);
}

#[test]
fn from_the_first_screen_to_a_remedy_in_three_keys() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let (mut driver, _) = on_demo(width, height, 90);
        driver.keys("xj<ret>").unwrap();
        shows(&driver, " waits for ");
        shows(&driver, "would help: ");
    }
}

#[test]
fn a_pending_request_opens_its_explanation_and_back() {
    let (mut driver, _) = on_demo(140, 40, 90);
    driver.keys("x").unwrap();
    shows(&driver, "pending requests");
    shows(&driver, " wait in root, ");
    let wanted = |target: &Target| matches!(target, Target::Why(_));
    go_to(&mut driver, wanted);
    driver.keys("<ret>").unwrap();
    shows(&driver, "why it waits");
    let page = shown(&driver);
    let sheet = page.sheet.as_ref().unwrap().as_ref().unwrap();
    assert!(sheet.waits && sheet.sentence.contains(" waits for "), "{}", sheet.sentence);
    assert!(sheet.lines.iter().any(|line| line.label == "request" && line.since.is_some()), "{sheet:#?}");
    driver.keys("<esc><esc>").unwrap();
    shows_not(&driver, "pending requests");
}

#[test]
fn a_line_opens_what_it_names_and_back() {
    let (mut driver, _) = on_demo(140, 40, 90);
    driver.keys("x").unwrap();
    go_to(&mut driver, |target| matches!(target, Target::Queue(_)));
    let Some(Target::Queue(path)) = shown(&driver).lines()[shown(&driver).index].to.clone() else { panic!("a queue") };
    driver.keys("<ret>").unwrap();
    assert!(matches!(driver.state().page(), Page::Queues(page) if page.list.cursor.wanted.as_ref() == Some(&path)));
    driver.keys("<C-o>").unwrap();
    shows(&driver, " wait in root, ");
}

#[test]
fn a_node_and_an_event_are_explained_from_what_is_shown() {
    let (mut driver, _) = on_demo(140, 40, 90);
    driver.keys("3x").unwrap();
    shows(&driver, "who uses it");
    shows(&driver, " free of ");
    driver.keys("<esc>7x").unwrap();
    shows(&driver, "why it happened");
}

#[test]
fn an_answer_is_asked_for_again_while_it_is_on_the_screen() {
    let (mut driver, source) = on_demo(140, 40, 90);
    driver.keys("x").unwrap();
    let at = |driver: &Driver| shown(driver).sheet.as_ref().unwrap().as_ref().unwrap().at;
    let before = at(&driver);
    source.advance(Duration::from_secs(20));
    driver.refresh();
    driver.advance(Duration::from_secs(20));
    assert!(at(&driver) > before);
}

#[test]
fn the_past_is_not_asked_why_it_waited() {
    let (mut driver, _) = on_demo(140, 40, 90);
    driver.keys(":past 30s<ret>").unwrap();
    driver.advance(Duration::from_millis(100));
    if driver.state().cluster.past.shown.is_some() {
        driver.keys("x").unwrap();
        shows(&driver, "explanations need the present");
    }
}

#[test]
fn the_largest_shortage_of_a_guarantee_is_first() {
    let (mut driver, _) = on_demo(200, 50, 90);
    driver.keys("F").unwrap();
    shows(&driver, "BLOCKED BY");
    let Page::Fairness(page) = driver.state().page() else { panic!("another page is shown") };
    let shortfall: Vec<i64> = page.list.rows.iter().map(|row| row.shortage()).collect();
    assert!(shortfall.is_sorted_by(|one, other| one >= other), "{shortfall:?}");
    let parents: Vec<_> = page.list.rows.iter().filter(|row| row.fair > row.used + row.pending).collect();
    assert!(parents.is_empty(), "nobody's fair share is more than it asks for: {parents:#?}");
}

#[test]
fn users_and_groups_are_next_to_their_limits_in_any_order() {
    let (mut driver, _) = on_demo(140, 40, 90);
    driver.keys("Fu").unwrap();
    shows(&driver, "BEYOND");
    let rows = |driver: &Driver| match driver.state().page() {
        Page::Limits(page) => page.list.rows.clone(),
        _ => panic!("another page is shown:\n{}", driver.screen_text()),
    };
    let beyond: Vec<i64> = rows(&driver).iter().map(|row| row.beyond()).collect();
    assert!(beyond.len() > 3 && beyond.is_sorted_by(|one, other| one >= other) && beyond[0] > 0, "{beyond:?}");
    for row in rows(&driver).iter() {
        assert_eq!(row.blocked(), (row.pending - (row.limit - row.used).max(0)).max(0), "{row:?}");
    }
    driver.keys(":sort part<ret>").unwrap();
    let part: Vec<i64> = rows(&driver).iter().map(|row| row.part()).collect();
    assert!(part.is_sorted_by(|one, other| one >= other), "{part:?}");
    let first = rows(&driver)[0].name.clone();
    driver.keys("<ret>").unwrap();
    shows(&driver, &first);
    assert!(matches!(driver.state().page(), Page::Account(_)), "{}", driver.screen_text());
    driver.keys("F").unwrap();
    shows(&driver, "BLOCKED BY");
}
