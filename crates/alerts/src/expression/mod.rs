//! The language of the kind `expression`: it compares trend values.
//!
//! ```text
//!  queue.use.cpu / queue.maximum.cpu > 90%
//!  queue.waiting.p95 > 30m
//!  cluster.pending.memory > 2 * cluster.maximum.memory
//! ```
//!
//! Display units: cpu in cores, memory in bytes, shares as parts of 1, durations in seconds. Values of `cluster` can be
//! combined with one other kind.
//!
//! Invariants:
//! - parsing never panics, and errors have a column;
//! - comparisons of an unknown value are false;
//! - the depth is limited.

mod parse;

use std::fmt;

use self::parse::{Parser, fault, tokens};
use model::VCORE;
use view::trends::{Moment, Row, SubjectKind, Unit, Value};

/// A comparison of two terms.
#[derive(Clone, Debug, PartialEq)]
pub struct Expression {
    text: String,
    of: SubjectKind,
    left: Term,
    operator: Operator,
    right: Term,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Operator {
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

/// An invalid expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpressionFault {
    /// The byte offset.
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

/// The result of an expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The left side.
    pub left: f64,
    /// The right side.
    pub right: f64,
    /// Whether the comparison is true.
    pub is_true: bool,
}

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    /// Returns the first error with its location.
    pub fn parse(text: &str) -> Result<Self, ExpressionFault> {
        let tokens = tokens(text)?;
        let mut parser = Parser::new(&tokens, text.len());
        let left = parser.sum()?;
        let operator = parser.comparison()?;
        let right = parser.sum()?;
        if let Some((at, token)) = parser.peek() {
            let hint = "an expression is one comparison: `queue.waiting.p95 > 30m`";
            return Err(fault(*at, format!("unexpected {token}"), hint));
        }
        let mut kinds = Vec::new();
        left.kinds(&mut kinds);
        right.kinds(&mut kinds);
        if kinds.is_empty() {
            return Err(fault(
                0,
                "it has no value, so its result never changes".to_owned(),
                "name one, for example `queue.waiting.p95`",
            ));
        }
        kinds.retain(|kind| *kind != SubjectKind::Cluster);
        kinds.dedup();
        let of = kinds.first().copied().unwrap_or(SubjectKind::Cluster);
        if let Some(other) = kinds.iter().find(|kind| **kind != of) {
            let message = format!("it mixes values of a {} and of a {}", of.word(), other.word());
            return Err(fault(0, message, "values of one kind, and values of `cluster`"));
        }
        Ok(Self { text: text.trim().to_owned(), of, left, operator, right })
    }

    /// As it is written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The kind of its subjects, with one alert each.
    pub const fn of(&self) -> SubjectKind {
        self.of
    }

    /// `None` for an unknown value or a division by 0.
    pub fn evaluate(&self, moment: &Moment, row: &Row) -> Option<Outcome> {
        let cluster = moment.rows.first()?;
        let left = self.left.evaluate(moment, row, cluster)?;
        let right = self.right.evaluate(moment, row, cluster)?;
        let is_true = match self.operator {
            Operator::More => left > right,
            Operator::AtLeast => left >= right,
            Operator::Less => left < right,
            Operator::AtMost => left <= right,
        };
        (left.is_finite() && right.is_finite()).then_some(Outcome { left, right, is_true })
    }

    /// `queue.use.cpu 4, queue.maximum.cpu 8`
    pub fn metrics(&self, moment: &Moment, row: &Row) -> String {
        let mut values = Vec::new();
        self.left.values(&mut values);
        self.right.values(&mut values);
        let mut parts: Vec<String> = Vec::new();
        for value in values {
            let of = if value.of == SubjectKind::Cluster { moment.rows.first() } else { Some(row) };
            let metric = of.and_then(|row| moment.metric(row, value));
            let part = format!("{value} {}", metric.map_or("unknown".to_owned(), |metric| value.show(metric)));
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
                Some(in_units(value, moment.metric(row, value)?))
            }
            Self::Two(left, operator, right) => {
                let (left, right) = (left.evaluate(moment, row, cluster)?, right.evaluate(moment, row, cluster)?);
                match operator {
                    '+' => Some(left + right),
                    '-' => Some(left - right),
                    '*' => Some(left * right),
                    _ => (right != 0.0).then_some(left / right),
                }
            }
        }
    }
}

fn in_units(value: &Value, metric: i64) -> f64 {
    let metric = metric as f64;
    match value.measure.unit() {
        Unit::Amount if value.resource.as_deref() == Some(VCORE) => metric / 1000.0,
        Unit::Duration => metric / 1000.0,
        // A share is a part of 1, like a number with a percent sign.
        Unit::Share => metric / 1000.0,
        Unit::Amount | Unit::Count => metric,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> (usize, String) {
        let fault = Expression::parse(text).unwrap_err();
        (fault.at, fault.to_string())
    }

    #[test]
    fn an_expression_has_one_kind_of_subject() {
        let of = |text: &str| Expression::parse(text).unwrap().of();
        assert_eq!(of("queue.use.cpu / queue.maximum.cpu > 90%"), SubjectKind::Queue);
        assert_eq!(of("2 * (cluster.pending.memory + 1Gi) >= cluster.maximum.memory"), SubjectKind::Cluster);
        assert_eq!(of("node.use.nvidia.com/gpu < cluster.use.cpu"), SubjectKind::Node);
        assert!(wrong("queue.use.cpu > user.use.cpu").1.contains("of a queue and of a user"));
    }

    #[test]
    fn errors_have_a_location_and_a_remedy() {
        assert_eq!(wrong("queue.use.cpu >").0, 15);
        assert_eq!(wrong("queue.use.cpu").1, "it has no comparison: compare with one of > >= < <=");
        assert_eq!(
            wrong("1 > 2").1,
            "it has no value, so its result never changes: name one, for example `queue.waiting.p95`"
        );
        assert_eq!(wrong("queue.waiting.p95 > 5 parsecs").0, 22);
        assert_eq!(wrong("queue.waiting.p95 > 5x").1, "`5x` is not a number: as 90%, 30m, 64Gi or 12.5");
        assert_eq!(wrong("queue.use > 1").0, 0);
        assert_eq!(
            wrong("queue.use.cpu/queue.maximum.cpu > 1").1,
            "`/` is part of a name here: write blanks around it: `queue.use.cpu / queue.maximum.cpu`"
        );
        assert_eq!(wrong("(queue.running > 1").1, "this parenthesis is not closed: write `)`");
        assert_eq!(wrong("queue.running > 1 > 0").0, 18);
        assert!(wrong("queue.running ! 1").1.contains("'!'"));
        assert!(
            wrong(&format!("{}1 > queue.running", "(".repeat(100)))
                .1
                .starts_with("parentheses are nested deeper than 32")
        );
    }
}
