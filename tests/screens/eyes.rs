//! What a first look at the busy demo must find: space that is used, whole words, and one word per thing.

use std::time::Duration;

use ::console::{Driver, Options};

use super::cluster::on_cluster;
use crate::common::{shows, shows_not};

fn row(driver: &Driver, text: &str) -> usize {
    driver.find_row(text).unwrap_or_else(|| panic!("no {text} in\n{}", driver.screen_text())).0
}

#[test]
fn the_chart_uses_the_height_that_the_tree_leaves() {
    for (width, height) in [(120, 40), (200, 60)] {
        let (mut driver, _) = on_cluster(Options::default(), width, height);
        let legend = row(&driver, "CPU 10m");
        let lines = driver.lines();
        assert!(lines[legend].starts_with(" root  CPU 10m"), "below the tree: {}", driver.screen_text());
        let braille = |symbol: &char| ('\u{2801}'..='\u{28ff}').contains(symbol);
        let drawn = |line: &String| line.chars().take(80).filter(braille).count();
        assert!(lines[legend + 1..height as usize - 1].iter().map(drawn).sum::<usize>() > 60);
        driver.keys("-").unwrap();
        let taller = row(&driver, "CPU 10m") < legend;
        assert!(taller || height == 60, "a shorter tree leaves more, up to a limit: {}", driver.screen_text());
    }
    let (driver, _) = on_cluster(Options::default(), 200, 60);
    shows(&driver, "bound by");
    let (driver, _) = on_cluster(Options::default(), 120, 30);
    shows_not(&driver, "CPU 10m");
}

#[test]
fn the_header_has_the_revision_and_the_time_of_the_events() {
    let (driver, _) = on_cluster(Options::default(), 120, 40);
    let header = driver.lines().remove(0);
    assert!(header.contains("revision ") && header.contains("  10:00 "), "{header}");
}

#[test]
fn an_event_says_what_happened() {
    let (driver, _) = on_cluster(Options::default(), 200, 60);
    let lines = driver.lines();
    let events = &lines[row(&driver, "EVENTS")..];
    for word in [" set ", " add", " remove "] {
        let side: Vec<String> = events.iter().map(|line| line.chars().skip(139).collect()).collect();
        assert!(!side.iter().any(|line| line.contains(word)), "{word}: {}", driver.screen_text());
    }
}

#[test]
fn pending_applications_are_found_by_their_state() {
    let (mut driver, _) = on_cluster(Options::default(), 120, 40);
    let waiting = driver.state().board.as_ref().unwrap().waiting.as_ref().unwrap().apps;
    driver.keys("2/state:pending").unwrap();
    shows(&driver, &format!("{waiting} of "));
    driver.keys("<esc>/state:pending user:ann<ret>").unwrap();
    assert!(driver.find_row("ann ").is_some(), "{}", driver.screen_text());
}

#[test]
fn a_limit_that_blocks_is_not_called_free() {
    let (mut driver, source) = on_cluster(Options::default(), 120, 40);
    driver.keys("4/ann<ret><ret>").unwrap();
    let mut blocked = 0;
    for _ in 0..60 {
        source.advance(Duration::from_secs(1));
        driver.advance(Duration::from_secs(1));
        let text = driver.screen_text();
        let waits = text.contains(" wait: ") || text.contains(" waits: ");
        blocked += usize::from(waits);
        assert!(!(waits && text.contains("no limit is reached")), "{text}");
    }
    assert!(blocked > 0, "{}", driver.screen_text());
}

#[test]
fn the_usage_of_a_limit_is_not_cut() {
    let (mut driver, _) = on_cluster(Options::default(), 120, 40);
    driver.keys("2/etl-0037<ret>").unwrap();
    shows(&driver, "400Gi");
    let text = driver.screen_text();
    let place = text.find("line 5").map(|at| &text[at..]).unwrap_or_default();
    assert!(place.contains("revision "), "{text}");
}

#[test]
fn the_map_tells_full_nodes_apart_in_ascii() {
    let (mut driver, _) = on_cluster(Options { ascii: true, ..Options::default() }, 120, 40);
    driver.keys("3m").unwrap();
    shows(&driver, ".. low   ## high   @@ full");
}

#[test]
fn a_small_share_is_not_nothing() {
    let (driver, _) = on_cluster(Options::default(), 120, 40);
    let system = driver.find_row("maintenance").unwrap().1;
    let used = !system.contains("·/ (512)");
    assert!(!used || !system.contains(" 0%"), "{system}");
}

#[test]
fn a_selected_attention_item_has_its_own_keys() {
    let (mut driver, _) = on_cluster(Options::default(), 120, 40);
    let last = |driver: &Driver| driver.lines().pop().unwrap();
    driver.keys("o").unwrap();
    assert!(last(&driver).contains("enter open  esc to the tree"), "{}", last(&driver));
    assert!(!last(&driver).contains("fold"), "{}", last(&driver));
    driver.keys("<esc>").unwrap();
    assert!(last(&driver).contains("space fold"), "{}", last(&driver));
}

#[test]
fn a_drained_node_is_not_called_schedulable() {
    let (mut driver, source) = on_cluster(Options::default(), 200, 60);
    let mut drained = 0;
    for _ in 0..180 {
        source.advance(Duration::from_secs(1));
        driver.advance(Duration::from_secs(1));
        let part = driver.state().cluster.part().unwrap();
        for node in part.nodes.values().filter(|node| !node.is_open()) {
            drained += 1;
            let id = node.id.as_str();
            let side = driver.lines().into_iter().map(|line| line.chars().skip(139).collect::<String>());
            let event = side.skip_while(|line| !line.contains("EVENTS")).find(|line| line.contains(id));
            let Some(event) = event else { continue };
            assert!(event.contains("unschedulable"), "{event}");
        }
    }
    assert!(drained > 0, "no node was drained");
}
