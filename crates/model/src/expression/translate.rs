//! RE2's syntax for the `regex` crate (PLC-056).

use super::{ExpressionFault, fault};

const REPEAT_MAX: u32 = 1000;

/// Fails by the rules of RE2.
pub(super) fn translate(pattern: &str) -> Result<String, ExpressionFault> {
    Translator { rest: pattern, out: String::with_capacity(pattern.len() + 8) }.translate()
}

struct Translator<'p> {
    rest: &'p str,
    out: String,
}

impl<'p> Translator<'p> {
    fn translate(mut self) -> Result<String, ExpressionFault> {
        let mut repeated = false;
        while let Some(c) = self.rest.chars().next() {
            let was_repeated = std::mem::take(&mut repeated);
            match c {
                '\\' => self.escape()?,
                '[' => self.class()?,
                '(' => self.open()?,
                '*' | '+' | '?' => {
                    self.take(1);
                    self.out.push(c);
                    repeated = true;
                }
                '{' => match self.repetition()? {
                    Some(text) => {
                        self.out.push_str(text);
                        repeated = true;
                    }
                    None => {
                        self.take(1);
                        self.out.push_str("\\{");
                    }
                },
                '}' | ']' => {
                    self.take(1);
                    self.literal(c);
                }
                _ => {
                    self.take(c.len_utf8());
                    self.out.push(c);
                }
            }
            if repeated {
                if was_repeated {
                    return fault("a repetition cannot be repeated again");
                }
                if self.rest.starts_with('?') {
                    self.take(1);
                    self.out.push('?');
                }
            }
        }
        Ok(self.out)
    }

