//! Completions of the word before the cursor by its position.

use crate::present::filter;
use crate::state::editor::checked::Completion;
use crate::state::editor::fold::indent;
use ::config::{self, PropertyKey, keys_below, values_at};
use model::Profile;
use view::PartitionView;

const MOST: usize = 50;

/// `before` is the current line up to the cursor.
pub fn completions(above: &[String], before: &str, part: Option<&PartitionView>) -> Completion {
    if before.trim_start().starts_with('#') || before.contains(" #") {
        return Completion::default();
    }
    let (path, place) = place(above, before);
    let parent = path.last().map_or("", String::as_str);
    let profile = part.map(|part| part.rules.profile()).unwrap_or_default();
    let (typed, mut words) = match &place {
        Place::Key(typed) => (typed, keys(parent, &path, part)),
        Place::Value(key, typed) => (typed, values(parent, key, part)),
    };
    let mut elsewhere = Vec::new();
    if matches!(place, Place::Key(_)) {
        words.retain(|word| {
            let who = only_elsewhere(parent, word, profile);
            elsewhere.extend(who.filter(|_| word.starts_with(&**typed)).map(|who| (word.clone(), who)));
            only_elsewhere(parent, word, profile).is_none()
        });
    }
    let fitting = filter::complete(typed, words.iter().map(String::as_str), MOST);
    let mut words: Vec<String> = fitting.into_iter().filter(|word| word != typed).map(str::to_owned).collect();
    if matches!(place, Place::Key(_)) && !words.is_empty() && !matches!(parent, "users" | "groups") {
        words.iter_mut().for_each(|word| word.push(':'));
    }
    Completion { typed: typed.chars().count(), words, elsewhere }
}

/// The releases that know a key unknown to the profile.
pub fn only_elsewhere(parent: &str, key: &str, profile: Profile) -> Option<String> {
    let knows = |of: &Profile| match parent {
        "properties" => PropertyKey::parse(key).is_some_and(|key| key.row().is_read_by(*of)),
        "preemption" => config::preemption_keys(*of).contains(&key),
        _ => true,
    };
    if knows(&profile) {
        return None;
    }
    let known: Vec<&str> = Profile::RELEASES.iter().filter(|of| knows(of)).map(|of| of.name()).collect();
    (!known.is_empty()).then(|| match known.as_slice() {
        [one] => format!("used by {one}"),
        all => format!("used by {}", all.join(" and ")),
    })
}

#[derive(Debug, PartialEq, Eq)]
enum Place {
    /// A key, or a list item.
    Key(String),
    /// The value of a key.
    Value(String, String),
}

fn place(above: &[String], before: &str) -> (Vec<String>, Place) {
    let margin = indent(before);
    let mut text = &before[margin..];
    let mut column = margin;
    while let Some(rest) = text.strip_prefix("- ").or_else(|| text.strip_prefix('-')) {
        column += 1;
        text = rest.trim_start();
    }
    let mut path = parents(above, column);
    if let Some(open) = unclosed(text) {
        path.extend(key_of(&text[..open]));
        let last = text[open + 1..].rsplit(',').next().unwrap_or_default().trim_start();
        return (path, written(last));
    }
    (path, written(text))
}

fn written(text: &str) -> Place {
    match text.split_once(':') {
        Some((key, value)) if value.is_empty() || value.starts_with(' ') => {
            let value = value.rsplit([',', '[', ' ']).next().unwrap_or_default();
            Place::Value(key.trim().to_owned(), value.trim_start_matches(['"', '\'']).to_owned())
        }
        _ => Place::Key(text.to_owned()),
    }
}

fn unclosed(text: &str) -> Option<usize> {
    let open = text.rfind('{')?;
    (!text[open..].contains('}')).then_some(open)
}

fn key_of(line: &str) -> Option<String> {
    let key = line.trim_end().trim_end_matches(['{', '[']).trim_end().strip_suffix(':')?;
    Some(key.rsplit([' ', ',', '{']).next().unwrap_or(key).to_owned())
}

fn parents(above: &[String], column: usize) -> Vec<String> {
    let mut path = Vec::new();
    let mut column = column;
    for line in above.iter().rev() {
        let margin = indent(line);
        let text = &line[margin..];
        if text.is_empty() || text.starts_with('#') || column == 0 {
            continue;
        }
        let item = text.starts_with("- ");
        let own = if item { margin + 2 } else { margin };
        if own < column {
            path.extend(key_of(text.strip_prefix("- ").unwrap_or(text).split(" #").next().unwrap_or_default()));
            column = own;
        }
        if item && own <= column {
            column = margin + 1;
        }
    }
    path.reverse();
    path
}

fn keys(parent: &str, path: &[String], part: Option<&PartitionView>) -> Vec<String> {
    match parent {
        "guaranteed" | "max" | "maxresources" | "resourceweights" => resources(part),
        "properties" => PropertyKey::names().map(str::to_owned).collect(),
        "users" | "groups" => names(parent, part),
        "parent" if !path.iter().any(|key| key == "placementrules") => Vec::new(),
        _ => keys_below(parent).iter().map(|key| (*key).to_owned()).collect(),
    }
}

