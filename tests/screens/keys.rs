//! What keys do, told by what is on the screen afterwards.

use std::sync::Arc;
use std::time::Duration;

use kornsole::console::action::Mouse;
use kornsole::console::model::page::Page;
use kornsole::console::theme::Themes;
use kornsole::console::{Driver, Options, Personal, settings};
use kornsole::model::{Priority, QueuePath};
use kornsole::source::SourcePlace;
use ratatui::layout::Position;

use super::fixture::{self, Builder, Scene};
use super::{after, console};

use crate::room::{says, says_not};

/// The line under the cursor.
fn selected(driver: &Driver) -> String {
    let lines = driver.lines();
    let bars: Vec<&String> = lines.iter().filter(|line| line.starts_with('▌')).collect();
    assert_eq!(bars.len(), 1, "one cursor in\n{}", lines.join("\n"));
    bars[0].trim_start_matches('▌').split_whitespace().find(|word| !["▾", "▸"].contains(word)).unwrap().to_owned()
}

#[test]
fn keys_lead_to_rows() {
    for (keys, row) in [
        ("", "root"),
        ("jd", "system"),
        ("jjj", "low"),
        ("kkk", "root"),
        ("G", "kim"),
        ("Gg", "root"),
        ("<end><home><down>", "system"),
        ("<pgdn>", "kim"),
        ("G<left>", "users"),
        ("G<left><left><left>", "root"),
        ("jjjj<right>", "legacy"),
        ("/web<ret>", "web"),
        ("/web<ret><esc>", "web"),
        ("jj/kim<esc>", "high"),
        ("jj/kim<ret><esc>", "kim"),
        ("G-", "users"),
        ("G-+", "kim"),
        (":queues etl<ret>", "etl"),
        (":queue root.users.kim<ret>", "kim"),
    ] {
        assert_eq!(selected(&after(keys, 80, 24)), row, "{keys}");
    }
}

#[test]
fn folds_and_unfolds() {
    let mut driver = after("jjjj<space>", 80, 24);
    says(&driver, "▸ tenants");
    says_not(&driver, "tenant-a");
    driver.keys("<space>").unwrap();
    says(&driver, "▾ tenants");
    says(&driver, "tenant-a");
    driver.keys("-").unwrap();
    assert_eq!(driver.model().pages.len(), 1);
    says_not(&driver, "tenant-a");
    driver.keys("+").unwrap();
    says(&driver, "tenant-a");
}

#[test]
fn a_key_that_is_off_says_why() {
    let mut driver = after("jj<space>", 80, 24);
    says(&driver, "no queues below this one");
    driver.keys("/web<ret>-").unwrap();
    says(&driver, "while a filter is on");
    driver.keys(":partition x<ret>").unwrap();
    says(&driver, "there is only one partition");
    driver.keys(":messages<ret>").unwrap();
    says(&driver, "no queues below this one");
}

#[test]
fn filters_while_typing() {
    let mut driver = after("/le", 80, 24);
    says(&driver, "1 of 13");
    says(&driver, "legacy");
    says_not(&driver, "tenant-a");
    driver.keys("<bs><bs>!tenant<ret>").unwrap();
    says_not(&driver, "legacy");
    says(&driver, "users");
    driver.keys("/<C-u>=tenant-b<ret>").unwrap();
    says(&driver, "tenant-b");
    says_not(&driver, "web");
    driver.keys("/<C-u>nothing-like-it").unwrap();
    says(&driver, "the filter nothing-like-it hides 13 of 13 queues");
    driver.keys("<esc>").unwrap();
    says(&driver, "web");
    driver.keys("/<up>").unwrap();
    says(&driver, "/=tenant-b");
}

