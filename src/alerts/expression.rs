//! The little language of rules of the kind `expression`: figures of the trends beside each other.
//!
//! ```text
//!  queue.use.cpu / queue.maximum.cpu > 90%
//!  queue.waiting.p95 > 30m
//!  cluster.pending.memory > 2 * cluster.maximum.memory
//! ```
//!
//! Figures are in the units that people read: cpu in cores, memory in bytes, shares as parts of 1 (`90%` is 0.9), durations in seconds. A number takes `%`,
//! `s m h d`, `K M G T` and `Ki Mi Gi Ti`. Values of `cluster` stand beside those of one other kind.
//!
//! Invariants:
//! - reading never panics, and a fault has its column;
//! - what is not known is no number, so a comparison with it does not hold;
//! - its depth is bounded, so that reading and evaluating are.

use std::fmt;

use crate::model::VCORE;
use crate::view::trends::{Moment, Row, SubjectKind, Unit, Value};

/// How deep parentheses and signs may stand in each other.
const DEEPEST: usize = 32;

/// A comparison of two terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    of: SubjectKind,
    left: Term,
    sign: Sign,
    right: Term,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    More,
    AtLeast,
    Less,
    AtMost,
}

#[derive(Clone, Debug, PartialEq)]
enum Term {
    Number(f64),
    Value(Value),
    Two(Box<Term>, char, Box<Term>),
}

/// Why a text is no expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionFault {
    /// At which byte of the text.
    pub at: usize,
    /// What is wrong.
    pub message: String,
    /// What would be right.
    pub hint: String,
}

impl fmt::Display for ExpressionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.message, self.hint)
    }
}

/// What an expression came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The left side.
    pub left: f64,
    /// The right side.
    pub right: f64,
    /// Whether the comparison holds.
    pub holds: bool,
}

impl Expression {
    /// Reads an expression.
    ///
    /// # Errors
    /// The first fault, with its place.
    pub fn parse(text: &str) -> Result<Self, ExpressionFault> {
        let tokens = tokens(text)?;
        let mut parser = Parser { tokens: &tokens, next: 0, end: text.len(), depth: 0 };
        let left = parser.sum()?;
        let sign = parser.comparison()?;
        let right = parser.sum()?;
        if let Some((at, token)) = parser.peek() {
            let hint = "an expression is one comparison: `queue.waiting.p95 > 30m`";
            return Err(fault(*at, format!("{token} is too much"), hint));
        }
        let mut kinds = Vec::new();
        left.kinds(&mut kinds);
        right.kinds(&mut kinds);
        if kinds.is_empty() {
            return Err(fault(
                0,
                "it has no value, so it is always the same".to_owned(),
                "name one: `queue.waiting.p95`",
            ));
        }
        kinds.retain(|kind| *kind != SubjectKind::Cluster);
        kinds.dedup();
        let of = kinds.first().copied().unwrap_or(SubjectKind::Cluster);
        if let Some(other) = kinds.iter().find(|kind| **kind != of) {
            let message = format!("it has values of a {} and of a {}", of.word(), other.word());
            return Err(fault(0, message, "values of one kind, beside those of `cluster`"));
        }
        Ok(Self { text: text.trim().to_owned(), of, left, sign, right })
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Of what kind of things it speaks: an alert for each.
    pub const fn of(&self) -> SubjectKind {
        self.of
    }

    /// What it comes to for a thing; `None` where a value is not known, or something is divided by 0.
    pub fn evaluate(&self, moment: &Moment, row: &Row) -> Option<Outcome> {
        let cluster = moment.rows.first()?;
        let left = self.left.evaluate(moment, row, cluster)?;
        let right = self.right.evaluate(moment, row, cluster)?;
        let holds = match self.sign {
            Sign::More => left > right,
            Sign::AtLeast => left >= right,
            Sign::Less => left < right,
            Sign::AtMost => left <= right,
        };
        (left.is_finite() && right.is_finite()).then_some(Outcome { left, right, holds })
    }

    /// The values that stand in it, with their figures: `queue.use.cpu 4, queue.maximum.cpu 8`.
    pub fn figures(&self, moment: &Moment, row: &Row) -> String {
        let mut values = Vec::new();
        self.left.values(&mut values);
        self.right.values(&mut values);
        let mut parts: Vec<String> = Vec::new();
        for value in values {
            let of = if value.of == SubjectKind::Cluster { moment.rows.first() } else { Some(row) };
            let figure = of.and_then(|row| moment.figure(row, value));
            let part = format!("{value} {}", figure.map_or("unknown".to_owned(), |figure| value.show(figure)));
            if !parts.contains(&part) {
                parts.push(part);
            }
        }
        parts.join(", ")
    }
}

impl Term {
    fn kinds(&self, found: &mut Vec<SubjectKind>) {
        match self {
            Self::Number(_) => {}
            Self::Value(value) => found.push(value.of),
            Self::Two(left, _, right) => {
                left.kinds(found);
                right.kinds(found);
            }
        }
    }

