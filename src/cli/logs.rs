//! Logs of commands without a screen, on stderr or in a file.

use std::fs::OpenOptions;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::PathBuf;
use std::sync::Mutex;

use clap::Args;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::writer::BoxMakeWriter;

/// The log options.
#[derive(Args, Clone, Debug)]
pub struct LogArgs {
    /// Log levels: off, error, warn, info, debug, or trace; by module: info,server=debug
    #[arg(long, value_name = "LEVELS", default_value = "info")]
    pub log: String,
    /// Log file, instead of standard error
    #[arg(long, value_name = "FILE")]
    pub log_file: Option<PathBuf>,
}

impl LogArgs {
    /// Fails with error and exit code.
    pub fn start(&self) -> Result<(), (String, u8)> {
        let filter = EnvFilter::builder().parse(&self.log).map_err(|why| {
            let hint = "expected a level, or levels by module: info,server=debug";
            (format!("--log {}: {why}; {hint}", self.log), 2)
        })?;
        let (writer, colors) = match &self.log_file {
            None => (BoxMakeWriter::new(std::io::stderr), false),
            Some(file) => {
                let opened = OpenOptions::new().create(true).append(true).mode(0o600).open(file);
                let opened = opened.map_err(|why| (format!("cannot write {}: {why}", file.display()), 1))?;
                (BoxMakeWriter::new(Mutex::new(opened)), false)
            }
        };
        // Other outputs may fail too, so the error is ignored.
        let subscriber = tracing_subscriber::fmt().with_env_filter(filter).with_writer(writer).with_ansi(colors);
        let subscriber = subscriber.log_internal_errors(false);
        subscriber.try_init().map_err(|why| (format!("cannot write the log: {why}"), 1))
    }
}
