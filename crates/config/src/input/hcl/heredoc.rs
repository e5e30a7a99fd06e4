//! Texts between `<<NAME` and `NAME`.

use crate::yaml::Style;

pub(super) struct Heredoc {
    pub text: String,
    pub style: Style,
    /// The offset of the first line.
    pub start: usize,
    /// The number of columns removed from each line.
    pub margin: usize,
    /// The offset after the closing name.
    pub end: usize,
}

pub(super) fn heredoc(source: &str, at: usize) -> Option<Heredoc> {
    let after = source.get(at..)?.strip_prefix("<<")?;
    let (indented, after) = after.strip_prefix('-').map_or((false, after), |after| (true, after));
    let (name, _) = after.split_once('\n')?;
    let name = name.trim_end_matches('\r');
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-".contains(&byte));
    if !is_name {
        return None;
    }
    let start = at + source.get(at..)?.find('\n')? + 1;
    let (mut lines, mut next) = (Vec::new(), start);
    let end = loop {
        let line = source.get(next..)?.split_inclusive('\n').next()?;
        if line.trim() == name {
            break next + line.trim_end().len();
        }
        lines.push(line);
        next += line.len();
    };
    let blank = |line: &&str| line.trim().is_empty();
    let indent = |line: &str| line.bytes().take_while(|byte| *byte == b' ').count();
    let margin = lines.iter().filter(|line| !blank(line)).map(|line| indent(line)).min().unwrap_or_default();
    let margin = if indented { margin } else { 0 };
    let text: String = lines.iter().map(|line| line.get(margin.min(indent(line))..).unwrap_or_default()).collect();
    // Neither templates nor escapes are evaluated then.
    let plain = if template(&text).is_some() { text.clone() } else { text.replace("$${", "${").replace("%%{", "%{") };
    // An escape changes the columns of its line.
    let style = if plain == text { Style::Literal } else { Style::Folded };
    Some(Heredoc { text: plain, style, start, margin, end })
}

/// `${…}` or `%{…}`; doubled characters are escapes.
pub(super) fn template(text: &str) -> Option<usize> {
    let starts = text.match_indices("${").chain(text.match_indices("%{"));
    starts
        .map(|(at, _)| at)
        .filter(|at| at.checked_sub(1).is_none_or(|before| text.as_bytes()[before] != text.as_bytes()[*at]))
        .min()
}
