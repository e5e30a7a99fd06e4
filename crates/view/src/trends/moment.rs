//! What was measured at one time: a row of figures for each subject.

use std::sync::Arc;

use super::value::{Measure, Subject, Value};
use model::Time;

/// Which figure of a row is which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// The resources that are measured, by their names in the configuration: cpu and memory first.
    pub resources: Arc<[Arc<str>]>,
}

impl Layout {
    /// The place of a value in a row; `None` where its resource is not measured.
    pub fn place(&self, value: &Value) -> Option<usize> {
        match &value.resource {
            Some(name) => {
                let at = self.resources.iter().position(|own| own == name)?;
                Some(self.of_resource(value.measure, at))
            }
            None => Some(self.plain(value.measure)),
        }
    }

    /// The place of a measure of the resource with this number.
    pub(super) fn of_resource(&self, measure: Measure, resource: usize) -> usize {
        measure as usize * self.resources.len() + resource
    }

    /// The place of a measure that is not by resource.
    pub(super) fn plain(&self, measure: Measure) -> usize {
        Measure::BY_RESOURCE * self.resources.len() + (measure as usize).saturating_sub(Measure::BY_RESOURCE)
    }

    /// How many figures a row has.
    pub fn width(&self) -> usize {
        Measure::BY_RESOURCE * self.resources.len() + Measure::ALL.len() - Measure::BY_RESOURCE
    }

    /// What is in the places of a row of a subject, in their order; those that the kind of subject does not have are omitted.
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

/// The figures of one subject, by [`Layout`]; `None` is unknown, or does not exist (a queue without a guarantee).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// What they are of.
    pub subject: Subject,
    /// In the places of the layout.
    pub figures: Box<[Option<i64>]>,
}

/// What was measured of a partition at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    /// The time of the cluster.
    pub at: Time,
    /// The name of the partition.
    pub partition: Arc<str>,
    /// Which figure is which.
    pub layout: Layout,
    /// The cluster first, then queues (a parent before its children), users, nodes.
    pub rows: Vec<Row>,
}

impl Moment {
    /// A figure of a subject; `None` where it is unknown. Looks through the rows: rules that read many go over [`Moment::rows`].
    pub fn get(&self, subject: &Subject, value: &Value) -> Option<i64> {
        let row = self.rows.iter().find(|row| row.subject == *subject)?;
        self.figure(row, value)
    }

    /// A figure of a row of this moment.
    pub fn figure(&self, row: &Row, value: &Value) -> Option<i64> {
        *row.figures.get(self.layout.place(value)?)?
    }
}
