//! `kornsole local unit`: a systemd unit for the daemon.

use std::process::ExitCode;

use clap::Args;

use crate::cli::settings;

/// The arguments of `kornsole local unit`.
#[derive(Args, Clone, Debug)]
pub struct UnitArgs {
    /// For one user: to be put into ~/.config/systemd/user; without it for the machine, into /etc/systemd/system
    #[arg(long = "per-user")]
    pub user: bool,
}

/// Prints the unit.
pub fn run(args: &UnitArgs) -> ExitCode {
    let program = std::env::current_exe().map_or_else(|_| "kornsole".to_owned(), |path| path.display().to_string());
    settings::print(&text(&program, args.user))
}

/// The unit: supervisors outlive the daemon (`KillMode`), and it may make cgroups (`Delegate`).
fn text(program: &str, user: bool) -> String {
    let target = if user { "default.target" } else { "multi-user.target" };
    let folders =
        if user { "" } else { "RuntimeDirectory=kornsole\nRuntimeDirectoryMode=0755\nRuntimeDirectoryPreserve=yes\n" };
    format!(
        "[Unit]
Description=kornsole: jobs on this machine
Documentation=man:kornsole(1)

[Service]
ExecStart={program} local up
Restart=on-failure
# Jobs run on while the daemon is restarted.
KillMode=process
# A cgroup for each job.
Delegate=yes
{folders}
[Install]
WantedBy={target}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_outlive_the_daemon() {
        for user in [false, true] {
            let unit = text("/usr/bin/kornsole", user);
            assert!(unit.contains("\nKillMode=process\n") && unit.contains("\nDelegate=yes\n"));
            assert!(unit.contains("ExecStart=/usr/bin/kornsole local up\n"));
        }
    }
}