    fn take(&mut self, bytes: usize) -> &'p str {
        let (head, rest) = self.rest.split_at(bytes);
        self.rest = rest;
        head
    }

    fn literal(&mut self, c: char) {
        self.out.push_str(&format!("\\x{{{:x}}}", u32::from(c)));
    }

    /// `{n}`, `{n,}`, or `{n,m}`, if any.
    fn repetition(&mut self) -> Result<Option<&'p str>, ExpressionFault> {
        let Some(end) = self.rest.find('}') else { return Ok(None) };
        let inner = &self.rest[1..end];
        let (low, high) = inner.split_once(',').map_or((inner, None), |(low, high)| (low, Some(high)));
        let is_count = |text: &str| {
            !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()) && (text.len() == 1 || !text.starts_with('0'))
        };
        let high = high.filter(|high| !high.is_empty());
        if !is_count(low) || !high.is_none_or(is_count) {
            return Ok(None);
        }
        let number = |text: &str| text.parse::<u32>().unwrap_or(u32::MAX);
        let (low, high) = (number(low), high.map_or(0, number));
        if low > REPEAT_MAX || high > REPEAT_MAX || (high > 0 || inner.ends_with(",0")) && low > high {
            return fault(format!("invalid repetition {{{inner}}}: at most {REPEAT_MAX}, the smaller number first"));
        }
        Ok(Some(self.take(end + 1)))
    }

    /// A parenthesis, with a name or flags of `imsU`.
    fn open(&mut self) -> Result<(), ExpressionFault> {
        let Some(inside) = self.rest.strip_prefix("(?") else {
            self.take(1);
            self.out.push('(');
            return Ok(());
        };
        if inside.starts_with("P<") || inside.starts_with('<') {
            let Some(end) = self.rest.find('>') else { return fault("the name of a group is not closed with >") };
            let text = self.take(end + 1);
            let name = text.split_once('<').map_or("", |(_, name)| name.trim_end_matches('>'));
            if name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                return fault(format!("{name:?} is not a valid group name"));
            }
            self.out.push('(');
            return Ok(());
        }
        let Some(end) = inside.find([':', ')']) else { return fault("the flags after (? are not closed") };
        if let Some(other) = inside[..end].chars().find(|c| !"imsU-".contains(*c)) {
            return fault(format!("{other:?} is not a flag; valid flags: i, m, s, U"));
        }
        let text = self.take(end + 3);
        self.out.push_str(text);
        Ok(())
    }

    fn escape(&mut self) -> Result<(), ExpressionFault> {
        if let Some(quoted) = self.rest.strip_prefix("\\Q") {
            let (text, skip) = quoted.split_once("\\E").map_or((quoted, 2), |(text, _)| (text, 4));
            self.take(text.len() + skip);
            for c in text.chars() {
                self.literal(c);
            }
            return Ok(());
        }
        let plain = ["\\A", "\\z"].into_iter().find(|text| self.rest.starts_with(text));
        let ascii = [("\\b", "(?-u:\\b)"), ("\\B", "(?-u:\\B)")].into_iter().find(|(t, _)| self.rest.starts_with(t));
        if let Some(text) = plain.or(ascii.map(|(_, written)| written)) {
            self.take(2);
            self.out.push_str(text);
            return Ok(());
        }
        if let Some(class) = self.escaped_class()? {
            self.out.push_str(&class);
            return Ok(());
        }
        let c = self.escaped_char()?;
        self.literal(c);
        Ok(())
    }

    /// ASCII, or a Unicode class.
    fn escaped_class(&mut self) -> Result<Option<String>, ExpressionFault> {
        let Some(letter) = self.rest[1..].chars().next() else { return Ok(None) };
        let written = match letter {
            'd' => "[0-9]",
            'D' => "[^0-9]",
            'w' => "[0-9A-Za-z_]",
            'W' => "[^0-9A-Za-z_]",
            's' => "[\\t\\n\\f\\r ]",
            'S' => "[^\\t\\n\\f\\r ]",
            'p' | 'P' => return self.unicode_class(letter == 'P').map(Some),
            _ => return Ok(None),
        };
        self.take(2);
        Ok(Some(written.to_owned()))
    }

    fn unicode_class(&mut self, mut negated: bool) -> Result<String, ExpressionFault> {
        self.take(2);
        let name = if self.rest.starts_with('{') {
            let Some(end) = self.rest.find('}') else { return fault("the name of a class is not closed with }") };
            &self.take(end + 1)[1..end]
        } else {
            let Some(c) = self.rest.chars().next() else { return fault("a class has no name") };
            self.take(c.len_utf8())
        };
        let plain = name.strip_prefix('^').unwrap_or(name);
        negated ^= plain.len() != name.len();
        if plain.is_empty() || !plain.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
            return fault(format!("class {name:?} not found"));
        }
        Ok(format!("[\\{}{{{plain}}}]", if negated { 'P' } else { 'p' }))
    }

    fn escaped_char(&mut self) -> Result<char, ExpressionFault> {
        self.take(1);
        let Some(c) = self.rest.chars().next() else { return fault("the expression ends in a backslash") };
        self.take(c.len_utf8());
        let next_is_octal = self.rest.starts_with(|c| ('0'..='7').contains(&c));
        Ok(match c {
            'a' => '\u{7}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'x' => return self.hexadecimal(),
            '0'..='7' if c == '0' || next_is_octal => {
                let more = self.rest.bytes().take(2).take_while(|b| (b'0'..=b'7').contains(b)).count();
                let digits = format!("{c}{}", self.take(more));
                u32::from_str_radix(&digits, 8).ok().and_then(char::from_u32).unwrap_or('\0')
            }
            c if c.is_ascii_punctuation() || c.is_ascii_whitespace() || c.is_ascii_control() => c,
            c => return fault(format!("unknown escape \\{c}")),
        })
    }

    fn hexadecimal(&mut self) -> Result<char, ExpressionFault> {
        let digits = if self.rest.starts_with('{') {
            self.rest.find('}').map(|end| &self.take(end + 1)[1..end])
        } else {
            self.rest.get(..2).map(|_| self.take(2))
        };
        let good = digits.filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()));
        match good.and_then(|text| u32::from_str_radix(text, 16).ok()).and_then(char::from_u32) {
            Some(c) => Ok(c),
            None => fault("\\x needs two hexadecimal digits, or more in braces"),
        }
    }

    /// Every character is escaped to be literal.
    fn class(&mut self) -> Result<(), ExpressionFault> {
        self.take(1);
        self.out.push('[');
        if self.rest.starts_with('^') {
            self.take(1);
            self.out.push('^');
        }
        let mut first = true;
        while first || !self.rest.starts_with(']') {
            first = false;
            if self.named_class()? {
                continue;
            }
            if self.rest.starts_with('\\')
                && let Some(class) = self.escaped_class()?
            {
                self.out.push_str(&class);
                continue;
            }
            let low = self.class_char()?;
            self.literal(low);
            let mut ahead = self.rest.chars();
            if ahead.next() == Some('-') && ahead.next().is_some_and(|c| c != ']') {
                self.take(1);
                let high = self.class_char()?;
                if high < low {
                    return fault(format!("the range {low}-{high} is reversed"));
                }
                self.out.push('-');
                self.literal(high);
            }
        }
        self.take(1);
        self.out.push(']');
        Ok(())
    }

    fn named_class(&mut self) -> Result<bool, ExpressionFault> {
        const NAMES: [&str; 14] = [
            "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper",
            "word", "xdigit",
        ];
        let Some(end) = self.rest.strip_prefix("[:").and_then(|inside| inside.find(":]")) else { return Ok(false) };
        let text = self.take(end + 4);
        let name = &text[2..end + 2];
        if !NAMES.contains(&name.strip_prefix('^').unwrap_or(name)) {
            return fault(format!("class {text} not found"));
        }
        self.out.push_str(text);
        Ok(true)
    }

    fn class_char(&mut self) -> Result<char, ExpressionFault> {
        match self.rest.chars().next() {
            None => fault("a class is not closed with ]"),
            Some('\\') => self.escaped_char(),
            Some(c) => {
                self.take(c.len_utf8());
                Ok(c)
            }
        }
    }
}
