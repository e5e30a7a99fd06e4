//! `kornsole local install` and `uninstall`: a systemd service.

use std::fs::{self, Permissions};
use std::io::{self, IsTerminal as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use clap::{Args, Parser};

use super::acts::asked;
use super::{Ended, code, unit, up};
use crate::cli::remote::escaped;
use crate::cli::settings::print;

const UNIT: &str = "kornsole-local.service";
/// The first line of a unit that may be replaced and removed.
const MARK: &str = "# Written by `kornsole local install`; `kornsole local uninstall` removes it.\n";
const MACHINE_UNITS: &str = "etc/systemd/system";

/// Which unit it is.
#[derive(Args, Clone, Debug)]
pub struct PlaceArgs {
    /// Unit of your user, also if you are root
    #[arg(long = "per-user", conflicts_with = "root")]
    pub user: bool,
    /// Directory of another system, for example of an image; its systemd is not called
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
}

/// The arguments of `kornsole local install`.
#[derive(Args, Clone, Debug)]
pub struct InstallArgs {
    /// Which unit it is
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Write the unit; do not enable or start it
    #[arg(long)]
    pub no_start: bool,
    /// Options of `kornsole local up`, after --
    #[arg(last = true, value_name = "OPTION")]
    pub options: Vec<String>,
}

/// The arguments of `kornsole local uninstall`.
#[derive(Args, Clone, Debug)]
pub struct UninstallArgs {
    /// Which unit it is
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Do not request confirmation
    #[arg(long)]
    pub yes: bool,
}

/// The options of the daemon, read as `local up` reads them.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct Options {
    #[command(flatten)]
    _up: up::UpArgs,
}

struct Place {
    dir: PathBuf,
    user: bool,
    here: bool,
}

impl Place {
    fn of(args: &PlaceArgs) -> Result<Self, Ended> {
        if let Some(root) = &args.root {
            return Ok(Self { dir: root.join(MACHINE_UNITS), user: false, here: false });
        }
        if !args.user && rustix::process::geteuid().is_root() {
            return Ok(Self { dir: Path::new("/").join(MACHINE_UNITS), user: false, here: true });
        }
        let named = std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
        let home = || std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".config"));
        let config = named.or_else(home).ok_or_else(|| Ended::misused("no home directory; set HOME"))?;
        Ok(Self { dir: config.join("systemd/user"), user: true, here: true })
    }

    fn file(&self) -> PathBuf {
        self.dir.join(UNIT)
    }

    /// Calls the systemd of the machine or of the user, and waits for it.
    fn systemctl(&self, words: &[&str]) -> Result<(), Ended> {
        let user: &[&str] = if self.user { &["--user"] } else { &[] };
        call("systemctl", &[user, words].concat())
    }

    /// The existing unit, if this program wrote it.
    fn own(&self) -> Result<Option<String>, Ended> {
        let file = self.file();
        match fs::read_to_string(&file) {
            Ok(text) if text.starts_with(MARK) => Ok(Some(text)),
            Ok(_) => Err(Ended::refused(format!(
                "cannot change {}: kornsole did not write this file; remove or rename it",
                file.display()
            ))),
            Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(why) => Err(Ended::refused(format!("cannot read {}: {why}", file.display()))),
        }
    }

    fn link(&self) -> PathBuf {
        self.dir.join(format!("{}.wants", unit::target(self.user))).join(UNIT)
    }
}

fn call(program: &str, words: &[&str]) -> Result<(), Ended> {
    let shown = format!("{program} {}", words.join(" "));
    match Command::new(program).args(words).status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(Ended::refused(format!("`{shown}` failed: {status}"))),
        Err(why) => Err(Ended::refused(format!("cannot run `{shown}`: {why}"))),
    }
}

/// Writes the unit, and starts it.
pub fn install(args: &InstallArgs) -> ExitCode {
    code(installed(args))
}