#[test]
fn sorts_siblings_and_shows_the_direction() {
    let mut driver = after(":sort cpu<ret>", 80, 24);
    says(&driver, "sort cpu ▼");
    let order = |driver: &Driver| -> Vec<String> {
        let names = ["system", "tenants", "users"];
        let row = |name: &str| driver.find_row(&format!("▾ {name}")).unwrap().0;
        let mut rows = names.map(|name| (row(name), name.to_owned()));
        rows.sort();
        rows.map(|(_, name)| name).to_vec()
    };
    assert_eq!(order(&driver), ["tenants", "system", "users"]);
    driver.keys("r").unwrap();
    says(&driver, "sort cpu ▲");
    assert_eq!(order(&driver), ["users", "system", "tenants"]);
    driver.keys("gs").unwrap();
    says(&driver, "sort mem ▼");
    driver.keys(":sort colour<ret>").unwrap();
    says(&driver, "no column colour here");
}

/// A cluster after a change, as the engine would publish it.
fn changed(change: impl FnOnce(&mut Builder)) -> kornsole::view::View {
    let mut cluster = fixture::tenants();
    cluster.generation += 1;
    change(&mut cluster);
    cluster.build()
}

#[test]
fn the_cursor_stays_on_its_queue() {
    let (mut driver, scene) = console(80, 24);
    driver.keys(":queues etl<ret>").unwrap();
    scene.show(changed(|cluster| {
        cluster.tree_generation += 1;
        cluster.queue("root.aaa", |_| {}).queue("root.system.extra", |_| {});
    }));
    driver.refresh();
    says(&driver, "aaa");
    assert_eq!(selected(&driver), "etl");
    driver.keys("ssr").unwrap();
    assert_eq!(selected(&driver), "etl");
    driver.keys("/web").unwrap();
    assert_eq!(selected(&driver), "web");
    driver.keys("<esc>").unwrap();
    assert_eq!(selected(&driver), "etl");
}

#[test]
fn the_cursor_stays_at_its_height_when_its_queue_goes() {
    let (mut driver, scene) = console(80, 24);
    driver.keys(":queues tenant-b.web<ret>").unwrap();
    assert_eq!(selected(&driver), "web");
    scene.show(changed(|cluster| {
        cluster.tree_generation += 1;
        cluster.app_generation += 1;
        cluster.apps.retain(|app| !app.queue.as_str().ends_with("web"));
        cluster.queues.remove(&QueuePath::new("root.tenants.tenant-b.web"));
    }));
    driver.refresh();
    assert_eq!(selected(&driver), "users");
}

#[test]
fn goes_down_to_one_allocation_and_back() {
    let mut driver = after(":queues etl<ret><ret>", 120, 40);
    says(&driver, "Queues › root.tenants.tenant-a.etl");
    assert_eq!(selected(&driver), "etl-1");
    driver.keys("<ret>j<ret>").unwrap();
    says(&driver, "› node-a");
    driver.keys("j").unwrap();
    driver.keys("<ret>").unwrap();
    assert_eq!(selected(&driver), "k1-2");
    driver.keys("<esc><esc>").unwrap();
    assert_eq!(selected(&driver), "k1-2");
    driver.keys("<esc><esc><esc><esc><esc><esc>").unwrap();
    assert_eq!(selected(&driver), "etl");
    assert!(!driver.take_effects().quit);
}

#[test]
fn tells_why_an_ask_waits() {
    for (app, why) in [
        ("etl-1", "sue has cpu 6 of 6, mem 12G of 12G in tenant-a"),
        ("etl-1", "not tried yet, others go first"),
        ("adhoc-7", "adhoc has cpu 0.5, mem 1G, gpu 0 left"),
        ("sys-1", "no node has room"),
        ("sys-1", "node node-a is kept for it"),
        ("web-2", "group dev runs 1 of 1 application in tenant-b"),
    ] {
        says(&after(&format!(":app {app}<ret>"), 120, 40), why);
    }
}

