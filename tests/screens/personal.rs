use ::console::input::terminal_events::Mouse;
use ::console::shell::settings;
use ::console::theme::Themes;
use ::console::{Driver, Personal};
use ratatui::layout::Position;

use crate::common::{shows, shows_not};
use crate::keys::selected;
use crate::{after, console};

fn personal(text: &str, width: u16, height: u16) -> Driver {
    let read = settings::read(text, &Themes::shipped());
    let faults = read.fault_report("settings.toml", text);
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
    shows(&driver, "Go to the last row");
    shows(&driver, ":apps /web");
    driver.keys("x").unwrap();
    shows(&driver, "z x has no function here");
    driver.keys("z<esc>").unwrap();
    shows_not(&driver, ":apps /web");
    driver.keys("zz").unwrap();
    assert_eq!(selected(&driver), "kim");
    driver.keys("zf").unwrap();
    shows(&driver, "2 of 8 applications");
    driver.keys("?").unwrap();
    shows(&driver, "z z");
}

#[test]
fn faults_in_settings_are_reported_and_defaults_hold() {
    let mut driver = personal("[keys.list]\nk = 'dance'\nj = 'fold'\n", 120, 40);
    shows(&driver, "settings.toml: defaults are used for invalid settings");
    driver.keys(":messages<ret>").unwrap();
    shows(&driver, "settings.toml:2:5: error[OWN-012]: unknown command \"dance\"");
    driver.keys("<esc><esc><down>k").unwrap();
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
    shows(&driver, "sort state");
    click(&mut driver, column("PRI"), head);
    shows(&driver, "sort priority ▼");
    click(&mut driver, column("PRI"), head);
    shows(&driver, "sort priority ▲");
    let before = driver.screen_text();
    click(&mut driver, 0, 0);
    click(&mut driver, 400, 400);
    assert_eq!(driver.screen_text(), before);
    driver.resize(80, 24).keys("?").unwrap();
    shows(&driver, "Fold or unfold");
    driver.mouse(Mouse::Wheel(9));
    shows_not(&driver, "Fold or unfold the child");
    driver.keys("<esc>:mouse<ret>").unwrap();
    shows(&driver, "mouse off");
    assert!(!driver.state().options.mouse);
}

#[test]
fn pasted_text_is_written_or_ignored_and_never_taken_for_keys() {
    let mut driver = after("", 120, 40);
    let before = driver.lines()[3..30].to_vec();
    driver.paste("QQ2q\u{3}y");
    shows(&driver, "the pasted text is ignored");
    assert_eq!(driver.lines()[3..30], before);
    assert!(!driver.quits());
    driver.keys("2/").unwrap();
    driver.paste("we\u{1b}b\nq");
    shows(&driver, "2 of 8");
    driver.keys("<esc>:").unwrap();
    driver.paste(&"\u{0}x東".repeat(1 << 20));
    driver.buffer();
    driver.keys("<esc>5e").unwrap();
    driver.paste("kim\u{202e}");
    driver.buffer();
}