fn installed(args: &InstallArgs) -> Result<ExitCode, Ended> {
    if let Err(why) = Options::try_parse_from(&args.options) {
        let why = why.to_string();
        let first = why.lines().next().unwrap_or_default();
        return Err(Ended::misused(first.strip_prefix("error: ").unwrap_or(first)));
    }
    let place = Place::of(&args.place)?;
    place.own()?;
    let program = std::env::current_exe().map_err(|why| Ended::refused(format!("cannot find this program: {why}")))?;
    let program_text = program.to_str().ok_or_else(|| Ended::refused("the path of this program is not UTF-8"))?;
    let replaceable = program.ancestors().find(|path| !place.user && may_be_replaced(path));
    if let Some(path) = replaceable {
        let path = path.display();
        crate::cli::print_line(&format!(
            "warning: other users can write {path}, and root runs {program_text}; move the program"
        ));
    }
    let text = format!("{MARK}{}", unit::text(program_text, place.user, &args.options));
    let cannot = |why: io::Error| Ended::refused(format!("cannot write {}: {why}", place.file().display()));
    write(&place.file(), &text).map_err(cannot)?;
    let mut reported = format!("wrote {}\n", place.file().display());
    match (args.no_start, place.here) {
        (true, _) => {}
        (false, true) => {
            place.systemctl(&["daemon-reload"])?;
            place.systemctl(&["enable", UNIT])?;
            // Restart a running daemon with the new unit; jobs continue.
            place.systemctl(&["restart", UNIT])?;
            if place.user {
                call("loginctl", &["enable-linger"])?;
                reported.push_str("enabled lingering: the daemon starts with the machine, and runs without a login\n");
            }
            reported.push_str(&format!("started {UNIT}\n"));
        }
        (false, false) => {
            let link = place.link();
            let made = link.parent().map_or(Ok(()), fs::create_dir_all);
            let linked = made.and_then(|()| symlink(Path::new("..").join(UNIT), &link));
            linked
                .or_else(|why| if why.kind() == io::ErrorKind::AlreadyExists { Ok(()) } else { Err(why) })
                .map_err(cannot)?;
            reported.push_str(&format!("enabled {UNIT}\n"));
        }
    }
    Ok(print(&escaped(&reported)))
}

/// Whether users other than root can write there. In a directory with the sticky bit they cannot replace files of
/// others.
fn may_be_replaced(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| {
        let sticky = found.is_dir() && found.mode() & 0o1000 != 0;
        found.uid() != 0 || (found.mode() & 0o022 != 0 && !sticky)
    })
}

/// Writes a file atomically.
fn write(file: &Path, text: &str) -> io::Result<()> {
    file.parent().map_or(Ok(()), fs::create_dir_all)?;
    let temporary = file.with_extension("service.new");
    fs::write(&temporary, text)?;
    fs::set_permissions(&temporary, Permissions::from_mode(0o644))?;
    fs::File::open(&temporary)?.sync_all()?;
    fs::rename(&temporary, file)
}

/// Stored jobs remain, and running jobs continue.
pub fn uninstall(args: &UninstallArgs) -> ExitCode {
    code(uninstalled(args))
}

fn uninstalled(args: &UninstallArgs) -> Result<ExitCode, Ended> {
    let place = Place::of(&args.place)?;
    let file = place.file();
    if place.own()?.is_none() {
        return Err(Ended::refused(format!("cannot uninstall: {} not found", file.display())));
    }
    if !args.yes {
        if !io::stdin().is_terminal() {
            return Err(Ended::misused("cannot ask for confirmation without a terminal; use --yes"));
        }
        let question = format!("Stop the job daemon and remove {}? Running jobs continue. [y/N] ", file.display());
        if !matches!(asked(&question).as_str(), "y" | "Y" | "yes") {
            return Ok(print("nothing was changed\n"));
        }
    }
    if place.here {
        place.systemctl(&["disable", "--now", UNIT])?;
    }
    let removed = [place.link(), file.clone()].into_iter().map(|path| match fs::remove_file(&path) {
        Err(why) if why.kind() != io::ErrorKind::NotFound => {
            Err(Ended::refused(format!("cannot remove {}: {why}", path.display())))
        }
        _ => Ok(()),
    });
    removed.collect::<Result<(), Ended>>()?;
    if place.here {
        place.systemctl(&["daemon-reload"])?;
    }
    let lingers = if place.user { "; lingering stays enabled: `loginctl disable-linger` ends it" } else { "" };
    Ok(print(&escaped(&format!("removed {}; jobs and their output remain on the disk{lingers}\n", file.display()))))
}