#[test]
fn details_name_the_limit_with_its_place() {
    let mut driver = after(":app etl-1<ret>G<up>", 120, 40);
    says(&driver, "user limit: sue has");
    says(&driver, "root.tenants.tenant-a, line 31");
    says(&driver, "user sue has cpu 6 of 6 !, mem 12G of 12G !");
    driver.keys(":app web-2<ret>i").unwrap();
    says(&driver, "held back");
    says(&driver, "root.tenants.tenant-b, line 44");
    driver.keys(":queues tenant-a<ret>i").unwrap();
    says(&driver, "sue, bob: cpu 6, mem 12G (tenant-a, line 31)");
    says(&driver, "sue has cpu 6 of 6 !");
    says(&driver, "bob has cpu 1.5 of 6, mem 3G of 12G");
}

#[test]
fn an_application_waits_for_its_queue_to_run_fewer() {
    let mut cluster = fixture::tenants();
    let app = cluster.apps.iter_mut().find(|app| app.id.as_str() == "web-2").unwrap();
    (app.held_by_limits, app.held_by_queue) = (false, true);
    let mut driver = Driver::new(Scene::new(cluster.build()), Options::default(), 120, 40);
    says(driver.keys(":app web-2<ret>").unwrap(), "root.tenants.tenant-b.web runs 1 of 1 application");
}

#[test]
fn a_kept_node_says_for_whom() {
    let mut driver = after(":app sys-1<ret>j", 120, 40);
    says(&driver, "reserved");
    driver.keys("<ret>").unwrap();
    says(&driver, "kept for sys-1/s2");
    driver.keys("3").unwrap();
    assert!(driver.find_row("node-a").unwrap().1.contains("● kept"), "{}", driver.screen_text());
    says_not(driver.resize(40, 12).keys("<ret><esc>:node node-b<ret>").unwrap(), "kept for");
    says(driver.keys(":node node-a<ret>").unwrap(), "kept for sys-1/s2");
}

#[test]
fn tells_what_is_at_its_limit() {
    let mut cluster = fixture::tenants();
    cluster.app("more", "root.tenants.tenant-a.adhoc", "bob", 1, &[("x", 0, "cpu=500m mem=1G", "node-a")]);
    let driver = Driver::new(Scene::new(cluster.build()), Options::default(), 120, 40);
    let (_, line) = driver.find_row("adhoc").unwrap();
    assert!(line.contains("adhoc gpu!") && line.contains("2!") && line.contains("4G!"), "{line}");
    let (_, line) = driver.find_row("web").unwrap();
    assert!(line.contains("1/1!") && !line.contains("gpu"), "{line}");
}

#[test]
fn ended_applications_are_shown_when_asked_for() {
    let mut driver = after("2", 80, 24);
    says_not(&driver, "lost-1");
    driver.keys("e").unwrap();
    says(&driver, "lost-1");
    driver.keys(":app lost-1<ret>").unwrap();
    says(&driver, "no placement rule took it");
}

#[test]
fn pages_are_found_as_they_were_left() {
    let mut driver = after("2jj<tab>j<tab><tab><tab><tab><tab><tab>", 80, 24);
    assert_eq!(selected(&driver), "sys-1");
    driver.keys("3").unwrap();
    assert_eq!(selected(&driver), "node-b");
    driver.keys("1").unwrap();
    assert!(matches!(driver.model().page(), Page::Queues(_)));
}

#[test]
fn quitting_asks_when_something_would_be_lost() {
    let mut driver = after("<esc><esc>q", 80, 24);
    says(&driver, "8 live applications on 3 nodes would be lost");
    driver.keys("<ret>").unwrap();
    says_not(&driver, "would be lost");
    driver.keys("q<esc>q<right><left><ret>").unwrap();
    assert!(!driver.take_effects().quit);
    driver.keys("q<right><ret>").unwrap();
    assert!(driver.take_effects().quit);
}

#[test]
fn quitting_does_not_ask_when_nothing_would_be_lost() {
    let remote = Scene::with(fixture::tenants().build(), SourcePlace::Remote, Vec::new());
    let idle = Scene::new(fixture::bare().build());
    for scene in [remote, idle] {
        let mut driver = Driver::new(scene, Options::default(), 80, 24);
        assert!(driver.keys("q").unwrap().take_effects().quit);
    }
    for keys in [":quit!<ret>", ":q!<ret>", "QQ", "<C-c><C-c>", "2<ret>:<C-c><C-c>", "qy"] {
        assert!(after(keys, 80, 24).take_effects().quit, "{keys}");
    }
}

