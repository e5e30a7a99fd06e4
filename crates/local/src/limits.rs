//! The limits (`ulimit`) and niceness of the submitting process, which the job inherits.
//!
//! They come from the kernel: a job never gets more than its submitter or the daemon has.

use std::fs;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

const KNOWN: [(Resource, &str, &str); 16] = [
    (Resource::Cpu, "cpu", "Max cpu time"),
    (Resource::Fsize, "fsize", "Max file size"),
    (Resource::Data, "data", "Max data size"),
    (Resource::Stack, "stack", "Max stack size"),
    (Resource::Core, "core", "Max core file size"),
    (Resource::Rss, "rss", "Max resident set"),
    (Resource::Nproc, "nproc", "Max processes"),
    (Resource::Nofile, "nofile", "Max open files"),
    (Resource::Memlock, "memlock", "Max locked memory"),
    (Resource::As, "as", "Max address space"),
    (Resource::Locks, "locks", "Max file locks"),
    (Resource::Sigpending, "sigpending", "Max pending signals"),
    (Resource::Msgqueue, "msgqueue", "Max msgqueue size"),
    (Resource::Nice, "nice", "Max nice priority"),
    (Resource::Rtprio, "rtprio", "Max realtime priority"),
    (Resource::Rttime, "rttime", "Max realtime timeout"),
];
const NONE: &str = "-";

/// Returns the limits of a process as text, `nofile=1024:4096 core=0:-`, without unlimited ones. `None` if the kernel
/// does not report them.
pub(super) fn of(pid: i32) -> Option<String> {
    from_lines(&fs::read_to_string(format!("/proc/{pid}/limits")).ok()?)
}

fn from_lines(text: &str) -> Option<String> {
    let value = |word: &str| {
        if word == "unlimited" { Some(NONE.to_owned()) } else { Some(word.parse::<u64>().ok()?.to_string()) }
    };
    let mut found = Vec::new();
    for line in text.lines().skip(1) {
        let Some((_, short, rest)) =
            KNOWN.iter().find_map(|(is, short, long)| Some((is, short, line.strip_prefix(long)?)))
        else {
            continue;
        };
        let mut words = rest.split_whitespace();
        let (soft, hard) = (value(words.next()?)?, value(words.next()?)?);
        if (soft.as_str(), hard.as_str()) != (NONE, NONE) {
            found.push(format!("{short}={soft}:{hard}"));
        }
    }
    // An empty text would mean unknown.
    Some(if found.is_empty() { "cpu=-:-".to_owned() } else { found.join(" ") })
}

fn in_text(text: &str, short: &str) -> Rlimit {
    let word = text.split(' ').find_map(|word| word.strip_prefix(short)?.strip_prefix('='));
    let (soft, hard) = word.and_then(|word| word.split_once(':')).unwrap_or((NONE, NONE));
    Rlimit { current: soft.parse().ok(), maximum: hard.parse().ok() }
}

/// Sets the limits of this process, bounded by its own; an empty text changes nothing.
///
/// # Errors
/// The kernel rejects it.
pub(super) fn apply(text: &str) -> rustix::io::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    for (resource, short, _) in KNOWN {
        let own = getrlimit(resource);
        let new = within(in_text(text, short), own.maximum);
        if (new.current, new.maximum) != (own.current, own.maximum) {
            setrlimit(resource, new)?;
        }
    }
    Ok(())
}

fn within(wanted: Rlimit, most: Option<u64>) -> Rlimit {
    let lower = |one: Option<u64>, other: Option<u64>| match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    };
    let maximum = lower(wanted.maximum, most);
    Rlimit { current: lower(wanted.current, maximum), maximum }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read_as_the_kernel_writes_them_and_never_raised() {
        let text = "Limit                     Soft Limit           Hard Limit           Units
Max cpu time              unlimited            unlimited            seconds
Max core file size        0                    unlimited            bytes
Max open files            1024                 4096                 files
Max something new         7                    7                    things
";
        let found = from_lines(text).unwrap();
        assert_eq!(found, "core=0:- nofile=1024:4096");
        let pair = |limit: Rlimit| (limit.current, limit.maximum);
        assert_eq!(pair(in_text(&found, "nofile")), (Some(1024), Some(4096)));
        assert_eq!(pair(in_text(&found, "core")), (Some(0), None));
        assert_eq!(pair(in_text(&found, "cpu")), (None, None));
        assert_eq!(pair(within(in_text(&found, "nofile"), Some(512))), (Some(512), Some(512)));
        assert_eq!(pair(within(in_text(&found, "cpu"), Some(9))), (Some(9), Some(9)));
        assert_eq!(from_lines("Limit\nMax open files  x  y\n"), None, "what does not read is not known");
    }

    #[test]
    fn the_limits_of_this_process_are_known() {
        let own = of(i32::try_from(std::process::id()).unwrap()).unwrap();
        let limit = getrlimit(Resource::Nofile);
        let found = in_text(&own, "nofile");
        assert_eq!((found.current, found.maximum), (limit.current, limit.maximum));
    }
}
