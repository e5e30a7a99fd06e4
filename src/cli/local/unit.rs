//! `kornsole local unit`: a systemd unit for the daemon.

use std::process::ExitCode;

use clap::Args;

use crate::cli::settings;

/// The directories of the machine's daemon: other users can enter the directory of the socket, but not that of the
/// jobs.
const DIRS: &str = "RuntimeDirectory=kornsole
RuntimeDirectoryMode=0755
RuntimeDirectoryPreserve=yes
StateDirectory=kornsole/local
StateDirectoryMode=0700
";

/// The arguments of `kornsole local unit`.
#[derive(Args, Clone, Debug)]
pub struct UnitArgs {
    /// Print a unit for one user, for ~/.config/systemd/user
    ///
    /// Default: a unit for the machine, for /etc/systemd/system.
    #[arg(long = "per-user")]
    pub user: bool,
}

/// Prints the unit.
pub fn run(args: &UnitArgs) -> ExitCode {
    let program = std::env::current_exe().map_or_else(|_| "kornsole".to_owned(), |path| path.display().to_string());
    settings::print(&text(&program, args.user, &[]))
}

/// The target that starts the daemon.
pub const fn target(user: bool) -> &'static str {
    if user { "default.target" } else { "multi-user.target" }
}

/// The unit: supervisors outlive the daemon (`KillMode`), and the daemon may create cgroups (`Delegate`).
pub fn text(program: &str, user: bool, options: &[String]) -> String {
    let target = target(user);
    let dirs = if user { "" } else { DIRS };
    let program = quoted(program);
    let options: String = options.iter().map(|option| format!(" {}", quoted(&option.replace('$', "$$")))).collect();
    format!(
        "[Unit]
Description=kornsole: jobs on this machine
Documentation=man:kornsole(1)

[Service]
ExecStart={program} local up{options}
Restart=on-failure
# Jobs continue to run while the daemon restarts.
KillMode=process
# A cgroup for each job.
Delegate=yes
{dirs}
[Install]
WantedBy={target}
"
    )
}

/// systemd splits at spaces and expands `%`.
fn quoted(path: &str) -> String {
    let path = path.replace('%', "%%");
    if !path.is_empty() && !path.contains([' ', '\t', '"', '\'', '\\', ';']) {
        return path;
    }
    format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_quoted_where_systemd_would_divide_it() {
        assert_eq!(quoted("/opt/my tools/kornsole"), "\"/opt/my tools/kornsole\"");
        assert_eq!(quoted("/opt/100%/a\"b\\"), "\"/opt/100%%/a\\\"b\\\\\"");
        assert_eq!(quoted("/opt/100%/kornsole"), "/opt/100%%/kornsole");
    }

    #[test]
    fn jobs_outlive_the_daemon() {
        for user in [false, true] {
            let unit = text("/usr/bin/kornsole", user, &["--cpu".to_owned(), "7 $x".to_owned()]);
            assert!(unit.contains("\nKillMode=process\n") && unit.contains("\nDelegate=yes\n"));
            assert!(unit.contains("ExecStart=/usr/bin/kornsole local up --cpu \"7 $$x\"\n"));
        }
    }
}
