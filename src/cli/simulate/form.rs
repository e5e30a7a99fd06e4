//! Job formats, recognized by content; generator files by name.

use super::objects;
use super::objects::Kind;
use forecast::simulate::input::{self, Reading};

/// Maximum bytes of an unpacked workload.
pub(super) const LARGEST: usize = 1 << 30;

pub(super) const FORMS: &str = "a scenario (.yaml), a Standard Workload Format log, the output of sacct (--parsable2 or --json), a \
                                generator file (.toml), Kubernetes objects (YAML or JSON), or events of YuniKorn";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Swf,
    SacctTable,
    SacctJson,
    /// A table of Slurm that cannot be read.
    SlurmTable,
    Kubernetes,
    /// Objects without times, from standard input.
    Manifests,
    Events,
    Generator,
}

impl Form {
    pub(super) fn of(text: &str, extension: &str) -> Option<Self> {
        let text = text.trim_start();
        match extension {
            "toml" => Some(Self::Generator),
            _ if input::sacct::is_table(text) => Some(Self::SacctTable),
            _ if input::sacct::printed(text).is_some() => Some(Self::SlurmTable),
            _ if text.starts_with('{') && input::sacct::is_json(text) => Some(Self::SacctJson),
            _ if input::events::is_events(text) => Some(Self::Events),
            _ => Self::of_objects(text, extension),
        }
    }

    fn of_objects(text: &str, extension: &str) -> Option<Self> {
        match objects::kind(text) {
            Some(Kind::Recorded) => Some(Self::Kubernetes),
            Some(Kind::Manifests) => Some(Self::Manifests),
            _ if extension == "json" || text.starts_with('{') => Some(Self::Kubernetes),
            _ if extension == "swf" || input::swf::is_log(text) => Some(Self::Swf),
            _ => None,
        }
    }

    /// `None` for an unknown format.
    pub(super) fn read(name: &str, extension: &str, text: &str) -> Option<(Self, Reading)> {
        let form = Self::of(text, extension)?;
        let reading = match form {
            Self::Swf => input::swf::read(name, text),
            Self::SacctTable => input::sacct::read(name, text),
            Self::SacctJson => input::sacct::read_json(name, text),
            Self::SlurmTable => input::sacct::printed(text).unwrap_or_default(),
            Self::Kubernetes => input::kubernetes::read(text),
            Self::Manifests => Reading::default(),
            Self::Events => input::events::read(text),
            Self::Generator => input::generator::read(text, 1),
        };
        Some((form, reading))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_format_is_recognized_by_its_content() {
        let of = |extension, text| Form::of(text, extension);
        let line = "1 0 10 100 4 -1 -1 4 3600 -1 1 5 2 -1 1 0 -1 -1\n";
        assert_eq!([of("gz", "; MaxProcs: 4\n"), of("log", line), of("swf", "")], [Some(Form::Swf); 3]);
        assert_eq!(of("txt", "JobID|User|Submit\n"), Some(Form::SacctTable));
        assert_eq!(of("txt", "JOBID PARTITION ST\n"), Some(Form::SlurmTable));
        assert_eq!(of("json", "{\"jobs\": []}"), Some(Form::SacctJson));
        assert_eq!(of("", "{\"items\": []}"), Some(Form::Kubernetes));
        assert_eq!([of("txt", "hello"), of("csv", "a,b\n")], [None; 2]);
    }
}