#[test]
fn quitting_at_once_takes_two_presses_in_a_row() {
    let mut driver = after("<C-c>", 80, 24);
    says(&driver, "once more to quit at once");
    driver.advance(Duration::from_secs(3)).keys("<C-c>").unwrap();
    assert!(!driver.take_effects().quit);
    assert!(!after("QjQ", 80, 24).take_effects().quit);
}

#[test]
fn the_command_line_completes_and_remembers() {
    let mut driver = after(":the", 80, 24);
    says(&driver, "theme THEME");
    driver.keys("<tab>m").unwrap();
    says(&driver, ":theme mono");
    driver.keys("<ret>:<up>").unwrap();
    says(&driver, ":theme mono");
    driver.keys("<esc>:nonsense<ret>").unwrap();
    says(&driver, "no command nonsense");
    driver.keys(":no<down><down><ret>").unwrap();
    says(&driver, "Nodes");
    driver.keys(":app<down><ret>").unwrap();
    driver.keys("etl-1<ret>").unwrap();
    says(&driver, "k1-7");
    driver.keys(":ended<ret>").unwrap();
    says(&driver, "only in a list of applications");
    driver.keys(":queues now<ret>").unwrap();
    says(&driver, "no queue now");
}

#[test]
fn a_command_line_can_bring_a_filter() {
    let driver = after(":apps /web<ret>", 80, 24);
    says(&driver, "2 of 8 applications");
    let driver = after(":apps root.tenants /old<ret>", 80, 24);
    says(&driver, "root.tenants");
    says(&driver, "1 of 5 applications");
}

#[test]
fn help_is_filtered_scrolled_and_closed() {
    let mut driver = after("?", 80, 24);
    says(&driver, "Open what is under the cursor");
    driver.keys("G").unwrap();
    says_not(&driver, "Open what is under the cursor");
    driver.keys("/freeze<ret>").unwrap();
    says(&driver, "Freeze the picture");
    says_not(&driver, "Fold everything");
    driver.keys("<esc>").unwrap();
    says(&driver, "Fold everything");
    driver.keys("<esc>").unwrap();
    says(&driver, "tenants");
}

#[test]
fn a_frozen_picture_waits_and_catches_up() {
    let (mut driver, scene) = console(80, 24);
    driver.keys("p").unwrap();
    says(&driver, "FROZEN 0s");
    scene.show(changed(|cluster| {
        cluster.tree_generation += 1;
        cluster.queue("root.new", |_| {});
    }));
    driver.advance(Duration::from_secs(5));
    says_not(&driver, " new ");
    says(&driver, "FROZEN 5s");
    driver.keys("p").unwrap();
    says(&driver, " new ");
    says_not(&driver, "FROZEN");
}

#[test]
fn changed_rows_are_marked_for_two_seconds() {
    let (mut driver, scene) = console(80, 24);
    let raise = |cluster: &mut Builder| {
        let app = cluster.apps.iter_mut().find(|app| app.id.as_str() == "adhoc-7").unwrap();
        app.priority = Priority(3);
    };
    scene.show(changed(raise));
    driver.advance(Duration::from_millis(100));
    let (_, line) = driver.find_row("adhoc").unwrap();
    assert!(line.ends_with('*'), "{line}");
    assert!(!driver.find_row("legacy").unwrap().1.ends_with('*'));
    assert!(driver.next_wake().is_some());
    driver.advance(Duration::from_secs(2));
    assert!(!driver.find_row("adhoc").unwrap().1.ends_with('*'));
    driver.keys(":marks<ret>").unwrap();
    scene.show(fixture::tenants().tick().tick().build());
    driver.advance(Duration::from_millis(100));
    assert!(!driver.find_row("adhoc").unwrap().1.ends_with('*'));
}

