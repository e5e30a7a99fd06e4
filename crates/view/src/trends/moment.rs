//! Moments: the measured values of all subjects at one time.

use std::sync::Arc;

use super::value::{Measure, Subject, Value};
use model::Time;

/// The order of the values in a row.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The measured resources by their configuration names, cpu and memory first.
    pub resources: Arc<[Arc<str>]>,
}

impl Layout {
    /// `None` if its resource is not measured.
    pub fn place(&self, value: &Value) -> Option<usize> {
        match &value.resource {
            Some(name) => {
                let at = self.resources.iter().position(|own| own == name)?;
                Some(self.of_resource(value.measure, at))
            }
            None => Some(self.plain(value.measure)),
        }
    }

    pub(super) fn of_resource(&self, measure: Measure, resource: usize) -> usize {
        measure as usize * self.resources.len() + resource
    }

    pub(super) fn plain(&self, measure: Measure) -> usize {
        Measure::BY_RESOURCE * self.resources.len() + (measure as usize).saturating_sub(Measure::BY_RESOURCE)
    }

    /// The number of values in a row.
    pub fn width(&self) -> usize {
        Measure::BY_RESOURCE * self.resources.len() + Measure::ALL.len() - Measure::BY_RESOURCE
    }

    /// The values of a row for a kind of subject, in order.
    pub fn values(&self, of: super::SubjectKind) -> Vec<Value> {
        let mut values = Vec::new();
        for measure in Measure::ALL.iter().copied().filter(|measure| measure.kinds().contains(&of)) {
            match measure.by_resource() {
                true => values.extend(self.resources.iter().map(|name| Value::amount(of, measure, name))),
                false => values.push(Value::plain(of, measure)),
            }
        }
        values
    }
}

/// The values of one subject, by [`Layout`]; `None` is unknown or not applicable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What they are of.
    pub subject: Subject,
    /// In the places of the layout.
    pub metrics: Box<[Option<i64>]>,
}

/// The measurement of a partition at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The cluster time.
    pub at: Time,
    /// The name of the partition.
    pub partition: Arc<str>,
    /// The order of the values.
    pub layout: Layout,
    /// The cluster, then queues (parents before children), users, nodes.
    pub rows: Vec<Row>,
}

impl Moment {
    /// Linear: to read many, iterate over [`Moment::rows`].
    pub fn get(&self, subject: &Subject, value: &Value) -> Option<i64> {
        let row = self.rows.iter().find(|row| row.subject == *subject)?;
        self.metric(row, value)
    }

    /// A value of a row.
    pub fn metric(&self, row: &Row, value: &Value) -> Option<i64> {
        *row.metrics.get(self.layout.place(value)?)?
    }
}
