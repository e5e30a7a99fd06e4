//! The submissions of a batch, from CSV or YAML.

use std::collections::BTreeMap;

use config::csv::{CsvFault, Record};
use config::node::FieldValue;
use config::yaml::{self, Node};
use config::{Fault, Faults, Place, Severity};
use view::placement::TYPE_TAG;

/// One submission of a batch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Location in the file.
    pub at: Place,
    /// The user; placement rejects an empty one.
    pub user: String,
    /// The groups, primary group first.
    pub groups: Vec<String>,
    /// The queue requested.
    pub queue: String,
    /// The tags, including the type.
    pub tags: BTreeMap<String, String>,
    /// The expected queue, or `rejected`; empty without an expectation.
    pub expect: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Column {
    User,
    Groups,
    Queue,
    Tags,
    Tag(String),
    Expect,
}

const COLUMNS: [(&str, Column); 5] = [
    ("user", Column::User),
    ("groups", Column::Groups),
    ("queue", Column::Queue),
    ("tags", Column::Tags),
    ("expect", Column::Expect),
];

/// The header of a CSV file.
#[derive(Debug)]
pub struct Header(Vec<Column>);

fn fault(code: &'static str, at: Place, message: String, hint: impl Into<String>) -> Fault {
    Fault { code, severity: Severity::Error, at, path: String::new(), message, hint: hint.into() }
}

/// Converts a CSV error.
pub fn unreadable(CsvFault { at, message, hint }: CsvFault) -> Fault {
    fault("SUB-020", at, message, hint)
}

impl Header {
    /// Fails with unknown or duplicate columns, and a missing user column.
    pub fn read(record: &Record) -> Result<Self, Vec<Fault>> {
        let mut columns = Vec::new();
        let mut faults = Vec::new();
        for index in 0..record.count() {
            let name = record.get(index).trim();
            let lower = name.to_ascii_lowercase();
            let known = COLUMNS.iter().find(|(known, _)| *known == lower).map(|(_, column)| column.clone());
            let column = match (known, lower.as_str()) {
                (Some(column), _) => column,
                (None, "type") => Column::Tag(TYPE_TAG.to_owned()),
                (None, lower) if lower.starts_with("tag.") && lower.len() > 4 => Column::Tag(name[4..].to_owned()),
                _ => {
                    let hint = "valid columns: user, groups, queue, type, tags, expect, and tag.NAME";
                    faults.push(fault("SUB-021", record.place(index), format!("unknown column {name:?}"), hint));
                    continue;
                }
            };
            if columns.contains(&column) {
                faults.push(fault("SUB-021", record.place(index), format!("duplicate column {name:?}"), ""));
            }
            columns.push(column);
        }
        if faults.is_empty() && !columns.contains(&Column::User) {
            let hint = "the first line names the columns, for example `user,groups,queue,expect`";
            faults.push(fault("SUB-021", record.place(0), "missing column for the user".to_owned(), hint));
        }
        if faults.is_empty() { Ok(Self(columns)) } else { Err(faults) }
    }

