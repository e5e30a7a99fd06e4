//! The systemd unit, read by systemd itself where that is installed.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::TestFolder;

fn unit(program: &Path, arguments: &[&str]) -> String {
    let Output { stdout, status, .. } = Command::new(program).args(["local", "unit"]).args(arguments).output().unwrap();
    assert!(status.success());
    String::from_utf8(stdout).unwrap()
}

#[test]
fn systemd_reads_the_unit_and_finds_the_program_also_below_a_name_with_blanks() {
    let folder = TestFolder::new();
    let own = Path::new(env!("CARGO_BIN_EXE_kornsole"));
    let odd = folder.join("50% of my tools");
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
        let file = folder.join("kornsole-local.service");
        fs::write(&file, &text).unwrap();
        let verified = Command::new("systemd-analyze").args(["verify", "--man=no"]).arg(&file).output();
        let Ok(Output { status, stderr, .. }) = verified else {
            eprintln!("skipped: systemd-analyze is not installed");
            continue;
        };
        let said = String::from_utf8_lossy(&stderr);
        // It also reports a program that is not there, and a word that it does not know, which it ignores.
        assert!(status.success() && said.trim().is_empty(), "{said}\n{text}");
    }
}
