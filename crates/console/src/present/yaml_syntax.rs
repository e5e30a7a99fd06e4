//! The tokens of a YAML line, for colors. Each line is parsed alone: block scalars are read as YAML.

use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "each is what its name says")]
pub enum Kind {
    Key,
    Text,
    Quoted,
    Number,
    Word,
    Comment,
    Mark,
}

/// A piece of a line, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    /// From where to where.
    pub range: Range<usize>,
    /// What it is.
    pub kind: Kind,
}

const MARKS: [char; 7] = ['{', '}', '[', ']', ',', '&', '*'];

/// The tokens of a line without blanks.
pub fn tokens(line: &str) -> Vec<Token> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(c) = line[at..].chars().next() {
        let rest = &line[at..];
        let start_of_word = at == 0 || line[..at].ends_with([' ', '\t']);
        let (len, kind) = match c {
            ' ' | '\t' => {
                at += c.len_utf8();
                continue;
            }
            '#' if start_of_word => (rest.len(), Kind::Comment),
            '-' if start_of_word && (rest == "-" || rest.starts_with("- ")) => (1, Kind::Mark),
            '"' | '\'' => (quoted(rest, c), Kind::Quoted),
            c if MARKS.contains(&c) && (c != '*' && c != '&' || start_of_word) => (c.len_utf8(), Kind::Mark),
            ':' if rest.len() == 1 || rest.starts_with(": ") => (1, Kind::Mark),
            _ => plain(rest),
        };
        let kind = if matches!(kind, Kind::Text | Kind::Quoted | Kind::Number | Kind::Word)
            && is_key_end(line[at + len..].trim_start_matches(' '))
        {
            Kind::Key
        } else {
            kind
        };
        found.push(Token { range: at..at + len, kind });
        at += len;
    }
    found
}

fn is_key_end(rest: &str) -> bool {
    rest == ":" || rest.starts_with(": ")
}

fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' if quote == '"' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

fn plain(text: &str) -> (usize, Kind) {
    let ends = |(at, c): (usize, char)| {
        let rest = &text[at..];
        let breaks = matches!(c, '{' | '}' | '[' | ']' | ',') && at > 0;
        (breaks || rest.starts_with(" #") || rest == ":" || rest.starts_with(": ")).then_some(at)
    };
    let end = text.char_indices().skip(1).find_map(ends).unwrap_or(text.len());
    let word = text[..end].trim_end();
    let kind = match word {
        "true" | "false" | "yes" | "no" | "null" | "~" => Kind::Word,
        _ if word.starts_with(|c: char| c.is_ascii_digit()) && word.len() <= 24 && !word.contains(' ') => Kind::Number,
        _ => Kind::Text,
    };
    (word.len().max(1), kind)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(line: &str) -> String {
        let one = |token: Token| format!("{:?}({})", token.kind, &line[token.range]);
        tokens(line).into_iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lines_are_taken_apart() {
        for (line, pieces) in [
            ("  - name: root # all", "Mark(-) Key(name) Mark(:) Text(root) Comment(# all)"),
            (
                "max: {memory: 40G, vcore: 6}",
                "Key(max) Mark(:) Mark({) Key(memory) Mark(:) Number(40G) Mark(,) Key(vcore) Mark(:) Number(6) Mark(})",
            ),
            ("submitacl: '*'", "Key(submitacl) Mark(:) Quoted('*')"),
            ("create: true", "Key(create) Mark(:) Word(true)"),
            ("a: \"x \\\" y\" z", "Key(a) Mark(:) Quoted(\"x \\\" y\") Text(z)"),
            ("adminacl: sue,bob dev ops", "Key(adminacl) Mark(:) Text(sue) Mark(,) Text(bob dev ops)"),
            ("\"quoted\": 1", "Key(\"quoted\") Mark(:) Number(1)"),
            ("# only", "Comment(# only)"),
            ("a#b: 東:京", "Key(a#b) Mark(:) Text(東:京)"),
            ("'open", "Quoted('open)"),
            ("", ""),
        ] {
            assert_eq!(message(line), pieces, "{line}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_taken_apart_in_order(line in "[-a:#'\"{}\\[\\],*& 東\t1é]{0,40}") {
            let mut end = 0;
            for token in tokens(&line) {
                proptest::prop_assert!(token.range.start >= end && token.range.end > token.range.start);
                proptest::prop_assert!(line.get(token.range.clone()).is_some());
                end = token.range.end;
            }
        }
    }
}