    fn values<'t>(&'t self, found: &mut Vec<&'t Value>) {
        match self {
            Self::Number(_) => {}
            Self::Value(value) => found.push(value),
            Self::Two(left, _, right) => {
                left.values(found);
                right.values(found);
            }
        }
    }

    fn evaluate(&self, moment: &Moment, row: &Row, cluster: &Row) -> Option<f64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Value(value) => {
                let row = if value.of == SubjectKind::Cluster { cluster } else { row };
                Some(in_units(value, moment.figure(row, value)?))
            }
            Self::Two(left, sign, right) => {
                let (left, right) = (left.evaluate(moment, row, cluster)?, right.evaluate(moment, row, cluster)?);
                match sign {
                    '+' => Some(left + right),
                    '-' => Some(left - right),
                    '*' => Some(left * right),
                    _ => (right != 0.0).then_some(left / right),
                }
            }
        }
    }
}

/// A figure in the unit that people read.
fn in_units(value: &Value, figure: i64) -> f64 {
    let figure = figure as f64;
    match value.measure.unit() {
        Unit::Amount if value.resource.as_deref() == Some(VCORE) => figure / 1000.0,
        Unit::Duration => figure / 1000.0,
        // A share is a part of 1, and so is a number with a percent sign.
        Unit::Share => figure / 1000.0,
        Unit::Amount | Unit::Count => figure,
    }
}

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Number(f64),
    Name(String),
    /// An operator, a comparison, a parenthesis.
    Sign(&'static str),
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "`{number}`"),
            Self::Name(name) => write!(f, "`{name}`"),
            Self::Sign(sign) => write!(f, "`{sign}`"),
        }
    }
}

const SIGNS: [&str; 10] = [">=", "<=", ">", "<", "+", "-", "*", "/", "(", ")"];

fn fault(at: usize, message: String, hint: &str) -> ExpressionFault {
    ExpressionFault { at, message, hint: hint.to_owned() }
}

fn tokens(text: &str) -> Result<Vec<(usize, Token)>, ExpressionFault> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let word = |end: fn(char) -> bool| rest.find(end).unwrap_or(rest.len());
        if first.is_whitespace() {
            at += first.len_utf8();
        } else if first.is_ascii_digit() {
            let end = word(|c| !(c.is_ascii_alphanumeric() || c == '.' || c == '%'));
            found.push((at, Token::Number(number(at, &rest[..end])?)));
            at += end;
        } else if first.is_alphabetic() {
            // Names of resources have `-` and `/` in them, so these need blanks around them as signs.
            let end = word(|c| c.is_whitespace() || "()<>=+*".contains(c));
            found.push((at, Token::Name(rest[..end].to_owned())));
            at += end;
        } else if let Some(sign) = SIGNS.into_iter().find(|sign| rest.starts_with(sign)) {
            found.push((at, Token::Sign(sign)));
            at += sign.len();
        } else {
            let hint = "numbers, values, + - * / ( ) and one of > >= < <=";
            return Err(fault(at, format!("{first:?} means nothing here"), hint));
        }
    }
    Ok(found)
}

fn number(at: usize, text: &str) -> Result<f64, ExpressionFault> {
    const UNITS: [(&str, f64); 14] = [
        ("%", 0.01),
        ("s", 1.0),
        ("m", 60.0),
        ("h", 3600.0),
        ("d", 86_400.0),
        ("K", 1e3),
        ("M", 1e6),
        ("G", 1e9),
        ("T", 1e12),
        ("Ki", 1024.0),
        ("Mi", 1_048_576.0),
        ("Gi", 1_073_741_824.0),
        ("Ti", 1_099_511_627_776.0),
        ("", 1.0),
    ];
    let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let (digits, unit) = text.split_at(split);
    let factor = UNITS.iter().find(|(name, _)| *name == unit).map(|(_, factor)| *factor);
    let number = digits.parse::<f64>().ok().zip(factor).map(|(number, factor)| number * factor);
    number.ok_or_else(|| fault(at, format!("`{text}` is no number"), "as 90%, 30m, 64Gi or 12.5"))
}