#[test]
fn the_first_note_fades_or_is_closed() {
    let scene = || Scene::with(fixture::tenants().build(), SourcePlace::Embedded, vec!["nothing is kept".to_owned()]);
    let mut driver = Driver::new(scene(), Options::default(), 80, 24);
    says(&driver, "nothing is kept");
    driver.keys("<esc>").unwrap();
    says_not(&driver, "nothing is kept");
    let mut driver = Driver::new(scene(), Options::default(), 80, 24);
    driver.advance(Duration::from_secs(12));
    says_not(&driver, "nothing is kept");
}

#[test]
fn nobody_wakes_up_when_nothing_depends_on_time() {
    let driver = Driver::new(Scene::new(fixture::bare().build()), Options::default(), 80, 24);
    assert_eq!(driver.next_wake(), None);
    let (mut driver, scene) = console(80, 24);
    assert_eq!(driver.next_wake(), Some(Duration::from_secs(1)));
    driver.take_effects();
    driver.refresh();
    assert!(!driver.take_effects().redraw, "nothing changed");
    scene.pass(Duration::from_secs(1));
    driver.refresh();
    assert!(driver.take_effects().redraw, "the draining queue is older");
    says(&driver, "◐ 43s");
}

#[test]
fn a_live_order_is_looked_at_four_times_a_second() {
    let (mut driver, scene) = console(80, 24);
    driver.keys(":sort priority<ret>").unwrap();
    let first = |driver: &Driver| driver.lines()[5].split_whitespace().nth(1).unwrap().to_owned();
    assert_eq!(first(&driver), "system");
    scene.show(changed(|cluster| cluster.queue("root.tenants", |row| row.priority.offset = 5000).tree_generation += 0));
    driver.advance(Duration::from_millis(100));
    assert_eq!(first(&driver), "system");
    driver.advance(Duration::from_millis(150));
    assert_eq!(first(&driver), "tenants");
}

#[test]
fn another_partition_has_its_own_queues() {
    let mut view = fixture::tenants().build();
    let mut other = fixture::bare().build().partitions.remove(0);
    other.name = Arc::from("gpu");
    view.partitions.push(other);
    let mut driver = Driver::new(Scene::new(view), Options::default(), 80, 24);
    says_not(&driver, "dev ");
    driver.keys(":partition gpu<ret>").unwrap();
    says(&driver, " dev ");
    says_not(&driver, "tenants");
    driver.keys(":partition none<ret>").unwrap();
    says(&driver, "there are default, gpu");
}

#[test]
fn a_placement_is_shown_while_the_form_is_written() {
    let mut driver = after("5", 120, 40);
    says(&driver, "→ root.users.sue   by rule 3, new dynamic leaf, max mem 10G; at most 2 applications");
    driver.keys("<right><right>eroot.tenants.legacy").unwrap();
    says(&driver, "exists, leaf, draining");
    says(&driver, "→ root.users.sue");
    driver.keys("<C-u>root.tenants.tenant-b.web").unwrap();
    says(&driver, "→ root.tenants.tenant-b.web   by rule 1");
    assert!(driver.cursor().is_some());
    driver.keys("<C-u><up><up><C-u>mal").unwrap();
    says(&driver, "! rejected, no-rule-matched");
    says(&driver, "filter denies the user, entry mal");
    driver.keys("<tab><C-u>x, ops-eu<tab><tab><tab>namespace=red").unwrap();
    says(&driver, "→ root.system.red   by rule 2, new dynamic leaf, no template");
    says(&driver, "submit: allowed by root (*)");
    driver.keys(" stage").unwrap();
    says(&driver, "stage is no tag; write NAME=VALUE");
    driver.keys("<esc>").unwrap();
    assert!(driver.cursor().is_none());
    driver.keys("15").unwrap();
    says(&driver, "namespace=red stage");
    driver.keys("x").unwrap();
    says(&driver, "! rejected, no-user");
    driver.keys("x").unwrap();
    says(&driver, "→ root.users.sue");
}

