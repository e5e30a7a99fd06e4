use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::TestDir;

fn unit(program: &Path, arguments: &[&str]) -> String {
    let Output { stdout, status, .. } = Command::new(program).args(["local", "unit"]).args(arguments).output().unwrap();
    assert!(status.success());
    String::from_utf8(stdout).unwrap()
}

#[test]
fn systemd_reads_the_unit_and_finds_the_program_also_below_a_name_with_blanks() {
    let dir = TestDir::new();
    let own = Path::new(env!("CARGO_BIN_EXE_kornsole"));
    let odd = dir.join("50% of my tools");
    fs::create_dir(&odd).unwrap();
    let odd = odd.join("kornsole");
    fs::copy(own, &odd).unwrap();
    for (program, arguments, wanted) in [
        (own, &[][..], "multi-user.target"),
        (&odd, &[], "multi-user.target"),
        (own, &["--per-user"], "default.target"),
    ] {
        let text = unit(program, arguments);
        assert!(text.contains(&format!("\nWantedBy={wanted}\n")), "{text}");
        assert_eq!(text.contains("RuntimeDirectory=kornsole\n"), arguments.is_empty(), "{text}");
        let file = dir.join("kornsole-local.service");
        fs::write(&file, &text).unwrap();
        let verified = Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&file).output();
        let Ok(Output { status, stderr, .. }) = verified else {
            eprintln!("skipped: systemd-analyze is not installed");
            continue;
        };
        let reported = String::from_utf8_lossy(&stderr);
        // systemd also reports a missing program, and an unknown key, which it ignores.
        assert!(status.success() && reported.trim().is_empty(), "{reported}\n{text}");
    }
}

struct Systemd {
    dir: TestDir,
}

impl Systemd {
    fn new() -> Self {
        let dir = TestDir::new();
        for program in ["systemctl", "loginctl"] {
            let file = dir.join(program);
            let calls = dir.join("calls");
            fs::write(&file, format!("#!/bin/sh\necho {program} \"$@\" >>{}\n", calls.display())).unwrap();
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self { dir }
    }

    fn call(&self, arguments: &[&str]) -> (i32, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_kornsole"));
        command.arg("local").args(arguments).stdin(std::process::Stdio::null());
        let path = format!("{}:{}", self.dir.display(), std::env::var("PATH").unwrap());
        let output = command.env("PATH", path).env("XDG_CONFIG_HOME", self.dir.join("config")).output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code().unwrap(), String::from_utf8(text).unwrap())
    }

    fn calls(&self) -> String {
        let calls = fs::read_to_string(self.dir.join("calls")).unwrap_or_default();
        let _ = fs::remove_file(self.dir.join("calls"));
        calls
    }
}

#[test]
fn a_service_of_a_user_is_installed_and_removed() {
    let systemd = Systemd::new();
    let file = systemd.dir.join("config/systemd/user/kornsole-local.service");
    let (code, reported) = systemd.call(&["install", "--per-user", "--", "--cpu", "many"]);
    assert!(code == 2 && reported.contains("many") && !file.exists(), "{code} {reported}");
    let (code, reported) = systemd.call(&["install", "--per-user", "--", "--cpu", "2"]);
    assert!(code == 0 && reported.contains("enabled lingering"), "{code} {reported}");
    let due = "systemctl --user daemon-reload
systemctl --user enable kornsole-local.service
systemctl --user restart kornsole-local.service
loginctl enable-linger
";
    assert_eq!(systemd.calls(), due);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(" local up --cpu 2\n") && text.contains("\nWantedBy=default.target\n"), "{text}");
    assert_eq!(systemd.call(&["install", "--per-user"]).0, 0, "one that is there is replaced");
    assert!(fs::read_to_string(&file).unwrap().contains(" local up\n"));
    systemd.calls();
    let (code, reported) = systemd.call(&["uninstall", "--per-user"]);
    assert!(code == 2 && reported.contains("--yes") && file.exists(), "it asks first: {code} {reported}");
    let (code, reported) = systemd.call(&["uninstall", "--per-user", "--yes"]);
    assert!(code == 0 && reported.contains("remain on the disk") && !file.exists(), "{code} {reported}");
    assert_eq!(
        systemd.calls(),
        "systemctl --user disable --now kornsole-local.service\nsystemctl --user daemon-reload\n"
    );
    assert_eq!(systemd.call(&["uninstall", "--per-user", "--yes"]).0, 1);
    fs::write(&file, "[Service]\n").unwrap();
    for verb in [&["install", "--per-user"][..], &["uninstall", "--per-user", "--yes"]] {
        let (code, reported) = systemd.call(verb);
        assert!(code == 1 && reported.contains("kornsole did not write this file"), "{code} {reported}");
    }
    assert_eq!((systemd.calls().as_str(), fs::read_to_string(&file).unwrap().as_str()), ("", "[Service]\n"));
}

#[test]
fn a_service_of_another_system_is_enabled_by_its_link() {
    let systemd = Systemd::new();
    let root = systemd.dir.join("image");
    let place = ["--root", root.to_str().unwrap()];
    let (code, reported) = systemd.call(&[&["install"], &place[..]].concat());
    assert_eq!(code, 0, "{reported}");
    let file = root.join("etc/systemd/system/kornsole-local.service");
    let link = root.join("etc/systemd/system/multi-user.target.wants/kornsole-local.service");
    let text = fs::read_to_string(&link).unwrap();
    assert!(text.contains("\nStateDirectory=kornsole/local\nStateDirectoryMode=0700\n"), "{text}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o644);
    if let Ok(verified) = Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&file).output() {
        assert!(verified.status.success() && verified.stderr.is_empty(), "{verified:?}");
    }
    assert_eq!(systemd.call(&[&["uninstall", "--yes"], &place[..]].concat()).0, 0);
    assert!(!file.exists() && fs::symlink_metadata(&link).is_err());
    assert_eq!(systemd.calls(), "", "its systemd is not the one that runs here");
}
