//! `kornsole place`: the queue of an application, rule by rule.

mod batch;
mod people;
mod row;
mod table;

use std::collections::BTreeMap;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;

use self::batch::BatchFormat;
use super::predicted::PredictedCore;
use super::{fail, inputs, printed};
use ::config::DEFAULT_POLICY_GROUP;
use view::placement::{Request, TYPE_TAG};
use view::{PartitionView, View};
use wire::convert::placement::Answer;

/// The arguments of `kornsole place`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = BATCH_HELP)]
pub struct PlaceArgs {
    /// Queue configuration, in any form that `check` reads; `-` is standard input
    pub file: PathBuf,
    /// User who submits the application
    #[arg(long, value_name = "USER", required_unless_present = "batch")]
    pub user: Option<String>,
    /// Groups of the user, the primary group first [default: a group with the user name]
    #[arg(long = "group", value_name = "GROUP", value_delimiter = ',', value_parser = group)]
    pub groups: Vec<String>,
    /// Requested queue of the application
    #[arg(long, value_name = "QUEUE")]
    pub queue: Option<String>,
    /// Tag of the application (repeatable)
    #[arg(long = "tag", value_name = "NAME=VALUE", value_parser = tag)]
    pub tags: Vec<(String, String)>,
    /// Type of the application: its tag `application.type`
    #[arg(long = "type", value_name = "TYPE")]
    pub app_type: Option<String>,
    /// YAML or CSV file with many submissions; `-` is standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["user", "groups", "queue", "tags", "app_type"])]
    pub batch: Option<PathBuf>,
    /// Format of the batch, if its name does not end in .csv, .yaml, .yml, or .json
    #[arg(long, value_enum, requires = "batch")]
    pub batch_format: Option<BatchFormat>,
    /// Partition [default: the first partition]
    #[arg(long, value_name = "NAME")]
    pub partition: Option<String>,
    /// Which core decides
    #[command(flatten)]
    pub core: PredictedCore,
    /// Entry of a ConfigMap to read: NAME.yaml
    #[arg(long, value_name = "NAME", default_value = DEFAULT_POLICY_GROUP)]
    pub policy_group: String,
    /// Print JSON; for a batch, one object in each line
    #[arg(long)]
    pub json: bool,
}

const BATCH_HELP: &str = "\
A batch in CSV has a header with `user` and optional columns: `groups`, `queue`, `type`, `tags`,
`expect`, and `tag.NAME`. Separate groups by `;`, `,`, or spaces, and tags (NAME=VALUE) by `;`.
A batch in YAML is a list of maps with `user`, `groups` (a list), `queue`, `type`, `tags` (a map),
and `expect`.

`expect` is the expected queue of the application, or `rejected`. Each submission is independent:
a queue that one submission creates does not exist for the next submission.";

fn group(text: &str) -> Result<String, String> {
    if text.is_empty() { Err("missing group name".to_owned()) } else { Ok(text.to_owned()) }
}

fn tag(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        Some(_) => Err("missing tag name; use NAME=VALUE".to_owned()),
        None => Err("missing tag value; use NAME=VALUE".to_owned()),
    }
}

/// Places one submission, or the submissions of a batch, and prints the results.
pub fn run(args: &PlaceArgs) -> ExitCode {
    let tags = match tags(args) {
        Ok(tags) => tags,
        Err(message) => return fail(&message, 2),
    };
    let view = match view(args) {
        Ok(view) => view,
        Err((message, code)) => return fail(&message, code),
    };
    let part = match partition(&view, args) {
        Ok(part) => part,
        Err(message) => return fail(&message, 1),
    };
    let mut out = BufWriter::with_capacity(1 << 16, printed::out());
    let done = match &args.batch {
        Some(file) => batch::run(args, file, part, &mut out, &mut printed::err()),
        None => single(args, &tags, part, &mut out),
    };
    match done.and_then(|code| out.flush().map(|()| code)) {
        Ok(code) => ExitCode::from(code),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => fail(&format!("cannot write the result: {error}"), 1),
    }
}

/// A cluster with the active configuration; or the error with its exit code.
fn view(args: &PlaceArgs) -> Result<Arc<View>, (String, u8)> {
    let stdin = Path::new("-");
    if args.file == stdin && args.batch.as_deref() == Some(stdin) {
        return Err((
            "cannot read the configuration and the batch from standard input; name a file for one of them".to_owned(),
            2,
        ));
    }
    let core = args.core.profile();
    let file = inputs::one(&args.file, &args.policy_group).map_err(|message| (message, 1))?;
    let config = file.parsed(core).map_err(|message| (message, 1))?;
    let refused = |why| (format!("cannot use {}: configuration rejected: {why}", args.file.display()), 1);
    View::of_config(config, core).map_err(refused)
}

fn tags(args: &PlaceArgs) -> Result<BTreeMap<String, String>, String> {
    let of_type = args.app_type.iter().map(|value| (TYPE_TAG.to_owned(), value.clone()));
    let mut tags = BTreeMap::new();
    for (name, value) in args.tags.iter().cloned().chain(of_type) {
        // Tag names are case-insensitive (PLC-043).
        if let Some(known) = tags.keys().find(|known: &&String| known.eq_ignore_ascii_case(&name)) {
            return Err(format!("duplicate tag {known}; --type sets the tag {TYPE_TAG}"));
        }
        tags.insert(name, value);
    }
    Ok(tags)
}

fn partition<'v>(view: &'v View, args: &PlaceArgs) -> Result<&'v PartitionView, String> {
    let named = |name: &String| view.partitions.iter().find(|part| *part.name == **name);
    let found = match &args.partition {
        None => view.partitions.first(),
        Some(name) => named(name),
    };
    found.ok_or_else(|| {
        let known: Vec<&str> = view.partitions.iter().map(|part| &*part.name).collect();
        let name = args.partition.as_deref().unwrap_or_default();
        format!("{}: partition {name:?} not found; available: {}", args.file.display(), known.join(", "))
    })
}

fn single(
    args: &PlaceArgs,
    tags: &BTreeMap<String, String>,
    part: &PartitionView,
    out: &mut impl Write,
) -> io::Result<u8> {
    let queue = args.queue.as_deref().unwrap_or_default();
    let user = args.user.as_deref().unwrap_or_default();
    let request = Request { queue, user, groups: &args.groups, tags };
    let admission = part.preview(&request, None);
    if args.json {
        serde_json::to_writer_pretty(&mut *out, &Answer::of(part, &admission).naming_core())?;
        writeln!(out)?;
    } else {
        people::print(&args.file.display().to_string(), part, &request, &admission, out)?;
    }
    Ok(u8::from(admission.placement.placed().is_none()))
}
