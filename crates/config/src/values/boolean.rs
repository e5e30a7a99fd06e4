//! The notation of `true` and `false` in YAML (CFG-006).

struct Spellings {
    value: bool,
    /// YAML 1.2; the first is shown in messages and completion.
    yaml_1_2: [&'static str; 3],
    /// Only the releases read these, quoted or not.
    yaml_1_1: &'static [&'static str],
}

const BOOLEANS: [Spellings; 2] = [
    Spellings {
        value: true,
        yaml_1_2: ["true", "True", "TRUE"],
        yaml_1_1: &["y", "Y", "yes", "Yes", "YES", "on", "On", "ON"],
    },
    Spellings {
        value: false,
        yaml_1_2: ["false", "False", "FALSE"],
        yaml_1_1: &["n", "N", "no", "No", "NO", "off", "Off", "OFF"],
    },
];

/// `true` and `false` as shown, `true` first.
pub fn names() -> [&'static str; 2] {
    BOOLEANS.each_ref().map(|spellings| spellings.yaml_1_2[0])
}

/// The boolean that YAML 1.2 reads in a plain scalar.
pub fn of_yaml_1_2(text: &str) -> Option<bool> {
    BOOLEANS.iter().find(|spellings| spellings.yaml_1_2.contains(&text)).map(|spellings| spellings.value)
}

/// The boolean that only YAML 1.1 reads.
pub fn of_yaml_1_1(text: &str) -> Option<bool> {
    BOOLEANS.iter().find(|spellings| spellings.yaml_1_1.contains(&text)).map(|spellings| spellings.value)
}

/// All additional words of YAML 1.1.
pub fn yaml_1_1_words() -> impl Iterator<Item = &'static str> {
    BOOLEANS.iter().flat_map(|spellings| spellings.yaml_1_1.iter().copied())
}