fn values(parent: &str, key: &str, part: Option<&PartitionView>) -> Vec<String> {
    let profile = part.map(|part| part.rules.profile()).unwrap_or_default();
    let allowed = values_at(parent, key, profile);
    if !allowed.is_empty() {
        return allowed.into_iter().map(str::to_owned).collect();
    }
    match (parent, key) {
        (_, "value") => {
            let mut words = vec!["namespace".to_owned()];
            words.extend(part.into_iter().flat_map(PartitionView::walk).map(|row| row.path.to_string()));
            words
        }
        (_, "users" | "groups") => names(key, part),
        (_, "adminacl" | "submitacl") => names("users", part),
        _ => Vec::new(),
    }
}

/// The values of a property, if they are enumerable.
pub fn values_of(property: &str) -> Vec<String> {
    values("properties", property, None)
}

fn resources(part: Option<&PartitionView>) -> Vec<String> {
    let mut names = vec!["vcore".to_owned(), "memory".to_owned()];
    for (name, _) in part.into_iter().flat_map(|part| part.capacity.iter()) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    }
    names
}

fn names(kind: &str, part: Option<&PartitionView>) -> Vec<String> {
    let Some(part) = part else { return Vec::new() };
    let rows = if kind == "users" { &part.users } else { &part.groups };
    rows.keys().map(ToString::to_string).filter(|name| name != "*").collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use ::config::{FilterType, NodeSortPolicy, RuleKind};
    use model::AllowedValue;
    use view::placement::Rules;

    const TEXT: &str = "\
partitions:
  - name: default
    placementrules:
      - name: fixed
        value: root.a
    queues:
      - name: root
        queues:
        - name: a
          resources:
            max: {memory: 4G}
            guaranteed:
              vcore: 1
          limits:
            - limit: all
              users:
                - sue
";

    fn offered(below: &str, written: &str) -> Vec<String> {
        let lines: Vec<String> = TEXT.lines().map(str::to_owned).collect();
        let at = lines.iter().position(|line| line.contains(below)).unwrap();
        completions(&lines[..=at], written, None).words
    }

    #[test]
    fn properties_of_other_releases_are_reported_and_not_offered() {
        let lines: Vec<String> = TEXT.lines().map(str::to_owned).collect();
        let at = lines.iter().position(|line| line.contains("name: a")).unwrap();
        for (profile, written, elsewhere) in [
            (Profile::V1_8_0, "          properties: {quota", Some(("quota.preemption.delay", "used by 1.9.0"))),
            (Profile::V1_9_0, "          properties: {quota", None),
            (
                Profile::V1_5_1,
                "          preemption: {quota",
                Some(("quotapreemptionenabled", "used by 1.8.0 and 1.9.0")),
            ),
            (Profile::V1_8_0, "          preemption: {quota", None),
        ] {
            let part = PartitionView { rules: Arc::new(Rules::none(profile)), ..PartitionView::default() };
            let found = completions(&lines[..=at], written, Some(&part));
            let named = elsewhere.map(|(word, who)| (word.to_owned(), who.to_owned()));
            assert_eq!(found.elsewhere, named.clone().into_iter().collect::<Vec<_>>(), "{profile} {written}");
            assert_eq!(found.words.is_empty(), named.is_some(), "{profile} {written}: {:?}", found.words);
        }
    }

    #[test]
    fn words_are_offered_by_their_position() {
        for (below, written, first) in [
            ("value:", "        cr", "create:"),
            ("name: a", "          submi", "submitacl:"),
            ("name: a", "          properties: {priority.of", "priority.offset:"),
            ("resources:", "            gua", "guaranteed:"),
            ("guaranteed", "              mem", "memory:"),
            ("max: {", "            max: {memory: 4G, vc", "vcore:"),
            ("limit: all", "              maxr", "maxresources:"),
            ("limits:", "            - use", "users:"),
            ("placementrules:", "      - name: pro", "provided"),
            ("placementrules:", "      - na", "name:"),
            ("name: a", "          parent: t", "true"),
            ("partitions:", "  - que", "queues:"),
        ] {
            assert_eq!(offered(below, written).first().map(String::as_str), Some(first), "{written:?} below {below:?}");
        }
    }

    #[test]
    fn every_rule_and_policy_is_offered() {
        let names = |allowed: &[AllowedValue]| allowed.iter().map(|value| value.name).collect::<Vec<_>>();
        assert_eq!(offered("placementrules:", "      - name: "), names(RuleKind::ALLOWED));
        assert_eq!(offered("partitions:", "    nodesortpolicy: {type: "), names(NodeSortPolicy::ALLOWED));
        assert_eq!(offered("value:", "        filter: {type: "), names(FilterType::ALLOWED));
        for key in PropertyKey::VALUES {
            let written = format!("          properties: {{{}: ", key.name());
            assert_eq!(offered("name: a", &written), names(key.allowed()), "{}", key.name());
            assert_eq!(values_of(key.name()), names(key.allowed()));
        }
    }

    #[test]
    fn nothing_is_offered_where_nothing_is_known() {
        for (below, written) in
            [("name: a", "          # sub"), ("name: a", "          name: x"), ("vcore: 1", "              vcore: 1")]
        {
            assert_eq!(offered(below, written), Vec::<String>::new(), "{written:?}");
        }
    }

    #[test]
    fn a_word_that_is_whole_is_not_offered_again() {
        assert!(!offered("value:", "        create: true").contains(&"true".to_owned()));
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_inspected(lines in proptest::collection::vec("[- a:{},#'東]{0,20}", 0..8), before in "[- a:{},#'東]{0,20}") {
            completions(&lines, &before, None);
        }
    }
}
