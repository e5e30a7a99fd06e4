//! The architecture of instance types.

use std::fmt;
use std::str::FromStr;

/// Families of AWS whose names had no letter for the processor before the sixth generation: all have one of Intel,
/// except those with a letter.
const PLAIN_AWS: [&str; 12] = ["c", "d", "f", "g", "h", "i", "m", "p", "r", "t", "x", "z"];
const GOOGLE: [(&str, Arch); 18] = [
    ("t2a", Arch::Arm64),
    ("c4a", Arch::Arm64),
    ("n4a", Arch::Arm64),
    ("a2", Arch::Amd64),
    ("c2", Arch::Amd64),
    ("c2d", Arch::Amd64),
    ("c3", Arch::Amd64),
    ("c3d", Arch::Amd64),
    ("c4", Arch::Amd64),
    ("c4d", Arch::Amd64),
    ("e2", Arch::Amd64),
    ("g2", Arch::Amd64),
    ("h3", Arch::Amd64),
    ("n1", Arch::Amd64),
    ("n2", Arch::Amd64),
    ("n2d", Arch::Amd64),
    ("n4", Arch::Amd64),
    ("t2d", Arch::Amd64),
];

/// As in the label `kubernetes.io/arch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arch {
    /// x86-64, of Intel or AMD.
    Amd64,
    /// 64-bit, of Arm.
    Arm64,
}

impl fmt::Display for Arch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Amd64 => "amd64",
            Self::Arm64 => "arm64",
        })
    }
}

impl FromStr for Arch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "amd64" | "x86_64" => Ok(Self::Amd64),
            "arm64" | "aarch64" => Ok(Self::Arm64),
            _ => Err(format!("invalid arch {text:?}: expected amd64 or arm64")),
        }
    }
}

impl Arch {
    /// By the naming rules of AWS, Azure, and Google; `None` where they do not decide.
    pub(super) fn of_name(name: &str) -> Option<Self> {
        match name.split_once('.') {
            Some((family, _)) => of_aws(family),
            None => of_azure(name).or_else(|| of_google(name)),
        }
    }
}

/// Category, generation, and letters: `g` is Graviton, `i` Intel, and `a` AMD.
fn of_aws(family: &str) -> Option<Arch> {
    let at = family.find(|symbol: char| symbol.is_ascii_digit())?;
    let (category, rest) = family.split_at(at);
    let letters = rest.trim_start_matches(|symbol: char| symbol.is_ascii_digit());
    let generation: u32 = rest[..rest.len() - letters.len()].parse().ok()?;
    let letters = letters.strip_suffix("-flex").unwrap_or(letters);
    if !category.bytes().chain(letters.bytes()).all(|letter| letter.is_ascii_lowercase()) {
        return None;
    }
    match category {
        "a" if generation == 1 => Some(Arch::Arm64),
        _ if letters.contains('g') => Some(Arch::Arm64),
        _ if letters.contains(['a', 'i']) => Some(Arch::Amd64),
        _ => (generation <= 5 && PLAIN_AWS.contains(&category)).then_some(Arch::Amd64),
    }
}

/// `Standard_D4ps_v5`: a `p` after the number is Arm. Sizes with an accelerator have other rules.
fn of_azure(name: &str) -> Option<Arch> {
    let mut parts = name.strip_prefix("Standard_")?.split('_');
    let (size, version) = (parts.next()?, parts.next()?);
    let is_version = version.strip_prefix('v')?.bytes().all(|digit| digit.is_ascii_digit());
    let family = size.trim_start_matches(|symbol: char| symbol.is_ascii_uppercase());
    let letters = family.trim_start_matches(|symbol: char| symbol.is_ascii_digit() || symbol == '-');
    if !is_version || parts.next().is_some() || (letters.len() == family.len() && !letters.is_empty()) {
        return None;
    }
    Some(if letters.contains('p') { Arch::Arm64 } else { Arch::Amd64 })
}

fn of_google(name: &str) -> Option<Arch> {
    let (family, _) = name.split_once('-')?;
    GOOGLE.iter().find(|(known, _)| *known == family).map(|(_, arch)| *arch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_architecture_is_known_where_the_name_decides() {
        for (name, expected) in [
            ("m5.large", Some(Arch::Amd64)),
            ("m6g.large", Some(Arch::Arm64)),
            ("c7gn.xlarge", Some(Arch::Arm64)),
            ("is4gen.large", Some(Arch::Arm64)),
            ("a1.large", Some(Arch::Arm64)),
            ("g4dn.xlarge", Some(Arch::Amd64)),
            ("m7i-flex.large", Some(Arch::Amd64)),
            ("m6a.large", Some(Arch::Amd64)),
            ("mac2.metal", None),
            ("u-6tb1.metal", None),
            ("p6e-gb200.36xlarge", None),
            ("trn2.48xlarge", None),
            ("Standard_D4ps_v5", Some(Arch::Arm64)),
            ("Standard_D4s_v5", Some(Arch::Amd64)),
            ("Standard_ND128isr_NDR_GB200_v6", None),
            ("t2a-standard-4", Some(Arch::Arm64)),
            ("e2-standard-4", Some(Arch::Amd64)),
            ("worker-large", None),
        ] {
            assert_eq!(Arch::of_name(name), expected, "{name}");
        }
    }
}
