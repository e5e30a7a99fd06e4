//! A panic in any thread restores the terminal.

use std::sync::{Arc, Mutex};

use model::Identity;
use portable_pty::CommandBuilder;
use source::{About, Link, Source};
use view::View;

use super::terminal::{LEAVES_ALTERNATE, Seen, Terminal};
use crate::common::about;

struct Breaking {
    about: About,
    identity: Identity,
    asked: Mutex<u32>,
    elsewhere: bool,
}

impl Source for Breaking {
    fn view(&self) -> Arc<View> {
        let mut asked = self.asked.lock().expect("it panics without holding this");
        *asked += 1;
        let second = *asked == 2;
        drop(asked);
        if second && self.elsewhere {
            let thread = std::thread::spawn(|| panic!("broken on purpose"));
            assert!(thread.join().is_err());
        } else if second {
            panic!("broken on purpose");
        }
        Arc::default()
    }

    fn about(&self) -> &About {
        &self.about
    }

    fn link(&self) -> Link {
        Link::LIVE
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn on_change(&self, wake: Box<dyn Fn() + Send + Sync>) {
        // Updates are read after the first frame.
        wake();
    }
}

fn break_console(elsewhere: bool) {
    let source =
        Breaking { about: about("breaking"), identity: Identity::new("you", ["you"]), asked: Mutex::new(0), elsewhere };
    let outcome = console::run(Arc::new(source), console::Options::default(), console::Personal::default());
    assert!(outcome.is_err(), "the console does not continue after a panic");
}

#[test]
#[ignore = "not a test: run in a terminal by `a_panic_leaves_the_terminal_whole`"]
fn console_that_panics() {
    break_console(false);
}

#[test]
#[ignore = "not a test: run in a terminal by `a_panic_leaves_the_terminal_whole`"]
fn console_during_a_panic() {
    break_console(true);
}

#[test]
fn a_panic_leaves_the_terminal_whole() {
    for program in ["panics::console_that_panics", "panics::console_during_a_panic"] {
        // The binary has no way to panic on purpose.
        let mut command = CommandBuilder::new(std::env::current_exe().expect("this test has a file"));
        command.args([program, "--exact", "--ignored", "--nocapture"]);
        command.env("RUST_BACKTRACE", "0");
        let terminal = Terminal::start(command);
        terminal.end();
        terminal.until_whole();
        let after = |raw: &[u8]| {
            let raw = String::from_utf8_lossy(raw);
            raw.rsplit_once(LEAVES_ALTERNATE).map(|(_, after)| after.to_owned()).unwrap_or_default()
        };
        let message = |seen: &Seen| after(&seen.raw).contains("broken on purpose");
        terminal.until(&format!("{program}'s report on the main screen"), message);
        let after = terminal.look(|seen| after(&seen.raw));
        assert!(!after.contains("Queues"), "{program}: nothing is drawn after it:\n{after}");
    }
}