    /// Reads a record into `row`.
    ///
    /// # Errors
    /// The error of the record.
    pub fn row(&self, record: &Record, row: &mut Row) -> Result<(), Fault> {
        row.at = record.place(0);
        if record.count() != self.0.len() {
            let message = format!("the record has {} fields, the header has {}", record.count(), self.0.len());
            let at = record.place(self.0.len().min(record.count() - 1));
            return Err(fault("SUB-022", at, message, "add a field for each column; a field can be empty"));
        }
        row.user.clear();
        row.groups.clear();
        row.queue.clear();
        row.expect.clear();
        row.tags.clear();
        for (index, column) in self.0.iter().enumerate() {
            let text = record.get(index);
            match column {
                Column::User => row.user.push_str(text),
                Column::Queue => row.queue.push_str(text),
                Column::Expect => row.expect.push_str(text.trim()),
                Column::Groups => {
                    let names = text.split(|c: char| matches!(c, ';' | ',') || c.is_whitespace());
                    row.groups.extend(names.filter(|name| !name.is_empty()).map(str::to_owned));
                }
                Column::Tag(_) if text.is_empty() => {}
                Column::Tag(name) => add_tag(&mut row.tags, name, text, record.place(index))?,
                Column::Tags => {
                    for part in text.split(';').map(str::trim).filter(|part| !part.is_empty()) {
                        let Some((name, value)) = part.split_once('=').filter(|(name, _)| !name.is_empty()) else {
                            let message = format!("the tag {part:?} has no value or no name");
                            return Err(fault("SUB-023", record.place(index), message, "write NAME=VALUE;NAME=VALUE"));
                        };
                        add_tag(&mut row.tags, name, value, record.place(index))?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Tag names are case-insensitive (PLC-043).
fn add_tag(tags: &mut BTreeMap<String, String>, name: &str, value: &str, at: Place) -> Result<(), Fault> {
    if let Some(known) = tags.keys().find(|known| known.eq_ignore_ascii_case(name)) {
        let hint = format!("a type sets the tag {TYPE_TAG}");
        return Err(fault("SUB-023", at, format!("duplicate tag {known}"), hint));
    }
    tags.insert(name.to_owned(), value.to_owned());
    Ok(())
}

/// Reads the submissions of a YAML list.
pub fn of_yaml(bytes: &[u8]) -> (Vec<Row>, Vec<Fault>) {
    let mut faults = Faults::default();
    let document = yaml::decode(bytes, &mut faults).and_then(|text| yaml::parse(text, &mut faults));
    let mut rows = Vec::new();
    if let Some(root) = document.as_ref().and_then(yaml::Document::root) {
        for (index, node) in root.items("the batch", "", &mut faults).unwrap_or_default().into_iter().enumerate() {
            rows.extend(yaml_row(index, node, &mut faults));
        }
    }
    let mut faults = faults.into_sorted();
    for fault in &mut faults {
        fault.code = match fault.code {
            "CFG-001" => "SUB-001",
            "CFG-003" => "SUB-003",
            "CFG-004" => "SUB-004",
            "CFG-005" => "SUB-005",
            "CFG-008" => "SUB-008",
            "CFG-009" => "SUB-009",
            own => own,
        };
    }
    (rows, faults)
}

fn yaml_row(index: usize, node: Node<'_>, faults: &mut Faults) -> Option<Row> {
    let path = format!("[{index}]");
    if node.is_null() {
        node.wrong_type("the submission", "a map", &path, faults);
        return None;
    }
    let known = ["user", "groups", "queue", "type", "tags", "expect"];
    let fields = node.map("a submission", &known, &path, faults)?;
    let mut text = |key: &str| fields.text(key, &path, faults).good().map(|text| text.value).unwrap_or_default();
    let mut row =
        Row { at: node.at(), user: text("user"), queue: text("queue"), expect: text("expect"), ..Row::default() };
    let of_type = text("type");
    for group in fields.list("groups", &path, faults).unwrap_or_default() {
        row.groups.extend(group.text("groups", &path, faults).good().map(|group| group.value));
    }
    let mut add = |name: &str, value: &str, at, faults: &mut Faults| {
        if let Err(fault) = add_tag(&mut row.tags, name, value, at) {
            faults.error(fault.code, at, &path, fault.message, fault.hint);
        }
    };
    for (name, value) in fields.get("tags").and_then(|tags| tags.any_map("tags", &path, faults)).into_iter().flatten() {
        match value.text(name.text, &path, faults) {
            FieldValue::Value(text) if !value.is_null() => add(name.text, &text.value, name.at, faults),
            FieldValue::Value(_) => {
                let message = format!("the tag {:?} has no value", name.text);
                faults.error("SUB-023", name.at, &path, message, "write NAME: VALUE; an empty value is ''");
            }
            _ => {}
        }
    }
    if !of_type.is_empty() {
        add(TYPE_TAG, &of_type, fields.key_at("type").unwrap_or(row.at), faults);
    }
    Some(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::csv::Csv;

    /// The rows of a CSV text, and its errors as `line:column code`.
    fn csv(text: &str) -> (Vec<Row>, Vec<String>) {
        let report = |fault: &Fault| format!("{}:{} {}", fault.at.line, fault.at.column, fault.code);
        let mut csv = Csv::new(text.as_bytes());
        let mut record = Record::default();
        csv.next(&mut record).unwrap().unwrap().unwrap();
        let header = match Header::read(&record) {
            Ok(header) => header,
            Err(faults) => return (Vec::new(), faults.iter().map(report).collect()),
        };
        let (mut rows, mut faults) = (Vec::new(), Vec::new());
        while let Some(read) = csv.next(&mut record).unwrap() {
            let mut row = Row::default();
            match read.map_err(unreadable).and_then(|()| header.row(&record, &mut row)) {
                Ok(()) => rows.push(row),
                Err(fault) => faults.push(report(&fault)),
            }
        }
        (rows, faults)
    }

    #[test]
    fn both_formats_give_the_same_result() {
        let text = "User,groups,queue,tags,type,tag.NS,expect\n\
                    sue,dev;ops,root.a,\"stage=prod;note=a=b, c\",spark,red,root.a\n\
                    bob,,,,,,rejected\n";
        let (rows, faults) = csv(text);
        assert!(faults.is_empty(), "{faults:?}");
        let yaml = "
- {user: sue, groups: [dev, ops], queue: root.a, type: spark, tags: {stage: prod, note: 'a=b, c', NS: red}, expect: root.a}
- user: bob
  expect: rejected
";
        let (other, faults) = of_yaml(yaml.as_bytes());
        assert!(faults.is_empty(), "{faults:?}");
        let without_place =
            |rows: Vec<Row>| -> Vec<Row> { rows.into_iter().map(|row| Row { at: Place::default(), ..row }).collect() };
        assert_eq!(without_place(rows), without_place(other));
    }

    #[test]
    fn faults_of_csv_have_places() {
        assert_eq!(csv("user,grops,user\n").1, ["1:6 SUB-021", "1:12 SUB-021"]);
        assert_eq!(csv("queue\n").1, ["1:1 SUB-021"]);
        let (rows, faults) = csv("user,tags,tag.ns\na\na,b,c,d\na,novalue,\na,NS=x,y\na,=x,\nok,,\n");
        assert_eq!(faults, ["2:1 SUB-022", "3:7 SUB-022", "4:3 SUB-023", "5:8 SUB-023", "6:3 SUB-023"]);
        assert_eq!(rows.len(), 1);
    }

    #[test]
    fn faults_of_yaml_have_places() {
        let report = |text: &str| -> Vec<String> {
            let faults = of_yaml(text.as_bytes()).1;
            faults.iter().map(|fault| format!("{}:{} {}", fault.at.line, fault.at.column, fault.code)).collect()
        };
        assert_eq!(report("user: a"), ["1:1 SUB-005"]);
        assert_eq!(report("- user: a\n  grups: [b]\n- 5\n-\n"), ["2:3 SUB-003", "3:3 SUB-005", "4:2 SUB-005"]);
        assert_eq!(report("- {user: a, type: x, tags: {Application.Type: y, n: }}"), ["1:13 SUB-023", "1:50 SUB-023"]);
        assert_eq!(report("- [a"), ["1:3 SUB-001"]);
    }
}
