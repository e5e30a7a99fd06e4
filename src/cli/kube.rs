//! `kornsole kube`: Kubernetes commands.

use std::io::Write as _;
use std::process::ExitCode;

use clap::{Args, Subcommand, ValueEnum};

use super::fail;
use cluster::kube::{Known, roles};

/// The arguments of `kornsole kube`.
#[derive(Args, Clone, Debug)]
pub struct KubeArgs {
    #[command(subcommand)]
    command: KubeCommand,
}

#[derive(Subcommand, Clone, Debug)]
enum KubeCommand {
    /// Print the RBAC manifests for a role
    ///
    /// For the scheduler, kornsole also prints its Deployment.
    Manifests(ManifestArgs),
    /// List the contexts of your kubeconfig
    Contexts,
    /// Schedule the pods of a cluster
    Schedule(Box<super::kube_schedule::ScheduleArgs>),
    /// Compare the decisions of another scheduler (read-only)
    Shadow(Box<super::kube_shadow::ShadowArgs>),
}

/// The arguments of `kornsole kube manifests`.
#[derive(Args, Clone, Debug)]
pub struct ManifestArgs {
    /// Role to print
    #[arg(long)]
    pub role: RoleArg,
    /// Namespace of the scheduler
    #[arg(long, default_value = "yunikorn")]
    pub namespace: String,
    /// Group that gets the role [default: kornsole-ROLE]
    #[arg(long)]
    pub group: Option<String>,
}

/// The roles that manifests are printed for.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleArg {
    /// Reads everything, changes nothing
    Viewer,
    /// Viewer that also kills applications and cordons nodes
    Operator,
    /// Operator that also changes the configuration
    Admin,
    /// Scheduler, with service account and Deployment
    Scheduler,
    /// Reads everything about another scheduler, changes nothing
    Shadow,
}

/// Runs `kornsole kube`.
pub fn run(args: &KubeArgs) -> ExitCode {
    let text = match &args.command {
        KubeCommand::Manifests(args) => {
            let role = match args.role {
                RoleArg::Viewer => roles::Role::Viewer,
                RoleArg::Operator => roles::Role::Operator,
                RoleArg::Admin => roles::Role::Admin,
                RoleArg::Scheduler => roles::Role::Scheduler,
                RoleArg::Shadow => roles::Role::Shadow,
            };
            let group = args.group.clone().unwrap_or_else(|| format!("kornsole-{}", role.name()));
            roles::manifests(role, &args.namespace, &group)
        }
        KubeCommand::Schedule(args) => return super::kube_schedule::run(args),
        KubeCommand::Shadow(args) => return super::kube_shadow::run(args),
        KubeCommand::Contexts => match Known::read() {
            Ok(known) => contexts(&known),
            Err(fault) => return fail(&fault.to_string(), 1),
        },
    };
    match super::printed::out().write_all(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => fail(&format!("cannot write the output: {error}"), 1),
    }
}

fn contexts(known: &Known) -> String {
    let mut table = super::remote::table::Table::new(&["CONTEXT", "SERVER", "USER", "NAMESPACE"]);
    for context in known.contexts() {
        let name = if context.current { format!("{} (current)", context.name) } else { context.name };
        table.row(vec![name, context.server, context.user, context.namespace.unwrap_or_default()]);
    }
    table.text()
}
