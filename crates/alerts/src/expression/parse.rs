//! Parses an expression: tokens, then terms.

use std::fmt;

use super::{ExpressionFault, Operator, Term};
use view::trends::{SubjectKind, UnknownValue, Value};

const DEEPEST: usize = 32;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Name(String),
    /// An operator, a comparison, a parenthesis.
    Operator(&'static str),
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "`{number}`"),
            Self::Name(name) => write!(f, "`{name}`"),
            Self::Operator(operator) => write!(f, "`{operator}`"),
        }
    }
}

const SYMBOLS: [&str; 10] = [">=", "<=", ">", "<", "+", "-", "*", "/", "(", ")"];

pub(super) fn fault(at: usize, message: String, hint: &str) -> ExpressionFault {
    ExpressionFault { at, message, hint: hint.to_owned() }
}

pub(super) fn tokens(text: &str) -> Result<Vec<(usize, Token)>, ExpressionFault> {
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
            // Resource names contain `-` and `/`, so these operators need spaces around them.
            let end = word(|c| c.is_whitespace() || "()<>=+*".contains(c));
            found.push((at, Token::Name(rest[..end].to_owned())));
            at += end;
        } else if let Some(operator) = SYMBOLS.into_iter().find(|operator| rest.starts_with(operator)) {
            found.push((at, Token::Operator(operator)));
            at += operator.len();
        } else {
            let hint = "numbers, values, + - * / ( ) and one of > >= < <=";
            return Err(fault(at, format!("unexpected {first:?}"), hint));
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
    number.ok_or_else(|| fault(at, format!("`{text}` is not a number"), "as 90%, 30m, 64Gi or 12.5"))
}

pub(super) struct Parser<'t> {
    tokens: &'t [(usize, Token)],
    next: usize,
    end: usize,
    depth: usize,
}

impl<'t> Parser<'t> {
    pub(super) fn new(tokens: &'t [(usize, Token)], end: usize) -> Self {
        Self { tokens, next: 0, end, depth: 0 }
    }

    pub(super) fn peek(&self) -> Option<&'t (usize, Token)> {
        self.tokens.get(self.next)
    }

    fn operator(&mut self, symbols: &[&'static str]) -> Option<&'static str> {
        let Some((_, Token::Operator(operator))) = self.peek() else { return None };
        let found = symbols.contains(operator).then_some(*operator);
        self.next += usize::from(found.is_some());
        found
    }

    pub(super) fn comparison(&mut self) -> Result<Operator, ExpressionFault> {
        Ok(match self.operator(&[">=", "<=", ">", "<"]) {
            Some(">") => Operator::More,
            Some(">=") => Operator::AtLeast,
            Some("<") => Operator::Less,
            Some(_) => Operator::AtMost,
            None => {
                let hint = "compare with one of > >= < <=";
                return Err(match self.peek() {
                    Some((at, token)) => fault(*at, format!("expected a comparison, found {token}"), hint),
                    None => fault(self.end, "it has no comparison".to_owned(), hint),
                });
            }
        })
    }

    pub(super) fn sum(&mut self) -> Result<Term, ExpressionFault> {
        let mut term = self.product()?;
        while let Some(operator) = self.operator(&["+", "-"]) {
            let operator = if operator == "+" { '+' } else { '-' };
            term = Term::Two(Box::new(term), operator, Box::new(self.product()?));
        }
        Ok(term)
    }

    fn product(&mut self) -> Result<Term, ExpressionFault> {
        let mut term = self.single()?;
        while let Some(operator) = self.operator(&["*", "/"]) {
            let operator = if operator == "*" { '*' } else { '/' };
            term = Term::Two(Box::new(term), operator, Box::new(self.single()?));
        }
        Ok(term)
    }

    fn single(&mut self) -> Result<Term, ExpressionFault> {
        const HINT: &str = "a number or a value, for example `queue.waiting.p95`";
        let Some((at, token)) = self.peek() else {
            return Err(fault(self.end, "it is incomplete".to_owned(), HINT));
        };
        self.next += 1;
        match token {
            Token::Number(number) => Ok(Term::Number(*number)),
            Token::Name(name) => value(*at, name).map(Term::Value),
            Token::Operator("(") if self.depth < DEEPEST => {
                self.depth += 1;
                let inner = self.sum()?;
                self.depth -= 1;
                match self.operator(&[")"]) {
                    Some(_) => Ok(inner),
                    None => Err(fault(*at, "this parenthesis is not closed".to_owned(), "write `)`")),
                }
            }
            Token::Operator("(") => {
                Err(fault(*at, format!("parentheses are nested deeper than {DEEPEST} levels"), "fewer"))
            }
            Token::Operator(_) => Err(fault(*at, format!("expected a number or value, found {token}"), HINT)),
        }
    }
}

fn value(at: usize, name: &str) -> Result<Value, ExpressionFault> {
    let kind = |part: &str| SubjectKind::ALL.iter().any(|kind| part.starts_with(&format!("{}.", kind.word())));
    let joined = name.match_indices(['/', '-']).find(|(operator, _)| {
        let rest = &name[operator + 1..];
        kind(rest) || rest.starts_with(|c: char| c.is_ascii_digit())
    });
    if let Some((operator, which)) = joined {
        let hint = format!("write blanks around it: `{} {which} {}`", &name[..operator], &name[operator + 1..]);
        return Err(fault(at + operator, format!("`{which}` is part of a name here"), &hint));
    }
    name.parse().map_err(|why: UnknownValue| fault(at, why.to_string(), "docs/guide/trends.md lists all values"))
}