#[test]
fn a_placement_in_a_yunikorn_is_said_to_be_an_estimate() {
    let (mut driver, scene) = console(120, 40);
    driver.keys("5").unwrap();
    says(&driver, "→ root.users.sue");
    says_not(&driver, "estimate");
    scene.only_estimates();
    driver.advance(Duration::from_secs(1));
    let (verdict, _) = driver.find_row("→ root.users.sue").unwrap();
    let (told, line) = driver.find_row("an estimate: worked out here").unwrap();
    assert!(told == verdict + 1 && line.contains("a YuniKorn offers no preview"), "{}", driver.screen_text());
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/placement/queues.yaml");
    driver.keys(&format!(":placement {file}<ret>")).unwrap();
    says_not(&driver, "an estimate");
}

#[test]
fn rules_are_shown_with_how_often_they_decided() {
    let driver = after("5", 120, 40);
    let (_, line) = driver.find_row("3 user, create                            ").unwrap();
    assert!(line.contains("1 of 2") && line.contains("deny users mal, mallory") && line.contains("line 9"), "{line}");
    says(&driver, "parent: fixed root.users");
    says(&driver, "refused 1");
}

#[test]
fn the_form_can_be_held_against_a_file() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/placement/queues.yaml");
    let mut driver = after(&format!(":placement {file}<ret>"), 200, 60);
    says(&driver, "6 rules of this file");
    says(&driver, "rules of the file");
    says(&driver, "not allowed by root.closed or above");
    driver.keys("5").unwrap();
    says(&driver, "3 rules in force");
    driver.keys(":placement no/such/file.yaml<ret>").unwrap();
    says(&driver, "no/such/file.yaml is no configuration that could hold:");
    says(&driver, "cannot be read");
    let faulty = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/placement/batch.yaml");
    driver.keys(&format!(":placement {faulty}<ret>")).unwrap();
    says(&driver, "error[CFG-");
    driver.keys("1<tab><tab><tab><tab>").unwrap();
    says(&driver, "error[CFG-");
}

#[test]
fn tells_why_an_application_is_where_it_is() {
    let mut driver = after(":queues root.users.kim<ret><ret>w", 120, 40);
    says(&driver, "root.users.kim › note-1 › why here");
    says(&driver, "→ root.users.kim   by rule 1");
    driver.keys("<esc>2e/lost<ret>w").unwrap();
    says(&driver, "! rejected, no-rule-matched");
    says(&driver, "asked for    root.nowhere");
    driver.keys("t").unwrap();
    says(&driver, "user    mal");
    says(&driver, "root.nowhere");
    driver.keys(":app old-1<ret>w").unwrap();
    says(&driver, "it was moved since, and is in root.tenants.legacy");
    driver.keys("3<ret>w").unwrap();
    says_not(&driver, "why here");
}

#[test]
fn tells_who_may_do_what_in_a_queue() {
    let mut driver = after(":queues root.tenants.tenant-a.adhoc<ret>w", 120, 40);
    says(&driver, "sue, by adminacl of root.tenants.tenant-a (line ");
    says(&driver, "everybody, by submitacl of root");
    says(&driver, "admin      yes, by root.tenants.tenant-a (user, admin)");
    driver.keys("<esc>:queues root.tenants.legacy<ret>w").unwrap();
    says(&driver, "takes no applications: root.tenants.legacy is draining");
    says(&driver, "admin      ! no, no list on the path names you");
    driver.keys("<esc>gw").unwrap();
    says(&driver, "a parent: takes no applications itself");
}

#[test]
fn rules_that_went_out_of_force_are_told() {
    let (mut driver, scene) = console(120, 40);
    driver.keys(":app note-1<ret>w").unwrap();
    says_not(&driver, "not in force any more");
    let mut view = changed(|_| {});
    view.partitions[0].rules = Arc::default();
    scene.show(view);
    driver.refresh();
    says(&driver, "these rules are not in force any more");
}