struct Parser<'t> {
    tokens: &'t [(usize, Token)],
    next: usize,
    end: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    fn peek(&self) -> Option<&'t (usize, Token)> {
        self.tokens.get(self.next)
    }

    /// The next token if it is one of these signs.
    fn sign(&mut self, signs: &[&'static str]) -> Option<&'static str> {
        let Some((_, Token::Sign(sign))) = self.peek() else { return None };
        let found = signs.contains(sign).then_some(*sign);
        self.next += usize::from(found.is_some());
        found
    }

    fn comparison(&mut self) -> Result<Sign, ExpressionFault> {
        Ok(match self.sign(&[">=", "<=", ">", "<"]) {
            Some(">") => Sign::More,
            Some(">=") => Sign::AtLeast,
            Some("<") => Sign::Less,
            Some(_) => Sign::AtMost,
            None => {
                let hint = "compare with one of > >= < <=";
                return Err(match self.peek() {
                    Some((at, token)) => fault(*at, format!("{token} stands where a comparison is due"), hint),
                    None => fault(self.end, "it compares nothing".to_owned(), hint),
                });
            }
        })
    }

    fn sum(&mut self) -> Result<Term, ExpressionFault> {
        let mut term = self.product()?;
        while let Some(sign) = self.sign(&["+", "-"]) {
            let sign = if sign == "+" { '+' } else { '-' };
            term = Term::Two(Box::new(term), sign, Box::new(self.product()?));
        }
        Ok(term)
    }

    fn product(&mut self) -> Result<Term, ExpressionFault> {
        let mut term = self.single()?;
        while let Some(sign) = self.sign(&["*", "/"]) {
            let sign = if sign == "*" { '*' } else { '/' };
            term = Term::Two(Box::new(term), sign, Box::new(self.single()?));
        }
        Ok(term)
    }

    fn single(&mut self) -> Result<Term, ExpressionFault> {
        const HINT: &str = "a number or a value, as `queue.waiting.p95`";
        let Some((at, token)) = self.peek() else {
            return Err(fault(self.end, "something is missing at its end".to_owned(), HINT));
        };
        self.next += 1;
        match token {
            Token::Number(number) => Ok(Term::Number(*number)),
            Token::Name(name) => value(*at, name).map(Term::Value),
            Token::Sign("(") if self.depth < DEEPEST => {
                self.depth += 1;
                let inner = self.sum()?;
                self.depth -= 1;
                match self.sign(&[")"]) {
                    Some(_) => Ok(inner),
                    None => Err(fault(*at, "this parenthesis is not closed".to_owned(), "write `)`")),
                }
            }
            Token::Sign("(") => Err(fault(*at, format!("more than {DEEPEST} parentheses in each other"), "fewer")),
            Token::Sign(_) => Err(fault(*at, format!("{token} stands where a number or value is due"), HINT)),
        }
    }
}

fn value(at: usize, name: &str) -> Result<Value, ExpressionFault> {
    let kind = |part: &str| SubjectKind::ALL.iter().any(|kind| part.starts_with(&format!("{}.", kind.word())));
    let joined = name.match_indices(['/', '-']).find(|(sign, _)| {
        let rest = &name[sign + 1..];
        kind(rest) || rest.starts_with(|c: char| c.is_ascii_digit())
    });
    if let Some((sign, which)) = joined {
        let hint = format!("write blanks around it: `{} {which} {}`", &name[..sign], &name[sign + 1..]);
        return Err(fault(at + sign, format!("`{which}` is part of a name here"), &hint));
    }
    name.parse().map_err(|why: crate::view::trends::UnknownValue| {
        fault(at, why.to_string(), "docs/guide/trends.md lists all values")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> (usize, String) {
        let fault = Expression::parse(text).unwrap_err();
        (fault.at, fault.to_string())
    }

    #[test]
    fn an_expression_speaks_of_one_kind_of_things() {
        let of = |text: &str| Expression::parse(text).unwrap().of();
        assert_eq!(of("queue.use.cpu / queue.maximum.cpu > 90%"), SubjectKind::Queue);
        assert_eq!(of("2 * (cluster.pending.memory + 1Gi) >= cluster.maximum.memory"), SubjectKind::Cluster);
        assert_eq!(of("node.use.nvidia.com/gpu < cluster.use.cpu"), SubjectKind::Node);
        assert!(wrong("queue.use.cpu > user.use.cpu").1.contains("of a queue and of a user"));
    }

    #[test]
    fn faults_have_their_place_and_say_what_is_right() {
        assert_eq!(wrong("queue.use.cpu >").0, 15);
        assert_eq!(wrong("queue.use.cpu").1, "it compares nothing: compare with one of > >= < <=");
        assert_eq!(wrong("1 > 2").1, "it has no value, so it is always the same: name one: `queue.waiting.p95`");
        assert_eq!(wrong("queue.waiting.p95 > 5 parsecs").0, 22);
        assert_eq!(wrong("queue.waiting.p95 > 5x").1, "`5x` is no number: as 90%, 30m, 64Gi or 12.5");
        assert_eq!(wrong("queue.use > 1").0, 0);
        assert_eq!(
            wrong("queue.use.cpu/queue.maximum.cpu > 1").1,
            "`/` is part of a name here: write blanks around it: `queue.use.cpu / queue.maximum.cpu`"
        );
        assert_eq!(wrong("(queue.running > 1").1, "this parenthesis is not closed: write `)`");
        assert_eq!(wrong("queue.running > 1 > 0").0, 18);
        assert!(wrong("queue.running ! 1").1.starts_with("'!' means nothing here"));
        assert!(wrong(&format!("{}1 > queue.running", "(".repeat(100))).1.starts_with("more than 32 parentheses"));
    }
}
