//! The page of a report in headless Chromium, if installed.

use std::process::{Command, Stdio};

use super::command::{GENERATED, path, simulate};
use super::common::TestDir;

fn browser() -> Option<&'static str> {
    let runs = |name: &&str| {
        let mut command = Command::new(name);
        command
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    };
    ["chromium", "chromium-browser", "google-chrome"].into_iter().find(runs)
}

#[test]
fn a_page_opens_in_a_browser_with_its_tables_and_charts() {
    let Some(browser) = browser() else {
        println!("left out: there is no Chromium on this machine");
        return;
    };
    let dir = TestDir::new();
    let (file, html) = (dir.write("mix.toml", GENERATED), dir.write("report.html", ""));
    let (code, _, err) = simulate(&[path(&file), "--node-count", "6,8", "--html", path(&html)]);
    assert_eq!(code, Some(0), "{err}");
    let profile = dir.write("browser", "").with_extension("profile");
    // The DOM after the layout; no address is reachable.
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", "--host-resolver-rules=MAP * ~NOTFOUND"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("file://{}", html.display()))
        .output()
        .unwrap();
    let page = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(page.contains("<title>Simulation</title>") && page.matches("<svg").count() >= 2, "{page}");
    assert!(
        page.matches("stroke-dasharray").count() >= 4 && page.contains("vcore in use") && page.contains("root.etl")
    );
}