/// A console with settings of a person's own.
fn personal(text: &str, width: u16, height: u16) -> Driver {
    let read = settings::read(text, &Themes::shipped());
    let faults = read.told("settings.toml", text);
    let (mut driver, _) = console(width, height);
    let (keymap, file) = (read.settings.keymap, "settings.toml".to_owned());
    driver.personalize(Personal { keymap, file, faults, ..Personal::default() });
    driver
}

#[test]
fn keys_are_those_of_the_settings() {
    let mut driver = personal("[keys.list]\n'z z' = 'bottom'\n'z f' = 'apps /web'\nj = 'none'\n", 120, 40);
    driver.keys("j").unwrap();
    assert_eq!(selected(&driver), "root");
    driver.keys("z").unwrap();
    says(&driver, "To the last row");
    says(&driver, ":apps /web");
    driver.keys("x").unwrap();
    says(&driver, "z x means nothing here");
    driver.keys("z<esc>").unwrap();
    says_not(&driver, ":apps /web");
    driver.keys("zz").unwrap();
    assert_eq!(selected(&driver), "kim");
    driver.keys("zf").unwrap();
    says(&driver, "2 of 8 applications");
    driver.keys("?").unwrap();
    says(&driver, "z z");
}

#[test]
fn faults_in_settings_are_told_and_defaults_hold() {
    let mut driver = personal("[keys.list]\nk = 'dance'\nj = 'fold'\n", 120, 40);
    says(&driver, "settings.toml: the defaults hold for what is wrong in it");
    says(&driver, "settings.toml:2:5: error[OWN-012]: no command \"dance\"");
    driver.keys("<esc><down>k").unwrap();
    assert_eq!(selected(&driver), "root");
}

#[test]
fn the_mouse_selects_sorts_and_scrolls() {
    let click = |driver: &mut Driver, x: u16, y: usize| {
        let y = u16::try_from(y).unwrap();
        driver.mouse(Mouse::Click(Position { x, y }));
    };
    let mut driver = after("", 120, 40);
    let (row, _) = driver.find_row("tenant-b").unwrap();
    click(&mut driver, 50, row);
    assert_eq!(selected(&driver), "tenant-b");
    driver.mouse(Mouse::Wheel(-1));
    let (now, _) = driver.lines().into_iter().enumerate().find(|(_, line)| line.starts_with('▌')).unwrap();
    assert_eq!(now + 3, row);
    let (head, titles) = driver.find_row("QUEUE").unwrap();
    let column = |title: &str| u16::try_from(titles.split(title).next().unwrap().chars().count()).unwrap();
    click(&mut driver, column("STATE"), head);
    says(&driver, "sort state");
    click(&mut driver, column("PRI"), head);
    says(&driver, "sort priority ▼");
    click(&mut driver, column("PRI"), head);
    says(&driver, "sort priority ▲");
    let before = driver.screen_text();
    click(&mut driver, 0, 0);
    click(&mut driver, 400, 400);
    assert_eq!(driver.screen_text(), before);
    driver.keys("?").unwrap();
    says(&driver, "Fold or unfold the queues below");
    driver.mouse(Mouse::Wheel(9));
    says_not(&driver, "Fold or unfold the queues below");
    driver.keys("<esc>:mouse<ret>").unwrap();
    says(&driver, "left to the terminal");
    assert!(!driver.model().options.mouse);
}

#[test]
fn pasted_text_is_written_or_ignored_and_never_taken_for_keys() {
    let mut driver = after("", 120, 40);
    let before = driver.lines()[3..30].to_vec();
    driver.paste("QQ2q\u{3}y");
    says(&driver, "what was pasted is ignored");
    assert_eq!(driver.lines()[3..30], before);
    assert!(!driver.take_effects().quit);
    driver.keys("2/").unwrap();
    driver.paste("we\u{1b}b\nq");
    says(&driver, "2 of 8");
    driver.keys("<esc>:").unwrap();
    driver.paste(&"\u{0}x東".repeat(1 << 20));
    driver.buffer();
    driver.keys("<esc>5e").unwrap();
    driver.paste("kim\u{202e}");
    driver.buffer();
}
