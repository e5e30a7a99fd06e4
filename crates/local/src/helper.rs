//! The program that supervises jobs: `kornsole-job` next to `kornsole`, otherwise `kornsole` itself.
//!
//! Each job starts two processes of it, and a large program starts several times slower.

use std::ffi::OsString;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use super::part::VERSION;

const NAME: &str = "kornsole-job";
const OWN: &str = "/proc/self/exe";

/// Remains open, because a program that is installed later has another release. The default is the running program.
#[derive(Clone, Debug, Default)]
pub struct Helper(Option<Arc<File>>);

impl Helper {
    /// Finds the program, and why the one next to this one is not used.
    pub fn find() -> (Self, Option<String>) {
        match std::env::current_exe().and_then(|own| Self::next_to(&own)) {
            Ok(found) => (found, None),
            Err(why) => (Self::default(), Some(format!("jobs take longer to start: {why}"))),
        }
    }

    fn next_to(own: &Path) -> io::Result<Self> {
        let path = own.with_file_name(NAME);
        let wrong = |why: &str| io::Error::other(format!("{}: {why}", path.display()));
        let file = File::open(&path).map_err(|why| wrong(&why.to_string()))?;
        if !is_as_safe(&file.metadata()?, &fs::metadata(own)?) {
            return Err(wrong("a user who cannot replace kornsole can replace it"));
        }
        let found = Self(Some(Arc::new(file)));
        let reported = found.command().arg(VERSION).stdin(Stdio::null()).stderr(Stdio::null()).output()?;
        if String::from_utf8_lossy(&reported.stdout).trim() == env!("CARGO_PKG_VERSION") {
            return Ok(found);
        }
        Err(wrong(&format!("it is not of release {}", env!("CARGO_PKG_VERSION"))))
    }

    /// Returns a command with an empty environment. The process changes its directory itself ([`supervise::run`]):
    /// setting it here would make a static program copy itself for each process, which takes milliseconds with many
    /// pages.
    ///
    /// [`supervise::run`]: super::supervise::run
    pub(super) fn command(&self) -> Command {
        let path = self.0.as_ref().map_or_else(|| PathBuf::from(OWN), |file| by_descriptor(file));
        let mut command = Command::new(path);
        command.arg0(OsString::from(NAME)).env_clear();
        command
    }
}

fn by_descriptor(file: &File) -> PathBuf {
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Only users who can change this program can change the other one.
fn is_as_safe(program: &Metadata, own: &Metadata) -> bool {
    let others = |found: &Metadata| found.mode() & 0o022;
    program.is_file() && program.uid() == own.uid() && others(program) & !others(own) == 0
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn it_is_of_the_same_release_and_as_safe_or_not_used() {
        let dir = std::env::temp_dir().join(format!("kornsole-helper-{}", std::process::id()));
        fs::create_dir_all(&dir).unwrap();
        let own = dir.join("kornsole");
        fs::write(&own, "").unwrap();
        let why = || Helper::next_to(&own).unwrap_err().to_string();
        assert!(why().contains("kornsole-job: "), "{}", why());
        let helper = dir.join(NAME);
        fs::copy("/bin/true", &helper).unwrap();
        fs::set_permissions(&helper, fs::Permissions::from_mode(0o755)).unwrap();
        assert!(why().contains("not of release"), "{}", why());
        fs::set_permissions(&helper, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(why().contains("can replace it"), "{}", why());
        fs::remove_dir_all(&dir).unwrap();
    }
}
